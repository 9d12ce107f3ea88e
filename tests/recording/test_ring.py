"""What is kept and what goes: the last minutes, what was pinned, and the budget of the disk."""

import json
from pathlib import Path

import pytest

from controller.recording.format import RecordingError
from controller.recording.recorder import SegmentLimits
from controller.recording.recording_reader import Recording
from controller.recording.segments import DAY_US, RetentionPolicy, SegmentStore, notes_path, pin_of
from tests.recording.recording_kit import NO_RESERVE, Row, S, entry, fact, message, session

MINUTE = 60 * S
RING = RetentionPolicy(ring_us=3 * 60 * 10**6, reserve_bytes=0)


def every_half_minute(minutes: int, start: int = 0) -> list[int]:
    return [(10 + 30 * number) * S for number in range(2 * start, 2 * minutes)]


def test_a_long_session_leaves_the_last_minutes_and_the_open_segment(tmp_path: Path) -> None:
    row = Row(tmp_path, RING)
    row.put(*(message(at_ns) for at_ns in every_half_minute(20)))
    segments = [Recording(kept.path).session.segment for kept in row.close(20 * MINUTE)]
    assert segments == [16, 17, 18, 19, 20]


def test_a_segment_ends_when_it_is_full_before_its_time(tmp_path: Path) -> None:
    row = Row(tmp_path, size=SegmentLimits(ns=60 * S, bytes=20_000))
    row.put(*(message(6 * S + number, bytes(5000)) for number in range(10)))
    found = [len(list(Recording(kept.path))) for kept in row.close(7 * S)]
    assert found == [4, 4, 2]


def test_each_segment_begins_with_the_journal_so_far_and_the_devices_as_they_were(tmp_path: Path) -> None:
    row = Row(tmp_path)
    row.put(
        message(6 * S, b'{"state": "live", "reason": "OPENED"}', "mark"),
        fact(1, 7 * S),
        fact(2, 8 * S),
        message(70 * S),
        fact(3, 71 * S),
        message(140 * S),
    )
    first, second, third = (Recording(kept.path) for kept in row.close(141 * S))
    assert first.history == ()
    assert second.history == (entry(1), entry(2))
    assert third.history == (entry(1), entry(2), entry(3))
    again = list(third)
    assert json.loads(again[0].data) == {"state": "live", "reason": "OPENED", "again": True}
    assert [(one.kind, one.mono_ns) for one in again] == [("mark", 140 * S), ("rx", 140 * S)]


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("held", {"code": "SHOE_GAP", "params": {}}, "held SHOE_GAP"),
        ("trouble", {"code": "CARD_UNREAD", "severity": "critical"}, "trouble CARD_UNREAD"),
        ("disputed", {"round": 1}, "disputed"),
        ("fact", {"obs": "correct", "card": 3, "rank": "K"}, "fact correct"),
        ("fact", {"obs": "void", "reason": "x"}, "fact void"),
        ("fact", {"obs": "card", "rank": "K", "suit": "s"}, None),
        ("settled", {"round": 1}, None),
        ("trouble", {"code": "RECORDING_DISK_LOW", "severity": "warning"}, None),
    ],
)
def test_holds_troubles_rulings_and_disputes_pin_and_no_card_stands_in_the_note(
    kind: str, body: dict[str, object], why: str | None
) -> None:
    pin = pin_of(entry(9, kind, **body), 5)
    assert (pin.why if pin else None) == why


def test_a_hold_keeps_the_minutes_before_and_after_it_beyond_the_ring(tmp_path: Path) -> None:
    row = Row(tmp_path, RING)
    for at_ns in every_half_minute(6):
        row.put(message(at_ns))
    row.put(fact(5, 6 * MINUTE, "held", code="SHOE_GAP", params={}))
    row.put(*(message(at_ns) for at_ns in every_half_minute(30, 6)))
    kept = row.close(30 * MINUTE)
    pinned = [Recording(one.path).session.segment for one in kept if one.pinned]
    assert pinned == [4, 5, 6, 7]
    notes = [json.loads(notes_path(one.path).read_text()) for one in kept if one.pinned]
    assert {(note["why"], note["seq"]) for note in notes} == {("held SHOE_GAP", 5)}
    assert [Recording(one.path).session.segment for one in kept if not one.pinned] == [26, 27, 28, 29, 30]


def test_pinned_segments_go_after_their_days(tmp_path: Path) -> None:
    row = Row(tmp_path, RING)
    row.put(message(6 * S), fact(5, 7 * S, "held", code="FROZEN", params={}))
    (kept,) = row.close(8 * S)
    row.store.tidy(kept.ended_us + 29 * DAY_US, 0)
    assert row.store.kept() == [kept]
    row.store.tidy(kept.ended_us + 31 * DAY_US, 0)
    assert list(tmp_path.glob("*.mcap*")) == []
    assert list(tmp_path.glob("*.jsonl")) == []


def test_the_budget_takes_old_pins_first_and_then_the_oldest_of_the_ring(tmp_path: Path) -> None:
    ring = RING._replace(ring_us=4 * 60 * 10**6)
    row = Row(tmp_path, ring)
    row.put(message(6 * S, bytes(9000)), fact(5, 7 * S, "held", code="FROZEN", params={}))
    row.put(*(message(at_ns, bytes(9000)) for at_ns in every_half_minute(10, 5)))
    kept = row.close(10 * MINUTE)
    size, now_us = kept[-1].size, kept[-1].ended_us
    assert [one.pinned for one in kept] == [True, False, False, False, False, False]
    tight = SegmentStore(tmp_path, ring._replace(budget_bytes=size * 5 + 100))
    tight.tidy(now_us, 0)
    assert tight.kept() == kept[1:]
    tight.tidy(now_us, size * 2)
    assert tight.kept() == kept[3:]


def test_a_recorder_stays_within_a_small_budget_whatever_comes(tmp_path: Path) -> None:
    budget = 300_000
    row = Row(tmp_path, RING._replace(budget_bytes=budget), SegmentLimits(ns=60 * S, bytes=budget // 8))
    most = 0
    for number in range(120):
        row.put(message(6 * S + number * S // 4, bytes(12_000), "jpeg", "camera"))
        row.put(fact(1 + number, 6 * S + number * S // 4, "held", code="FROZEN", params={}))
        most = max(most, sum(path.stat().st_size for path in tmp_path.iterdir()))
    assert row.close(MINUTE)
    assert budget // 2 < most <= budget


def test_a_folder_serves_one_recorder_at_a_time(tmp_path: Path) -> None:
    first, second = SegmentStore(tmp_path, NO_RESERVE), SegmentStore(tmp_path, NO_RESERVE)
    first.open()
    with pytest.raises(RecordingError) as caught:
        second.open()
    assert caught.value.code == "RECORDING_IN_USE"
    first.close()
    second.open()


def test_what_a_process_that_died_has_left_is_taken_over_and_kept(tmp_path: Path) -> None:
    row = Row(tmp_path)
    row.put(message(6 * S), message(7 * S))
    row.segments.flush()
    row.segments.release()
    assert [path.suffix for path in tmp_path.glob("BJ*")] == [".partial"]
    later = SegmentStore(tmp_path, NO_RESERVE)
    later.open()
    (kept,) = later.kept()
    assert kept.pinned
    with Recording(kept.path) as recording:
        assert len(list(recording)) == 2
        assert recording.cut


def test_names_sort_by_time_and_suit_any_disk() -> None:
    store = SegmentStore(Path(), NO_RESERVE)
    assert store.name(session()) == "BJ_1-20260921T141320_000000Z-0001"
    assert store.name(session(2)._replace(table="../../etc")) == "_etc-20260921T141320_000000Z-0002"

"""Recorded bytes through the drivers once more: all as it was, and each thing that is not is named."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from mcap.reader import make_reader

from controller.journal.copying import write_entry
from controller.ports import SystemClock
from controller.recording.format import RecordedSource, decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.recording.segments import SegmentWriter
from drivers.simulated import card_bytes, report_frames
from tests.drivers.far_ends.open_shoe import PtyReader
from tests.replay.recorded_kit import changed, two_rounds
from tests.replay.replay_kit import Json, Said, call, objects, process


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_rounds(tmp_path_factory.mktemp("angel"))


def differences(result: Said) -> list[Json]:
    return [line for line in objects(result) if line["type"] == "difference"]


def test_a_recorded_table_replays_as_it_was(recording: Path) -> None:
    result = call("replay", "--json", recording)
    assert result.returncode == 0, result.stdout + result.stderr
    *lines, told, _ = objects(result)
    rounds = [line for line in lines if line["type"] == "round"]
    rest = [(line["type"], line["code"]) for line in lines if line["type"] != "round"]
    assert rest == [(kind, "DEVICE_LOST") for kind in ("hold", "alert", "released")]
    assert call("replay", "--json", "--strict", recording).returncode == 1
    assert [(line["round"], line["bets"][0]["returned"]) for line in rounds] == [(1, 1000), (2, 0)]
    assert told["differences"] == 0
    assert told["whole"] is True
    assert told["compared"] == told["messages"]["fact"] == 30
    said = process("replay", recording).stdout
    assert "Everything is as it was" in said
    assert "Round 2 settled" in said


def test_an_open_shoe_is_acknowledged_in_the_same_bytes(tmp_path: Path) -> None:
    clock = SystemClock()
    reader = PtyReader(Random(5), lambda: clock.mono_ns() // 1_000_000)
    recording = two_rounds(tmp_path, reader, protocol="open")
    result = call("replay", "--json", recording)
    told = objects(result)[-2]
    assert result.returncode == 0, result.stdout
    assert told["messages"]["tx"] >= 8
    assert told["compared"] >= 28


def cards(recorded: Recorded) -> bool:
    return recorded.kind == "rx"


class Nth:
    """Changes the n-th chunk of bytes, counted from 1."""

    def __init__(self, n: int, change: Callable[[Recorded], list[Recorded]]) -> None:
        self.n, self.change = n, change

    def __call__(self, recorded: Recorded) -> list[Recorded]:
        self.n -= recorded.kind == "rx"
        return self.change(recorded) if recorded.kind == "rx" and self.n == 0 else [recorded]


def another_card(recorded: Recorded) -> list[Recorded]:
    sequence = recorded.data[1]
    return [recorded._replace(data=report_frames(sequence, b"D" + card_bytes("A", "h")))]


def one_more(recorded: Recorded) -> list[Recorded]:
    """The same card under the next sequence character too; the real next one then is a repeat."""
    again = report_frames(recorded.data[1] + 1, b"D" + card_bytes("2", "h"))
    return [recorded, recorded._replace(data=again)]


def test_another_card_is_told_with_time_and_device(tmp_path: Path, recording: Path) -> None:
    path = changed(recording, tmp_path / "a.mcap", Nth(3, another_card))
    result = call("replay", "--json", path)
    assert result.returncode == 1
    first = differences(result)[0]
    assert (first["code"], first["device"]) == ("DIFFERS", "shoe")
    assert (first["recorded"]["body"]["rank"], first["made"]["body"]["rank"]) == ("7", "A")
    assert 0 < first["t"] < 2
    rounds = [line for line in objects(result) if line["type"] == "round"]
    assert rounds[0]["bets"][0]["returned"] == 2500, "with an ace it would have been a blackjack"
    said = call("replay", path).stdout
    assert f"{first['t']:.3f} s, shoe: recorded" in said


def test_bytes_that_are_missing_leave_an_entry_that_nothing_leads_to(tmp_path: Path, recording: Path) -> None:
    path = changed(recording, tmp_path / "a.mcap", Nth(9, lambda _: []))
    result = call("replay", "--json", path)
    assert [(line["code"], line["recorded"]["body"]["rank"]) for line in differences(result)] == [
        ("NOT_MADE", "K")
    ]
    assert result.returncode == 1
    rounds = [line for line in objects(result) if line["type"] == "round"]
    assert rounds[1]["bets"][0]["returned"] == 0, "the card lay on the felt all the same"


def test_a_card_that_was_never_journalled_is_told(tmp_path: Path, recording: Path) -> None:
    path = changed(recording, tmp_path / "a.mcap", Nth(5, one_more))
    result = call("replay", "--json", path)
    assert result.returncode == 1
    assert "2" in {line["made"]["body"].get("rank") for line in differences(result) if "made" in line}


def test_the_face_down_card_of_an_open_round_is_in_no_difference(tmp_path: Path, recording: Path) -> None:
    """The fourth card of the first round lies face down; the recording ends before it is turned."""
    count = 0

    def early(recorded: Recorded) -> Iterator[Recorded]:
        nonlocal count
        count += cards(recorded)
        if count < 5 and not (count == 4 and b"decision" in recorded.data):
            yield from Nth(1, another_card)(recorded) if cards(recorded) and count == 4 else [recorded]

    stopped = False

    def until_the_decision(recorded: Recorded) -> Iterator[Recorded]:
        nonlocal stopped
        stopped |= b"decision" in recorded.data
        if not stopped:
            yield from early(recorded)

    path = changed(recording, tmp_path / "a.mcap", until_the_decision)
    result = call("replay", "--json", path)
    (difference,) = differences(result)
    assert difference["code"] == "DIFFERS"
    assert difference["made"]["body"]["rank"] is None
    assert difference["recorded"]["body"]["rank"] is None
    assert '\\"A\\"' not in call("replay", path).stdout


@pytest.mark.parametrize("keep", [0.35, 0.6, 0.9])
def test_a_recording_that_was_cut_off_replays_as_far_as_it_goes(
    tmp_path: Path, recording: Path, keep: float
) -> None:
    data = recording.read_bytes()
    path = tmp_path / "cut.mcap.partial"
    path.write_bytes(data[: int(len(data) * keep)])
    result = call("replay", "--json", path)
    assert result.returncode == 0, result.stdout
    told = objects(result)[-2]
    assert (told["whole"], told["differences"]) == (False, 0)


@pytest.mark.parametrize("keep", [9, 200])
def test_a_file_that_says_nothing_is_exit_2(tmp_path: Path, recording: Path, keep: int) -> None:
    path = tmp_path / "stub.mcap"
    path.write_bytes(recording.read_bytes()[:keep])
    result = call("replay", path)
    assert result.returncode == 2
    assert "stub.mcap" in result.stderr
    assert "Traceback" not in result.stderr


def test_real_time_takes_as_long_as_it_took(recording: Path) -> None:
    told = objects(call("replay", "--json", recording))[-2]
    with recording.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    assert summary.statistics is not None
    took_ns = summary.statistics.message_end_time - summary.statistics.message_start_time
    assert told["seconds"] == round(took_ns / 1e9, 3)
    begun = time.monotonic()
    assert call("replay", "--speed", "0.5", recording).returncode == 0
    assert time.monotonic() - begun > 2 * told["seconds"]


def test_a_step_waits_for_enter_and_tells_each_message(recording: Path) -> None:
    result = call("replay", "--step", recording, typed="\n" * 5)
    assert result.returncode == 0
    steps = result.stderr.splitlines()
    assert len(steps) == 42
    assert "mark shoe" in steps[0]
    assert any(" 05 30 44 " in step for step in steps)


def test_devices_alone_are_played_and_there_is_nothing_to_compare(tmp_path: Path, recording: Path) -> None:
    def devices(recorded: Recorded) -> list[Recorded]:
        return [] if recorded.kind == "fact" else [recorded]

    path = changed(recording, tmp_path / "bare.mcap", devices, table=False, mode="record")
    result = call("replay", path)
    assert result.returncode == 0
    assert "without a table" in result.stdout
    out = tmp_path / "round.mcap"
    for refused in (call("feed", path), call("export", "1", "--recording", path, "--out", out)):
        assert refused.returncode == 2
        assert "without a table" in refused.stderr


def test_a_segment_that_begins_among_the_copies_of_a_card_replays_as_it_was(
    tmp_path: Path, recording: Path
) -> None:
    """The segment before has the card's first copy and its entry; this one begins with the other two."""
    with Recording(recording) as old:
        messages = list(old)
        at = [number for number, one in enumerate(messages) if one.kind == "rx"][2]
        before = [decode_entry(one.data) for one in messages[: at + 2] if one.kind == "fact"]
        history = b"".join(line + b"\n" for line in map(write_entry, (*old.history, *before)))
        source = RecordedSource("shoe", ("rx", "tx", "mark"), old.settings["rx", "shoe"])
        writer = SegmentWriter(tmp_path, "second", old.session._replace(segment=2), [source], history)
        begun_ns, copies = messages[at].mono_ns, messages[at].data
        writer.write("mark", "shoe", begun_ns, b'{"state":"live","reason":"OPENED","again":true}')
        writer.write("rx", "shoe", begun_ns, copies[len(copies) // 3 :])
        for one in messages[at + 2 :]:
            writer.write(one.kind, one.source, one.mono_ns, one.data)
        writer.close()
    result = call("replay", "--json", tmp_path / "second.mcap")
    assert result.returncode == 0, result.stdout
    assert objects(result)[-2]["compared"] == 30 - len(before)

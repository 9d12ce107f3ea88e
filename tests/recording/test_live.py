"""Every live table records: what the devices sent, then what the journal made of it, and nothing shows it."""

import asyncio
import stat
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.acts.catalogue import Bet, Close
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recording, segments_in
from controller.recording.segments import notes_path
from controller.runtime.api import CallPit
from drivers.simulated import PtyShoe
from tests.drivers.far_ends.keypad import SimulatedKeypad
from tests.main.live_kit import Live, play

HIT = 78
SMALL = {"reserve_mb": 0}
"""The disk of the tests may be nearly full."""


@pytest.fixture
def shoe() -> Iterator[PtyShoe]:
    made = PtyShoe()
    yield made
    made.close()


def section(shoe: PtyShoe) -> dict[str, Any]:
    return {"port": shoe.port}


def journal_in(folder: Path) -> list[Entry]:
    reader = JournalReader(folder / "table.journal")
    try:
        return [entry for entry in reader.read() if isinstance(entry, Entry)]
    finally:
        reader.close()


def recordings_in(folder: Path) -> list[Path]:
    return segments_in(folder / "table.recordings")


def metrics_of(live: Live) -> str:
    request = urllib.request.Request(live.page + "/metrics", headers=live.looking)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read(), "utf-8")


async def deal(live: Live, shoe: PtyShoe, *ranks: str) -> None:
    await live.say(Bet(1, 0, 1000), Close())
    for seen, rank in enumerate(ranks, 1):
        shoe.deal(rank, "s")
        await live.until(lambda: live.now.state.shoe.seen == seen)  # noqa: B023 - awaited within the turn


async def recorded(live: Live, messages: int) -> str:
    """The figures once so many messages are on disk."""
    for _ in range(200):
        figures = await asyncio.to_thread(metrics_of, live)
        count = float(figures.partition("\nstand17_recorded_messages ")[2].partition("\n")[0] or 0)
        if count >= messages:
            return figures
        await asyncio.sleep(0.05)
    raise AssertionError(figures)


def test_a_live_table_records_bytes_keys_and_the_journal_behind_them(tmp_path: Path, shoe: PtyShoe) -> None:
    pad = SimulatedKeypad(tmp_path / "pad")

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pad") == "live")
        await deal(live, shoe, "10", "9", "7", "8")
        pad.press(HIT)
        figures = await recorded(live, 10)
        assert "\nstand17_recording 1.0\n" in figures
        assert "\nstand17_recording_dropped 0.0\n" in figures

    pads = [{"name": "pad", "port": str(tmp_path / "pad")}]
    play(tmp_path, story, section(shoe), keypad=pads, recording=SMALL)
    (path,) = recordings_in(tmp_path)
    with Recording(path) as recording:
        found, session = list(recording), recording.session
        assert not recording.cut
        history = recording.history
    journal = journal_in(tmp_path)
    assert (*history, *(decode_entry(one.data) for one in found if one.kind == "fact")) == tuple(journal)
    assert session.table == "BJ1"
    assert session.mode == "live"
    assert recording.settings["rx", "shoe"]["protocol"] == "angel_eye"
    kinds = [(one.kind, one.source) for one in found]
    assert kinds.index(("mark", "shoe")) < kinds.index(("rx", "shoe"))
    assert ("key", "pad") in kinds
    at = {decode_entry(one.data).seq: one.mono_ns for one in found if one.kind == "fact"}
    cards = [entry.seq for entry in journal if entry.actor == "device:shoe" and b'"card"' in entry.body]
    bytes_at = [one.mono_ns for one in found if one.kind == "rx"]
    assert len(cards) == 4
    assert all(before < at[seq] for before, seq in zip(bytes_at, cards, strict=False))


def test_only_the_owner_can_look_and_no_answer_of_the_page_leads_there(tmp_path: Path, shoe: PtyShoe) -> None:
    async def story(live: Live) -> None:
        await deal(live, shoe, "10", "9", "7", "8")
        figures = await recorded(live, 8)
        assert str(tmp_path) not in figures
        name = recordings_in(tmp_path)[0].name
        for path in (
            f"/{name}",
            f"/table.recordings/{name}",
            "/api/recording",
            f"/../table.recordings/{name}",
        ):
            with pytest.raises(OSError, match=r"40[034]"):
                await live.get(path)

    play(tmp_path, story, section(shoe), recording=SMALL)
    folder = tmp_path / "table.recordings"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_call_of_the_pit_keeps_the_recording(tmp_path: Path, shoe: PtyShoe) -> None:
    async def story(live: Live) -> None:
        await live.ask(CallPit("look at this"), role="dealer")
        await recorded(live, 2)

    play(tmp_path, story, section(shoe), recording=SMALL)
    (path,) = recordings_in(tmp_path)
    note = notes_path(path).read_text()
    assert '"why": "held FROZEN"' in note
    assert "look at this" not in note


def test_a_second_start_knows_the_journal_before_it(tmp_path: Path, shoe: PtyShoe) -> None:
    async def first(live: Live) -> None:
        await deal(live, shoe, "10", "9")

    async def second(live: Live) -> None:
        assert live.holds == ["RESTARTED"]

    play(tmp_path, first, section(shoe), recording=SMALL)
    play(tmp_path, second, section(shoe), recording=SMALL)
    before, after = (Recording(path) for path in recordings_in(tmp_path))
    assert before.session.journal_id == after.session.journal_id != ""
    history = list(after.history)
    assert history == journal_in(tmp_path)[: len(history)]
    assert [entry.kind for entry in history[-2:]] == ["started", "held"]


def test_without_a_usable_folder_the_table_runs_and_tells_the_pit(tmp_path: Path, shoe: PtyShoe) -> None:
    (tmp_path / "table.recordings").write_text("a file stands here")

    async def story(live: Live) -> None:
        await live.until(lambda: "RECORDING_FAILED" in live.alerts)
        assert live.holds == []
        await deal(live, shoe, "10", "9")
        assert "\nstand17_recording 0.0\n" in await asyncio.to_thread(metrics_of, live)

    play(tmp_path, story, section(shoe), recording=SMALL)


def test_a_house_can_switch_it_off_or_choose_its_folder(tmp_path: Path, shoe: PtyShoe) -> None:
    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000))

    async def again(live: Live) -> None:
        await recorded(live, 1)

    play(tmp_path, story, section(shoe), recording={"enabled": False})
    assert not (tmp_path / "table.recordings").exists()
    play(tmp_path, again, section(shoe), recording={"folder": str(tmp_path / "else"), "reserve_mb": 0})
    assert not (tmp_path / "table.recordings").exists()
    assert len(segments_in(tmp_path / "else")) == 1

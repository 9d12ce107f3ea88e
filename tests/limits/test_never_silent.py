"""What happens to files, clock and cards beside the deal: a hold and an entry, never a silent pass."""

import asyncio
import json
import os
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.acts.catalogue import Bet, CardSeen, Close
from controller.domain import JournalError
from controller.journal.entry import Entry
from controller.journal.head_file import Head, TableKey
from controller.journal.heads import HeadSigner
from controller.journal.store import Journal, JournalReader
from controller.ports import Report, SystemClock
from controller.runtime.api import (
    Accepted,
    Action,
    CallPit,
    Command,
    CommandAnswer,
    Observe,
    Rejected,
    Resume,
    Role,
)
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.restore import start
from drivers.simulated import PtyShoe
from tests.main.live_kit import Live, play
from tests.runtime.runtime_kit import DEAL, IDENTITY, OPENING, Bench
from tests.runtime.test_door import Desk


def kinds(path: Path) -> list[tuple[str, bytes]]:
    reader = JournalReader(path)
    try:
        return [(entry.kind, entry.body) for entry in reader.read() if isinstance(entry, Entry)]
    finally:
        reader.close()


def test_a_card_that_still_waits_when_the_table_stops_is_written_down(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:2])
            bench._task.cancel()
            await asyncio.gather(bench._task, return_exceptions=True)
            bench.table.post(Report("shoe", 0, (DEAL[2],)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert bench.table.close() == 0

    asyncio.run(story())

    async def after() -> None:
        async with Bench(path) as bench:
            assert bench.now.state.shoe.seen == 3

    asyncio.run(after())


def test_cards_kept_while_the_disk_was_full_are_written_when_it_stops(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            connection = bench.journal._connection
            room = connection.pragma("max_page_count")
            connection.pragma("max_page_count", 1)
            await bench.ask(CallPit("x" * 6000))
            for card in DEAL[:2]:
                bench.table.post(Report("shoe", 0, (card,)))
            await bench.until(lambda: bench.now.waiting == 2)
            bench._task.cancel()
            await asyncio.gather(bench._task, return_exceptions=True)
            connection.pragma("max_page_count", room)
            assert bench.table.close() == 0

    asyncio.run(story())
    assert [kind for kind, _ in kinds(path)][-3:] == ["held", "waiting", "waiting"]


def test_a_minute_of_noise_from_the_shoe_holds_the_table_and_is_an_entry(tmp_path: Path) -> None:
    noise = Random(17)
    told: list[int] = []

    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close())
        # As many bytes as its line carries in a minute, at no speed.
        for _ in range(60):
            shoe.raw(noise.randbytes(480))
            await asyncio.sleep(0.005)
        await live.until(lambda: live.device("shoe") == "stale")
        assert live.holds == ["DEVICE_STALE"]
        assert isinstance(await live.ask(Resume(), role="dealer"), Rejected)
        told.append(live.now.state.shoe.seen)
        shoe.start()
        shoe.deal("A", "s")
        await live.until(lambda: live.device("shoe") == "live")
        await live.ask(Resume())

    with closing(PtyShoe()) as shoe:
        play(tmp_path, story, {"port": shoe.port})
    assert told == [0]
    facts = [json.loads(body) for kind, body in kinds(tmp_path / "table.journal") if kind == "fact"]
    assert [fact["state"] for fact in facts if fact["obs"] == "device"] == ["live", "stale", "live"]


def test_a_clock_that_is_put_back_is_a_hold_and_an_entry(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "t.journal")
    desk.say(Bet(1, 0, 1000))
    desk.clock.ms -= 3_600_000
    desk.report(CardSeen("9", "s", by="shoe"))
    (hold,) = desk.door.snapshot().holds
    assert (hold.code, dict(hold.params)) == ("CLOCK_STEPPED_BACK", {"seconds": 3599})
    assert isinstance(desk.ask(Resume()), Accepted)
    assert desk.door.snapshot().holds == ()
    assert [entry.kind for entry in desk.entries()].count("held") == 1


class SetClock:
    """A clock that somebody sets; the machine's own time goes on."""

    def __init__(self, utc_us: int) -> None:
        self.utc, self.mono = utc_us, 0

    def utc_us(self) -> int:
        return self.utc

    def mono_ns(self) -> int:
        return self.mono * 1000

    def passes(self, seconds: int) -> None:
        self.utc += seconds * 1_000_000
        self.mono += seconds * 1_000_000


EVENING_US = 1_795_204_440_000_000


def opened(path: Path, clock: SetClock) -> tuple[Journal, TableDoor]:
    journal = Journal.open(path, clock)
    door = TableDoor(journal, start(journal, IDENTITY, "live", "test"), clock, mode="live")
    return journal, door


def bet(door: TableDoor, box: int) -> CommandAnswer:
    return asked(door, "pit", Observe(Bet(box, 0, 1000)))


def asked(door: TableDoor, role: Role, action: Action) -> CommandAnswer:
    answers: list[CommandAnswer] = []
    name = f"press-{door.ledger.seq}-{role}"
    door.take(SubmittedCommand(Command(name, "p7", role, None, action), answers.append))
    return answers[0]


def test_a_start_behind_the_last_entry_is_a_hold_of_the_pit(tmp_path: Path) -> None:
    clock = SetClock(EVENING_US)
    journal, door = opened(tmp_path / "t.journal", clock)
    bet(door, 1)
    journal.close()
    journal, door = opened(tmp_path / "t.journal", SetClock(1_000_000))
    holds = {hold.code: dict(hold.params) for hold in door.snapshot().holds}
    assert holds["CLOCK_STEPPED_BACK"] == {"seconds": EVENING_US // 1_000_000 - 1}
    assert isinstance(asked(door, "dealer", Resume()), Rejected)
    assert isinstance(asked(door, "pit", Resume()), Accepted)
    assert isinstance(bet(door, 2), Accepted)
    assert door.snapshot().holds == ()


def test_a_second_day_that_begins_before_the_first_one_ended_is_a_hold(tmp_path: Path) -> None:
    signer = HeadSigner(tmp_path / "thursday.journal", "T1", TableKey.load_or_make(tmp_path / "k", {}))
    last = signer.sign(Head(9, bytes(32)), 1, EVENING_US, "close")
    journal = Journal.open(tmp_path / "friday.journal", SetClock(EVENING_US - 9_000_000))
    ledger = start(journal, IDENTITY._replace(follows=last), "live", "test")
    assert [(hold.code, dict(hold.params)) for hold in ledger.holds] == [
        ("CLOCK_STEPPED_BACK", {"seconds": 9})
    ]


def test_a_clock_that_is_put_forward_is_told_once_with_both_times(tmp_path: Path) -> None:
    clock = SetClock(EVENING_US)
    journal, door = opened(tmp_path / "t.journal", clock)
    for box in (1, 2):
        clock.passes(60)
        bet(door, box)
    clock.passes(30)
    clock.utc += 4 * 3_600_000_000
    for box in (3, 4):
        bet(door, box)
        clock.passes(60)
    assert door.snapshot().holds == ()
    told = [
        json.loads(entry.body)
        for entry in journal.read()
        if isinstance(entry, Entry) and entry.kind == "trouble"
    ]
    assert [(one["code"], one["severity"], one["params"]) for one in told] == [
        (
            "CLOCK_STEPPED_FORWARD",
            "warning",
            {"seconds": 14400, "before": "2026-11-20T19:56:30Z", "after": "2026-11-20T23:56:30Z"},
        )
    ]


def test_a_journal_that_is_taken_away_holds_the_table_until_it_is_back(tmp_path: Path) -> None:
    path, away = tmp_path / "t.journal", tmp_path / "away.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(Bet(1, 0, 1000))
            path.rename(away)
            assert isinstance(await bench.ask(Observe(Bet(2, 0, 1000))), Rejected)
            assert [hold.code for hold in bench.now.holds] == ["JOURNAL_GONE"]
            assert isinstance(await bench.ask(Resume()), Rejected)
            away.rename(path)
            assert isinstance(await bench.ask(Resume()), Accepted)
            await bench.say(Bet(2, 0, 1000))

    asyncio.run(story())
    assert any(kind == "held" and b"JOURNAL_GONE" in body for kind, body in kinds(path))


def test_a_second_writer_finds_no_way_in_through_a_link(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    journal = Journal.open(path, SystemClock())
    (tmp_path / "soft").symlink_to(path)
    with pytest.raises(JournalError, match="JOURNAL_IN_USE"):
        Journal.open(tmp_path / "soft", SystemClock())
    os.link(path, tmp_path / "hard")
    with pytest.raises(JournalError, match="JOURNAL_LINKED"):
        Journal.open(tmp_path / "hard", SystemClock())
    with pytest.raises(JournalError, match="JOURNAL_LINKED"):
        journal.append(())
    (tmp_path / "hard").unlink()
    journal.append(())
    journal.close()

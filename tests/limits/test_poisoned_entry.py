"""A journal that holds an entry which cannot be folded: the table comes up held in front of it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.acts.catalogue import Bet, CardSeen, Close
from controller.cli.application import build
from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.ports import Report, SystemClock
from controller.runtime.api import Accepted, CallPit, Command, Observe, Rejected, Resume
from controller.runtime.draft import Draft
from controller.runtime.restore import start
from tests.runtime.runtime_kit import IDENTITY, OPENING, Bench

POISON = (
    b'{"obs":"bet","box":1,"seat":-1,"stake":500}',
    b'{"obs":"bet","box":1,"seat":100,"stake":500}',
    b'{"obs":"nothing"}',
    b"[" * 100_000,
    b"[]",
    b"\xff",
    b"{}",
)


def write(path: Path, *entries: NewEntry) -> None:
    """Put entries into a journal past everything that proves them."""
    journal = Journal.open(path, SystemClock())
    journal.append(entries)
    journal.close()


def poisoned(path: Path, body: bytes, *later: NewEntry) -> int:
    """A table with a bet, then an entry that cannot be folded; the sequence of that one."""

    async def story() -> int:
        async with Bench(path) as bench:
            await bench.say(Bet(1, 0, 1000))
            return bench.now.seq + 1

    at = asyncio.run(story())
    write(path, NewEntry("fact", body, "dealer:D-17", 1), *later)
    return at


def verified(path: Path) -> tuple[int, dict[str, Any]]:
    result = CliRunner().invoke(build("verify"), ["verify", str(path), "--json"])
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize("body", POISON)
def test_a_table_comes_up_held_in_front_of_it_and_the_pit_sets_it_aside(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "t.journal"
    at = poisoned(
        path, body, NewEntry("fact", b'{"obs":"bet","box":2,"seat":0,"stake":700}', "dealer:D-17", 1)
    )
    code, report = verified(path)
    assert (code, report["misfit"]) == (1, {"seq": at, "code": "ENTRY_UNREADABLE"})

    async def held() -> None:
        async with Bench(path) as bench:
            found = next(hold for hold in bench.now.holds if hold.code == "ENTRY_UNREADABLE")
            assert dict(found.params) == {"seq": at, "last": at + 1}
            assert [box.bets for box in bench.now.state.boxes] == [((0, 1000),)]
            assert await bench.ask(Resume(), role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))

    asyncio.run(held())
    assert verified(path)[0] == 1

    async def set_aside() -> None:
        async with Bench(path) as bench:
            assert [hold.code for hold in bench.now.holds].count("ENTRY_UNREADABLE") == 1
            assert isinstance(await bench.ask(Resume()), Accepted)
            await bench.say(Bet(2, 0, 1500))

    asyncio.run(set_aside())

    async def after() -> None:
        async with Bench(path) as bench:
            assert [hold.code for hold in bench.now.holds] == ["RESTARTED"]
            assert [box.bets for box in bench.now.state.boxes] == [((0, 1000),), ((0, 1500),)]

    asyncio.run(after())
    code, report = verified(path)
    assert (code, report["misfit"]) == (0, None)
    assert report["set_aside"] == [{"first": at, "last": at + 1, "by": "pit:p7"}]
    # What came behind it was on the table: whatever reads the journal as a feed has it.
    result = CliRunner().invoke(build("feed"), ["feed", str(path)])
    assert (result.exit_code, result.stdout.count('"stake":1500') + result.stdout.count('"stake": 1500')) == (
        0,
        1,
    )


def test_a_journal_whose_first_entry_says_nothing_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    write(path, NewEntry("opened", b"{}", "system:table"))
    before = path.read_bytes()
    result = CliRunner().invoke(build("verify"), ["verify", str(path)])
    assert result.exit_code == 1
    journal = Journal.open(path, SystemClock())
    with pytest.raises(Exception, match="ENTRY_UNREADABLE"):
        start(journal, IDENTITY, "live", "test")
    journal.close()
    assert path.read_bytes() == before


def test_what_cannot_be_proved_leaves_nothing(tmp_path: Path) -> None:
    """What comes past the wire's checks, from a part of the program itself."""
    bad = (
        Command("c-1", "D\n17", "dealer", None, CallPit()),
        Command("c-2", "D-17", "dealer", None, CallPit("\ud800")),
        Command("c-3", "\ud800", "dealer", None, Observe(Bet(1, 0, 500))),
        Command("c-4", "D-17", "dealer", None, Observe(Bet(1, -1, 500))),
        Command("c-5", "D-17", "dealer", None, Observe(Bet(1, 0, 10**400))),
        Command("c-6", "D-17", "pit", None, Observe(CardSeen("A", "s", id="\ud800"))),
        Command("c-7", "D-17", "pit", None, Observe(Bet("x", None, {}))),  # type: ignore[arg-type] # as told
    )

    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            before = bench.now.seq
            for command in bad:
                async with asyncio.timeout(60):
                    assert isinstance(await bench.table.submit(command), Rejected), command
            assert bench.now.seq == before
            assert bench.now.holds == ()
            await bench.say(Bet(1, 0, 1000))

    asyncio.run(story())
    assert verified(tmp_path / "t.journal")[0] == 0


@pytest.mark.parametrize("source", ["sh\noe", "\ud800", "shoe"])
def test_a_report_that_cannot_be_taken_holds_the_table_and_ends_nothing(tmp_path: Path, source: str) -> None:
    card = CardSeen("A", "s", by="shoe", id="\ud800" if source == "shoe" else None)

    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            bench.table.post(Report(source, 0, (card,)))
            await bench.until(lambda: bool(bench.now.holds))
            assert bench.now.state.shoe.seen == 0
            assert bench.now.holds[0].code in {"REPORT_NOT_TAKEN", "CARD_NOT_PLACED"}
            assert isinstance(await bench.ask(Resume()), Accepted)
            await bench.shoe(CardSeen("9", "s", by="shoe"))
            assert bench.now.state.shoe.seen == 1

    asyncio.run(story())
    assert verified(tmp_path / "t.journal")[0] == 0


def test_half_of_an_act_is_never_kept(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(Bet(1, 0, 1000), Close())
            draft = Draft(bench.door.ledger, 1)
            held: dict[str, Any] = {"code": "FROZEN", "params": {"note": ""}}
            with pytest.raises(ZeroDivisionError), draft.whole_or_nothing():  # noqa: PT012 - half of an act
                draft.add("held", held, "pit:p7")
                raise ZeroDivisionError
            assert (draft.entries, draft.ledger) == ((), bench.door.ledger)

    asyncio.run(story())

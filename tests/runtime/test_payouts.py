"""Payouts and stakes watched at the live door: the books, what nobody confirmed, what a chip source sees."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.acts.catalogue import Bet, ChipReading, Close, End, Paid
from controller.journal.entry import Entry, body_of
from controller.policy import House, TableOptions
from controller.policy.line import PayoutsBy
from controller.ports import Report
from controller.replay.journal_check import check_journal
from controller.rules import load_file
from controller.runtime.api import Accepted, Observe, Rejected, Resume, Role
from tests.runtime.runtime_kit import DEAL, ENDING, IDENTITY, OPENING, Bench, cards

PROFILE = load_file("spielbank", Path()).irregularities


def at_table(path: Path, act: Callable[[Bench], Awaitable[None]], payouts: PayoutsBy = "confirm") -> None:
    house = House(PROFILE, TableOptions(card_gap_ms=0, payouts=payouts))

    async def run() -> None:
        async with Bench(path, identity=IDENTITY._replace(house=house)) as bench:
            await act(bench)

    asyncio.run(run())


async def push(bench: Bench) -> None:
    """One round: box 1 has 17 against 17, ten euros go back to it."""
    await bench.say(*OPENING)
    await bench.shoe(*DEAL)
    await bench.say(*ENDING)


async def win(bench: Bench) -> None:
    """One round: box 1 has 18 against 17 and gets twenty euros in all."""
    await bench.say(*OPENING)
    await bench.shoe(*cards("10", "9", "8", "8"))
    await bench.say(*ENDING)


async def counted(bench: Bench, *readings: ChipReading) -> None:
    """What a chip pad tells, in one report each."""
    for reading in readings:
        before = bench.now.seq
        bench.table.post(Report("pad", bench.clock.mono_ns(), (reading,)))
        await bench.until(lambda: bench.now.seq > before)  # noqa: B023 - awaited within the turn


def codes(bench: Bench) -> list[str]:
    return [hold.code for hold in bench.now.holds]


def booked(bench: Bench) -> list[dict[str, Any]]:
    """The payouts in the journal, as their entries tell them."""
    entries = (entry for entry in bench.journal.read() if isinstance(entry, Entry))
    return [body_of(entry) for entry in entries if entry.kind == "payout"]


def row(how: str, by: str, paid: int = 2000, number: int = 1) -> dict[str, Any]:
    place = {"round": number, "box": 1, "seat": 0}
    return {**place, "expected": 2000, "paid": paid, "how": how, "difference": paid - 2000, "by": by}


def test_the_books_tell_what_was_due_what_was_given_how_it_is_known_and_by_whom(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await win(bench)
        tap = Paid(1, 0, 2000, how="confirmed")
        assert isinstance(await bench.ask(Observe(tap), role="dealer"), Accepted)
        typed = Paid(1, 0, 3000, how="entered")
        assert isinstance(await bench.ask(Observe(typed), role="dealer"), Accepted)
        assert codes(bench) == ["WRONG_PAYOUT"]
        for told in (End(), Bet(1, 0, 1000)):
            answer = await bench.ask(Observe(told), role="dealer")
            assert isinstance(answer, Rejected)
            assert answer.code == "TABLE_HELD"
        await bench.say(Paid(1, 0, 2000))
        assert codes(bench) == []
        assert booked(bench) == [
            row("confirmed", "dealer:p7"),
            row("entered", "dealer:p7", 3000),
            row("confirmed", "pit:p7"),
        ]

    at_table(path, act)
    report = check_journal(path, lambda _seq: None).report
    assert report.misfit is None


def test_what_the_next_bet_says_was_paid_is_told_to_the_pit_until_somebody_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await win(bench)
        await bench.say(Bet(1, 0, 1000))
        assert booked(bench) == [row("computed", "system:table")]
        assert [tuple(one) for one in bench.now.unconfirmed] == [(1, 1, 0, 2000)]

    async def again(bench: Bench) -> None:
        assert [tuple(one) for one in bench.now.unconfirmed] == [(1, 1, 0, 2000)]
        await bench.ask(Resume())
        await bench.say(Paid(1, 0, 2000, round=1))
        assert not bench.now.unconfirmed

    at_table(path, act)
    at_table(path, again)
    assert check_journal(path, lambda _seq: None).report.misfit is None


def test_a_payout_that_was_confirmed_is_not_told_to_the_pit(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await win(bench)
        await bench.say(Paid(1, 0, 2000, how="confirmed"), End())
        assert not bench.now.unconfirmed

    at_table(tmp_path / "t.journal", act)


@pytest.mark.parametrize("payouts", ["enter", "measure"])
def test_a_tap_confirms_no_winnings_where_the_house_wants_more_and_takes_what_stays(
    tmp_path: Path, payouts: PayoutsBy
) -> None:
    async def act(bench: Bench) -> None:
        await win(bench)
        answer = await bench.ask(Observe(Paid(1, 0, 2000, how="confirmed")), role="dealer")
        assert answer == Rejected("PAYOUT_TO_ENTER", (("box", 1), ("seat", 0)))
        await bench.say(Paid(1, 0, 2000, how="entered"), End())
        await push(bench)
        answer = await bench.ask(Observe(Paid(1, 0, 1000, how="confirmed")), role="dealer")
        assert isinstance(answer, Accepted)

    at_table(tmp_path / "t.journal", act, payouts)


def test_nobody_at_a_screen_says_that_chips_were_measured(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await win(bench)
        roles: tuple[Role, ...] = ("dealer", "pit")
        for told in (Paid(1, 0, 2000, how="measured"), ChipReading("payout", 1, 0, 2000)):
            for role in roles:
                answer = await bench.ask(Observe(told), role=role)
                assert answer == Rejected("NOT_ALLOWED", (("role", role),))

    at_table(tmp_path / "t.journal", act)


def test_a_counted_payout_is_measured_and_one_that_differs_stays_held_until_the_pit_rules(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await win(bench)
        await counted(bench, ChipReading("payout", 1, 0, 1500, 0.998))
        assert codes(bench) == ["WRONG_PAYOUT"]
        await counted(bench, ChipReading("payout", 1, 0, 2000, 0.998))
        assert codes(bench) == ["WRONG_PAYOUT"]
        await bench.say(Paid(1, 0, 2000))
        assert codes(bench) == []
        await bench.say(End())
        assert [(one["how"], one["paid"], one["by"]) for one in booked(bench)] == [
            ("measured", 1500, "device:pad"),
            ("confirmed", 2000, "pit:p7"),
        ]

    at_table(path, act, "measure")
    assert check_journal(path, lambda _seq: None).report.misfit is None


def test_a_blackjack_that_was_paid_at_once_counts_when_the_round_has_its_result(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        await bench.shoe(*cards("A", "10", "9", "K", "8", "8"))
        await counted(bench, ChipReading("payout", 1, 0, 2500, 0.998))
        assert booked(bench) == []
        await bench.say(*(one for one in (ENDING[0]._replace(box=2), ENDING[1])))
        assert [(one["box"], one["how"], one["difference"]) for one in booked(bench)] == [(1, "measured", 0)]

    at_table(tmp_path / "t.journal", act, "measure")


def test_a_stake_that_is_counted_otherwise_is_asked_before_the_deal_and_the_answer_survives_a_restart(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await bench.say(Bet(1, 0, 1000))
        await counted(bench, ChipReading("stake", 1, 0, 1500, 0.998))
        assert codes(bench) == []
        await bench.say(Close())
        (hold,) = bench.now.holds
        assert (hold.code, hold.release) == ("STAKE_DIFFERS", "dealer")
        assert dict(hold.params) == {"box": 1, "seat": 0, "stake": 1500, "told": 1000}
        assert isinstance(await bench.ask(Observe(Bet(1, 0, 1000)), role="dealer"), Accepted)
        assert codes(bench) == []

    async def again(bench: Bench) -> None:
        await bench.ask(Resume())
        await bench.say(Close())
        assert codes(bench) == []

    at_table(path, act)
    at_table(path, again)


def test_a_stake_that_changes_after_the_first_card_holds_and_the_dealer_does_not_lift_it(
    tmp_path: Path,
) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(*OPENING)
        await counted(bench, ChipReading("stake", 1, 0, 1000, 0.998))
        await bench.shoe(*cards("10"))
        await counted(bench, ChipReading("stake", 1, 0, 2000, 0.998))
        assert codes(bench) == ["STAKE_CHANGED"]
        assert await bench.ask(Resume(), role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))
        await bench.ask(Resume())
        await counted(bench, ChipReading("stake", 1, 0, 2000, 0.5))
        assert codes(bench) == []

    at_table(tmp_path / "t.journal", act)


def test_a_table_that_was_opened_before_payouts_were_booked_goes_on_without(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    house = House(PROFILE, TableOptions(card_gap_ms=0, payouts=None))

    async def run() -> None:
        async with Bench(path, identity=IDENTITY._replace(house=house)) as bench:
            await win(bench)
            await bench.say(Paid(1, 0, 2000), End())
            assert booked(bench) == []
            assert bench.now.payouts == "confirm"

    asyncio.run(run())
    header = check_journal(path, lambda _seq: None).header.to_json()
    assert "payouts" not in json.loads(json.dumps(header))["table_options"]

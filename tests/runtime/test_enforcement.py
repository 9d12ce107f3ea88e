"""The live door enforces what the house's profile says: holds, ways out, kept cards, a dealer's Undo."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.acts.catalogue import (
    AmendDecision,
    AmendStake,
    Bet,
    CardSeen,
    Decision,
    End,
    Note,
    Observation,
    Paid,
    Reveal,
    Strike,
    Void,
)
from controller.journal.entry import Entry, body_of
from controller.policy import Doubt, House, Person, TableLine, TableOptions, decide, hold_over, new_run
from controller.rules import load_file
from controller.runtime.api import Accepted, AlertStep, CallPit, Observe, Rejected, Resume
from controller.runtime.restore import ResultVerifier, restore
from tests.runtime.runtime_kit import DEAL, ENDING, IDENTITY, OPENING, Bench, cards

# The bench's shoe deals faster than any hand: how close cards come is not what these tests are about.
HOUSE = House(load_file("spielbank", Path()).irregularities, TableOptions(card_gap_ms=0))
ENFORCED = IDENTITY._replace(house=HOUSE)


def at_table(path: Path, act: Callable[[Bench], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Bench(path, identity=ENFORCED) as bench:
            await act(bench)

    asyncio.run(run())


async def drawn_on_17(bench: Bench) -> None:
    await bench.say(*OPENING)
    await bench.shoe(*DEAL)
    await bench.say(*ENDING)
    await bench.shoe(CardSeen("5", "s", by="shoe", to="dealer"))


def codes(bench: Bench) -> list[str]:
    return [hold.code for hold in bench.now.holds]


def test_a_dealer_cannot_go_on_past_a_card_drawn_on_17(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await drawn_on_17(bench)
        assert codes(bench) == ["DEALER_DREW_ON_17"]
        assert (bench.now.holds[0].release, bench.now.holds[0].ways[0]) == ("pit", "burn")
        for told in (Paid(1, 0, 1000), End(), Bet(1, 0, 1000), Decision(1, 1, "stand")):
            answer = await bench.ask(Observe(told), role="dealer")
            assert isinstance(answer, Rejected)
            assert answer.code == "TABLE_HELD"
        assert await bench.ask(Resume(), role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))

    at_table(tmp_path / "t.journal", act)


def test_a_card_that_came_too_soon_behind_a_stop_is_asked_about_when_it_is_laid(tmp_path: Path) -> None:
    async def run() -> None:
        patient = HOUSE.options._replace(card_gap_ms=60_000)
        identity = ENFORCED._replace(house=replace(HOUSE, options=patient))
        async with Bench(tmp_path / "t.journal", identity=identity) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*cards("5", "9", "3", "8"))
            await bench.ask(CallPit("look"))
            await bench.shoe(*cards("2"))
            await bench.ask(Resume())
            assert (codes(bench), bench.now.waiting) == (["DECISION_UNCLEAR"], 1)

    asyncio.run(run())


def test_an_unread_card_holds_and_is_a_critical_alert_and_no_warning(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(*OPENING)
        await bench.shoe(CardSeen(None, by="shoe"))
        assert codes(bench) == ["CARD_UNREAD"]
        assert [(alert.code, alert.severity) for alert in bench.now.alerts] == [("CARD_UNREAD", "critical")]

    at_table(tmp_path / "t.journal", act)


def test_the_pit_burns_the_card_and_the_table_goes_on_by_itself(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await drawn_on_17(bench)
        await bench.say(Strike(5, None, "pit:p7", "drawn on 17", burn=True))
        assert codes(bench) == []
        assert bench.now.result is not None
        assert bench.now.result.bets[0].returned == 1000

    at_table(tmp_path / "t.journal", act)


def test_what_the_profile_does_not_allow_is_refused(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await drawn_on_17(bench)
        answer = await bench.ask(Resume())
        assert isinstance(answer, Rejected)
        assert answer.code == "NOT_IN_PROFILE"
        assert codes(bench) == ["DEALER_DREW_ON_17"]

    at_table(tmp_path / "t.journal", act)


def test_a_wrong_payout_holds_until_the_pit_tells_the_right_one(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING, Paid(1, 0, 2000))
        assert codes(bench) == ["WRONG_PAYOUT"]
        await bench.say(Paid(1, 0, 1000))
        assert codes(bench) == []

    at_table(tmp_path / "t.journal", act)


def test_a_payout_to_somebody_who_had_no_bet_can_be_handed_back(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(Bet(1, 1, 1000), *OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING, Paid(1, 1, 3000))
        await bench.say(AmendStake(1, 1, 0, "p7", "nothing lay behind"))
        assert codes(bench) == ["WRONG_PAYOUT"]
        await bench.say(Paid(1, 1, 0))
        assert codes(bench) == []

    at_table(tmp_path / "t.journal", act)


def test_what_comes_into_question_in_a_void_round_is_not_answered_by_the_next_line() -> None:
    file = load_file("nl", Path())
    house = House(file.irregularities)
    pit, run = Person("pit", "p7"), new_run(house, file.rules)
    begun: list[Observation] = [Bet(1, 0, 1000), *cards("10", "9"), Void(None, "p7", "order unknown")]
    for said in begun:
        run = decide(house, run, TableLine(said, pit, 1)).run
    for doubt in (
        Doubt("CAMERA_BUMPED", (("name", "rail"),)),
        # A card that waits, or that only a camera has seen, has no number in the round.
        Doubt("CARD_NOT_DEALT", (("camera", "5s"),), 1, "waiting"),
    ):
        held = hold_over(house, run, doubt, 2).run
        noted = decide(house, held, TableLine(Note("seen"), pit, 3)).run
        assert [hold.code for hold in noted.holds] == [doubt.code]


def test_a_card_that_comes_while_held_is_laid_once_the_fault_is_mended(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000))
        await bench.shoe(*cards("10", "10", "9", "7", "6", "8"))
        await bench.say(Decision(1, 1, "stand"))
        await bench.shoe(CardSeen("2", "s", by="shoe", to="box", box=1, hand=1))
        assert codes(bench) == ["CARD_TO_DONE_HAND"]
        await bench.shoe(CardSeen("4", "s", by="shoe"))
        assert bench.now.waiting == 1
        await bench.say(Strike(7, None, "pit:p7", "burned", burn=True))
        assert (codes(bench), bench.now.waiting) == ([], 0)
        assert [seen.obs.rank for seen in bench.now.state.boxes[1].hands[0].cards] == ["10", "6", "4"]

    at_table(tmp_path / "t.journal", act)


def test_a_card_at_a_hard_18_is_asked_and_the_answer_lays_it_also_after_a_restart(tmp_path: Path) -> None:
    hit = Observe(Decision(1, 1, "hit"))

    async def asked(bench: Bench) -> None:
        await bench.say(*OPENING)
        await bench.shoe(*cards("10", "9", "8", "8"))
        await bench.shoe(CardSeen("3", "s", by="shoe"))
        assert codes(bench) == ["DECISION_UNCLEAR"]
        assert isinstance(await bench.ask(Resume(), role="dealer"), Rejected)

    async def answered(bench: Bench) -> None:
        assert codes(bench) == ["DECISION_UNCLEAR", "RESTARTED"]
        assert isinstance(await bench.ask(hit, role="dealer"), Rejected)
        # Going on lifts what stands beside the question, which still waits for its answer.
        assert isinstance(await bench.ask(Resume(), role="dealer"), Accepted)
        assert codes(bench) == ["DECISION_UNCLEAR"]
        assert isinstance(await bench.ask(hit, role="dealer"), Accepted)
        assert codes(bench) == []
        assert bench.now.state.boxes[0].hands[0].total == 21

    at_table(tmp_path / "t.journal", asked)
    at_table(tmp_path / "t.journal", answered)


def test_a_dealer_takes_a_stand_back_until_the_next_card(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(Decision(1, 1, "stand"))
        undo = Observe(AmendDecision(1, 1, 1, None, "dealer:p7", "mis-tapped"))
        assert isinstance(await bench.ask(undo, role="dealer"), Accepted)
        await bench.say(Decision(1, 1, "stand"), Reveal())
        assert isinstance(await bench.ask(undo, role="dealer"), Rejected)

    at_table(tmp_path / "t.journal", act)


@pytest.mark.parametrize("ruled", [False, True])
def test_a_restart_brings_every_hold_back_with_its_ways(tmp_path: Path, ruled: bool) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await drawn_on_17(bench)
        if ruled:
            await bench.say(Strike(5, None, "pit:p7", "drawn on 17", burn=True))

    at_table(path, act)

    async def again(bench: Bench) -> None:
        fault = [hold for hold in bench.now.holds if hold.code != "RESTARTED"]
        assert [(hold.code, hold.ways[0]) for hold in fault] == (
            [] if ruled else [("DEALER_DREW_ON_17", "burn")]
        )

    at_table(path, again)


def test_the_profile_is_frozen_in_the_journal_and_all_evidence_is_derived_again(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def act(bench: Bench) -> None:
        await drawn_on_17(bench)
        await bench.say(Strike(5, None, "pit:p7", "drawn on 17", burn=True))
        entries = list(bench.journal.read())
        opened = body_of(entries[0]) if isinstance(entries[0], Entry) else {}
        assert opened["irregularities"]["DEALER_DREW_ON_17"]["ways"][0] == "burn"
        assert len(opened["irregularities_sha256"]) == 64
        verifier = ResultVerifier()
        assert [verifier(entry) for entry in entries if isinstance(entry, Entry)] == [None] * len(entries)
        ledger = restore(entries)
        assert ledger is not None
        assert ledger.opening.house == HOUSE

    at_table(path, act)


def test_a_late_bet_is_refused_and_told_to_the_pit_once_until_it_is_resolved(tmp_path: Path) -> None:
    async def act(bench: Bench) -> None:
        async def tried() -> None:
            answer = await bench.ask(Observe(Bet(2, 0, 1000)), role="dealer")
            assert isinstance(answer, Rejected)
            assert answer.code == "BETS_CLOSED"

        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await tried()
        await tried()
        assert codes(bench) == []
        (alert,) = bench.now.alerts
        assert (alert.code, alert.severity, alert.round) == ("LATE_BET", "warning", 1)
        assert dict(alert.params) == {"box": 2, "seat": 0, "stake": 1000, "stage": "play"}
        await bench.ask(AlertStep(alert.alert, "resolve", "no chips there"))
        assert not bench.now.alerts
        await tried()
        assert len(bench.now.alerts) == 1

    at_table(tmp_path / "t.journal", act)


@pytest.mark.parametrize("box", [None, 1], ids=["round", "box"])
def test_a_card_to_what_is_void_is_an_alert_and_holds_nobody(tmp_path: Path, box: int | None) -> None:
    async def act(bench: Bench) -> None:
        await bench.say(*OPENING[:-1], Bet(2, 0, 1000), OPENING[-1])
        await bench.shoe(*cards("10", "9", "8", "7", "8", "9"))
        await bench.say(Decision(1, 1, "stand"), Void(box, "pit:p7", "seen on the felt", second="pit:P8"))
        assert codes(bench) == []
        await bench.shoe(CardSeen("5", "s", by="shoe", to="box", box=1, hand=1))
        assert codes(bench) == []
        assert "CARD_TO_DONE_HAND" in [alert.code for alert in bench.now.alerts]
        if box is None:
            assert isinstance(await bench.ask(Observe(End()), role="dealer"), Accepted)

    at_table(tmp_path / "t.journal", act)

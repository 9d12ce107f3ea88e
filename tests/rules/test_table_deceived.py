"""A dealer who tries everything at a held table: no hold of the pit's is lifted, and nothing is settled."""

import random
from collections.abc import Iterator
from typing import get_args

import pytest
from feed_cases import FEEDS

from controller.acts.catalogue import (
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bet,
    CardSeen,
    ChipReading,
    Close,
    Correct,
    CutCard,
    Decision,
    DeviceSeen,
    End,
    EvenMoney,
    Exposed,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Leave,
    Limits,
    Move,
    Observation,
    Paid,
    Peek,
    RestCard,
    RestCounting,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
    Strike,
    Swap,
    TableDay,
    Void,
)
from controller.acts.round import Action
from controller.acts.rulings import HandName
from controller.domain import RANKS, SUITS, Settled
from controller.engine.state import new_table
from controller.feed.feed_lines import open_feed
from controller.feed.feed_table import line_at_door, open_table_script
from controller.policy import House, Person, TableLine, TableRun, decide
from controller.policy.holds import Hold
from controller.policy.run import Effect, Released, Took
from controller.rules.loading import HOUSES

ACTS = 15
"""Tries at each held table."""

DEALER, SHOE = Person("dealer", "D-17"), Person("shoe")


def held_tables(house: str) -> Iterator[tuple[str, House, TableRun, int]]:
    """Every table of the house's faults as it begins to wait for the pit, and when that was."""
    for path in sorted((FEEDS / "faults" / house).glob("*.feed.jsonl")):
        with open_feed(str(path)) as stream:
            script = open_table_script(stream, path.parent)
            run, held = TableRun(new_table(script.rules)), False
            for line in script.lines:
                told = line_at_door(line)
                run = decide(script.house, run, told).run
                if of_the_pit(run) and not held:
                    yield f"{path.name}:{line.number}", script.house, run, told.t_ms
                held = bool(of_the_pit(run))


def of_the_pit(run: TableRun) -> list[Hold]:
    return [hold for hold in run.holds if hold.release != "dealer"]


def anything(chance: random.Random, run: TableRun) -> Observation:
    """Some act, about what lies on the table more often than not."""
    boxes = [box.box for box in run.state.boxes] or [1]
    box, seat = chance.choice((*boxes, chance.randint(1, 7))), chance.choice((0, 0, 1))
    hand, nth, card = (
        chance.randint(1, 2),
        chance.randint(1, 3),
        chance.randint(1, max(1, run.state.cards_seen)),
    )
    amount = chance.choice((0, 500, 1000, 1500, 2000, 2500))
    rank, suit = chance.choice(RANKS), chance.choice(SUITS)
    action = chance.choice(get_args(Action))
    codes = chance.choice(
        (None, tuple(hold.code for hold in run.holds), (run.holds[0].code,), ("CARD_UNREAD",))
    )
    number = chance.choice((None, None, run.state.book.number, 1))
    who, why = "dealer:D-17", "seen"
    said: tuple[Observation, ...] = (
        Decision(box, hand, action),
        Bet(box, seat, amount),
        Close(),
        End(),
        Paid(box, seat, amount, number, chance.choice((None, "entered", "confirmed", "measured"))),
        Insurance(box, seat, amount),
        EvenMoney(box, seat),
        InsuranceClosed(),
        Peek(blackjack=chance.random() < 0.5),
        Reveal(*chance.choice(((None, None), (rank, suit)))),
        CutCard(),
        ShoeLoaded(chance.choice((1, 6))),
        Exposed(chance.choice(("dealer", box))),
        Leave(box, seat),
        DeviceSeen("shoe", chance.choice(("live", "lost", "stale"))),
        ChipReading("stake", box, seat, amount),
        Correct(card, None, chance.choice((None, rank)), suit, who, why, number),
        Strike(card, None, who, why, burn=chance.random() < 0.5, round=number),
        Move(card, None, chance.choice(("box", "dealer", "burn")), box, hand, who, why, number),
        Void(chance.choice((None, box)), who, why, number),
        AmendStake(box, seat, amount, who, why, number),
        AmendDecision(box, hand, nth, chance.choice((action, None)), who, why, round=number),
        AmendInsurance(box, seat, amount, who, why, number),
        AmendEvenMoney(box, seat, taken=True, by=who, reason=why, round=number),
        AmendPeek(blackjack=False, by=who, reason=why, round=number),
        AmendReveal(who, why, number),
        AmendClose(who, why),
        Swap(HandName(box, 1), HandName(boxes[0], hand), who, why, number),
        ShoeShuffled(chance.choice(("discards", "all"))),
        ShoeEnded(),
        RestCounting(chance.choice(("begin", "cancel"))),
        RestCard(rank, suit, out=True),
        ShoeVoided(who, why),
        TableDay(chance.choice(("open", "closed"))),
        Limits(0, 0, 0, who),
        HoldsLifted(who, why, codes),
        HoldsLifted(who, why, codes, "pit:P-3"),
    )
    return chance.choice(said)


def lifted(effects: tuple[Effect, ...]) -> list[Hold]:
    return [
        effect.hold for effect in effects if isinstance(effect, Released) and effect.hold.release != "dealer"
    ]


def settled(effects: tuple[Effect, ...]) -> bool:
    told = [notice for effect in effects if isinstance(effect, Took) for notice in effect.notices]
    return any(isinstance(notice, Settled) and notice.result.status != "open" for notice in told)


@pytest.mark.parametrize("house", HOUSES)
def test_a_dealer_finds_no_way_out_of_the_pits_holds(house: str) -> None:
    """Cards of the shoe come as well: one that was owed mends its fault where the house lets it be drawn."""
    tables = 0
    for name, at, begun, t_ms in held_tables(house):
        chance, run = random.Random(f"{house} {name}"), begun
        tables += 1
        for number in range(ACTS):
            if not of_the_pit(run):
                break  # The card that was owed has come.
            card = chance.random() < 0.1
            observation = (
                CardSeen(chance.choice(RANKS), chance.choice(SUITS)) if card else anything(chance, run)
            )
            told = TableLine(observation, SHOE if card else DEALER, 10_000 + number, t_ms + 400 * number)
            before, (run, effects) = run, decide(at, run, told)
            ended = lifted(effects)
            assert all(card and "draw" in hold.ways for hold in ended), (name, observation, ended)
            assert not settled(effects) or not of_the_pit(run), (name, observation, effects)
            assert {hold.code for hold in of_the_pit(before)} <= {hold.code for hold in of_the_pit(run)} | {
                hold.code for hold in ended
            }, (name, observation)
    assert tables > 20

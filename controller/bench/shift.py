"""A whole shift replayed from its feed, and a correction at the start of a round that is over."""

import json
from io import BytesIO
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Final, NamedTuple

from controller.acts.catalogue import Bet, CardSeen, Correct, Observation, ShoeLoaded
from controller.bench.measure import undisturbed
from controller.bench.played_rounds import STAKE, play_round, shuffled
from controller.domain import RANKS, Disputed, Rank, Refused, RuleSet, Settled
from controller.engine import TableState, new_table, step
from controller.feed.codec import to_json
from controller.feed.feed_lines import read_lines
from controller.feed.replay import play

ROUNDS: Final = 480
"""Eight hours at a round a minute."""
BOXES: Final = 7
_LEFT_FOR_A_ROUND: Final = 78
"""Fewer cards than this in the shoe, and a new one is loaded before the bets."""


class Replay(NamedTuple):
    """The duration of a shift from its feed lines to its settlements."""

    rounds: int
    observations: int
    seconds: float


class CorrectionTime(NamedTuple):
    """The duration of a correction in a finished seven-box round, folded and settled again."""

    rounds: int
    settled: int
    disputed: int
    median_ms: float
    p95_ms: float


class Shift(NamedTuple):
    """A dealt shift: its observations, and the table at the end of each round."""

    observed: list[Observation]
    ends: list[TableState]


def deal_shift(rules: RuleSet, rounds: int = ROUNDS) -> Shift:
    """Deal a shift at seven boxes, played by basic strategy."""
    shift = Shift([], [])
    bets = [Bet(box, 0, STAKE) for box in range(1, BOXES + 1)]
    shoes = shuffled(rules.decks, Random(1), count=20)
    state, cards = new_table(rules), next(shoes)
    for _ in range(rounds):
        if len(cards) < _LEFT_FOR_A_ROUND:
            cards = next(shoes)
            shift.observed.append(ShoeLoaded(rules.decks))
            state = step(state, shift.observed[-1]).state
        state = play_round(state, bets, cards, keep=_forget)
        shift.observed.extend(fact.obs for fact in state.log)
        shift.ends.append(state)
    return shift


def _forget(_: TableState) -> None:
    """Keep no state between a round's start and its end."""


def replay(rules: RuleSet, shift: Shift) -> Replay:
    """Time the shift from feed lines, by the code of `stand17 replay`."""
    feed = b"".join(json.dumps(to_json(obs)).encode() + b"\n" for obs in shift.observed)
    with undisturbed():
        start = perf_counter()
        settled = sum(
            isinstance(notice, Settled)
            for played in play(rules, read_lines(BytesIO(feed)))
            for notice in played.notices
        )
        seconds = perf_counter() - start
    assert settled == len(shift.ends), "every round of the shift settles"
    return Replay(settled, len(shift.observed), seconds)


def correct(shift: Shift) -> CorrectionTime:
    """Time one correction in each round: its first card was in truth the next higher rank."""
    times, kinds = [], []
    with undisturbed():
        for state in shift.ends:
            ruling = Correct(1, None, _other(state), None, "pit", "misread")
            start = perf_counter()
            _, notices = step(state, ruling)
            times.append((perf_counter() - start) * 1000)
            kinds.append({type(notice) for notice in notices})
    assert not any(Refused in kind for kind in kinds), "a card that was dealt can be corrected"
    settled = sum(Settled in kind for kind in kinds)
    disputed = sum(Disputed in kind for kind in kinds)
    return CorrectionTime(len(times), settled, disputed, median(times), quantiles(times, n=20)[-1])


def _other(state: TableState) -> Rank:
    first = next(fact.obs for fact in state.log if isinstance(fact.obs, CardSeen) and fact.n == 1)
    assert first.rank is not None, "the benchmark reads every card"
    return RANKS[(RANKS.index(first.rank) + 1) % len(RANKS)]

"""Rounds in which something was misread, then put right: they must end as if it had been read right."""

import random
from pathlib import Path
from typing import Any

import pytest
from deal import RANKS, deal_round
from ruled_rounds import parts_of

from controller.domain import Notice, Refused, RoundResult, Settled
from controller.engine import new_table
from controller.engine.table import step
from controller.feed.codec import parse
from controller.rules import HOUSES, load_rules
from tests.whole.settlement import NaivePart, Rules, settle

pytestmark = pytest.mark.long

SEEDS = (100, 400)
"""Rounds by day, and in all with those of the night."""


RULING = {"by": "pit", "reason": "seen on the felt"}
Line = dict[str, Any]


def last_result(house: str, lines: list[Line]) -> RoundResult | None:
    """The last result of the feed; None when a line was refused, so that a true fact is missing."""
    state = new_table(load_rules(house, {}, Path()))
    said: list[Notice] = []
    for line in lines:
        state, notices = step(state, parse(line))
        if any(isinstance(notice, Refused) for notice in notices):
            return None
        said += notices
    found = [notice.result for notice in said if isinstance(notice, Settled)]
    return found[-1] if found else None


def true_parts(played: Any, rules: Rules) -> list[NaivePart]:
    return sorted(settle(played, rules))


def card_indexes(lines: list[Line], burned: int) -> list[int]:
    """Where the cards of the round are in the feed; burned cards do not count."""
    return [index for index, line in enumerate(lines) if line["obs"] == "card"][burned:]


@pytest.mark.parametrize("house", HOUSES)
def test_misread_card_corrected_at_the_end(house: str, seeds: range) -> None:
    """G-04: the n-th card was in truth another one; later facts fit the truth, so the truth is paid."""
    rules = load_rules(house, {}, Path())._asdict()
    compared = 0
    for seed in seeds:
        rng = random.Random(seed)
        dealt = deal_round(rules, seed, places=1.0)
        indexes = card_indexes(dealt.lines, rules["burn_cards"])
        number = rng.randint(1, len(indexes))
        true = dealt.lines[indexes[number - 1]]
        if true["rank"] is None:
            continue
        lines = [dict(line) for line in dealt.lines]
        lines[indexes[number - 1]]["rank"] = rng.choice([rank for rank in RANKS if rank != true["rank"]])
        ruling = {"obs": "correct", "card": number, "rank": true["rank"], "suit": true["suit"], **RULING}
        result = last_result(house, [*lines, ruling])
        if result is None:
            continue
        compared += 1
        assert result.status == "settled", f"{house} seed {seed} card {number}"
        assert parts_of(result) == true_parts(dealt.played, rules), f"{house} seed {seed} card {number}"
    assert compared > len(seeds) / 4


@pytest.mark.parametrize("house", HOUSES)
def test_double_read_struck_at_once(house: str, seeds: range) -> None:
    """G-03: a card read twice and struck leaves every later card in its place."""
    rules = load_rules(house, {}, Path())._asdict()
    compared = 0
    for seed in seeds:
        rng = random.Random(seed)
        dealt = deal_round(rules, seed)
        indexes = card_indexes(dealt.lines, rules["burn_cards"])
        number = rng.randint(1, len(indexes))
        at = indexes[number - 1]
        twin = {key: value for key, value in dealt.lines[at].items() if key != "pose"}
        strike = {"obs": "strike", "card": number + 1, **RULING}
        lines = [*dealt.lines[: at + 1], twin, strike, *dealt.lines[at + 1 :]]
        result = last_result(house, lines)
        assert result is not None, f"{house} seed {seed} card {number}: refused"
        compared += 1
        assert result.status == "settled", f"{house} seed {seed} card {number}"
        assert parts_of(result) == true_parts(dealt.played, rules), f"{house} seed {seed} card {number}"
    assert compared > len(seeds) / 4


@pytest.mark.parametrize("house", HOUSES)
def test_unread_card_corrected_at_once(house: str, seeds: range) -> None:
    """G-02: a face-up card that nobody could read waits for its rank and changes nothing else."""
    rules = load_rules(house, {}, Path())._asdict()
    for seed in seeds:
        rng = random.Random(seed)
        dealt = deal_round(rules, seed)
        indexes = card_indexes(dealt.lines, rules["burn_cards"])
        number = rng.randint(1, len(indexes))
        at = indexes[number - 1]
        true = dealt.lines[at]
        if true.get("face") == "down":
            continue
        unread = {**true, "rank": None, "suit": None, "face": "up"}
        ruling = {"obs": "correct", "card": number, "rank": true["rank"], "suit": true["suit"], **RULING}
        result = last_result(house, [*dealt.lines[:at], unread, ruling, *dealt.lines[at + 1 :]])
        assert result is not None, f"{house} seed {seed} card {number}: refused"
        assert result.status == "settled", f"{house} seed {seed} card {number}"
        assert parts_of(result) == true_parts(dealt.played, rules), f"{house} seed {seed} card {number}"


@pytest.mark.parametrize("house", HOUSES)
def test_misplaced_card_moved_at_once(house: str, seeds: range) -> None:
    """G-02, G-03: a card that was noted at another box is moved to the box where it lies."""
    rules = load_rules(house, {}, Path())._asdict()
    compared = 0
    for seed in seeds:
        rng = random.Random(seed)
        dealt = deal_round(rules, seed, places=1.0)
        indexes = card_indexes(dealt.lines, rules["burn_cards"])
        number = rng.randint(1, len(indexes))
        at = indexes[number - 1]
        true = dealt.lines[at]
        if true.get("to") != "box" or true.get("pose") == "across":
            continue
        other = rng.choice([box for box in range(1, 8) if box != true["box"]])
        place = {key: true[key] for key in ("to", "box", "hand")}
        ruling = {"obs": "move", "card": number, **place, **RULING}
        misplaced = {**true, "box": other, "hand": 1}
        result = last_result(house, [*dealt.lines[:at], misplaced, ruling, *dealt.lines[at + 1 :]])
        if result is None:
            continue
        compared += 1
        assert result.status == "settled", f"{house} seed {seed} card {number}"
        assert parts_of(result) == true_parts(dealt.played, rules), f"{house} seed {seed} card {number}"
    assert compared > len(seeds) / 4


@pytest.mark.parametrize("house", HOUSES)
def test_double_read_struck_at_the_end(house: str, seeds: range) -> None:
    """G-03: a card read twice and struck only after the settlement: the rest stands as it was dealt."""
    rules = load_rules(house, {}, Path())._asdict()
    compared = 0
    for seed in seeds:
        rng = random.Random(seed)
        dealt = deal_round(rules, seed, places=1.0)
        indexes = card_indexes(dealt.lines, rules["burn_cards"])
        number = rng.randint(1, len(indexes))
        at = indexes[number - 1]
        twin = {key: value for key, value in dealt.lines[at].items() if key != "pose"}
        strike = {"obs": "strike", "card": number + 1, **RULING}
        result = last_result(house, [*dealt.lines[: at + 1], twin, *dealt.lines[at + 1 :], strike])
        if result is None:
            continue
        compared += 1
        assert result.status == "settled", f"{house} seed {seed} card {number}"
        assert parts_of(result) == true_parts(dealt.played, rules), f"{house} seed {seed} card {number}"
    assert compared > len(seeds) / 8


@pytest.mark.parametrize("house", HOUSES)
def test_void_after_random_rulings_gives_back_all_that_was_put_up(house: str, seeds: range) -> None:
    """G-06: whatever was corrected or struck before, a voided round hands back every chip put up."""
    rules = load_rules(house, {}, Path())
    compared = 0
    for seed in seeds[::2]:
        rng = random.Random(seed)
        dealt = deal_round(rules._asdict(), seed, places=1.0)
        cards = [dealt.lines[index] for index in card_indexes(dealt.lines, rules.burn_cards)]
        put_up: dict[tuple[int, int], int] = {}
        for part in settle(dealt.played, rules._asdict()):
            put_up[part.box, part.seat] = put_up.get((part.box, part.seat), 0) + part.stake
        state = new_table(rules)
        for line in [*dealt.lines, *random_rulings(rng, cards)]:
            state, _ = step(state, parse(line))
        _, notices = step(state, parse({"obs": "void", **RULING}))
        results = [notice.result for notice in notices if isinstance(notice, Settled)]
        assert results, f"{house} seed {seed}: the void said nothing"
        assert results[-1].status == "voided"
        told = {(bet.box, bet.seat): (bet.staked, bet.returned) for bet in results[-1].bets}
        assert told == {who: (stake, stake) for who, stake in put_up.items()}, f"{house} seed {seed}"
        compared += 1
    assert compared > len(seeds) / 4


def random_rulings(rng: random.Random, cards: list[Line]) -> list[Line]:
    """One or two corrections or strikes; a card laid across is not struck, since its double goes with it."""
    rulings: list[Line] = []
    for _ in range(rng.randint(1, 2)):
        number = rng.randint(1, len(cards))
        strike = rng.random() < 0.3 and cards[number - 1].get("pose") != "across"
        rank = {} if strike else {"rank": rng.choice(RANKS)}
        rulings.append({"obs": "strike" if strike else "correct", "card": number, **rank, **RULING})
    return rulings

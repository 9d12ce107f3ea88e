"""Random rounds of every house: the engine against the plain settlement, and what must always hold."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from deal import RANKS, Dealt, deal_round, deal_shoe
from variants import varied_rules

from controller.acts.catalogue import Observation
from controller.domain import Adjusted, Alert, Disputed, Notice, Refused, RoundResult, RuleSet, Settled
from controller.engine import TableState, expected, legal, new_table
from controller.engine.table import step
from controller.feed.codec import parse, to_json
from controller.rules import HOUSES, load_rules
from tests.own_houses import ALL_HOUSES, house_name
from tests.whole.settlement import Rules, settle

LOUD = (Refused, Alert, Disputed)
SEEDS = (300, 1000)
"""Rounds by day, and in all with those of the night."""


def house_rules(house: str) -> RuleSet:
    return load_rules(house, {}, Path())


def fold(rules: RuleSet, lines: list[dict[str, Any]]) -> tuple[TableState, list[Notice]]:
    """The state after the lines and everything the engine said."""
    state = new_table(rules)
    said: list[Notice] = []
    for line in lines:
        state, notices = step(state, parse(line))
        said += notices
    return state, said


def results(said: list[Notice]) -> list[RoundResult]:
    return [notice.result for notice in said if isinstance(notice, Settled)]


def told_parts(result: RoundResult) -> list[tuple[int, int, int, int, str, int]]:
    """The parts of a result in the order of the plain settlement's; hand 0 stands for an insurance."""
    return sorted(
        (bet.box, bet.seat, part.hand * (part.kind == "main"), part.stake, part.outcome, part.returned)
        for bet in result.bets
        for part in bet.parts
    )


def check_round(dealt: Dealt, rules: Rules, said: list[Notice], name: str) -> None:
    """One round came out as the plain settlement says, without a complaint."""
    assert [notice for notice in said if isinstance(notice, LOUD)] == [], name
    assert results(said), f"{name}: not settled"
    result = results(said)[-1]
    assert result.status == "settled", name
    assert told_parts(result) == sorted(tuple(part) for part in settle(dealt.played, rules)), name
    shown = len(dealt.played.dealer)
    assert sorted(result.dealer.cards) == sorted(dealt.played.dealer[:shown]), name
    for bet in result.bets:
        assert bet.staked == sum(part.stake for part in bet.parts), name
        assert bet.returned == sum(part.returned for part in bet.parts), name


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_random_rounds_are_paid_as_the_plain_settlement_says(house: str, seeds: range) -> None:
    rules = house_rules(house)
    for seed in seeds:
        dealt = deal_round(rules._asdict(), seed)
        _, said = fold(rules, dealt.lines)
        check_round(dealt, rules._asdict(), said, f"{house} seed {seed}")


def test_random_rule_sets_are_paid_as_the_plain_settlement_says(seeds: range) -> None:
    """Each field of a rule set does what it says, in any company."""
    for seed in range(2 * seeds.start, 2 * seeds.stop):
        house, overrides = varied_rules(random.Random(seed))
        rules = load_rules(house, overrides, Path())
        dealt = deal_round(rules._asdict(), seed)
        _, said = fold(rules, dealt.lines)
        check_round(dealt, rules._asdict(), said, f"{house} {overrides} seed {seed}")


@pytest.mark.parametrize("house", [one for one in HOUSES if not house_rules(one).shuffled_each_round])
def test_whole_shoes_are_paid_round_by_round(house: str) -> None:
    """Many rounds out of one shoe, ended in words or by the next bet."""
    rules = house_rules(house)
    for seed in range(60):
        state = new_table(rules)
        for number, dealt in enumerate(deal_shoe(rules._asdict(), seed), start=1):
            said: list[Notice] = []
            for line in dealt.lines:
                state, notices = step(state, parse(line))
                said += notices
            check_round(dealt, rules._asdict(), said, f"{house} seed {seed} round {number}")
            assert results(said)[-1].round == number


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_wrong_observations_are_refused_and_change_nothing(house: str) -> None:
    """At every moment of a round: what the engine refuses leaves the state as it was, and nothing crashes."""
    rules = house_rules(house)
    refused = 0
    for seed in range(60):
        rng = random.Random(seed)
        state = new_table(rules)
        for line in deal_round(rules._asdict(), seed).lines:
            for wrong in (random_observation(rng) for _ in range(4)):
                after, notices = step(state, wrong)
                if any(isinstance(notice, Refused) for notice in notices):
                    refused += 1
                    assert len(notices) == 1
                    assert after == state
            state, _ = step(state, parse(line))
    assert refused > 1000


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_fold_of_the_journal_is_the_live_state(house: str) -> None:
    """G-05: the accepted facts, read back from their JSON, give the state that also saw the refused ones."""
    rules = house_rules(house)
    for seed in range(60):
        rng = random.Random(seed)
        live = new_table(rules)
        journal: list[dict[str, Any]] = []
        for line in deal_round(rules._asdict(), seed).lines:
            tries = [random_observation(rng) for _ in range(rng.randint(0, 2))]
            for observation in [*tries, parse(line)]:
                live, notices = step(live, observation)
                if not any(isinstance(notice, Refused) for notice in notices):
                    journal.append(to_json(observation))
        assert fold(rules, journal)[0] == live


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_correcting_back_restores_the_state(house: str) -> None:
    """G-04: any card made another one and back, at any moment: what is due, allowed and paid is as before."""
    rules = house_rules(house)
    for seed in range(250):
        rng = random.Random(seed)
        lines = deal_round(rules._asdict(), seed).lines
        before, _ = fold(rules, lines[: rng.randint(1, len(lines))])
        cards = [line for line in lines if line["obs"] == "card"][rules.burn_cards :]
        number = rng.randint(1, len(cards))
        true = cards[number - 1]
        if true["rank"] is None:
            continue
        other = rng.choice([rank for rank in RANKS if rank != true["rank"]])
        ruling = {"obs": "correct", "card": number, "by": "pit", "reason": "seen"}
        wrong, first = step(before, parse({**ruling, "rank": other, "suit": true["suit"]}))
        if any(isinstance(notice, Refused) for notice in first):
            assert wrong == before
            continue
        back, second = step(wrong, parse({**ruling, "rank": true["rank"], "suit": true["suit"]}))
        name = f"{house} seed {seed}"
        assert (expected(back), legal(back)) == (expected(before), legal(before)), name
        announced = before.settlement.status == "open" and results(list(first))
        assert announced or back == before, name  # a payment that was announced is remembered
        if before.settlement.status == "settled":
            assert deltas([*first, *second]) == {}, name


def deltas(said: list[Notice]) -> dict[tuple[int, int], int]:
    """What adjustments moved for each bettor, all together."""
    moved: Counter[tuple[int, int]] = Counter()
    for notice in said:
        if isinstance(notice, Adjusted):
            for bettor in notice.bets:
                moved[bettor.box, bettor.seat] += bettor.returned_after - bettor.returned_before
    return {who: amount for who, amount in moved.items() if amount}


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_voiding_a_settled_box_touches_no_other(house: str) -> None:
    """G-06: the voided box gets everything back; every other part is as it was."""
    rules = house_rules(house)
    for seed in range(200):
        dealt = deal_round(rules._asdict(), seed)
        state, said = fold(rules, dealt.lines)
        before = results(said)[-1]
        box = random.Random(seed).choice(before.bets).box
        _, notices = step(state, parse({"obs": "void", "box": box, "by": "pit", "reason": "withdrawn"}))
        after = results(list(notices))[-1]
        others = [[bet for bet in result.bets if bet.box != box] for result in (before, after)]
        assert others[0] == others[1], f"{house} seed {seed}"
        assert all(bet.returned == bet.staked for bet in after.bets if bet.box == box), f"{house} seed {seed}"


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_voiding_the_round_gives_everything_back(house: str) -> None:
    """G-06: at any moment after the first card the void round returns what was put up, no more, no less."""
    rules = house_rules(house)
    for seed in range(200):
        dealt = deal_round(rules._asdict(), seed)
        start = next(i for i, line in enumerate(dealt.lines) if line["obs"] == "bet") + len(dealt.bets) + 3
        cut = random.Random(seed).randint(min(start, len(dealt.lines)), len(dealt.lines))
        state, _ = fold(rules, dealt.lines[:cut])
        _, notices = step(state, parse({"obs": "void", "by": "pit", "reason": "exposed card"}))
        result = results(list(notices))[-1]
        assert result.status == "voided", f"{house} seed {seed}"
        assert all(bet.returned == bet.staked for bet in result.bets), f"{house} seed {seed}"
        assert sum(bet.staked for bet in result.bets) >= sum(dealt.bets.values()), f"{house} seed {seed}"


def test_more_cards_of_a_rank_than_the_shoe_holds() -> None:
    """The alert comes with the first card too many of a rank or of a card, and not before."""
    rules = load_rules("spielbank", {"decks": 2}, Path())
    for seed in range(40):
        rng = random.Random(seed)
        state, _ = step(new_table(rules), parse({"obs": "shoe", "decks": 2}))
        seen: Counter[str] = Counter()
        for _ in range(100):
            rank, suit = rng.choice(RANKS), rng.choice("cdhs")
            seen.update([rank, rank + suit])
            too_many = seen[rank] > 8 or seen[rank + suit] > 2
            state, notices = step(state, parse({"obs": "card", "rank": rank, "suit": suit, "to": "burn"}))
            assert any(isinstance(notice, Alert) for notice in notices) == too_many, (seed, rank, suit)


def random_observation(rng: random.Random) -> Observation:
    """Something that may or may not fit: any decision, late money, a ruling on any card, a needless call."""
    box, hand, seat = rng.randint(1, 7), rng.randint(1, 3), rng.choice((0, 0, 1))
    number = rng.randint(1, 40)
    ruling = {"card": number, "by": "pit", "reason": "try"}
    action = rng.choice(("hit", "stand", "double", "split", "surrender"))
    choices: list[dict[str, Any]] = [
        {"obs": "decision", "box": box, "hand": hand, "action": action},
        {"obs": "decision", "box": box, "hand": 1, "action": action, "stakes": {"0": 1}},
        {"obs": "bet", "box": box, "seat": seat, "stake": rng.choice((0, 1, 400, 999_999))},
        {"obs": "insurance", "box": box, "seat": seat, "stake": rng.choice((1, 100, 200))},
        {"obs": "even_money", "box": box, "seat": seat},
        {"obs": "peek", "blackjack": rng.random() < 0.5},
        {"obs": "reveal"},
        {"obs": "insurance_closed"},
        {"obs": "strike", **ruling},
        {"obs": "correct", **ruling, "rank": rng.choice(RANKS)},
        {"obs": "correct", **ruling, "rank": rng.choice(RANKS), "round": number},
        {"obs": "move", **ruling, "to": "box", "box": box, "hand": hand},
        {"obs": "card", "rank": rng.choice(RANKS), "suit": None, "to": "box", "box": box, "hand": hand},
        {"obs": "paid", "box": box, "seat": seat, "amount": number},
        {"obs": "void", "box": box, "by": "pit", "reason": "try"},
        {"obs": "cut_card"},
        {"obs": "end"},
    ]
    return parse(rng.choice(choices))

"""The analyser beside figures that were worked out elsewhere, for the exact rules of a house."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

from controller.analyser import analyse
from controller.analyser.values import (
    ACE,
    BLACKJACK,
    KINDS,
    TEN,
    AgainstDealer,
    draw_chances,
    fresh_shoe,
    outcome_chances,
    pair_terms,
    split_value,
)
from controller.cli.rules import app
from controller.history.kept import SHIPPED, key_of, known_edge
from controller.rules import HOUSES, load_rules
from tests.analyser.choices import Choices
from tests.analyser.luck import Worth
from tests.analyser.simulated_edge import simulate


def test_a_house_is_shown_with_its_edge_and_its_basic_strategy() -> None:
    told = CliRunner().invoke(app, ["analyse", "it", "--json"])
    assert told.exit_code == 0, told.output
    shown = json.loads(told.stdout)
    # Figure of the Italian rules: 0.2695 % with two exact analysers and 3e8 simulated hands.
    assert shown["edge_percent"] == pytest.approx(0.2695, abs=0.001)
    assert shown["insurance_edge_percent"] == pytest.approx(100 * (1 - 3 * 96 / 311), abs=1e-6)
    rows = {
        (row["hand"], row["total"]): "".join(f"{one:<2}" for one in row["advice"])
        for row in shown["strategy"]
    }
    assert shown["up_cards"] == ["2", "3", "4", "5", "6", "7", "8", "9", "10", "A"]
    assert rows["hard", 16] == "S S S S S H H H H H "
    assert rows["hard", 11] == "D D D D D D D D D H "
    assert rows["soft", 18] == "S DsDsDsDsS S H H H "
    assert rows["pair", 8] == "P P P P P P P P P P "
    assert rows["pair", 10] == "S S S S S S S S S S "
    # The oldest of the deals in which the very cards count: a ten fewer is left to bust with.
    assert {"cards": ["2", "10"], "up": "4", "play": "hit", "instead_of": "stand"} in shown["other_plays"]


def test_the_engine_pays_what_the_analyser_expects() -> None:
    """The engine plays the analyser's strategy; the luck of the cards is taken off what it has paid."""
    analysis = analyse(load_rules("it", {}, Path()))
    worth = Worth(analysis, Choices(analysis))
    simulated = simulate(worth, 300, Random(3))
    assert 0 < simulated.error_percent < 0.2 < simulated.plain_error_percent
    assert simulated.edge_percent == pytest.approx(analysis.edge_percent, abs=5 * simulated.error_percent)


@pytest.mark.parametrize("up", range(KINDS))
def test_the_dealer_ends_somewhere_from_whatever_is_left(up: int) -> None:
    shoe = fresh_shoe(1)
    shoe[up] -= 1
    shoe[2:5] = 0
    chances = outcome_chances(up, False, shoe[None])[0]
    assert chances.sum() == pytest.approx(1.0)
    expected = {ACE: shoe[TEN], TEN: shoe[ACE]}.get(up, 0.0) / shoe.sum()
    assert chances[BLACKJACK] == pytest.approx(expected)


def test_a_dealer_who_looked_leaves_more_of_the_looked_for_cards_to_draw() -> None:
    shoe = fresh_shoe(1)
    shoe[ACE] -= 1
    chances = draw_chances(shoe, TEN)
    assert chances.sum() == pytest.approx(1.0)
    # One of the 35 cards that are no tens lies face down, all 16 tens are among the other 50.
    assert chances[TEN] == pytest.approx(16 / 50)
    assert chances[4] == pytest.approx(4 * 34 / 35 / 50)


def test_what_the_house_lets_do_with_a_split_changes_what_it_is_worth() -> None:
    shoe = fresh_shoe(6)
    shoe[5] -= 1

    def worth(kind: int, **fields: object) -> float:
        rules = load_rules("it", fields, Path())
        return split_value(AgainstDealer(rules, 5), pair_terms(rules, kind), shoe)

    assert worth(7) < worth(7, max_hands=3) < worth(7, max_hands=4)
    assert worth(7, double_after_split=False) < worth(7)
    assert worth(ACE, split_aces_one_card=True) < worth(ACE)
    assert worth(ACE) == worth(ACE, max_hands=4)
    assert worth(ACE) < worth(ACE, max_hands=4, resplit_aces=True)
    assert worth(ACE) < worth(ACE, split_21_is_blackjack=True)


def test_chances_of_outcomes_are_those_of_dealing_every_order() -> None:
    """From eight cards all orders can be dealt out by hand."""
    shoe = np.zeros(KINDS)
    shoe[[ACE, 1, 4, 5, 8, TEN]] = (1, 1, 2, 1, 1, 2)
    counted = outcome_chances(9, True, shoe[None])[0]
    dealt = dict.fromkeys(range(7), 0.0)
    _deal([10], shoe.copy(), 1.0, dealt)
    assert counted == pytest.approx(list(dealt.values()))


def _deal(cards: list[int], left: np.ndarray, chance: float, ends: dict[int, float]) -> None:
    """Deal on by the rule itself, card after card, the dealer hitting soft 17."""
    low = sum(cards)
    soft = 1 in cards and low <= 11
    total = low + 10 * soft
    if len(cards) > 1 and (total > 17 or (total == 17 and not soft)):
        ends[5 if total > 21 else 6 if total == 21 and len(cards) == 2 else total - 17] += chance
        return
    for kind in np.flatnonzero(left):
        share = left[kind] / left.sum()
        left[kind] -= 1
        _deal([*cards, int(kind) + 1], left, chance * share, ends)
        left[kind] += 1


@pytest.mark.parametrize("house", HOUSES)
def test_the_edge_of_each_house_is_shipped(house: str) -> None:
    rules = load_rules(house, {}, Path())
    assert key_of(rules) in SHIPPED, (
        f'controller/history/kept.py: SHIPPED has no "{key_of(rules)}" ({house}). '
        "A new field of RuleSet that changes no edge goes into BESIDE; after any other, work the edges out."
    )


@pytest.mark.night
@pytest.mark.parametrize("house", HOUSES)
def test_the_kept_edge_of_a_house_is_the_one_that_is_worked_out(house: str) -> None:
    rules = load_rules(house, {}, Path())
    assert known_edge(rules) == analyse(rules).edge_percent

"""The odds of a run beside what shuffled packs really bring."""

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.shuffle import shuffle
from controller.forensics import Order, Run, code_of, log10_odds
from tests.forensics.replays import PACK


def test_the_odds_are_those_that_shuffled_shoes_have() -> None:
    cards, chance = 2, Random(5)
    deck = [code_of(*card) for card in PACK * 6]
    before, found, shoes = "".join(chance.sample(deck, len(deck))), 0, 20
    for _ in range(shoes):
        present = "".join(chance.sample(deck, len(deck)))
        starts = range(len(present) - cards + 1)
        found += sum(
            before[at : at + cards] == present[here : here + cards] for here in starts for at in starts
        )
    run = Run("shoe", 1, 0, cards - 1, cards, cards)
    odds = log10_odds(run._replace(cards=12, suited=12), before, (Order(1, before, ""),))
    expected = 10 ** -(odds - (12 - cards) * log10_odds_of_a_card())
    assert found / shoes == pytest.approx(expected, rel=0.25)


def log10_odds_of_a_card() -> float:
    """What one more card with its suit adds."""
    runs = [Run("shoe", 1, 0, n - 1, n, n) for n in (13, 12)]
    longer, shorter = (log10_odds(run, "a", (Order(1, "a", ""),)) for run in runs)
    return longer - shorter


def test_by_rank_alone_and_from_a_new_pack_chance_explains_more() -> None:
    orders = (Order(1, "x" * 300, "x" * 300),)
    suited, ranked = (log10_odds(Run("shoe", 1, 0, 11, 12, suited), "x" * 100, orders) for suited in (12, 0))
    assert suited > ranked > 0
    assert log10_odds(Run("shoe", 1, 0, 1, 2, 2), "x" * 300, orders) == 0
    assert log10_odds(Run("makers", 0, 0, 11, 12, 12), "x" * 100, ()) < 20


def test_honest_shoes_are_measured_and_drawn(tmp_path: Path) -> None:
    drawn, words = tmp_path / "runs.svg", ("--state", tmp_path / "shuffle.state", "--shoes", 40)
    app = typer.Typer()
    app.command()(shuffle)
    told = CliRunner().invoke(app, [*map(str, words), "--plot", str(drawn)])
    # So few shoes have no long run after many riffles: such a line ends where nothing was seen.
    assert (told.exit_code, told.stdout.count("| 40 |")) == (0, 24)
    names = [one.text for one in ElementTree.parse(drawn).iter() if one.text and "riffles" in one.text]
    assert names == [f"{riffles} riffles" for riffles in range(3, 9)]

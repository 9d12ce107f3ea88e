"""`from stand17 import Table`: its page runs as it stands, and feeds of all five houses play through it."""

import doctest
from pathlib import Path
from typing import Final

import pytest

import stand17
from controller.domain.notices import Refused
from controller.feed.feed_lines import read_lines
from controller.feed.replay import open_script, play
from stand17 import HOUSES, Adjusted, Bet, Correct, Decision, Observation, Reveal, RuleBroken, Table, card

ROOT = Path(__file__).parents[2]
FEEDS = [
    path for house in HOUSES for path in sorted((ROOT / "tests/feeds" / house).glob("*.feed.jsonl"))[::8]
]
READ_HOLE: Final[tuple[Observation, ...]] = (
    Bet(1, 0, 400),
    *map(card, ("10h", "9c", "9d")),
    card("8s", face="down"),
    Decision(1, 1, "stand"),
)
"""The dealer's face-down card was read, and nobody has turned it."""


def test_every_example_of_the_page_gives_what_it_says() -> None:
    outcome = doctest.testfile(str(ROOT / "docs/library.md"), module_relative=False)
    assert outcome.attempted > 40
    assert outcome.failed == 0


@pytest.mark.parametrize("path", FEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_feed_gives_the_rounds_that_replay_gives_and_is_undone_to_its_start(path: Path) -> None:
    with path.open("rb") as stream:
        script = open_script(stream, path.parent)
        lines = list(read_lines(stream))
    table = Table(script.header.rules, script.header.rule_overrides, path.parent)
    start = table.expected
    *played, _ = play(script.rules, lines)
    for line, step in zip(lines, played, strict=True):
        refused = [notice for notice in step.notices if isinstance(notice, Refused)]
        if refused:
            assert table.why_not(line.obs) == refused[0].code
            with pytest.raises(RuleBroken, match=refused[0].code):
                table.apply(line.obs)
        else:
            assert table.apply(line.obs) == step.notices
    while table.facts:
        table.undo()
    assert table.expected == start
    with pytest.raises(LookupError):
        table.undo()


def test_a_hole_card_that_was_read_stays_hidden_until_it_is_turned() -> None:
    table = Table("nl")
    for fact in READ_HOLE:
        table.apply(fact)
    assert table.dealer.cards[1] is None
    assert table.dealer.total == 9
    table.apply(Reveal())
    assert str(table.dealer.cards[1]) == "8s"
    assert table.dealer.total == 17


def test_a_correction_of_a_settled_round_is_an_adjustment() -> None:
    table = Table("nl")
    for fact in READ_HOLE:
        table.apply(fact)
    table.apply(Reveal())
    notices = table.apply(Correct(1, None, "7", "h", "pit:p7", "misread"))
    (adjusted,) = (notice for notice in notices if isinstance(notice, Adjusted))
    assert [(bet.returned_before, bet.returned_after) for bet in adjusted.bets] == [(800, 0)]


def test_what_is_refused_or_malformed_changes_nothing() -> None:
    table = Table("nl")
    with pytest.raises(RuleBroken) as broken:
        table.apply(Bet(9, 0, 400))
    assert broken.value.code == "NO_SUCH_BOX"
    with pytest.raises(stand17.ConfigError):
        table.apply({"obs": "bet", "box": "one", "seat": 0, "stake": 400})
    with pytest.raises(ValueError, match="no card is called"):
        card("1h")
    assert table.facts == ()

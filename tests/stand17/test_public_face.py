"""`from stand17 import Table`: its page runs as it stands, and feeds of all five houses play through it."""

import copy
import doctest
import gc
import pickle
from pathlib import Path
from typing import Final, get_args

import pytest

import stand17
from controller.domain import Refused
from controller.feed.feed_lines import read_lines
from controller.feed.feed_table import open_table_script, play_table
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


def test_a_table_needs_no_more_memory_after_many_rounds_than_after_a_few() -> None:
    """The engine keeps closed rounds for rulings, so many and no more; what can be undone is bounded, too."""
    table = Table("nl", undoable=50)
    kept = []
    for number in range(1, 3001):
        for fact in (*READ_HOLE, Reveal()):
            table.apply(fact)
        table.new_round()
        if number in (1500, 3000):
            gc.collect()
            kept.append(len(pickle.dumps(table)))
    assert len(table.facts) == 50
    assert kept[1] < kept[0] * 1.05


def test_a_table_is_pickled_and_copied_with_what_can_be_undone() -> None:
    table = Table("nl")
    for fact in READ_HOLE:
        table.apply(fact)
    for twin in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table), copy.copy(table)):
        assert (twin.expected, twin.hands, twin.facts) == (table.expected, table.hands, table.facts)
        twin.undo()
        twin.apply(Decision(1, 1, "hit"))
        assert twin.hands != table.hands


def test_every_fact_of_a_table_can_be_imported() -> None:
    names = {"CardSeen": "Card", "ShoeLoaded": "Shoe"}
    missing = {kind.__name__ for kind in get_args(Observation)} - names.keys() - set(stand17.__all__)
    assert missing == set()


def test_why_not_names_what_is_wrong_with_a_fact_that_is_none() -> None:
    table = Table("nl")
    for fact in READ_HOLE[:-1]:
        table.apply(fact)
    dubble = Decision(1, 1, "dubble")  # type: ignore[arg-type]
    assert table.why_not(dubble) == "FEED_FIELD_BAD"
    assert table.why_not({"obs": "decision", "box": 1, "hand": 1, "action": "dubble"}) == "FEED_FIELD_BAD"
    with pytest.raises(stand17.ConfigError):
        table.apply(dubble)
    assert len(table.facts) == len(READ_HOLE) - 1


def test_a_feed_is_read_and_its_rounds_are_those_of_a_replay() -> None:
    path = ROOT / "tests/feeds/de/every_outcome.feed.jsonl"
    feed = stand17.Feed(path)
    assert (feed.header.rules, feed.rules.name) == ("de", "de")
    assert [line.number for line in feed][:2] == [2, 3]
    table = Table(feed.header.rules, feed.header.rule_overrides)
    settled = {}
    for line in feed:
        for notice in table.apply(line.obs) if table.why_not(line.obs) is None else ():
            if isinstance(notice, stand17.Settled):
                settled[notice.result.round] = notice.result
    assert list(feed.rounds()) == list(settled.values())


def test_a_door_holds_names_its_ways_out_and_goes_on() -> None:
    door = stand17.Door("nl")
    assert door.take(Bet(1, 0, 400)) == ()
    for at, name in enumerate(("10h", "6c", "9d"), 1):
        assert door.take(card(name), t=at) == ()
    door.take(card("2c", to="box", box=6), t=9)
    (hold,) = door.holds
    assert (hold.code, hold.release) == ("CARD_TO_EMPTY_BOX", "pit")
    (refused,) = door.take(Decision(1, 1, "stand"), by="dealer:anna", t=10)
    assert isinstance(refused, stand17.Refused)
    assert refused.code == "TABLE_HELD"
    void = {"obs": "void", "reason": "stray card"}
    assert any(isinstance(notice, stand17.Released) for notice in door.take(void, by="pit:bert", t=11))
    assert door.holds == ()


@pytest.mark.parametrize("path", FEEDS[::4], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_door_plays_a_feed_as_replay_does_at_a_tables_door(path: Path) -> None:
    feed = stand17.Feed(path)
    with path.open("rb") as stream:
        *expected, _ = play_table(open_table_script(stream, path.parent))
    options = feed.header.table_options
    assert options is None or isinstance(options, dict)
    door = stand17.Door(feed.header.rules, feed.header.rule_overrides, options, path.parent)
    told = [notice for played in door.play(feed) for notice in played.notices]
    assert told == [notice for played in expected for notice in played.notices]

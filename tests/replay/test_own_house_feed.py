"""A journal of a house of its own as a feed: the feed carries the house, and its holds are the same."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, Reveal
from controller.cli.application import build
from controller.domain import Rank
from controller.journal.store import Journal
from controller.policy import DEFAULT_OPTIONS, House
from controller.rules import load_file
from controller.runtime.door import TableDoor
from controller.runtime.restore import Identity, start
from tests.runtime.test_door import Desk, HandClock

EXAMPLES = Path(__file__).parents[2] / "examples"


class OwnDesk(Desk):
    """A door of the example of a house of its own."""

    def __init__(self, path: Path) -> None:
        file = load_file("own_house.toml", EXAMPLES)
        self.clock = HandClock()
        self.journal = Journal.open(path, self.clock)
        identity = Identity("T", file.rules, "EUR", House(file.irregularities, DEFAULT_OPTIONS))
        ledger = start(self.journal, identity, "live", "test")
        self.door = TableDoor(self.journal, ledger, self.clock, mode="live")
        self.answers = []

    def card(self, rank: Rank) -> None:
        self.report(CardSeen(rank, "s", by="shoe"))


def said(*arguments: object) -> list[dict[str, Any]]:
    result = CliRunner().invoke(build(str(arguments[0])), [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def test_a_feed_of_an_own_house_says_that_house_and_holds_as_the_journal_did(tmp_path: Path) -> None:
    desk = OwnDesk(tmp_path / "t.journal")
    desk.say(Bet(1, 0, 1000), Close())
    first: tuple[Rank, ...] = ("9", "10", "8", "7")
    for rank in first:
        desk.card(rank)
    desk.say(Decision(1, 1, "stand"), Reveal())
    desk.card("5")
    (hold,) = desk.door.snapshot().holds
    assert hold.code == "DEALER_DREW_ON_17"
    desk.journal.close()
    feed = tmp_path / "t.feed.jsonl"
    said("feed", tmp_path / "t.journal", "--table", "--out", feed)
    header = json.loads(feed.read_text().splitlines()[0])
    assert header["rules"] == "own_house"
    assert header["irregularities"]["DEALER_DREW_ON_17"]["ways"] == ["burn", "void_round"]
    files: list[tuple[Any, ...]] = [(tmp_path / "t.journal",), (feed, "--table")]
    holds = [[one for one in said("replay", *file, "--json") if one["type"] == "hold"] for file in files]
    assert [[(one["code"], one["release"], one["ways"]) for one in found] for found in holds] == [
        [("DEALER_DREW_ON_17", "two", ["burn", "void_round"])]
    ] * 2

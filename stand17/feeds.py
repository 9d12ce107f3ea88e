"""Feeds: their header, their lines, and the consequences by the rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.domain import RoundResult, RuleSet, Settled
from controller.engine import new_table, step
from controller.feed.feed_lines import FeedHeader, FeedLine, open_feed
from controller.feed.replay import Played, left_open, open_script


class Feed:
    """A feed in a file, gzip too. It is read anew each time: one of any length needs little memory."""

    def __init__(self, path: Path | str) -> None:
        """Read the header and its rules. Raises ConfigError.

        >>> Feed("examples/own_house_cases/blackjack.feed.jsonl").header.rules
        '../own_house.toml'
        """
        self.path: Final = Path(path)
        with open_feed(str(path)) as stream:
            script = open_script(stream, self.path.parent)
        self.header: Final[FeedHeader] = script.header
        self.rules: Final[RuleSet] = script.rules

    def __repr__(self) -> str:
        """Name the file."""
        return f"Feed({str(self.path)!r})"

    def __iter__(self) -> Iterator[FeedLine]:
        """Its lines: number, seconds since the header, fact, who reported it. Raises ConfigError."""
        with open_feed(str(self.path)) as stream:
            yield from open_script(stream, self.path.parent).lines

    def play(self) -> Iterator[Played]:
        """Each line with what follows from it by the rules, then the round that is left open.

        >>> feed = Feed("examples/own_house_cases/blackjack.feed.jsonl")
        >>> [type(notice).__name__ for played in feed.play() for notice in played.notices]
        ['Settled']
        """
        state = new_table(self.rules)
        for line in self:
            taken = step(state, line.obs)
            state = taken.state
            yield Played(line, taken.notices)
        left = left_open(state)
        yield Played(None, () if left is None else (left,))

    def rounds(self) -> Iterator[RoundResult]:
        """The last result of each round, in order; a round that a ruling settles anew counts once.

        >>> feed = Feed("examples/own_house_cases/blackjack.feed.jsonl")
        >>> [bet.returned for result in feed.rounds() for bet in result.bets]
        [1000]
        """
        results = {
            notice.result.round: notice.result
            for played in self.play()
            for notice in played.notices
            if isinstance(notice, Settled)
        }
        yield from results.values()

"""A live table's door: beside the rules, roles, holds and the house's options count."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from controller.domain import RoundResult
from controller.feed.feed_lines import FeedLine, parse_table_options
from controller.feed.feed_table import FeedTable
from controller.feed.replay import Played, PlayedNotice
from controller.policy import House, new_run
from controller.policy.state.holds import Hold
from controller.rules import load_file, with_overrides
from stand17.checked import Fact, checked


class Door:
    """A table that waits where a live one does: what `stand17 replay --table` plays a feed through."""

    def __init__(
        self,
        house: str = "nl",
        overrides: Mapping[str, object] | None = None,
        options: Mapping[str, object] | None = None,
        folder: Path | None = None,
    ) -> None:
        """House, overrides and folder as `Table` has them; `options` are a header's `table_options`.

        Raises ConfigError.

        >>> Door("spielbank", {"stake_min": 0}).holds
        ()
        """
        file = load_file(house, folder or Path())
        rules = with_overrides(file.rules, dict(overrides or {}))
        found = parse_table_options(dict(options or {}))
        if found.stand_on_21:
            rules = rules._replace(hit_on_21=False)
        of_house = House(file.irregularities, found)
        self._table = FeedTable(of_house, new_run(of_house, rules))
        self._line = 1
        self._t = 0.0

    def take(
        self, fact: Fact, *, by: str | None = None, second: str | None = None, t: float | None = None
    ) -> tuple[PlayedNotice, ...]:
        """Bring a fact to the door, from `by` (`dealer:anna`, `pit:bert`, `shoe`), and say what follows.

        A refusal is an answer here: `Refused`. `Held` begins a hold, `Released` ends one. `t` is in seconds;
        without it no time has passed. Raises ConfigError where the fact or a name is malformed.

        >>> door = Door("nl")
        >>> door.take({"obs": "freeze", "by": "P-02", "reason": "OTHER"}, by="pit:P-02")[0].hold.code
        'FROZEN'
        """
        self._line += 1
        self._t = self._t if t is None else t
        line = FeedLine(self._line, self._t, checked(fact), by, second)
        return tuple(notice for played in self._table.step(line).played for notice in played.notices)

    def play(self, lines: Iterable[FeedLine]) -> Iterator[Played]:
        """Bring the lines of a `Feed`; each with what follows, named by the line that it follows from.

        >>> from stand17 import Feed
        >>> feed = Feed("examples/own_house_cases/blackjack.feed.jsonl")
        >>> [played.line.number for played in Door("spielbank").play(feed) if played.notices]
        [6]
        """
        for line in lines:
            self._line, self._t = line.number, line.t
            yield from self._table.step(line).played

    @property
    def holds(self) -> tuple[Hold, ...]:
        """What the table waits for; `code`, `ways` and `release` as in docs/feed.md. Nothing: it goes on.

        >>> door = Door("nl")
        >>> _ = door.take({"obs": "freeze", "by": "P-02", "reason": "OTHER"}, by="pit:P-02")
        >>> [hold.code for hold in door.holds]
        ['FROZEN']
        """
        return self._table.run.holds

    def settle(self) -> RoundResult | None:
        """The result of the round, None while it runs or waits for a ruling.

        >>> door = Door("it", {"stake_min": 0, "stake_step": 0})
        >>> _ = door.take({"obs": "bet", "box": 3, "seat": 0, "stake": 500})
        >>> for rank in ("A", "9", "K", "8"):
        ...     _ = door.take({"obs": "card", "rank": rank}, by="shoe")
        >>> door.settle().bets[0].returned
        1250
        """
        run = self._table.run
        return None if run.unreported else run.state.settlement.result

"""A table for programs: a game, a door, a feed."""

import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from controller.acts.catalogue import (
    Close,
    Decision,
    End,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Peek,
    Reveal,
)
from controller.domain import ConfigError, Notice, Refused, RoundResult, RuleSet, Settled
from controller.engine import Expected, OfferedAct, TableState, expected, legal, new_table, step
from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedHeader, FeedLine, open_feed, parse_table_options
from controller.feed.feed_table import FeedTable
from controller.feed.replay import Json, Played, PlayedNotice, left_open, notice_json, open_script, round_json
from controller.policy import House, new_run
from controller.policy.holds import Hold
from controller.rules import load_file, load_rules, with_overrides
from stand17.checked import DealerView, Fact, HandView, RuleBroken, checked, dealer_of, hands_of, state_bytes


class Table:
    """A table under the rules of one house, from its first bet to its last settlement.

    Every fact, card, bet, decision or ruling, goes through `apply`. States are immutable, so `undo` and
    `copy` cost nothing. Amounts are integers in minor units. Tables can be pickled.
    """

    def __init__(
        self,
        house: str = "nl",
        overrides: Mapping[str, object] | None = None,
        folder: Path | None = None,
        *,
        undoable: int = 1000,
    ) -> None:
        """A shipped house (`HOUSES`) or a rule file in `folder`; `overrides` replace single fields.

        So many of the last facts are `undoable`: a table needs no more memory after a million rounds than
        after a few. Raises ConfigError where there is no such house or a field is wrong.

        >>> Table("it", {"stake_min": 0}).rules.stake_min
        0
        """
        self.rules: Final[RuleSet] = load_rules(house, overrides or {}, folder or Path())
        self._past: deque[tuple[TableState, Observation]] = deque(maxlen=undoable)
        self._state = new_table(self.rules)

    def copy(self) -> "Table":
        """Another table in the same state, to try something on.

        >>> table = Table("nl")
        >>> _ = table.copy().apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        >>> table.facts
        ()
        """
        twin = Table.__new__(Table)
        twin.__dict__.update(self.__dict__, _past=self._past.copy())
        return twin

    def __copy__(self) -> "Table":
        """Return an independent table, as `copy` does."""
        return self.copy()

    def __deepcopy__(self, _: dict[int, object]) -> "Table":
        """Return an independent table, as `copy` does: two tables share no mutable part."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return rules, state and undo list for pickle."""
        return _unpickled, (state_bytes(self.__dict__),)

    def apply(self, fact: Fact) -> tuple[Notice, ...]:
        """Take a fact, an object of this package or of the feed format, and say what follows from it.

        A settlement, an alert, an adjustment or a dispute; most facts say nothing. Nothing changes where it
        raises: RuleBroken where the house forbids the fact, ConfigError where it is malformed.

        >>> table = Table("nl")
        >>> table.apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        ()
        """
        obs = checked(fact)
        taken = step(self._state, obs)
        for notice in taken.notices:
            if isinstance(notice, Refused):
                raise RuleBroken(notice)
        self._past.append((self._state, obs))
        self._state = taken.state
        return taken.notices

    def apply_json(self, line: Mapping[str, Any]) -> list[Json]:
        """As `apply`, the answers as the objects that `stand17 replay --json` prints (docs/feed.md).

        >>> Table("nl").apply_json({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        []
        """
        return [notice_json(notice) for notice in self.apply(line)]

    def undo(self) -> Observation:
        """Take the last fact back and return it. Raises LookupError where nothing can be undone.

        >>> table = Table("nl")
        >>> _ = table.apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        >>> table.undo()
        Bet(box=1, seat=0, stake=400)
        """
        if not self._past:
            raise LookupError("nothing has happened at this table yet, or no more of it can be undone")
        self._state, obs = self._past.pop()
        return obs

    def legal_acts(self) -> tuple[Observation, ...]:
        """What the people at the table may do now, each ready for `apply`; cards and bets are not among them.

        `expected` says which card or bet is due. A peek stands there with both of its answers.

        >>> table = Table("nl")
        >>> _ = table.apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        >>> table.legal_acts()
        (Close(),)
        """
        return tuple(fact for act in legal(self._state) if act.code is None for fact in _facts(act))

    def legal_json(self) -> list[Json]:
        """`legal_acts` as objects of the feed format.

        >>> table = Table("nl")
        >>> _ = table.apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        >>> table.legal_json()
        [{'obs': 'close'}]
        """
        return [to_json(act) for act in self.legal_acts()]

    def why_not(self, fact: Fact) -> str | None:
        """The code by which `apply` would not take a fact, None where it would.

        The house's refusal, or of a malformed fact what is wrong with it, such as FEED_FIELD_BAD.

        >>> table = Table("nl")
        >>> table.why_not({"obs": "bet", "box": 9, "seat": 0, "stake": 400})
        'NO_SUCH_BOX'
        """
        try:
            obs = checked(fact)
        except ConfigError as error:
            return error.code
        notices = step(self._state, obs).notices
        return next((notice.code for notice in notices if isinstance(notice, Refused)), None)

    def settle(self) -> RoundResult | None:
        """The result of the round, which settles by itself with its last fact; None while it still runs.

        >>> table = Table("it", {"stake_min": 0, "stake_step": 0})
        >>> _ = table.apply({"obs": "bet", "box": 3, "seat": 0, "stake": 500})
        >>> for rank in ("A", "9", "K", "8"):
        ...     _ = table.apply({"obs": "card", "rank": rank})
        >>> table.settle().bets[0].returned
        1250
        """
        return self._state.settlement.result

    def settle_json(self) -> Json | None:
        """`settle` as the `round` object of `stand17 replay --json`.

        >>> table = Table("it", {"stake_min": 0, "stake_step": 0})
        >>> _ = table.apply({"obs": "bet", "box": 3, "seat": 0, "stake": 500})
        >>> for rank in ("A", "9", "K", "8"):
        ...     _ = table.apply({"obs": "card", "rank": rank})
        >>> table.settle_json()["status"]
        'settled'
        """
        result = self.settle()
        return None if result is None else round_json(result)

    def new_round(self) -> None:
        """Clear the table for the next bets. Raises ValueError while a round is not complete.

        >>> table = Table("nl")
        >>> _ = table.apply({"obs": "bet", "box": 1, "seat": 0, "stake": 400})
        >>> table.new_round()
        Traceback (most recent call last):
        ...
        ValueError: the round is not complete, it waits for PLACE_BETS
        """
        if self._state.log and self.settle() is None:
            raise ValueError(f"the round is not complete, it waits for {self.expected.code}")
        self.apply(End())

    @property
    def expected(self) -> Expected:
        """The one thing that the table waits for, as `code` and `params`: a bet, a card, a decision.

        >>> Table("nl").expected.code
        'PLACE_BETS'
        """
        return expected(self._state)

    @property
    def hands(self) -> tuple[HandView, ...]:
        """Every hand of the boxes, in the order of play.

        >>> table = Table("nl")
        >>> for fact in ({"obs": "bet", "box": 3, "seat": 0, "stake": 400}, {"obs": "card", "rank": "A"}):
        ...     _ = table.apply(fact)
        >>> [(hand.box, hand.total, hand.soft) for hand in table.hands]
        [(3, 11, True)]
        """
        return hands_of(self._state)

    @property
    def dealer(self) -> DealerView:
        """The dealer's hand, a face-down card masked.

        >>> Table("nl").dealer
        DealerView(cards=(), total=0)
        """
        return dealer_of(self._state)

    @property
    def facts(self) -> tuple[Observation, ...]:
        """What can be undone, oldest first: the last facts that were applied.

        >>> Table("nl").facts
        ()
        """
        return tuple(obs for _, obs in self._past)


def _unpickled(written: bytes) -> Table:
    table = Table.__new__(Table)
    table.__dict__.update(pickle.loads(written))
    return table


def _facts(act: OfferedAct) -> tuple[Observation, ...]:  # noqa: C901  # a case for each act
    """Return the facts of an offered act; none when a person must first name an amount."""
    match act.action:
        case "hit" | "stand" | "double" | "split" | "surrender" as action:
            return (Decision(act.box, act.hand, action),)
        case "insurance":
            return (Insurance(act.box, act.seat, act.amount_minor),)
        case "even_money":
            return (EvenMoney(act.box, act.seat),)
        case "close":
            return (Close(),)
        case "insurance_closed":
            return (InsuranceClosed(),)
        case "peek":
            return (Peek(False), Peek(True))
        case "reveal":
            return (Reveal(),)
        case "bet" | "void" | "end":
            return ()  # A bet needs an amount; `new_round` and `Void` stand for the others.


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

"""The table as one object: legal acts, apply, undo, settle."""

import pickle
from collections import deque
from collections.abc import Mapping
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
from controller.domain import ConfigError, Notice, Refused, RoundResult, RuleSet
from controller.engine import Expected, OfferedAct, TableState, expected, legal, new_table, step
from controller.feed.codec import to_json
from controller.feed.json_report import Json, notice_json, round_json
from controller.rules import load_rules
from stand17.checked import Fact, checked
from stand17.pickling import state_bytes
from stand17.refusal import RuleBroken
from stand17.views import DealerView, HandView, dealer_of, hands_of


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

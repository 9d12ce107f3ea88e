"""A ledger as parts of a checkpoint and back; a part that has not changed is not written again.

What grows with the day lies in parts of its own: each closed round, alerts by the thousands of entries that
they came in, and the buckets of answered commands. The rest is one part, written each time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Final, NamedTuple, get_args

from controller.acts.catalogue import Limits, Observation
from controller.acts.rulings import HandName
from controller.domain.cards import Card
from controller.domain.notices import BetResult, DealerResult, HandResult, Part, RoundResult
from controller.domain.rules import RuleSet
from controller.engine.facts import Fact, Fault, Made, Stranded
from controller.engine.state import (
    NO_HISTORY,
    Book,
    Box,
    Dealer,
    Hand,
    History,
    Offers,
    Seen,
    Settlement,
    Shoe,
    Slip,
    TableState,
)
from controller.forensics.archive import Order
from controller.forensics.composition import PackSets, SetCount
from controller.forensics.makers import Packed, Place
from controller.forensics.runs import Follow, Run, Tracks
from controller.forensics.watch import Reported, Watch
from controller.journal.checkpoint_file import CheckpointPart
from controller.journal.entry import Entry
from controller.people.tries import TryCount, TryRecord
from controller.policy import Person, TableRun
from controller.policy.state.counted_chips import CountedChips, StakeReading
from controller.policy.state.holds import Hold
from controller.policy.state.line import KeptCard
from controller.policy.state.rest_cards import Rest
from controller.policy.state.slip_entered import SlipEntered
from controller.runtime.api import AlertView, OrderView, PayProgress, UnconfirmedPayout
from controller.runtime.checkpoint.value_codec import ValueCodec
from controller.runtime.ledger import Ledger
from controller.runtime.ledger.answered import BUCKETS, NO_ANSWERS, AnsweredCommands, GivenAnswer
from controller.runtime.ledger.journal_opening import opening_of
from controller.runtime.ledger.ledger import UnreadEntries, Waiting

_STATE: Final = (Book, Box, Dealer, Hand, History, Offers, Seen, Settlement, Shoe, Slip, TableState)
_RESULTS: Final = (BetResult, Card, DealerResult, Fact, Fault, HandResult, Made, Part, RoundResult, Stranded)
_WATCHED: Final = (Follow, Order, PackSets, Packed, Place, Reported, Run, SetCount, Tracks, Watch)
_LEDGER: Final = (
    AlertView,
    CountedChips,
    GivenAnswer,
    Hold,
    KeptCard,
    OrderView,
    PayProgress,
    Person,
    Rest,
    RuleSet,
    SlipEntered,
    StakeReading,
    TableRun,
    TryCount,
    TryRecord,
    UnconfirmedPayout,
    UnreadEntries,
    Waiting,
)
_OBSERVED: Final = (*get_args(Observation), HandName)
CODEC: Final = ValueCodec(dict.fromkeys((*_STATE, *_RESULTS, *_WATCHED, *_LEDGER, *_OBSERVED, Limits)))

REST: Final = "rest"
ALERTS_BITS: Final = 12
"""Alerts of 4096 entries are written together."""

_ELSEWHERE: Final = frozenset(("opening", "run", "alerts", "answered", "unturned", "withheld"))
"""Fields of a ledger that do not stand in the rest as they are."""

_PLAIN: Final = tuple(name for name in Ledger._fields if name not in _ELSEWHERE)


class LedgerParts:
    """Makes the parts of one ledger after the other; remembers which alerts stand together."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._alerts: dict[int, tuple[AlertView, ...]] = {}

    def of(self, ledger: Ledger) -> dict[str, CheckpointPart]:
        """The parts by name; the source of one that has not changed is the same object as the last time."""
        parts = {REST: CheckpointPart(ledger, partial(_rest, ledger))}
        for closed in ledger.state.book.past:
            parts[f"round:{closed.book.number}"] = CheckpointPart(closed, partial(CODEC.write, closed))
        self._group(ledger.alerts)
        for group, alerts in self._alerts.items():
            parts[f"alerts:{group}"] = CheckpointPart(alerts, partial(CODEC.write, alerts))
        for at, bucket in enumerate(ledger.answered.buckets):
            if bucket:
                parts[f"answered:{at}"] = CheckpointPart(bucket, partial(bytes, bucket))
        return parts

    def _group(self, alerts: Iterable[AlertView]) -> None:
        known, self._alerts = self._alerts, {}
        for group, found in groupby(alerts, lambda alert: alert.alert >> ALERTS_BITS):
            now = tuple(found)
            before = known.get(group, ())
            same = len(before) == len(now) and all(map(_is, before, now))
            self._alerts[group] = before if same else now


def _is(one: object, other: object) -> bool:
    return one is other


class _Rest(NamedTuple):
    """What stands in one part: the state without its closed rounds, and how those lie in chunks."""

    run: TableRun
    chunks: tuple[int, ...]
    answered: tuple[tuple[str, GivenAnswer], ...]
    unturned: tuple[int, ...]
    withheld: tuple[int, ...]
    plain: tuple[object, ...]


def _rest(ledger: Ledger) -> bytes:
    state, book = ledger.state, ledger.state.book
    rest = _Rest(
        replace(ledger.run, state=replace(state, book=replace(book, past=NO_HISTORY))),
        (*map(len, book.past.chunks), len(book.past.last)),
        ledger.answered.newest,
        tuple(sorted(ledger.unturned)),
        tuple(sorted(ledger.withheld)),
        tuple([getattr(ledger, name) for name in _PLAIN]),
    )
    return CODEC.write(tuple(rest))


def ledger_of(parts: Mapping[str, bytes], opened: Entry) -> Ledger:
    """The ledger that was taken apart; `opened` is the first entry of its journal.

    Raises `ValueError`, `TypeError`, `KeyError` or `RecursionError` for parts that were not written so.
    """
    rest = _Rest(*CODEC.read(parts[REST]))
    state = rest.run.state
    state = replace(state, book=replace(state.book, past=_history(parts, rest)))
    alerts = _in_order(parts, "alerts:")
    return Ledger(
        opening=opening_of(opened),
        run=replace(rest.run, state=state),
        alerts=tuple([alert for group in alerts for alert in group]),
        answered=_answered(parts, rest.answered),
        unturned=frozenset(rest.unturned),
        withheld=frozenset(rest.withheld),
        **dict(zip(_PLAIN, rest.plain, strict=True)),  # type: ignore[arg-type]  # each in its own field
    )


def _history(parts: Mapping[str, bytes], rest: _Rest) -> History:
    """The closed rounds in the chunks in which they lay."""
    rounds: list[TableState] = _in_order(parts, "round:")
    if len(rounds) != sum(rest.chunks):
        raise ValueError("closed rounds are missing")
    left = iter(rounds)
    *chunks, last = [tuple([next(left) for _ in range(length)]) for length in rest.chunks]
    return History(tuple(chunks), last)


def _answered(parts: Mapping[str, bytes], newest: tuple[tuple[str, GivenAnswer], ...]) -> AnsweredCommands:
    found = {name: body for name, body in parts.items() if name.startswith("answered:")}
    if not found:
        return NO_ANSWERS._replace(newest=newest)
    return AnsweredCommands(newest, tuple([found.get(f"answered:{at}", b"") for at in range(BUCKETS)]))


def _in_order(parts: Mapping[str, bytes], prefix: str) -> list[Any]:
    """Parts with numbers behind their prefix, read, by number."""
    numbers = sorted(int(name.removeprefix(prefix)) for name in parts if name.startswith(prefix))
    return [CODEC.read(parts[f"{prefix}{number}"]) for number in numbers]

"""The table as it stood when a round began, small enough to lie in front of that round's recording."""

import json
from dataclasses import fields
from typing import Any, Final, NamedTuple, get_type_hints

from pydantic import TypeAdapter, ValidationError

from controller.domain import ConfigError, Money, RuleSet
from controller.engine.settle import SETTLED, VOIDED
from controller.engine.state import NO_HISTORY, Book, Shoe, TableState, begin
from controller.engine.table import next_round
from controller.feed.codec import parse, to_json
from controller.policy import House, TableRun
from controller.policy.holds import Hold
from controller.policy.money import CountedChips, StakeReading
from controller.recording.format import RecordingError
from controller.rules.loading import with_overrides
from controller.runtime.api import AlertView, HoldView, OrderView, Params
from controller.runtime.ledger import (
    Ledger,
    Opening,
    Waiting,
    all_waiting,
    hold_of,
    hold_view,
    house_before_profiles,
    with_devices,
    with_waiting,
)

CHECKPOINT: Final = "start.json"
"""Attachment of a recording that begins with a round instead of a journal."""


class RoundCheckpoint(NamedTuple):
    """The content of a ledger between two rounds, without the closed rounds.

    `rules` are those of this round, with the limits in force. `shoe` are the fields of
    `controller.engine.state.Shoe` in their order; older recordings lack the later ones. `waiting` are the
    sequence, actor and feed object of each line that came during a hold. `house` is the house of the table's
    policy, `stakes` the chip sources' readings, `dealer` the present dealer; older recordings lack all three.
    """

    table: str
    currency: str
    rules: RuleSet
    seq: int
    number: int
    shoe: tuple[int | bool, ...]
    chips: tuple[tuple[int, Money], ...]
    bank: int
    shuffle_due: bool
    holds: tuple[HoldView, ...]
    alerts: tuple[AlertView, ...]
    devices: tuple[tuple[str, str], ...]
    excused: tuple[tuple[int, Params], ...]
    orders: tuple[tuple[str, OrderView], ...]
    waiting: tuple[tuple[int, str, dict[str, Any]], ...]
    house: House | None = None
    stakes: tuple[StakeReading, ...] = ()
    dealer: str = ""


_LATER: Final = frozenset(RoundCheckpoint._field_defaults)
"""What older recordings do not say."""

_CHECKPOINT: Final = TypeAdapter(RoundCheckpoint)

_ABOUT: Final = HoldView._fields.index("about")
_ABOUT_FIELDS: Final = Hold._fields.index("since_utc_us")
"""So many fields of a hold stand there: since when and by whom stand beside it."""


def between_rounds(state: TableState) -> TableState:
    """Give the table of the next bet: that bet itself clears a round that has been paid."""
    return next_round(state) if state.settlement.status in (SETTLED, VOIDED) else state


def checkpoint_of(ledger: Ledger) -> RoundCheckpoint:
    """Return the checkpoint of a ledger whose round has no bet and no card yet."""
    book, opening = ledger.state.book, ledger.opening
    shoe = tuple(getattr(ledger.state.shoe, field.name) for field in fields(Shoe))
    return RoundCheckpoint(
        opening.table,
        opening.currency,
        book.rules,
        ledger.seq,
        book.number,
        shoe,
        book.chips,
        book.bank,
        book.shuffle_due,
        tuple([hold_view(hold, opening.house) for hold in ledger.holds]),
        ledger.alerts,
        ledger.devices,
        ledger.excused,
        ledger.orders,
        tuple((arrived.seq, arrived.actor, to_json(arrived.observation)) for arrived in all_waiting(ledger)),
        opening.house if opening.profiled else None,
        ledger.run.chips.stakes,
        ledger.dealer,
    )


def ledger_of(start: RoundCheckpoint) -> Ledger:
    """Build the ledger that a checkpoint describes."""
    house = start.house or house_before_profiles(start.rules.name)
    opening = Opening(start.table, start.rules, start.currency, b"", house, start.house is not None)
    book = Book(
        start.rules,
        start.number,
        shoe_of(start),
        NO_HISTORY,
        start.chips,
        start.bank,
        start.shuffle_due,
    )
    holds = tuple([hold_of(held) for held in start.holds])
    ledger = Ledger(
        start.seq,
        opening,
        TableRun(begin(book), holds, chips=CountedChips(start.stakes)),
        alerts=start.alerts,
        excused=start.excused,
        orders=start.orders,
        dealer=start.dealer,
    )
    for seq, actor, obs in start.waiting:
        ledger = with_waiting(ledger, Waiting(seq, actor, parse(obs)))
    return with_devices(ledger, start.devices)


def shoe_of(start: RoundCheckpoint) -> Shoe:
    """The shoe as it stood, each field in the type that the state declares."""
    kinds = get_type_hints(Shoe)
    found = zip(fields(Shoe), start.shoe, strict=False)
    return Shoe(**{field.name: kinds[field.name](value) for field, value in found})


def encode(start: RoundCheckpoint) -> bytes:
    """Write a checkpoint as a JSON object; nested records are lists in the order of their fields."""
    fields = dict(zip(RoundCheckpoint._fields, _CHECKPOINT.dump_python(start, mode="json"), strict=True))
    for hold in fields["holds"]:
        hold[_ABOUT] = hold[_ABOUT] and hold[_ABOUT][:_ABOUT_FIELDS]
    return json.dumps(fields).encode()


def decode(data: bytes, path: str) -> RoundCheckpoint:
    """Read a checkpoint. Raises `RecordingError` NOT_A_RECORDING naming `path` for anything else."""
    try:
        fields = json.loads(data)
        start = _CHECKPOINT.validate_python(
            [fields[name] for name in RoundCheckpoint._fields if name in fields or name not in _LATER]
        )
        words = {name: value for name, value in start.rules._asdict().items() if name != "name"}
        return start._replace(rules=with_overrides(start.rules, words))
    except (ConfigError, KeyError, TypeError, ValueError, ValidationError) as error:
        raise RecordingError("NOT_A_RECORDING", path=path) from error

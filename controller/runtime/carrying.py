"""The state that a new journal takes over from the last day.

A new gaming day begins a new file, whose rounds count from 1. The cards in the shoe, the sets of packs, the
orders of earlier shoes, the float and the dealer stay. They are in the entry `carried`, whose body no screen
shows: the shoe's count contains cards that were never turned.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple, get_type_hints

from pydantic import TypeAdapter

from controller.acts.catalogue import Message
from controller.domain import Money
from controller.engine.settle import is_final
from controller.engine.state import BETS, Book, Shoe, TableState, begin
from controller.engine.table import next_round
from controller.forensics import PackSets, Watch
from controller.forensics.composition import SetCount
from controller.forensics.order import Order, Repeats, Reported, Run
from controller.journal.entry import Body, Entry
from controller.people.sign_in import TryRecord
from controller.policy.desk import HOLDING
from controller.policy.holds import TOO_MANY, names_unturned
from controller.policy.money import StakeReading
from controller.runtime.api import AlertView
from controller.runtime.ledger import Ledger, params_of
from controller.runtime.redaction import redacted_alerts, secret_rounds

MESSAGE: Final = "PIT_MESSAGE"
"""The code of the pit's line to the dealer."""


def alerted(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Open an alert; withhold an alert that only a never turned card explains."""
    alert = _alert(entry, body)
    if alert.code in TOO_MANY and names_unturned(ledger.state, alert.params):
        return ledger._replace(withheld=ledger.withheld | {entry.seq})
    return ledger._replace(alerts=(*ledger.alerts, alert))


def _alert(entry: Entry, body: Body) -> AlertView:
    """Return the alert for people: an alert that holds the table is critical, whatever the engine says."""
    return AlertView(
        alert=entry.seq,
        code=body["code"],
        severity="critical" if body["code"] in HOLDING else body["severity"],
        round=body["round"],
        params=params_of(body),
        at_utc_us=entry.at_utc_us,
        status="open",
        by="",
        note="",
    )


def with_message(ledger: Ledger, entry: Entry, message: Message) -> Ledger:
    """Add the pit's message to the dealer to the open alerts, until the dealer acknowledges it (`ack`)."""
    number = ledger.state.book.number
    params = (("text", message.text),)
    line = AlertView(entry.seq, MESSAGE, "info", number, params, entry.at_utc_us, "open", "", "")
    return ledger._replace(alerts=(*ledger.alerts, line))


def stepped(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Record a person's step on an alert."""
    return ledger._replace(alerts=_after_step(ledger.alerts, entry, body))


def _after_step(alerts: tuple[AlertView, ...], entry: Entry, body: Body) -> tuple[AlertView, ...]:
    if body["step"] == "resolve":
        return tuple(alert for alert in alerts if alert.alert != body["alert"])
    change = {"status": f"{body['step']}ed", "by": entry.actor, "note": body["note"]}
    return tuple(alert._replace(**change) if alert.alert == body["alert"] else alert for alert in alerts)


KIND: Final = "carried"
_ALERTS_MAX: Final = 256
"""Open alerts that are carried, the newest ones."""

SYSTEM: Final = "system:table"


class WatchedShoe(NamedTuple):
    """The fields of a `Watch` that its cards do not give; the cards are the characters of `present`."""

    kept: int
    number: int
    loaded: bool
    resting: bool
    present: str
    picked: str
    orders: tuple[Order, ...]
    reported: tuple[Reported, ...]
    silenced: tuple[Repeats, ...]
    found: tuple[Run, ...]


class Carried(NamedTuple):
    """The state of a table between two rounds. Later versions add fields with defaults at the end.

    `journal`, `seq` and `rounds` are the last file's name, last entry and number of rounds. `rack` is the
    expected float in minor units; `counted`: its opening was counted. `shoe` are the fields of the engine's
    shoe by name, `sets` those of `PackSets` in their order. `unturned`: a card of this shoe was never turned,
    so that no hash of the new file may be shown.
    """

    journal: str
    seq: int
    rounds: int
    shoe: dict[str, int]
    watch: WatchedShoe | None
    sets: tuple[str, bool, bool, tuple[SetCount, ...]]
    bank: int
    chips: tuple[tuple[int, Money], ...]
    shuffle_due: bool
    kept_shoe: bool
    closed: bool
    rack: int
    counted: bool
    stakes: tuple[StakeReading, ...]
    dealer: str
    tries: TryRecord
    people_noted: int
    unturned: bool


_CARRIED: Final = TypeAdapter(Carried)


def cleared(state: TableState) -> TableState | None:
    """The table before the next round's first bet; None while a round runs, or where a bet lies."""
    if is_final(state.settlement.status):
        state = next_round(state)
    return state if state.phase == BETS and not state.boxes else None


def may_end(ledger: Ledger) -> bool:
    """Whether a journal may end here: no round, no hold, and no waiting observation."""
    return not ledger.holds and not ledger.waiting_count and cleared(ledger.state) is not None


class CarriedEntry(NamedTuple):
    """An entry of the new journal, in its first round, by `actor`."""

    kind: str
    body: Body
    actor: str


def carried_entries(ledger: Ledger, journal: str, first: int) -> Iterator[CarriedEntry]:
    """The entries that take a table between two rounds over; the first of them gets the sequence `first`.

    `journal` is the name of the file before.
    """
    state = cleared(ledger.state)
    assert state is not None, "a journal ends between two rounds"
    yield CarriedEntry(KIND, _body(ledger, state, journal), SYSTEM)
    secret = secret_rounds(ledger.state, ledger.unturned)
    open_ones = [alert for alert in redacted_alerts(ledger.alerts, secret) if alert.code != MESSAGE]
    seq = first + 1
    for alert in open_ones[-_ALERTS_MAX:]:
        for entry in _alert_entries(alert, journal, seq):
            yield entry
            seq += 1


def _alert_entries(alert: AlertView, journal: str, seq: int) -> Iterator[CarriedEntry]:
    params = {**dict(alert.params), "carried_round": alert.round, "carried_from": journal}
    body = {"code": alert.code, "severity": alert.severity, "round": 1, "params": params}
    yield CarriedEntry("trouble", body, SYSTEM)
    if alert.status != "open":
        step = {"alert": seq, "step": alert.status.removesuffix("ed"), "note": alert.note}
        yield CarriedEntry("alert_step", step, alert.by)


def _body(ledger: Ledger, state: TableState, journal: str) -> Body:
    book, watch = state.book, state.watch
    value = Carried(
        journal,
        ledger.seq,
        book.number - 1,
        {field.name: int(getattr(state.shoe, field.name)) for field in fields(Shoe)},
        None
        if watch is None
        else WatchedShoe(
            watch.kept,
            watch.number,
            watch.loaded,
            watch.resting,
            watch.present,
            watch.picked,
            watch.orders,
            watch.reported,
            watch.silenced,
            watch.found,
        ),
        (book.sets.name, book.sets.loaded, book.sets.counted, book.sets.sets),
        book.bank,
        book.chips,
        book.shuffle_due,
        book.kept_in == book.number,
        book.closed,
        book.rack,
        bool(book.counted_in),
        ledger.run.chips.stakes,
        ledger.dealer,
        ledger.tries,
        ledger.people_noted,
        bool(ledger.unturned) and state.shoe.seen > 0,
    )
    return dict(zip(Carried._fields, _CARRIED.dump_python(value, mode="json"), strict=True))


def carried(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Take over the state of an entry `carried`; raises ValueError for a body of another shape."""
    values: list[Any] = [body[name] for name in Carried._fields]
    found = _CARRIED.validate_python(values)
    book = ledger.state.book
    watch = None if found.watch is None else _watch_of(found.watch)
    new = Book(
        book.rules,
        1,
        _shoe_of(found.shoe),
        chips=found.chips,
        bank=found.bank,
        shuffle_due=found.shuffle_due,
        closed=found.closed,
        rack=found.rack,
        counted_in=int(found.counted),
        kept_in=int(found.kept_shoe),
        watch=watch,
        sets=PackSets(*found.sets),
    )
    run = replace(ledger.run, state=begin(new), chips=ledger.run.chips._replace(stakes=found.stakes))
    return ledger._replace(
        run=run,
        dealer=found.dealer,
        tries=found.tries,
        people_noted=found.people_noted,
        unturned=frozenset((0,)) if found.unturned else frozenset(),
    )


def _shoe_of(found: dict[str, int]) -> Shoe:
    """The shoe; a field that an older journal does not name has its default."""
    kinds = get_type_hints(Shoe)
    return Shoe(**{name: kinds[name](value) for name, value in found.items() if name in kinds})


def _watch_of(found: WatchedShoe) -> Watch:
    """The watch after the same cards: which runs they follow is worked out anew."""
    watch = Watch(found.kept, found.number, found.loaded, orders=found.orders)
    for code in found.present:
        watch = watch.card(code)
    return replace(
        watch,
        resting=found.resting,
        picked=found.picked,
        reported=found.reported,
        silenced=found.silenced,
        found=found.found,
    )

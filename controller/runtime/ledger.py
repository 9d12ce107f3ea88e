"""The table as the journal tells it: a pure fold of entries, the same live and after a restart."""

from collections.abc import Callable
from typing import Final, NamedTuple, get_args

from pydantic import TypeAdapter

from controller.domain.errors import JournalError
from controller.domain.notices import Notice
from controller.domain.observations import (
    Bet,
    CardSeen,
    ChipReading,
    Correct,
    DeviceSeen,
    Observation,
    Ruling,
)
from controller.engine import TableState, new_table, step
from controller.feed.codec import parse
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.people.tries import NO_TRIES, TryCount, TryRecord
from controller.runtime.answered import NO_ANSWERS, AnsweredCommands
from controller.runtime.api import (
    AlertView,
    HoldView,
    NameCard,
    OrderView,
    Params,
    PayProgress,
    UnconfirmedPayout,
)
from controller.runtime.contradictions import DISAGREES, excuse, unsure
from controller.runtime.opening import Opening, dealt_rules, opening_of
from controller.runtime.redaction import is_secret, names_unturned
from controller.table import House
from controller.table.chips_lying import NO_CHIPS, CountedChips, chips_after
from controller.table.holds import Hold, is_same, ruling_for
from controller.table.run import WAIVABLE, chips_without, standing

RULINGS: Final = get_args(Ruling)

_ABOUT: Final = TypeAdapter(Hold)

NO_ANSWER: Final = "NO_ANSWER"
"""Nobody knows whether the device has done it."""


class Waiting(NamedTuple):
    """A device's observation that came during a hold, to be put on the table when it is lifted."""

    seq: int
    actor: str
    observation: Observation


class UnreadEntries(NamedTuple):
    """Entries that are not on the table: the first cannot be folded, the others follow it."""

    first: int
    last: int


class Ledger(NamedTuple):
    """Everything that follows from the entries up to `seq`.

    `fact_seq` is the last fact that makes an older decision stale, `moved_seq` the last after which cards do
    not lie where they lay or are not what they were (the table was cleared, or somebody ruled), `devices` the
    last journalled state of each device since the process started, `excused` the camera's contradictions (by
    round) that somebody has looked at and resumed from, `answered` the accepted commands with their
    last entry, `orders` the last order to each device, `unread` the entries that nothing is known of until
    the table is held in front of them (see `controller.runtime.unread`), `unturned` the rounds with a card
    that was dealt face down and either never turned or laid elsewhere by a ruling: its reading stays hidden
    for good, `withheld` the alerts that only such a card explains: they stay in the journal, for
    surveillance. `last_card_ms` is when the last card came, milliseconds since 1970 UTC; `waived` are the
    (code, round) of faults with which a supervisor let the round go on, `decks` the deck profile (SHA-256) of
    each camera that reads with one since the process started. `chips` is what chip sources see,
    `unconfirmed` are the payouts that nobody has confirmed, `booked` what was due when each of the round's
    payouts was told, as (round, box, seat, amount).
    `tries` are wrong PINs and where people signed in, `people_noted` the last change of their file.
    """

    seq: int
    opening: Opening
    state: TableState
    fact_seq: int = 0
    moved_seq: int = 0
    pay: PayProgress = PayProgress(0, ())
    holds: tuple[HoldView, ...] = ()
    alerts: tuple[AlertView, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    excused: tuple[tuple[int, Params], ...] = ()
    answered: AnsweredCommands = NO_ANSWERS
    orders: tuple[tuple[str, OrderView], ...] = ()
    unturned: frozenset[int] = frozenset()
    withheld: frozenset[int] = frozenset()
    last_card_ms: int | None = None
    waived: tuple[tuple[str, int], ...] = ()
    chips: CountedChips = NO_CHIPS
    unconfirmed: tuple[UnconfirmedPayout, ...] = ()
    booked: tuple[tuple[int, int, int, int], ...] = ()
    unread: UnreadEntries | None = None
    decks: tuple[tuple[str, str], ...] = ()
    at_utc_us: int = 0
    """When the last entry was decided; 0 where that is not known."""
    tries: TryRecord = NO_TRIES
    people_noted: int = 0


def open_ledger(entry: Entry) -> Ledger:
    """Begin with entry 1. Raises `JournalError` NOT_OPENED when it is anything else."""
    if entry.kind != "opened" or entry.seq != 1:
        raise JournalError("NOT_OPENED", seq=entry.seq, kind=entry.kind)
    opening = opening_of(entry)
    return Ledger(entry.seq, opening, new_table(dealt_rules(opening.rules, opening.house)))


class Folded(NamedTuple):
    """What an entry leads to: the ledger after it, and its body in today's form.

    For a fact also what was observed and everything that the engine says about it.
    """

    ledger: Ledger
    body: Body
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()


def fold(ledger: Ledger, entry: Entry) -> Folded:
    """Apply the next entry: one look at its bytes and, for a fact, one step of the engine.

    Kinds that are evidence only move `seq`. Raises `JournalError` for an entry of a later program or one
    that is not JSON, `ConfigError` for an observation that cannot be read.
    """
    return fold_read(ledger, entry, body_of(entry))


def fold_read(ledger: Ledger, entry: Entry, body: Body) -> Folded:
    """Do as `fold` with an entry whose body has been read already."""
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()
    if entry.kind == "fact":
        observation = parse(feed_object(body))
        ledger, notices = _step(ledger, entry, observation)
    elif (change := _CHANGES.get(entry.kind)) is not None:
        ledger = change(ledger, entry, body)
    return Folded(
        _answer(ledger, entry, body)._replace(seq=entry.seq, at_utc_us=entry.at_utc_us),
        body,
        observation,
        notices,
    )


COMMAND_KEYS: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of the command that led to it, beside its own fields."""


def feed_object(fact: Body) -> Body:
    """Give the observation of a fact's body as the feed format writes it."""
    return {key: value for key, value in fact.items() if key not in COMMAND_KEYS}


def _step(ledger: Ledger, entry: Entry, observation: Observation) -> tuple[Ledger, tuple[Notice, ...]]:
    before = ledger.state.book.number
    state, notices = step(ledger.state, observation)
    chips = chips_after(ledger.chips, ledger.state, state, observation)
    ledger = ledger._replace(state=state, chips=chips, waiting=_without(ledger.waiting, entry.caused_by))
    if isinstance(observation, CardSeen) and entry.caused_by is None:
        ledger = ledger._replace(last_card_ms=entry.at_utc_us // 1000)
    return _after_fact(ledger, entry, observation, before), notices


def _after_fact(ledger: Ledger, entry: Entry, observation: Observation, before: int) -> Ledger:
    """Note what a fact means beside the engine's state; `before` is the round in which it came."""
    if isinstance(observation, DeviceSeen):
        known = {**dict(ledger.devices), observation.name: observation.state}
        return ledger._replace(devices=tuple(known.items()))
    if isinstance(observation, ChipReading):
        return ledger
    ledger = _with_unturned(ledger, observation, before)
    if isinstance(observation, RULINGS) or ledger.state.book.number != before:
        ledger = ledger._replace(moved_seq=entry.seq)
    return ledger if isinstance(observation, Bet) else ledger._replace(fact_seq=entry.seq)


def _with_unturned(ledger: Ledger, observation: Observation, before: int) -> Ledger:
    """Remember a round whose face-down card is not turned when it closes, or is no longer read."""
    state = ledger.state
    if state.book.number != before and any(is_secret(closed) for closed in state.book.past.latest(1)):
        return ledger._replace(unturned=ledger.unturned | {before})
    if isinstance(observation, Correct) and observation.rank is None:
        return ledger._replace(unturned=ledger.unturned | {observation.round or before})
    return ledger


def _started(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Nothing is known of the devices yet, and an order that was on its way stays unanswered."""
    orders = tuple(
        (name, order if order.code is not None else order._replace(code=NO_ANSWER))
        for name, order in ledger.orders
    )
    decks = tuple((str(name), str(sha256)) for name, sha256 in body.get("decks", {}).items())
    return ledger._replace(devices=(), orders=orders, decks=decks)


def _held(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    hold = HoldView(body["code"], params_of(body), entry.at_utc_us, entry.actor)
    if "about" not in body:
        return ledger._replace(holds=(*ledger.holds, hold))
    about = _ABOUT.validate_python({**body["about"], "code": hold.code, "params": hold.params})
    hold = _placed(hold, about, ledger.opening.house)
    others = tuple(old for old in ledger.holds if old.about is None or not is_same(old.about, about))
    return ledger._replace(holds=(*others, hold))


def _placed(hold: HoldView, about: Hold, house: House | None) -> HoldView:
    """The hold with what its policy knows of it, told for the screens."""
    source = "" if house is None else ruling_for(house.profile, hold.code).source
    return hold._replace(
        about=about,
        release=about.release,
        ways=about.ways,
        source=source,
        round=about.round,
        card=about.card,
        box=about.box,
    )


def _released(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """A fault is mended, or somebody has let it stand: its hold ends."""
    ended = (body["code"], params_of(body))
    holds = tuple(hold for hold in ledger.holds if (hold.code, hold.params) != ended)
    chips = ledger.chips
    for hold in ledger.holds:
        if hold.about is not None and (hold.code, hold.params) == ended:
            chips = chips_without(chips, hold.about)
    return ledger._replace(holds=holds, chips=chips)


def _resumed(ledger: Ledger, _entry: Entry, _body: Body) -> Ledger:
    number = ledger.state.book.number
    excused = tuple(known for known in ledger.excused if known[0] == number)
    excused += tuple(
        (number, excuse(hold.params)) for hold in ledger.holds if hold.code.startswith(DISAGREES)
    )
    about = [hold.about for hold in ledger.holds if hold.about is not None]
    waived = tuple((fault.code, fault.round) for fault in about if fault.code in WAIVABLE)
    state, chips = ledger.state, ledger.chips
    for fault in about:
        state, chips = standing(state, fault.code), chips_without(chips, fault)
    waived = (*ledger.waived, *waived)
    return ledger._replace(holds=(), excused=excused, waived=waived, state=state, chips=chips)


def _named(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """End the hold that asked which card it is; pictures from before say nothing any more."""
    action = naming_of(body)
    holds = tuple(hold for hold in ledger.holds if not is_doubt(hold, action))
    return ledger._replace(holds=holds, moved_seq=entry.seq)


def naming_of(body: Body) -> NameCard:
    """Read what a person said about a camera's card from the body of its entry."""
    at = body["at"]
    fields = {name: body[name] for name in NameCard._fields}
    return NameCard(**{**fields, "at": None if at is None else (at[0], at[1])})


def is_doubt(hold: HoldView, action: NameCard) -> bool:
    """Whether this hold is the camera's question that the action answers."""
    doubt = unsure(action.box, action.was, action.seen or "")
    return (hold.by, hold.code, hold.params) == (f"device:{action.camera}", doubt.code, doubt.params)


def _waiting(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    arrived = Waiting(entry.seq, entry.actor, parse(body))
    return ledger._replace(waiting=(*ledger.waiting, arrived))


def _refused(ledger: Ledger, entry: Entry, _body: Body) -> Ledger:
    return ledger._replace(waiting=_without(ledger.waiting, entry.caused_by))


def _alerted(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    alert = _alert(entry, body)
    if alert.code == "TOO_MANY_OF_A_KIND" and names_unturned(ledger.state, alert.params):
        return ledger._replace(withheld=ledger.withheld | {entry.seq})
    return ledger._replace(alerts=(*ledger.alerts, alert))


def _stepped(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    return ledger._replace(alerts=_after_step(ledger.alerts, entry, body))


def _payout(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """One more payout that nobody has confirmed, or one less: somebody has told it late."""
    place = (body["round"], body["box"], body["seat"])
    others = tuple(one for one in ledger.unconfirmed if one[:3] != place)
    if body["how"] == "computed":
        return ledger._replace(unconfirmed=(*others, UnconfirmedPayout(*place, body["paid"])))
    number = ledger.state.book.number
    booked = tuple(one for one in ledger.booked if one[0] == number and one[:3] != place)
    return ledger._replace(unconfirmed=others, booked=(*booked, (*place, body["expected"])))


def _handled(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Tick a box off; the first box of another round starts a new list."""
    before = ledger.pay.handled if ledger.pay.round == body["round"] else ()
    return ledger._replace(pay=PayProgress(body["round"], (*before, body["box"])))


def _alert(entry: Entry, body: Body) -> AlertView:
    return AlertView(
        alert=entry.seq,
        code=body["code"],
        severity=body["severity"],
        round=body["round"],
        params=params_of(body),
        at_utc_us=entry.at_utc_us,
        status="open",
        by="",
        note="",
    )


def _ordered(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    order = OrderView(body["order"], body["reason"], entry.actor, entry.at_utc_us, None)
    return ledger._replace(orders=tuple({**dict(ledger.orders), body["device"]: order}.items()))


def _order_answered(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    order = dict(ledger.orders).get(body["device"])
    if order is None or (order.order, order.code) != (body["order"], None):
        return ledger
    answered = {**dict(ledger.orders), body["device"]: order._replace(code=body["code"])}
    return ledger._replace(orders=tuple(answered.items()))


def _after_step(alerts: tuple[AlertView, ...], entry: Entry, body: Body) -> tuple[AlertView, ...]:
    if body["step"] == "resolve":
        return tuple(alert for alert in alerts if alert.alert != body["alert"])
    change = {"status": f"{body['step']}ed", "by": entry.actor, "note": body["note"]}
    return tuple(alert._replace(**change) if alert.alert == body["alert"] else alert for alert in alerts)


def _answer(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    command = body.get("command")
    if not command:
        return ledger
    answered = ledger.answered.with_answer(command, entry.seq, body.get("meaning", ""))
    return ledger._replace(answered=answered)


def _without(waiting: tuple[Waiting, ...], seq: int | None) -> tuple[Waiting, ...]:
    return tuple(arrived for arrived in waiting if arrived.seq != seq)


def _signed_in(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    return ledger._replace(tries=ledger.tries.with_sign_in(body["person"], body["place"]))


def _pin_refused(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    count = TryCount(body["person"], body["counted_at"], body["tries"], entry.at_utc_us)
    return ledger._replace(tries=ledger.tries.with_count(count))


def _people_noted(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    return ledger._replace(people_noted=max(ledger.people_noted, body["number"]))


def params_of(body: Body) -> Params:
    """Read the parameters that stand beside the fixed keys of an alert, trouble or hold."""
    return tuple((key, value) for key, value in body.get("params", {}).items())


_CHANGES: Final[dict[str, Callable[[Ledger, Entry, Body], Ledger]]] = {
    "started": _started,
    "held": _held,
    "resumed": _resumed,
    "released": _released,
    "waiting": _waiting,
    "refused": _refused,
    "alert": _alerted,
    "trouble": _alerted,
    "alert_step": _stepped,
    "handled": _handled,
    "payout": _payout,
    "named": _named,
    "ordered": _ordered,
    "answered": _order_answered,
    "signed_in": _signed_in,
    "pin_refused": _pin_refused,
    "people": _people_noted,
    "people_changed": _people_noted,
}

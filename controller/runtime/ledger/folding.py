"""The table as the journal tells it: a pure fold of entries, the same live and after a restart."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from controller.acts.catalogue import (
    RULINGS,
    Bet,
    CardSeen,
    ChipReading,
    Correct,
    DealerSeated,
    DeviceSeen,
    Freeze,
    Message,
    Note,
    Observation,
    Rated,
)
from controller.domain import Notice
from controller.engine import step
from controller.feed.codec import parse
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.policy.state.effects import Took
from controller.policy.state.run import with_fact
from controller.policy.state.slip_entered import slip_after
from controller.runtime.ledger.alerts import alerted, stepped, with_message
from controller.runtime.ledger.beside import (
    accepted_commands,
    handled,
    order_answered,
    ordered,
    payout,
    people_noted,
    pin_refused,
    signed_in,
    started,
)
from controller.runtime.ledger.carrying import carried
from controller.runtime.ledger.hold_entries import held, named, released, resumed
from controller.runtime.ledger.ledger import Ledger, Waiting, with_devices, with_waiting
from controller.runtime.redaction import is_secret

COMMAND_KEYS: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of the command that led to it, beside its own fields."""


def feed_object(fact: Body) -> Body:
    """Give the observation of a fact's body as the feed format writes it."""
    return {key: value for key, value in fact.items() if key not in COMMAND_KEYS}


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


def fold_read(ledger: Ledger, entry: Entry, body: Body, decided: Took | None = None) -> Folded:
    """Do as `fold` with an entry whose body has been read already.

    `decided`: the fact as it was decided before it was written, so that nothing is parsed or asked twice.
    """
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()
    if entry.kind == "fact":
        observation = parse(feed_object(body)) if decided is None else decided.observation
        ledger, notices = _after_fact(ledger, entry, observation, decided)
    elif (change := _CHANGES.get(entry.kind)) is not None:
        ledger = change(ledger, entry, body)
    # Whatever its kind: an entry that a command led to answers that command when it comes again.
    return Folded(
        ledger._replace(
            seq=entry.seq, at_utc_us=entry.at_utc_us, answered=accepted_commands(ledger, entry, body)
        ),
        body,
        observation,
        notices,
    )


def _after_fact(
    ledger: Ledger, entry: Entry, observation: Observation, decided: Took | None
) -> tuple[Ledger, tuple[Notice, ...]]:
    """Apply a fact with the engine; returns the ledger and what the engine says about it."""
    number, t_ms = ledger.state.book.number, entry.at_utc_us // 1000
    # The very same state, not an equal one: a fault that was let stand in between has made another.
    if decided is not None and decided.before is ledger.state:
        taken = decided.step
    else:
        taken = step(ledger.state, observation)
    ledger = _without_waiting(ledger, entry.caused_by)
    came = isinstance(observation, CardSeen) and entry.caused_by is None
    run = with_fact(ledger.run, observation, taken.state, t_ms if came else ledger.run.last_card_ms)
    slip = slip_after(run.slip, observation, t_ms)
    run = run if slip is run.slip else replace(run, slip=slip)
    return _noted(ledger._replace(run=run), entry, observation, number), taken.notices


def _noted(ledger: Ledger, entry: Entry, observation: Observation, before: int) -> Ledger:
    """Note what a fact means beside the engine's state; `before` is the round in which it came."""
    if isinstance(observation, DeviceSeen):
        known = {**dict(ledger.devices), observation.name: observation.state}
        return with_devices(ledger, tuple(known.items()))
    if isinstance(observation, ChipReading | Note | Freeze | Rated):
        return ledger
    if isinstance(observation, Message):
        return with_message(ledger, entry, observation)
    if isinstance(observation, DealerSeated):
        # Makes nobody's decision stale: the table lies as it lay.
        return ledger._replace(dealer=_dealing(ledger.dealer, observation))
    ledger = _with_unturned(ledger, observation, before)
    if isinstance(observation, RULINGS) or ledger.state.book.number != before:
        ledger = ledger._replace(moved_seq=entry.seq)
    return ledger if isinstance(observation, Bet) else ledger._replace(fact_seq=entry.seq)


def _dealing(before: str, seated: DealerSeated) -> str:
    if seated.at == "in":
        return seated.id
    return "" if seated.id == before else before


def _with_unturned(ledger: Ledger, observation: Observation, before: int) -> Ledger:
    """Remember a round whose face-down card is not turned when it closes, or is no longer read."""
    state = ledger.state
    if state.book.number != before and any(is_secret(closed) for closed in state.book.past.latest(1)):
        return ledger._replace(unturned=ledger.unturned | {before})
    if isinstance(observation, Correct) and observation.rank is None:
        return ledger._replace(unturned=ledger.unturned | {observation.round or before})
    return ledger


def waiting(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Keep what a device observed during a hold; of a card also what is asked about it once it is laid."""
    ledger = with_waiting(ledger, Waiting(entry.seq, entry.actor, parse(body)))
    run, t_ms = ledger.run, entry.at_utc_us // 1000
    if not run.kept or run.kept[-1].mark != entry.seq:
        return ledger
    gap_ms = None if run.last_card_ms is None else t_ms - run.last_card_ms
    kept = run.kept[-1]._replace(gap_ms=gap_ms, unclear=body.get("unclear", False))
    return ledger._replace(run=replace(run, kept=(*run.kept[:-1], kept), last_card_ms=t_ms))


def ruled(ledger: Ledger, _entry: Entry, body: Body) -> Ledger:
    """Keep a waiting card as the pit has ruled that it will be laid."""
    card, moved = parse(body["card"]), body["ruling"]["obs"] == "move"
    assert isinstance(card, CardSeen), "nothing but a card is ruled on while it waits"
    kept = [
        one._replace(card=card, ruled=moved or one.ruled) if one.mark == body["waiting"] else one
        for one in ledger.run.kept
    ]
    return ledger._replace(run=replace(ledger.run, kept=tuple(kept)))


def refused(ledger: Ledger, entry: Entry, _body: Body) -> Ledger:
    """Let go of a kept observation that was refused when its turn came."""
    return _without_waiting(ledger, entry.caused_by)


def _without_waiting(ledger: Ledger, seq: int | None) -> Ledger:
    """The ledger without what waited as this entry."""
    if not ledger.waiting_count:
        return ledger
    kept = tuple([one for one in ledger.run.kept if one.mark != seq])
    others = tuple([one for one in ledger.waiting if one.seq != seq])
    return ledger._replace(run=replace(ledger.run, kept=kept), waiting=others)


_CHANGES: Final[dict[str, Callable[[Ledger, Entry, Body], Ledger]]] = {
    "started": started,
    "held": held,
    "resumed": resumed,
    "released": released,
    "waiting": waiting,
    "ruled": ruled,
    "refused": refused,
    "alert": alerted,
    "trouble": alerted,
    "alert_step": stepped,
    "handled": handled,
    "payout": payout,
    "named": named,
    "ordered": ordered,
    "answered": order_answered,
    "signed_in": signed_in,
    "pin_refused": pin_refused,
    "people": people_noted,
    "people_changed": people_noted,
    "carried": carried,
}

"""What a fact does to the ledger: one step of the engine, and what it means beside it."""

from dataclasses import replace
from typing import Final

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
from controller.domain.notices import Notice
from controller.engine import step
from controller.feed.codec import parse
from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.policy import Person
from controller.policy.state.counted_chips import chips_after
from controller.policy.state.effects import EngineStep
from controller.policy.state.line import KeptCard
from controller.policy.state.rest_cards import rest_after
from controller.policy.state.run import with_state
from controller.policy.state.slip_entered import slip_after
from controller.runtime.ledger.alerts import with_message
from controller.runtime.ledger.ledger import Ledger, Waiting
from controller.runtime.redaction import is_secret

COMMAND_KEYS: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of the command that led to it, beside its own fields."""


def feed_object(fact: Body) -> Body:
    """Give the observation of a fact's body as the feed format writes it."""
    return {key: value for key, value in fact.items() if key not in COMMAND_KEYS}


def after_fact(
    ledger: Ledger, entry: Entry, observation: Observation, known: EngineStep | None = None
) -> tuple[Ledger, tuple[Notice, ...]]:
    """Apply a fact with the engine; returns the ledger and what the engine says about it.

    `known`: the policy has asked the engine already, on this very state.
    """
    before = ledger.state.book.number
    # The very same state, not an equal one: a fault that was let stand in between has made another.
    if known is not None and known.before is ledger.state:
        state, notices = known.after, known.notices
    else:
        state, notices = step(ledger.state, observation)
    ledger = _without_waiting(ledger, entry.caused_by)
    run, came = ledger.run, isinstance(observation, CardSeen) and entry.caused_by is None
    t_ms = entry.at_utc_us // 1000
    chips, rest = chips_after(run.chips, run.state, state, observation), rest_after(run.rest, observation)
    slip = slip_after(run.slip, observation, t_ms)
    run = with_state(run, state, chips, rest, t_ms if came else run.last_card_ms)
    run = run if slip is run.slip else replace(run, slip=slip)
    return _noted(ledger._replace(run=run), entry, observation, before), notices


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


def with_devices(ledger: Ledger, devices: tuple[tuple[str, str], ...]) -> Ledger:
    """The ledger with the last journalled state of each device."""
    lost = tuple([name for name, presence in devices if presence == "lost"])
    return ledger._replace(devices=devices, run=replace(ledger.run, lost=lost))


def waiting(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Keep what a device observed during a hold; of a card also what is asked about it once it is laid."""
    ledger = with_waiting(ledger, Waiting(entry.seq, entry.actor, parse(body)))
    run, t_ms = ledger.run, entry.at_utc_us // 1000
    if not run.kept or run.kept[-1].mark != entry.seq:
        return ledger
    gap_ms = None if run.last_card_ms is None else t_ms - run.last_card_ms
    kept = run.kept[-1]._replace(gap_ms=gap_ms, unclear=body.get("unclear", False))
    return ledger._replace(run=replace(run, kept=(*run.kept[:-1], kept), last_card_ms=t_ms))


def with_waiting(ledger: Ledger, arrived: Waiting) -> Ledger:
    """The ledger with one more observation that waits; a card waits at the table itself."""
    if not isinstance(arrived.observation, CardSeen):
        return ledger._replace(waiting=(*ledger.waiting, arrived))
    kept = KeptCard(arrived.observation, Person("shoe", arrived.actor), arrived.seq)
    return ledger._replace(run=replace(ledger.run, kept=(*ledger.run.kept, kept)))


def all_waiting(ledger: Ledger) -> tuple[Waiting, ...]:
    """Whatever waits, in the order in which it came."""
    cards = [Waiting(kept.mark, kept.by.id, kept.card) for kept in ledger.run.kept]
    return tuple(sorted((*cards, *ledger.waiting), key=lambda arrived: arrived.seq))


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

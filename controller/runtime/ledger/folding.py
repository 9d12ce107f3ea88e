"""The table as the journal tells it: a pure fold of entries, the same live and after a restart."""

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.acts.catalogue import Observation
from controller.domain.notices import Notice
from controller.feed.codec import parse
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.policy.state.effects import EngineStep
from controller.runtime.ledger.alerts import alerted, stepped
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
from controller.runtime.ledger.fact_entries import after_fact, feed_object, refused, ruled, waiting
from controller.runtime.ledger.hold_entries import held, named, released, resumed
from controller.runtime.ledger.ledger import Ledger


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


class DecidedFact(NamedTuple):
    """A fact that the policy has decided: what was observed, and what the engine made of it."""

    observation: Observation
    step: EngineStep


def fold_read(ledger: Ledger, entry: Entry, body: Body, decided: DecidedFact | None = None) -> Folded:
    """Do as `fold` with an entry whose body has been read already.

    `decided`: the fact as it was decided before it was written, so that nothing is parsed or asked twice.
    """
    observation: Observation | None = None
    notices: tuple[Notice, ...] = ()
    if entry.kind == "fact":
        observation = parse(feed_object(body)) if decided is None else decided.observation
        ledger, notices = after_fact(ledger, entry, observation, None if decided is None else decided.step)
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

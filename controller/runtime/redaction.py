"""The state as anyone may see it: without the face-down card and without the shoe's composition.

Everything that leaves the table task goes through here once, so that no screen, log line or answer has to
think of it again.
"""

from dataclasses import replace
from typing import Final

from controller.domain.observations import CardSeen, Correct, Observation
from controller.domain.table_events import ShoeEnded
from controller.engine.facts import Fact
from controller.engine.state import NO_HISTORY, Dealer, History, Seen, Shoe, TableState
from controller.journal.upcast import Body
from controller.runtime.api import AlertView, HoldView, Params

PAST_SHOWN: Final = 1
"""Closed rounds that a snapshot carries, for a correction just after the table was cleared."""


TELLTALE: Final = frozenset({"rank", "suit", "raw", "first", "other"})
"""Parameters that can name a card: of composition alerts, and the raw bytes of a shoe reader."""


def redacted(state: TableState) -> TableState:
    """Hide what has not been turned, in this round and in the closed ones that stay."""
    past = History((), tuple(redacted(_alone(earlier)) for earlier in state.book.past.latest(PAST_SHOWN)))
    secret = _secret(state.dealer)
    return replace(
        state,
        book=replace(state.book, past=past, shoe=_uncounted(state.book.shoe)),
        log=tuple(_hidden_fact(fact, secret) for fact in state.log),
        dealer=replace(state.dealer, cards=tuple(_hidden(seen, secret) for seen in state.dealer.cards)),
        shoe=_uncounted(state.shoe),
    )


def secret_rounds(state: TableState) -> frozenset[int]:
    """Tell the rounds in which a card lies, or lay to the end, face down."""
    rounds = (*state.book.past, state)
    return frozenset(kept.book.number for kept in rounds if _secret(kept.dealer) is not None)


def hide_cards(kind: str, body: Body) -> Body:
    """Hide every card of an entry.

    A shoe does not know which of its cards will lie face down, and a list with only that one hidden would
    tell it, where the same card lies open elsewhere.
    """
    if kind == "refused":
        return {**body, "obs": hide_cards("fact", body["obs"])}
    if body.get("obs") == "shoe_end":
        return {key: value for key, value in body.items() if key != "cards"}
    if "params" in body:
        return {
            **body,
            "params": {key: value for key, value in body["params"].items() if key not in TELLTALE},
        }
    return {**body, "rank": None, "suit": None} if "rank" in body else body


def redacted_alerts(alerts: tuple[AlertView, ...], state: TableState) -> tuple[AlertView, ...]:
    """Leave out what an alert tells of a card while this round's face-down card is not turned."""
    if _secret(state.dealer) is None:
        return alerts
    return tuple(
        alert._replace(params=_kept(alert.params)) if alert.round == state.book.number else alert
        for alert in alerts
    )


def redacted_holds(holds: tuple[HoldView, ...], state: TableState) -> tuple[HoldView, ...]:
    """As `redacted_alerts`, for the reasons why the table waits; what the policy knows stays inside."""
    shown = tuple(held._replace(about=None) for held in holds)
    if _secret(state.dealer) is None:
        return shown
    return tuple(held._replace(params=_kept(held.params)) for held in shown)


def _kept(params: Params) -> Params:
    return tuple((key, value) for key, value in params if key not in TELLTALE)


def _alone(state: TableState) -> TableState:
    return replace(state, book=replace(state.book, past=NO_HISTORY))


def _secret(dealer: Dealer) -> int | None:
    """Number of the face-down card in the round, None when there is none any more."""
    hidden = 0 <= dealer.hole < len(dealer.cards) and not dealer.revealed
    return dealer.cards[dealer.hole].n if hidden else None


def _uncounted(shoe: Shoe) -> Shoe:
    return replace(shoe, ranks=0, suits=0)


def _hidden(seen: Seen, secret: int | None) -> Seen:
    if seen.n != secret:
        return seen
    return replace(seen, obs=seen.obs._replace(rank=None, suit=None, p=None))


def _hidden_fact(fact: Fact, secret: int | None) -> Fact:
    return replace(fact, obs=_hidden_obs(fact.obs, fact.n == secret, secret))


def _hidden_obs(obs: Observation, own: bool, secret: int | None) -> Observation:
    if isinstance(obs, CardSeen) and (own or obs.face == "down"):
        return obs._replace(rank=None, suit=None, p=None)
    if isinstance(obs, Correct) and secret is not None and obs.card in {secret, None}:
        return obs._replace(rank=None, suit=None)
    return ShoeEnded() if isinstance(obs, ShoeEnded) else obs

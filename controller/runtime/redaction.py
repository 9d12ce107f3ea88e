"""Redaction: which parameters show an unturned card, and to whom.

Everything that leaves the table's task passes this module once; screens, log lines and answers redact
nothing themselves.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Generic, TypeVar

from controller.acts.catalogue import CardSeen, Correct, Exposed, Observation, ShoeEnded
from controller.engine.shoe import how_many
from controller.engine.state import NO_HISTORY, NO_SETS, Dealer, Fact, History, Seen, Shoe, TableState
from controller.engine.watching import COMPOSITION_SUSPECT, SHUFFLE_SUSPECT
from controller.journal.entry import Body
from controller.runtime.api import AlertView, HoldView, Params

Made = TypeVar("Made")
Alerts = tuple[AlertView, ...]


class PerAlert(Generic[Made]):
    """Caches the values of one state's alerts for the next state; usable from any thread."""

    def __init__(self, make: Callable[[AlertView], Made]) -> None:
        """`make` looks at the alert alone."""
        self._make = make
        self._last: tuple[Alerts, tuple[Made, ...]] = (), ()

    def of(self, alerts: Alerts) -> tuple[Made, ...]:
        """Return the cached value for each alert, in order."""
        known, made = self._last
        if known is not alerts:
            # By identity: the tuple that is remembered keeps each of them alive.
            before = {id(alert): one for alert, one in zip(known, made, strict=True)}
            make = self._make
            made = tuple([before[id(alert)] if id(alert) in before else make(alert) for alert in alerts])
            self._last = alerts, made
        return made


_PAST_VISIBLE: Final = 1
"""Closed rounds that a snapshot carries, for a correction just after the table was cleared."""


PLAIN: Final = frozenset(
    (
        *("after", "amount", "at", "before", "beside", "beyond", "box", "by", "camera", "card", "cards"),
        *("code", "command", "commit", "count", "counted", "day", "decks", "degrees", "difference"),
        *("expected", "extra", "fault", "file", "found", "from", "got", "hand", "id", "indices", "known"),
        *("last", "limit_ms", "line", "lost", "missing", "mm", "name", "names", "note", "noted", "number"),
        *("paid", "pairs", "path", "percent", "person", "place", "port", "px", "reads", "reason", "release"),
        *("repeats", "reserve_mb", "right", "round", "rounds", "seat", "second", "seconds", "seen", "seq"),
        *("set", "sha256", "shoe", "shoes", "shuffled", "slip", "software_sha256", "stage", "stake"),
        *("struck_as", "text", "told", "total", "turned", "unread", "usual", "vouched", "wanted", "was"),
        *("who", "wrong"),
        # Of refusals.
        *("action", "back_bets", "boxes", "chip", "chips", "denominator", "device", "hold", "least", "left"),
        *("limit", "notes", "nth", "numerator", "order", "role", "step", "ways"),
    )
)
"""Parameters that name no face-down card. Every other one is hidden while a card of its round is hidden."""

WITNESSED: Final = frozenset({"seen", "known", "card", "was"})
"""Parameters in which a witness names a card, where they are words; a card's number is none."""

CLOSING: Final = "SHOE_INCOMPLETE"
COUNTED: Final = frozenset({"missing", "extra"})
"""Parameters of a closing count that name cards: the pit alone gets them."""

ORDER: Final = frozenset({"repeats", "shoe"})
"""What a shoe repeats, in an alert of the shuffle watch: whoever knows that order knows the next cards."""

_RAW: Final = frozenset({"raw", "first", "other"})
"""Those of a device: what it could not make out may be the very card that lies face down next."""


_SHOWN_OF_CARRIED: Final = ("journal", "seq", "rounds", "rack", "counted", "dealer")
"""Fields of what a day takes over from the one before: the others hold the shoe's count and order."""


def redacted(state: TableState) -> TableState:
    """Hide unturned cards, in this round and in the closed rounds that stay."""
    past = History((), tuple(redacted(_alone(earlier)) for earlier in state.book.past.latest(_PAST_VISIBLE)))
    secret = _secret(state.dealer)
    return replace(
        state,
        book=replace(state.book, past=past, shoe=_uncounted(state.book.shoe), watch=None, sets=NO_SETS),
        log=tuple(_hidden_fact(fact, secret) for fact in state.log),
        dealer=replace(state.dealer, cards=tuple(_hidden(seen, secret) for seen in state.dealer.cards)),
        shoe=_uncounted(state.shoe),
        watch=None,
    )


def names_witnessed(params: Params) -> bool:
    """Whether a witness's report may name a face-down card."""
    return any(name in WITNESSED and isinstance(value, str) for name, value in params)


def secret_rounds(state: TableState, unturned: frozenset[int]) -> frozenset[int]:
    """Return the rounds whose cards are hidden: those of `Ledger.unturned`, and the running one if secret."""
    return unturned | {state.book.number} if is_secret(state) else unturned


def is_secret(state: TableState) -> bool:
    """Whether a card of this round is face down."""
    return _secret(state.dealer) is not None


def unturned_card(state: TableState) -> int | None:
    """Number of the card that lies face down at the dealer, None when there is none."""
    return _secret(state.dealer)


def hide_cards(kind: str, body: Body) -> Body:
    """Hide every card of an entry.

    A shoe does not know which of its cards will lie face down, and a list with only that one hidden would
    tell it, where the same card lies open elsewhere.
    """
    if kind == "carried":
        return {name: body.get(name) for name in _SHOWN_OF_CARRIED}
    if kind == "refused":
        return {**body, "obs": hide_cards("fact", body["obs"])}
    if kind == "ruled":
        return {**body, **{name: hide_cards("fact", body[name]) for name in ("card", "ruling")}}
    if body.get("obs") == "exposed":
        # Also whether a rank was told says something of a card that was read.
        return {key: value for key, value in body.items() if key not in ("rank", "suit")}
    if body.get("obs") == "shoe_end":
        return {key: value for key, value in body.items() if key != "cards"}
    if "params" in body:
        shown = PLAIN - _names_order(body.get("code"))
        return {**body, "params": {key: value for key, value in body["params"].items() if key in shown}}
    if "rank" not in body:
        return body
    # How sure a reader was differs from rank to rank.
    return {**{key: value for key, value in body.items() if key != "p"}, "rank": None, "suit": None}


def hide_bytes(body: Body) -> Body:
    """Hide a device's undecoded bytes: they may name the card that will be face down."""
    if "params" not in body:
        return body
    return {**body, "params": {key: value for key, value in body["params"].items() if key not in _RAW}}


def redacted_alerts(alerts: tuple[AlertView, ...], secret: frozenset[int]) -> tuple[AlertView, ...]:
    """Remove from alerts the cards of the `secret` rounds, and undecoded bytes."""
    shown = _REDACTED.of(alerts)
    if not any(alert.round in secret for alert in alerts):
        return shown
    return tuple(
        [
            _of_secret_round(alert) if alert.round in secret else one
            for alert, one in zip(alerts, shown, strict=True)
        ]
    )


def _of_secret_round(alert: AlertView) -> AlertView:
    return alert._replace(params=_kept(alert.code, alert.params, secret=True))


def redacted_holds(
    holds: tuple[HoldView, ...], state: TableState, secret: frozenset[int]
) -> tuple[HoldView, ...]:
    """Remove the same from holds, and the policy's own fields."""
    hidden = state.book.number in secret
    return tuple(
        held._replace(params=_kept(held.code, held.params, secret=hidden), about=None) for held in holds
    )


def closing_of(alerts: tuple[AlertView, ...], secret: frozenset[int]) -> Params:
    """Return the cards of the newest unresolved closing count; nothing of hidden rounds."""
    for alert in reversed(alerts):
        if alert.code == CLOSING and alert.round not in secret:
            return alert.params
    return ()


def _kept(code: str, params: Params, *, secret: bool) -> Params:
    """Return the parameters without cards and orders: of a count, all roles may know only the numbers."""
    order = _names_order(code)
    counted = COUNTED | {"cards"} if code == COMPOSITION_SUSPECT else COUNTED
    return tuple(
        (key, how_many(value) if key in counted and isinstance(value, str) else value)
        for key, value in params
        if key not in order and (key in PLAIN if secret else key not in _RAW)
    )


def _names_order(code: object) -> frozenset[str]:
    return ORDER if code == SHUFFLE_SUSPECT else frozenset()


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
    hidden = _hidden_obs(fact.obs, fact.n == secret, secret)
    # Most facts hide nothing: a copy of each was a tenth of a snapshot.
    return fact if hidden is fact.obs else replace(fact, obs=hidden)


def _hidden_obs(obs: Observation, own: bool, secret: int | None) -> Observation:
    if isinstance(obs, CardSeen) and (own or obs.face == "down"):
        return obs._replace(rank=None, suit=None, p=None)
    if isinstance(obs, Correct) and secret is not None and obs.card in {secret, None}:
        return obs._replace(rank=None, suit=None)
    if isinstance(obs, Exposed) and secret is not None:
        return obs._replace(rank=None, suit=None)
    return ShoeEnded() if isinstance(obs, ShoeEnded) else obs


_REDACTED: Final = PerAlert(
    lambda alert: alert._replace(params=_kept(alert.code, alert.params, secret=False))
)

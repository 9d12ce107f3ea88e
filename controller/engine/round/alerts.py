"""Alerts of a single observation: unread cards, and irregularities of the shoe."""

from collections.abc import Callable
from typing import Any, Final

from controller.acts.catalogue import CardSeen, CutCard, Observation, Reveal, ShoeEnded, ShoeLoaded
from controller.domain import Alert, Notice, Rank, Suit
from controller.engine.constants import DEALER, QUEUED
from controller.engine.hands import hole_of
from controller.engine.round.betting import find_box
from controller.engine.round.card_placement import places
from controller.engine.shoe.closing import closing_at_end, closing_params
from controller.engine.shoe.lifecycle import before_first_card, needs_shuffle
from controller.engine.state import TableState

QUIET: Final[tuple[Notice, ...]] = ()


def alerts_of(before: TableState, after: TableState, obs: Observation) -> tuple[Notice, ...]:
    """Return the alerts of this observation alone; `judge` derives its effect on the round."""
    alerts = _ALERTS.get(type(obs))
    if alerts is None or (isinstance(obs, CardSeen) and obs.out is not None):
        return QUIET
    return alerts(before, after, obs)


def _card_alerts(before: TableState, after: TableState, card: CardSeen) -> tuple[Notice, ...]:
    """Unread cards, impossible composition, a shuffle, burn or fresh shoe that was due."""
    shoe = after.shoe
    due = needs_shuffle(after) and before_first_card(before) and not before_first_card(after)
    closed = shoe.ended or shoe.void
    quiet = card.rank is not None and not due and shoe.seen <= shoe.size and before.shoe.burn_due == 0
    if quiet and not shoe.excess and not closed:
        return QUIET
    number = after.book.number
    alerts: list[Notice] = []
    if card.rank is None and _needs_rank(after):
        alerts.append(Alert("CARD_UNREAD", "warning", number, (("card", after.cards_seen),)))
    if shoe.excess:
        alerts.append(too_many_alert(after, card.rank, card.suit))
    if shoe.seen > shoe.size:
        alerts.append(Alert("SHOE_OVERRUN", "warning", number, (("cards", shoe.size),)))
    if closed:
        alerts.append(Alert("SHOE_DUE", "critical", number, (("decks", shoe.decks),)))
    if due:
        alerts.append(Alert("SHUFFLE_DUE", "critical", number))
    if shoe.burn_due and after.cards_seen > before.cards_seen:
        alerts.append(Alert("BURN_MISSED", "warning", number, (("cards", shoe.burn_due),)))
    return tuple(alerts)


def too_many_alert(state: TableState, rank: Rank | None, suit: Suit | None) -> Alert:
    """More cards of a kind than the shoe holds."""
    params = (("rank", str(rank)), ("suit", suit or ""), ("decks", state.shoe.decks))
    return Alert("TOO_MANY_OF_A_KIND", "warning", state.book.number, params)


def _needs_rank(after: TableState) -> bool:
    """Whether the round waits for the rank of the last card; a hole card and a face-down double can wait."""
    fact = after.log[-1]
    if fact.fault is not None or fact.at is not None:
        return fact.fault == QUEUED
    at = places(after)[fact.n]
    if at == DEALER:
        hole = hole_of(after.dealer)
        return hole is None or hole.n != fact.n
    box = after.boxes[find_box(after, at[0])]
    hand = next(hand for hand in box.hands if hand.number == at[1])
    return not (hand.doubled and isinstance(fact.obs, CardSeen) and fact.obs.face == "down")


def _turned_alerts(before: TableState, after: TableState, _: Reveal) -> tuple[Notice, ...]:
    """An alert where the turned card is one more of its kind than the shoe holds."""
    hole = hole_of(after.dealer)
    if hole is None or after.shoe is before.shoe or not after.shoe.excess:
        return QUIET
    return (too_many_alert(after, *hole.card),)


def _cut_alerts(before: TableState, after: TableState, _: CutCard) -> tuple[Notice, ...]:
    """Before the first card of a round the shuffle is due at once; later the round is finished first.

    A shoe has one cut card: a second one is said, and the later one counts.
    """
    number = after.book.number
    alerts = [Alert("CUT_CARD_AGAIN", "warning", number)] if before.shoe.cut_seen else []
    if not before.shoe.cut and before_first_card(before):
        alerts.append(Alert("SHUFFLE_DUE", "critical", number))
    return tuple(alerts)


def _pack_alerts(_: TableState, after: TableState, obs: ShoeLoaded) -> tuple[Notice, ...]:
    """A shoe of other packs than the rule set asks for, or its text allows besides."""
    rules = after.book.rules
    if rules.may_load(obs.decks):
        return QUIET
    params = (("decks", obs.decks), ("wanted", rules.decks))
    return (Alert("SHOE_PACKS_DIFFER", "warning", after.book.number, params),)


def _closing_alerts(_: TableState, after: TableState, obs: ShoeEnded) -> tuple[Notice, ...]:
    """Return the alert of a closing count that does not close; a shoe that was not loaded has no count."""
    if not after.shoe.loaded:
        return QUIET
    count = closing_at_end(after, obs.cards or ())
    if count.closes:
        return QUIET
    return (Alert("SHOE_INCOMPLETE", "critical", after.book.number, closing_params(after, count)),)


_ALERTS: Final[dict[type, Callable[[TableState, TableState, Any], tuple[Notice, ...]]]] = {
    CardSeen: _card_alerts,
    Reveal: _turned_alerts,
    CutCard: _cut_alerts,
    ShoeLoaded: _pack_alerts,
    ShoeEnded: _closing_alerts,
}

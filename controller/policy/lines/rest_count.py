"""The count of a shoe's rest: its cards run through the reader and belong to no round.

An unread card is asked; a surplus card holds the table for the pit. Missing cards are reported with the
end of the shoe (`SHOE_INCOMPLETE`).
"""

from controller.acts.catalogue import RestCard, RestCounting, ShoeEnded, declared
from controller.domain import Card, TableError
from controller.engine.shoe.lifecycle import needs_no_card
from controller.policy.lines.desk import Desk
from controller.policy.lines.shoe_count import counted
from controller.policy.state.line import KeptCard, TableLine
from controller.policy.state.rest_cards import REST_EXTRA, REST_UNREAD, is_extra


def require_no_count(desk: Desk, line: TableLine) -> None:
    """Raise REST_COUNTED for an act that must wait for the end of the count; rulings on rounds need not."""
    if desk.run.rest is None or declared(line.observation).in_count:
        return
    if getattr(line.observation, "round", None) is None:
        raise TableError("REST_COUNTED")


def begin_or_cancel(desk: Desk, line: TableLine, counting: RestCounting) -> None:
    """Begin the count of the rest between rounds, or cancel it and discard its cards."""
    begins, counts = counting.state == "begin", desk.run.rest is not None
    if begins and not needs_no_card(desk.state):
        raise TableError("REST_IN_ROUND")
    if begins == counts:
        raise TableError("REST_COUNTED" if counts else "REST_NOT_COUNTED")
    desk.fact(counting, line.by, line.mark)


def count_card(desk: Desk, kept: KeptCard, *, waited: bool) -> None:
    """Count a card that ran through the reader."""
    card = kept.card
    desk.fact(RestCard(card.rank, card.suit), kept.by, kept.mark, kept=waited)
    if card.rank is None or card.suit is None:
        desk.hold_for(REST_UNREAD, kept.mark)
    elif desk.run.rest is not None and is_extra(desk.state, desk.run.rest, Card(card.rank, card.suit)):
        params = (("rank", str(card.rank)), ("suit", str(card.suit)), ("decks", desk.state.shoe.decks))
        desk.alert(REST_EXTRA, kept.mark, params)
        desk.hold_for(REST_EXTRA, kept.mark, params)


def enter_card(desk: Desk, line: TableLine, card: RestCard) -> None:
    """Take a card of the rest out of the count, or add one by hand."""
    rest = desk.run.rest
    if rest is None:
        raise TableError("REST_NOT_COUNTED")
    if card.rank is None or card.suit is None:
        raise TableError("REST_CARD_UNNAMED")
    if card.out and Card(card.rank, card.suit) not in rest.cards:
        raise TableError("REST_CARD_NOT_COUNTED", card=str(Card(card.rank, card.suit)))
    desk.fact(card, line.by, line.mark)


def end_shoe(desk: Desk, line: TableLine, ended: ShoeEnded) -> None:
    """The shoe's end; where its rest was run through the reader, with the cards that were counted."""
    rest = desk.run.rest
    if rest is not None and ended.cards is None:
        ended = ShoeEnded(rest.cards)
    desk.fact(ended, line.by, line.mark)
    if ended.cards is not None:
        counted(desk, line.mark)

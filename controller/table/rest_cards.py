"""The cards of a shoe's rest that have run through the reader since somebody began to count it."""

from typing import Final, NamedTuple

from controller.domain.cards import Card
from controller.domain.notices import Params
from controller.domain.observations import Observation, ShoeLoaded
from controller.domain.table_events import RestCard, RestCounting, ShoeEnded, ShoeShuffled, ShoeVoided
from controller.engine.closing import closing_at_end
from controller.engine.state import TableState

REST_UNREAD: Final = "REST_CARD_UNREAD"
REST_EXTRA: Final = "REST_CARD_EXTRA"
REST_HOLDS: Final = frozenset((REST_UNREAD, REST_EXTRA))
"""Holds about a card of the rest: they end with the count."""

ENDS: Final = (ShoeEnded, ShoeLoaded, ShoeShuffled, ShoeVoided)
"""After these the shoe that was counted is in use no more, or its cards are others."""


class Rest(NamedTuple):
    """The cards that were read so far, each with rank and suit."""

    cards: tuple[Card, ...] = ()


def rest_after(rest: Rest | None, observation: Observation) -> Rest | None:
    """The count after an observation was taken; None where nothing is counted."""
    match observation:
        case RestCounting(state=told):
            return Rest() if told == "begin" else None
        case RestCard(rank=rank, suit=suit, out=out) if rest is not None:
            return rest if rank is None or suit is None else _counted(rest, Card(rank, suit), out=bool(out))
    return None if isinstance(observation, ENDS) else rest


def _counted(rest: Rest, card: Card, *, out: bool) -> Rest:
    if not out:
        return Rest((*rest.cards, card))
    left = list(rest.cards)
    if card in left:
        left.remove(card)
    return Rest(tuple(left))


def extra_cards(state: TableState, rest: Rest) -> tuple[Card, ...]:
    """The cards that are too many for the shoe's packs by now; none where nobody told of the shoe."""
    return closing_at_end(state, rest.cards).extra if state.shoe.loaded else ()


def rest_stands(state: TableState, rest: Rest | None, code: str, params: Params) -> bool:
    """Whether a hold about a card of the rest is still so: the count goes on, and an extra card is in it."""
    if rest is None or code == REST_UNREAD:
        return rest is not None
    named = dict(params)
    extra = extra_cards(state, rest)
    return any(card.rank == named["rank"] and card.suit in (None, named["suit"]) for card in extra)

"""The counted cards of a shoe's rest."""

from typing import Final, NamedTuple

from controller.acts.catalogue import (
    CutCard,
    Observation,
    RestCard,
    RestCounting,
    ShoeAct,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
)
from controller.domain import Card, Params, card_named
from controller.engine.shoe.closing import count_at_end
from controller.engine.state import TableState

REST_UNREAD: Final = "REST_CARD_UNREAD"
REST_EXTRA: Final = "REST_CARD_EXTRA"


class Rest(NamedTuple):
    """The cards that were read so far, each with rank and suit."""

    cards: tuple[Card, ...] = ()


def rest_after(rest: Rest | None, observation: Observation) -> Rest | None:
    """Return the count after an accepted observation; None without a count."""
    if not isinstance(observation, ShoeAct):
        return rest
    match observation:
        case RestCounting(state=counting):
            return Rest() if counting == "begin" else None
        case RestCard(rank=rank, suit=suit, out=out):
            if rest is None or rank is None or suit is None:
                return rest
            return _counted(rest, Card(rank, suit), out=bool(out))
        case ShoeEnded() | ShoeLoaded() | ShoeShuffled() | ShoeVoided():
            return None  # The counted shoe is in use no more, or its cards are others.
        case CutCard():
            return rest


def _counted(rest: Rest, card: Card, *, out: bool) -> Rest:
    if not out:
        return Rest((*rest.cards, card))
    left = list(rest.cards)
    if card in left:
        left.remove(card)
    return Rest(tuple(left))


def is_extra(state: TableState, rest: Rest, card: Card) -> bool:
    """Whether this card was counted more often than the packs contain it; False without a loaded shoe.

    Cards without a suit count by their rank alone.
    """
    shoe, count = state.shoe, count_at_end(state)
    if not shoe.loaded or card.rank is None:
        return False
    of_rank = [seen for kind, seen in count.suits.items() if kind.rank == card.rank]
    suitless = count.ranks[card.rank] - sum(of_rank)
    in_rest = sum(one.rank == card.rank for one in rest.cards)
    one_suit = count.suits[card] + rest.cards.count(card)
    return one_suit > shoe.decks or (suitless > 0 and count.ranks[card.rank] + in_rest > 4 * shoe.decks)


def rest_stands(state: TableState, rest: Rest | None, params: Params) -> bool:
    """Whether the running count still contains a surplus card."""
    if rest is None:
        return False
    named = dict(params)
    return is_extra(state, rest, card_named(str(named["rank"]), str(named["suit"])))

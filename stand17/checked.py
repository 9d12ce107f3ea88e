"""Values at the public face: checked arguments, refusals, views."""

import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from io import BytesIO
from typing import Any, Final, NamedTuple, cast, get_args

from controller.acts.catalogue import CardSeen, Observation
from controller.acts.round import Face, Target
from controller.domain import RANKS, SUITS, Card, Money, Rank, Refused, Suit
from controller.engine.hands import hidden_hole
from controller.engine.state import HandStatus, TableState
from controller.feed.codec import parse, to_json
from controller.i18n import text

Fact = Observation | Mapping[str, Any]
"""An object of this package, or a line of the feed format."""


def checked(fact: Fact) -> Observation:
    """The fact as the engine takes it. Raises ConfigError where a field is none of the feed format's."""
    if isinstance(fact, Mapping):
        return parse(fact)
    try:
        return _known(fact)
    except TypeError:
        # Facts have only hashable fields.
        return parse(to_json(fact))


@lru_cache(maxsize=4096, typed=True)
def _known(fact: Observation) -> Observation:
    return parse(to_json(fact))


_PACK: Final = tuple(CardSeen(rank, suit) for suit in SUITS for rank in RANKS)


def pack(packs: int = 1) -> list[CardSeen]:
    """That many packs of 52 cards in a fixed order; shuffle with a `random.Random` of your own.

    >>> len(pack(6))
    312
    """
    return list(_PACK * packs)


def card(
    name: str, *, to: Target | None = None, box: int | None = None, face: Face | None = None
) -> CardSeen:
    """A card by its name: `"Ah"`, `"10s"`, or `"7"` where the suit does not matter.

    Raises ValueError where there is no such card.

    >>> seen = card("10s", face="down")
    >>> seen.rank, seen.suit, seen.face
    ('10', 's', 'down')
    """
    rank, suit = (name[:-1], name[-1]) if name[-1:] in get_args(Suit) else (name, None)
    if rank not in get_args(Rank):
        raise ValueError(f"no card is called {name!r}: a rank of {' '.join(RANKS)}, then c, d, h or s")
    return CardSeen(cast(Rank, rank), cast(Suit | None, suit), to=to, box=box, face=face)


class _StatePickler(pickle.Pickler):
    """Writes a state as its class and its fields; parts shared by two states are written once."""

    def reducer_override(self, value: Any) -> Any:
        """Return the constructor of a dataclass; pickle's own for anything else."""
        if is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, field.name) for field in fields(value))
        return NotImplemented


def state_bytes(value: object) -> bytes:
    """The value as bytes that `pickle.loads` reads."""
    stream = BytesIO()
    _StatePickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()


class RuleBroken(ValueError):
    """The rules forbid it, and the table is as it was. `code` and `params` as in docs/feed.md."""

    def __init__(self, refused: Refused) -> None:
        """Keep code and parameters; the message is the English sentence that a dealer would read."""
        self.code: Final = refused.code
        self.params: Final[dict[str, int | str]] = dict(refused.params)
        super().__init__(f"{refused.code}: {text(f'refused.{refused.code}', self.params)}")


class HandView(NamedTuple):
    """One hand of a box. `total` is the one that counts; `soft`: an ace in it counts 11.

    `stakes` are (seat, amount in minor units) of every bettor on this hand.
    """

    box: int
    hand: int
    cards: tuple[Card, ...]
    total: int
    soft: bool
    status: HandStatus
    stakes: tuple[tuple[int, Money], ...]


class DealerView(NamedTuple):
    """The dealer's hand; a card that lies face down is None, and `total` leaves it out."""

    cards: tuple[Card | None, ...]
    total: int


def hands_of(state: TableState) -> tuple[HandView, ...]:
    """Every hand in the order of play."""
    return tuple(
        HandView(
            box.box,
            hand.number,
            tuple(seen.card for seen in hand.cards),
            hand.total,
            hand.total != hand.hard,
            hand.status,
            hand.stakes,
        )
        for box in state.boxes
        for hand in box.hands
    )


def dealer_of(state: TableState) -> DealerView:
    """The dealer's cards, the hole card masked while it is face down."""
    dealer = state.dealer
    hidden = dealer.hole if hidden_hole(dealer) else -1
    cards = tuple(None if at == hidden else seen.card for at, seen in enumerate(dealer.cards))
    return DealerView(cards, dealer.total)

"""Shoe and camera together: the shoe says which card came, the camera confirms where it lies.

The camera never adds a card and never overrides one. What it reads with certainty and the table does not
know of is a contradiction; several pictures in a row that show the same one hold the table. What it cannot
read says nothing.

Within a round cards only come to lie, and the shoe tells of each before it lies there. So an older picture
never shows what the table does not know yet, except from before the table was cleared or ruled on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from controller.domain.cards import Card
from controller.engine.constants import BETS
from controller.engine.state import TableState
from controller.ports.sources import Trouble

Params = tuple[tuple[str, int | str], ...]

DISAGREES: Final = "CAMERA_DISAGREES"
DISAGREES_DEALER: Final = "CAMERA_DISAGREES_DEALER"
UNSURE: Final = "CAMERA_UNSURE"
UNSURE_DEALER: Final = "CAMERA_UNSURE_DEALER"
DEALER_BOX: Final = 0


class Sighting(NamedTuple):
    """A face-up card that was read with certainty at a box; box 0 is the dealer."""

    box: int
    card: Card


class Look(NamedTuple):
    """One picture's certain cards. `mono_ns` is the moment at which it was taken."""

    source: str
    mono_ns: int
    sightings: tuple[Sighting, ...]


class Patience(NamedTuple):
    """`votes` pictures in a row count, each taken `settle_ms` after cards were last moved, or later."""

    votes: int
    settle_ms: int


class Onlooker:
    """Compares pictures with the table; remembers what the last pictures of each camera contradicted."""

    def __init__(self, patience: Mapping[str, Patience]) -> None:
        """`patience` is that of each camera by its name; others are not heard."""
        self._patience = dict(patience)
        self._moved_ns = 0
        self._counted: dict[str, Counter[Sighting]] = {}

    def moved(self, mono_ns: int) -> None:
        """Hear that the table was cleared, or that cards were ruled to lie elsewhere."""
        self._moved_ns = mono_ns

    def judge(self, look: Look, state: TableState) -> tuple[Trouble, ...]:
        """Return the contradictions that enough pictures in a row of one camera have shown."""
        patience = self._patience.get(look.source)
        if patience is None or look.mono_ns - self._moved_ns < patience.settle_ms * 1_000_000:
            return ()
        before = self._counted.get(look.source, Counter())
        unknown = contradictions(look.sightings, state)
        counted = Counter({sighting: before[sighting] + 1 for sighting in unknown})
        self._counted[look.source] = counted
        agreed = [sighting for sighting, count in counted.items() if count >= patience.votes]
        return tuple(_trouble(sighting, state) for sighting in agreed)


def contradictions(sightings: Iterable[Sighting], state: TableState) -> tuple[Sighting, ...]:
    """Find the cards that lie where the table does not know them; none while bets are open.

    The face-down card counts as known, so that turning it is no contradiction.
    """
    if state.phase == BETS:
        return ()
    known = {box.box: [seen.card for hand in box.hands for seen in hand.cards] for box in state.boxes}
    known[DEALER_BOX] = [seen.card for seen in state.dealer.cards]
    ordered = sorted(sightings, key=_known_suit_last)
    return tuple(seen for seen in ordered if not take_match(known.get(seen.box, []), seen.card))


def unsure(box: int, was: str, seen: str) -> Trouble:
    """Hold for a card that was certain to be `was` and is being read as `seen`."""
    cards = (("was", was), ("seen", seen))
    if box == DEALER_BOX:
        return Trouble(UNSURE_DEALER, cards)
    return Trouble(UNSURE, (("box", box), *cards))


def excuse(params: Params) -> Params:
    """Leave of a contradiction what a person has looked at: the card at the box, not what else lies there."""
    return tuple((key, value) for key, value in params if key != "known")


def _trouble(sighting: Sighting, state: TableState) -> Trouble:
    """Name both sides: what the camera reads, and the open cards that the table has at that box."""
    known = " ".join(str(card) for card in _open_cards(sighting.box, state))
    params = (("seen", str(sighting.card)), ("known", known or "-"))
    if sighting.box == DEALER_BOX:
        return Trouble(DISAGREES_DEALER, params)
    return Trouble(DISAGREES, (("box", sighting.box), *params))


def _open_cards(number: int, state: TableState) -> list[Card]:
    dealer = state.dealer
    if number == DEALER_BOX:
        hidden = -1 if dealer.revealed else dealer.hole
        return [seen.card for place, seen in enumerate(dealer.cards) if place != hidden]
    return [
        seen.card for box in state.boxes if box.box == number for hand in box.hands for seen in hand.cards
    ]


def _known_suit_last(sighting: Sighting) -> bool:
    """Order the fully read cards first, so that one without a suit does not take their match."""
    return sighting.card.suit is None


def take_match(known: list[Card], seen: Card) -> bool:
    """Take the best match out of the known cards: the same card, else one of which less is known."""
    for fits in (_same, compatible):
        for card in known:
            if fits(card, seen):
                known.remove(card)
                return True
    return False


def _same(card: Card, seen: Card) -> bool:
    return card == seen


def compatible(card: Card, seen: Card) -> bool:
    """Whether both can be one card, as far as rank and suit are known."""
    ranks = card.rank is None or card.rank == seen.rank
    return ranks and (card.suit is None or seen.suit is None or card.suit == seen.suit)

"""Where a camera and the table disagree: what both say of a box goes in, codes and parameters come out.

The shoe says which card came, the camera confirms where it lies. The camera never adds a card and never
overrules one. A card that it reads with certainty and that the table does not know of is a contradiction;
what it cannot read says nothing.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from controller.domain.cards import Card
from controller.engine.constants import BETS
from controller.engine.state import TableState
from controller.ports.sources import Trouble
from controller.runtime.api import Params

DISAGREES: Final = "CAMERA_DISAGREES"
DISAGREES_DEALER: Final = "CAMERA_DISAGREES_DEALER"
UNSURE: Final = "CAMERA_UNSURE"
UNSURE_DEALER: Final = "CAMERA_UNSURE_DEALER"
DEALER_BOX: Final = 0


class Detection(NamedTuple):
    """A face-up card that was read with certainty at a box; box 0 is the dealer."""

    box: int
    card: Card


class FrameObservation(NamedTuple):
    """The certain cards of one picture. `mono_ns` is the moment at which it was taken."""

    source: str
    mono_ns: int
    detections: tuple[Detection, ...]


def contradictions(detections: Iterable[Detection], state: TableState) -> tuple[Detection, ...]:
    """Find the cards that lie where the table does not know them; none while bets are open.

    The face-down card counts as known, so that turning it is no contradiction.
    """
    if state.phase == BETS:
        return ()
    known = {box.box: [seen.card for hand in box.hands for seen in hand.cards] for box in state.boxes}
    known[DEALER_BOX] = [seen.card for seen in state.dealer.cards]
    ordered = sorted(detections, key=_known_suit_last)
    return tuple(seen for seen in ordered if not take_match(known.get(seen.box, []), seen.card))


def disagreement(detection: Detection, state: TableState) -> Trouble:
    """Hold for a contradiction: name what the camera reads and the open cards that the table has there."""
    known = " ".join(str(card) for card in _open_cards(detection.box, state))
    params = (("seen", str(detection.card)), ("known", known or "-"))
    if detection.box == DEALER_BOX:
        return Trouble(DISAGREES_DEALER, params)
    return Trouble(DISAGREES, (("box", detection.box), *params))


def unsure(box: int, was: str, seen: str) -> Trouble:
    """Hold for a card that was certain to be `was` and is being read as `seen`."""
    cards = (("was", was), ("seen", seen))
    if box == DEALER_BOX:
        return Trouble(UNSURE_DEALER, cards)
    return Trouble(UNSURE, (("box", box), *cards))


def excuse(params: Params) -> Params:
    """Leave of a contradiction what a person has looked at: the card at the box, not what else lies there."""
    return tuple((key, value) for key, value in params if key != "known")


def take_match(known: list[Card], seen: Card) -> bool:
    """Take the best match out of the known cards: the same card, else one of which less is known."""
    for fits in (_same, compatible):
        for card in known:
            if fits(card, seen):
                known.remove(card)
                return True
    return False


def compatible(card: Card, seen: Card) -> bool:
    """Whether both can be one card, as far as rank and suit are known."""
    ranks = card.rank is None or card.rank == seen.rank
    return ranks and (card.suit is None or seen.suit is None or card.suit == seen.suit)


def _same(card: Card, seen: Card) -> bool:
    return card == seen


def _open_cards(number: int, state: TableState) -> list[Card]:
    dealer = state.dealer
    if number == DEALER_BOX:
        hidden = -1 if dealer.revealed else dealer.hole
        return [seen.card for place, seen in enumerate(dealer.cards) if place != hidden]
    return [
        seen.card for box in state.boxes if box.box == number for hand in box.hands for seen in hand.cards
    ]


def _known_suit_last(detection: Detection) -> bool:
    """Order the fully read cards first, so that one without a suit does not take their match."""
    return detection.card.suit is None

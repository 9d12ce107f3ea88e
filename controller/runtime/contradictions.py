"""Contradictions of a camera and the table: the readings of a box in, codes and parameters out.

The shoe says which card came; the camera confirms its place. The camera never adds a card and never
overrules one. A certain reading that the table lacks is a contradiction; an unread card is none.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from controller.domain import Card
from controller.engine.constants import BETS
from controller.engine.state import Seen, TableState
from controller.policy.state.holds import DISAGREES, DISAGREES_DEALER, PICTURE_DIFFERS
from controller.policy.state.line import Doubt
from controller.ports import Trouble
from controller.runtime.api import Params

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
    """Return the hold of a contradiction, with the camera's card and the table's open cards there."""
    known = " ".join(str(one.card) for one in _open_seen(detection.box, state))
    params: Params = (("seen", str(detection.card)), ("known", known or "-"))
    if detection.box == DEALER_BOX:
        return Trouble(DISAGREES_DEALER, params)
    return Trouble(DISAGREES, (("box", detection.box), *params))


def card_in_question(detection: Detection, seen: Iterable[Detection], state: TableState) -> int:
    """The table's one card at that place that the picture `seen` does not confirm; 0 where it is not one."""
    lying = _open_seen(detection.box, state)
    left = [one.card for one in lying]
    for other in seen:
        if other.box == detection.box and other != detection:
            take_match(left, other.card)
    question = [one.n for one in lying if left == [one.card]]
    return question[0] if question else 0


def doubt_of(trouble: Trouble, card: int) -> Doubt | None:
    """The contradiction as a doubt about a card; None for any other trouble."""
    if trouble.code not in PICTURE_DIFFERS:
        return None
    box = dict(trouble.params).get("box", DEALER_BOX)
    return Doubt(trouble.code, trouble.params, box if isinstance(box, int) else DEALER_BOX, number=card)


def unsure(box: int, was: str, seen: str) -> Trouble:
    """Hold for a card that was certain to be `was` and is being read as `seen`."""
    cards = (("was", was), ("seen", seen))
    if box == DEALER_BOX:
        return Trouble(UNSURE_DEALER, cards)
    return Trouble(UNSURE, (("box", box), *cards))


def excuse(params: Params) -> Params:
    """Return the part of a contradiction that a person has checked: the card, without its neighbours."""
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
    """Whether both readings can be one card, by the known ranks and suits."""
    ranks = card.rank is None or card.rank == seen.rank
    return ranks and (card.suit is None or seen.suit is None or card.suit == seen.suit)


def _same(card: Card, seen: Card) -> bool:
    return card == seen


def _open_seen(number: int, state: TableState) -> list[Seen]:
    """The open cards that the table has at a box, or at the dealer."""
    dealer = state.dealer
    if number == DEALER_BOX:
        hidden = -1 if dealer.revealed else dealer.hole
        return [seen for place, seen in enumerate(dealer.cards) if place != hidden]
    return [seen for box in state.boxes if box.box == number for hand in box.hands for seen in hand.cards]


def _known_suit_last(detection: Detection) -> bool:
    """Order the fully read cards first, so that one without a suit does not take their match."""
    return detection.card.suit is None

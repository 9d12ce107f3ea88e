"""Contradictions of two witnesses, and the cards that a camera tracks.

The shoe says which card came; the camera confirms its place. The camera never adds a card and never
overrules one. A certain reading that the table lacks is a contradiction; an unread card is none.

Contradictions and tracked cards are no facts of the table and are not stored: a restarted table has none
before the next picture.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, Protocol

from controller.domain import SUITS, Card, card_named
from controller.engine.state import BETS, Seen, TableState
from controller.policy.holds import DISAGREES, DISAGREES_DEALER, PICTURE_DIFFERS
from controller.policy.line import Doubt
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


Pixel = tuple[float, float]
"""x, y in pixels, of the size that the camera was calibrated with."""


class TrackedCard(NamedTuple):
    """A face-up card at a box; box 0 is the dealer.

    `card` is the certain reading, None for an unread card; then `rank` is the likeliest one, of probability
    `p`, if the reader has one. `seen` is a reading that contradicts `card`. `in_sight` is False for a known
    card under a hand or under another card.
    """

    camera: str
    box: int
    at: Pixel
    card: Card | None
    rank: str | None = None
    p: float = 0.0
    seen: Card | None = None
    in_sight: bool = True


class OutlinedCard(NamedTuple):
    """A card in a camera's whole picture: its corners, or its place, in pixels of that picture.

    `card` is the certain reading, "" for none; `seen` is a contradicting reading, or the likeliest rank of an
    unclear card; `p` is the probability of the named reading. `box` is its place (0: the dealer). `reason` is
    the reason of an unclear reading (`vision.reading.UnclearReason`), "" when unknown.
    """

    box: int | None
    corners: tuple[Pixel, ...]
    look: Literal["certain", "doubt", "unclear", "down"]
    card: str
    seen: str
    p: float
    reason: str = ""


class RankAt(NamedTuple):
    """The height of a rank's letter at a box (0: the dealer), in pixels of the picture.

    `share_read` is the share (0..1) of the cards of that height that one picture names.
    """

    box: int
    px: float
    share_read: float


class CameraSight(NamedTuple):
    """A camera's whole picture of the layout, as JPEG, with its cards.

    `width` and `height` are the scale of the corners. `ranks` are the heights of a rank's letter by box,
    `edge_px` the width of the steepest edges (0.0: none), `light` the brightness of the brightest areas (0 to
    255), `burnt` the burnt-out share of the picture.
    """

    camera: str
    width: int
    height: int
    jpeg: bytes
    cards: tuple[OutlinedCard, ...]
    ranks: tuple[RankAt, ...]
    edge_px: float
    light: float
    burnt: float


def card_of(text: str) -> Card | None:
    """The card that a camera's message names, such as `10h`, or `10` without a suit; None for no card."""
    rank, suit = (text[:-1], text[-1]) if text[-1:] in SUITS else (text, None)
    try:
        return card_named(rank, suit)
    except KeyError:
        return None


class TrackedCards(Protocol):
    """The cameras, asked by the screens on the table's loop."""

    @property
    def watching(self) -> bool:
        """Whether the table has a camera."""
        ...

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        """Return the face-up cards at a box, without those of a camera whose last picture is old."""
        ...

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:
        """Return a picture around spots of one camera at one box, as JPEG, of the last seconds or the newest.

        It shows the box's own layout area only, and there is none near a face-down card.
        """
        ...

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:
        """Return the last recent whole picture of each camera over the layout; from any thread.

        `hides_dealer` removes the dealer's cards; the surroundings of a face-down card are always removed.
        """
        ...


class NoCameras:
    """A table without cameras."""

    watching = False

    def at(self, box: int) -> tuple[TrackedCard, ...]:  # noqa: ARG002 - as the protocol names it
        """Return no card."""
        return ()

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:  # noqa: ARG002 - as the protocol names it
        """Give a picture around spots of one camera at one box, as JPEG."""
        return None

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:  # noqa: ARG002 - as the protocol names it
        """Give the last whole picture of each camera over the layout that is not old."""
        return ()


NO_CAMERAS: Final = NoCameras()

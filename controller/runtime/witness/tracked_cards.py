"""The open cards at a box as the cameras see them now: shown to a person who is asked, and never counted.

Nothing here is a fact of the table and nothing is stored: after a restart there is none before the next
picture.
"""

from typing import Final, Literal, NamedTuple, Protocol

from controller.domain import SUITS, Card, card_named

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

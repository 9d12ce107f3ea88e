"""What lies open at a box as the cameras see it now: shown to a person who is asked, and never counted.

Nothing here is a fact of the table and nothing is kept: after a restart there is none until a camera has
looked again.
"""

from typing import Final, Literal, NamedTuple, Protocol

from controller.domain import SUITS, Card, card_named

Pixel = tuple[float, float]
"""x, y in pixels, of the size that the camera was calibrated with."""


class TrackedCard(NamedTuple):
    """Something that lies face up at a box; box 0 is the dealer.

    `card` is what the camera is certain of, None for what it cannot read; then `rank` is the likeliest one,
    of probability `p`, where the reader has an idea. `seen` is what it now reads instead of `card`.
    `in_sight` is False for a card that is known to lie there, under a hand or under another card.
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
    """Something in a camera's whole picture: its corners, or where it lies, in pixels of that picture.

    `card` is what the camera is certain of, "" for none; `seen` what it reads instead, or the likeliest rank
    of what is unclear; `p` is the probability of what is named. `box` is where it lies (0: the dealer).
    `reason` is why something is unclear (`vision.reading.UnclearReason`), "" where that is not known.
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
    """A camera's whole picture of the layout, as JPEG, with what it knows there.

    `width` and `height` are those that the corners count in. `ranks` are the heights of a
    rank's letter by box, `edge_px` the width of the steepest edges (0.0: none), `light` the brightness of the
    brightest things (0 to 255), `burnt` the share of the picture that is burnt out.
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
        """Whether there is any camera over the table."""
        ...

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        """Tell what lies face up at a box; nothing of a camera whose last picture is old."""
        ...

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:
        """Give a picture around spots of one camera at one box, as JPEG: of the last seconds, or the newest.

        It shows nothing but the box's own felt, and there is none where a face-down card lies near.
        """
        ...

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:
        """Give the last whole picture of each camera over the layout that is not old; from any thread.

        With `hides_dealer` nothing of the dealer's cards is given out; what lies near a face-down card
        never is.
        """
        ...


class NoCameras:
    """A table without cameras."""

    watching = False

    def at(self, box: int) -> tuple[TrackedCard, ...]:  # noqa: ARG002 - as the protocol names it
        """Tell what lies face up at a box."""
        return ()

    def picture(self, spots: tuple[TrackedCard, ...], *, at_once: bool = False) -> bytes | None:  # noqa: ARG002 - as the protocol names it
        """Give a picture around spots of one camera at one box, as JPEG."""
        return None

    def sights(self, *, hides_dealer: bool) -> tuple[CameraSight, ...]:  # noqa: ARG002 - as the protocol names it
        """Give the last whole picture of each camera over the layout that is not old."""
        return ()


NO_CAMERAS: Final = NoCameras()

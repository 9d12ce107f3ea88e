"""What lies open at a box as the cameras see it now: shown to a person who is asked, and never counted.

Nothing here is a fact of the table and nothing is kept: after a restart there is none until a camera has
looked again.
"""

from typing import Final, NamedTuple, Protocol

from controller.domain.cards import Card, card_named

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


def card_of(text: str) -> Card | None:
    """The card that a camera's message names, such as `10h`; None where rank or suit is not there."""
    try:
        return card_named(text[:-1], text[-1:])
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

    def picture(self, spots: tuple[TrackedCard, ...]) -> bytes | None:
        """Give the last picture around spots of one camera at one box, as JPEG.

        It shows nothing but the box's own felt, and there is none where a face-down card lies near.
        """
        ...


class NoCameras:
    """A table without cameras."""

    watching = False

    def at(self, box: int) -> tuple[TrackedCard, ...]:  # noqa: ARG002 - as the protocol names it
        """See `TrackedCards.at`."""
        return ()

    def picture(self, spots: tuple[TrackedCard, ...]) -> bytes | None:  # noqa: ARG002 - as the protocol names it
        """See `TrackedCards.picture`."""
        return None


NO_CAMERAS: Final = NoCameras()

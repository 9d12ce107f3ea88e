"""The felt of a simulated round and a camera over it that errs as the reader does: places, poses, delays."""

from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from controller.acts.round import Face
from controller.domain import Card
from controller.witnesses import FeltCard, FeltReading

CARD_MM: Final = 88.0
TICK_MS: Final = 160


class CameraErrors(NamedTuple):
    """How a simulated camera errs; shares of cards, standard deviations.

    Source: the shares are set above what drawn rounds show (`docs/measurements/reader.md`), to meet each case
    often.
    """

    unread: float = 0.003
    """Cards that never become certain."""
    slow: float = 0.03
    """Cards that take up to three seconds to become certain."""
    no_corners: float = 0.02
    """Cards whose direction is not known."""
    lost: float = 0.005
    """Cards that are lost sight of once, and found again as new ones."""
    hidden: float = 0.05
    """Cards over which a hand stays for a while."""
    suit_open_every: int = 6
    """Of so many tracks one leaves its suit open, so a card that is found again may have it then."""
    place_mm: float = 3.0
    turn_deg: float = 6.0


USUAL: Final = CameraErrors()
STEADY: Final = CameraErrors(unread=0, slow=0, no_corners=0, lost=0, hidden=0, place_mm=1, turn_deg=2)
"""A camera that reads every card at once."""


@dataclass
class Laid:
    """A card that lies on the felt, and what the camera makes of it."""

    card: Card
    box: int
    at_mm: tuple[float, float]
    turn_deg: float
    face: Face
    laid_ms: int
    certain_ms: int
    track: int
    corners: bool = True
    lost_ms: int = -1
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass
class SimulatedFelt:
    """Cards by their number in the round, laid and taken away by whoever plays; looked at by `view`."""

    chance: Random
    errors: CameraErrors
    now_ms: int = 1000
    laid: dict[int, Laid] = field(default_factory=dict)
    tracks: dict[int, int] = field(default_factory=dict)
    _number: int = 0

    def lay(self, n: int, card: Card, box: int, at_mm: tuple[float, float], turn: float, face: Face) -> None:
        """Put a card down."""
        chance, errors = self.chance, self.errors
        ready = self.now_ms + chance.randint(250, 800)
        if chance.random() < errors.slow:
            ready += chance.randint(300, 2000)
        if chance.random() < errors.hidden:
            ready += chance.randint(300, 1200)
        if face == "up" and chance.random() < errors.unread:
            ready = 10**9
        gauss = chance.gauss
        shift = gauss(0, errors.place_mm), gauss(0, errors.place_mm), gauss(0, errors.turn_deg)
        laid = Laid(card, box, at_mm, turn, face, self.now_ms, ready, self._track(n), shift=shift)
        laid.corners = chance.random() >= errors.no_corners
        if chance.random() < errors.lost:
            laid.lost_ms = ready + chance.randint(500, 6000)
        self.laid[n] = laid

    def move(self, n: int, at_mm: tuple[float, float]) -> None:
        """Push a card to another place."""
        self.laid[n].at_mm = at_mm

    def turn_up(self, n: int) -> None:
        """Turn the face-down card."""
        self.laid[n].face = "up"
        self.laid[n].certain_ms = self.now_ms + self.chance.randint(300, 900)

    def take_away(self, numbers: list[int]) -> None:
        """Take cards off the felt."""
        for n in numbers:
            self.laid.pop(n, None)

    def follow_others(self, things: int) -> None:
        """Follow so many things that turn out to be no cards."""
        self._number += things

    def count_anew(self) -> None:
        """Begin to look once more, as after a restart: things are numbered from 1, as they are found."""
        self.tracks, self._number = {}, 0
        for n, laid in reversed(self.laid.items()):
            laid.track = self._track(n)

    def view(self) -> FeltReading:
        """What the camera knows now."""
        cards = [self._seen(laid) for n, laid in self.laid.items() if self._shows(n, laid)]
        return FeltReading(self.now_ms, tuple(cards), (), CARD_MM)

    def _shows(self, n: int, laid: Laid) -> bool:
        if laid.lost_ms >= 0 and self.now_ms >= laid.lost_ms:
            if self.now_ms < laid.lost_ms + 600:
                return False
            laid.lost_ms, laid.track = -1, self._track(n)
        return self.now_ms >= laid.laid_ms + 100

    def _seen(self, laid: Laid) -> FeltCard:
        certain = self.now_ms >= laid.certain_ms
        down = laid.face == "down"
        right, below, turned = laid.shift
        at = (laid.at_mm[0] + right, laid.at_mm[1] + below)
        turn = (laid.turn_deg + turned) % 180 if laid.corners else None
        open_suit = laid.track % self.errors.suit_open_every == 0
        named = laid.card._replace(suit=None) if open_suit else laid.card
        card = named if certain and not down else None
        return FeltCard(laid.track, card, laid.face, at, turn, laid.box, 0.9999, certain)

    def _track(self, n: int) -> int:
        self._number += 1
        self.tracks[self._number] = n
        return self._number

"""A simulated camera over the layout that errs as the reader does: what it knows, look by look."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from controller.domain import RANKS, Card
from controller.simulation.laid_cards import LaidCard
from controller.witnesses import FeltCard, FeltReading
from vision.synth import card_place

MM_A_PX: Final = 0.9565
"""Of the demo's pictures, in which a card is 92 pixels long."""

CARD_MM: Final = 88.0

READ_SHARE: Final[Mapping[str, float]] = {
    "8-10": 0.930,
    "10-12": 0.969,
    "12-14": 0.978,
    "14-16": 0.977,
    "16-20": 0.937,
    "20-24": 0.914,
    "24-32": 0.960,
}
"""Share of the cards whose rank one picture shows, by the rank's height in pixels.

Source: docs/measurements/reader.md, "By height of the rank"."""

LOOKS: Final = 1.15
"""25 looks at one card say no more than so many independent ones.

Source: docs/measurements/reader.md, "Sequences".
"""

MISREAD: Final = 1 / 34_256
"""Share of the faces on drawn tables that are read wrongly in silence. Source: docs/measurements/reader.md.
"""


class CameraErrors(NamedTuple):
    """How a simulated camera errs; shares of cards, standard deviations. Without any it errs in nothing.

    `unread` never become certain, `slow` take up to two seconds more, `misread` are read as another card;
    of `no_corners` the direction is not known, `lost` are lost sight of once, and found again as new ones.
    Of so many cards one leaves its suit open (0: none). Others are certain within `certain_ms`.
    """

    unread: float = 0.0
    slow: float = 0.0
    misread: float = 0.0
    no_corners: float = 0.0
    lost: float = 0.0
    suit_open_every: int = 0
    place_mm: float = 0.0
    turn_deg: float = 0.0
    certain_ms: tuple[int, int] = (300, 300)


def errors_at(band: str) -> CameraErrors:
    """The errors of a camera that sees its cards at this height; `band` as in `READ_SHARE`."""
    unread = (1 - READ_SHARE[band]) ** LOOKS
    return CameraErrors(unread, 0.03, MISREAD, 0.02, 0.005, 6, 3.0, 6.0, (250, 800))


@dataclass
class _Followed:
    """A card that is followed: as it lay when it was seen last, and what the camera makes of it."""

    laid: LaidCard
    track: int
    reads: Card
    certain_ms: int
    lost_ms: int
    has_corners: bool
    shift: tuple[float, float, float]


class ErringEye:
    """Follows the cards of one layout. `tracks` are the cards' numbers by their tracks, counted from 1."""

    def __init__(self, chance: Random, errors: CameraErrors, *, counts: bool = True) -> None:
        """Begin with an empty memory. Unless it `counts` by itself a card's track is its number."""
        self._chance, self._errors, self._counts = chance, errors, counts
        self._followed: dict[int, _Followed] = {}
        self.tracks: dict[int, int] = {}
        self.covered: frozenset[int] = frozenset()
        """Boxes over which a hand is; 0 is the dealer."""
        self.misreads_next = False
        self.misread: set[int] = set()
        """Numbers of the cards that it takes for others."""

    def forget(self) -> None:
        """Begin to look once more, as after a restart: tracks are counted anew."""
        self._followed, self.tracks = {}, {}

    def look(self, now_ms: int, lying: Mapping[int, LaidCard]) -> FeltReading:
        """What it knows of the cards that lie there, by their numbers."""
        for number, known in tuple(self._followed.items()):
            if number not in lying and known.laid.box not in self.covered:
                del self._followed[number]
        for number, laid in lying.items():
            if laid.box not in self.covered:
                self._see(number, laid, now_ms)
        seen = tuple(self._seen(one, now_ms) for one in self._followed.values() if one.lost_ms >= 0)
        return FeltReading(now_ms, seen, (), CARD_MM)

    def _see(self, number: int, laid: LaidCard, now_ms: int) -> None:
        known = self._followed.get(number)
        if known is None:
            self._followed[number] = self._found(number, laid, now_ms)
            return
        if known.laid.face != laid.face:
            known.certain_ms = now_ms + self._takes_ms()
        known.laid = laid
        if 0 <= known.lost_ms <= now_ms:
            # Out of sight now; with the next look it is found as another one.
            known.lost_ms = -1
        elif known.lost_ms < 0:
            known.track, known.lost_ms = self._track(number), now_ms + 10**9

    def _found(self, number: int, laid: LaidCard, now_ms: int) -> _Followed:
        chance, errors = self._chance, self._errors
        certain_ms = now_ms + self._takes_ms()
        if laid.face == "up" and chance.random() < errors.unread:
            certain_ms = now_ms + 10**9
        lost_ms = chance.randint(1000, 6000) if chance.random() < errors.lost else 10**9
        shift = chance.gauss(0, errors.place_mm), chance.gauss(0, errors.place_mm)
        turned = chance.gauss(0, errors.turn_deg)
        corners = chance.random() >= errors.no_corners
        reads, track = self._reads(number, laid), self._track(number)
        return _Followed(laid, track, reads, certain_ms, now_ms + lost_ms, corners, (*shift, turned))

    def _reads(self, number: int, laid: LaidCard) -> Card:
        chance, every = self._chance, self._errors.suit_open_every
        wrong = chance.random() < self._errors.misread or (self.misreads_next and laid.face == "up")
        suit = None if every and chance.randrange(every) == 0 else laid.card.suit
        if not wrong:
            return laid.card._replace(suit=suit)
        self.misreads_next = False
        self.misread.add(number)
        return Card(chance.choice([rank for rank in RANKS if rank != laid.card.rank]), suit)

    def _takes_ms(self) -> int:
        slow = self._chance.random() < self._errors.slow
        return self._chance.randint(*self._errors.certain_ms) + (self._chance.randint(300, 2000) * slow)

    def _track(self, number: int) -> int:
        track = len(self.tracks) + 1 if self._counts else number
        self.tracks[track] = number
        return track

    def _seen(self, known: _Followed, now_ms: int) -> FeltCard:
        laid, (right_mm, below_mm, turned_deg) = known.laid, known.shift
        rest = card_place(laid.box, laid.hand, laid.place, laid.across)
        at_mm = rest.x * MM_A_PX + right_mm, rest.y * MM_A_PX + below_mm
        turn_deg = ((0.0 if laid.across else 90.0) + turned_deg) % 180 if known.has_corners else None
        certain = now_ms >= known.certain_ms
        card = known.reads if certain and laid.face == "up" else None
        in_sight = laid.box not in self.covered
        return FeltCard(
            known.track, card, laid.face, at_mm, turn_deg, laid.box, 0.9999, certain, in_sight=in_sight
        )

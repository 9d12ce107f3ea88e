"""Cards at the table beside the profile of their deck: what is measured of them, and what the table hears."""

from collections import deque
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from controller.ports import Trouble
from vision.classifier import Networks, Prototypes
from vision.enrolment import PrintNotice, PrintWatch, print_distance
from vision.reading import PointPx
from vision.tracking import Locked, TrackedScene, UnclearSpot

CODES: Final = {"worn": "DECK_WORN", "other": "DECK_OTHER_DESIGN", "new": "DECK_NOT_ENROLLED"}

FIRST_CARDS: Final = 24
UNREAD_OF_THEM: Final = 4
"""Of its first so many cards a deck without a profile leaves this many unread: it should be enrolled.

Source: as many as show another design (`PrintRule`). Of usual drawn decks 2 in 100 cards stay unread without
a profile, of decks with letters of another language a third (docs/measurements/reader.md, Sealed decks).
"""

AT_ONCE: Final = 2
WAITING_MAX: Final = 64
"""So many cards are measured with one picture, so many wait at most: each takes about ten milliseconds, and
after a start all cards of a table are locked at once."""


class DeckWatch:
    """Measures each card of one camera once: when it is locked, or when it has stayed unread."""

    def __init__(self, networks: Networks, deck: Prototypes) -> None:
        """Begin without a card; `networks` are used by the thread that calls `look`."""
        self._networks = networks
        self._deck = deck
        self._watch = PrintWatch()
        self._waiting: deque[PointPx] = deque(maxlen=WAITING_MAX)

    def look(self, image: NDArray[np.uint8], scene: TrackedScene) -> PrintNotice | None:
        """Measure what is new since a few pictures (BGR) ago; the first thing that is noticed with it."""
        self._waiting.extend(_new_places(scene))
        noticed = None
        for _ in range(min(AT_ONCE, len(self._waiting))):
            distance = print_distance(image, self._waiting.popleft(), self._networks, self._deck)
            notice = None if distance is None else self._watch.add(distance)
            noticed = noticed or notice
        return noticed


class NewDeckWatch:
    """Counts the first cards of a camera without a profile of their deck, and how many stay unread."""

    def __init__(self) -> None:
        """Begin without a card."""
        self._read: set[int] = set()
        self._unread = 0
        self._reported = False

    def look(self, _image: NDArray[np.uint8], scene: TrackedScene) -> PrintNotice | None:
        """Count what is new; reported once, as soon as the cards show it."""
        self._read |= {event.track for event in scene.events if isinstance(event, Locked)}
        self._unread += sum(isinstance(event, UnclearSpot) for event in scene.events)
        cards = len(self._read) + self._unread
        if self._reported or cards < FIRST_CARDS or self._unread * FIRST_CARDS < UNREAD_OF_THEM * cards:
            return None
        self._reported = True
        return PrintNotice("new", cards, self._unread, 0)


def _new_places(scene: TrackedScene) -> Iterator[PointPx]:
    """Where a card was locked with this picture, rank and suit, or something was reported as unread."""
    places = {track.track: track.at for track in scene.tracks if track.state == "seen"}
    for event in scene.events:
        # A lock of the rank alone may be followed by one of the suit: the card would count twice.
        if isinstance(event, Locked) and event.name.suit is not None and event.track in places:
            yield places[event.track]
        if isinstance(event, UnclearSpot):
            yield event.at


def deck_trouble(notice: PrintNotice, name: str, *, required: bool) -> Trouble:
    """What the pit hears of the deck before a camera; another design holds where the table needs it."""
    params = (
        ("name", name),
        ("cards", notice.cards),
        ("beyond", notice.beyond),
        ("percent", notice.percent),
    )
    return Trouble(CODES[notice.what], params, hold=required and notice.what == "other")

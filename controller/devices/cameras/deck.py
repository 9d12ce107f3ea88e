"""A camera's deck: the comparison of its cards with their profile, and enrolment at the running table.

Enrolment is `stand17 enrol` on two pictures of the spread deck, in a process of its own. The new profile is
stored beside the configured one, or beside the layout; it counts from the next start and replaces none.
"""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.config import CameraSection
from controller.domain import ConfigError, DeviceError
from controller.outputs import FRESH, PUBLIC, anew_beside, next_beside
from controller.ports import Trouble
from controller.runtime.api import Params
from vision.calibration import png_bytes
from vision.enrolment import PrintNotice, PrintWatch, load_profile, print_distance
from vision.geometry import Image
from vision.networks import Networks, Prototypes
from vision.reading import RANKS, SUITS, PointPx
from vision.tracking import Locked, TrackedScene, UnclearSpot

ENROL: Final = "enrol"
"""The order of the pit that begins; then `SPREAD` takes each picture, and `STOP` gives up."""
SPREAD: Final = "spread"
STOP: Final = "stop_enrol"

ENROLLED: Final = "DECK_ENROLLED"
"""The alert about a profile that was made, with its file and its SHA-256."""
LOST: Final = "ENROL_LOST"
"""The command ended without an answer."""

ENDINGS: Final = frozenset((ENROLLED, LOST, "ENROL_NOT_FOUND", "ENROL_INCOMPLETE", "ENROL_UNPROVEN"))
"""The alerts with which it ends."""

ORDER: Final = " ".join(f"{rank}{suit}" for suit in sorted(SUITS, key="shcd".index) for rank in RANKS)
"""How the cards are spread: four rows, spades, hearts, clubs, diamonds, each from ace to king."""
SPREADS: Final = 2
"""Pictures that a camera takes. Source: of a single one no half proves the other (ranks shown too seldom)."""

NICENESS: Final = 10
COMMAND: Final = (sys.executable, "-P", "-c", "from controller.cli import main; main()", "enrol")


class Enrolled(NamedTuple):
    """The result of an ordered picture: `code` is "" or the reason without a profile.

    `params` are those of the code's text, or of `ENROLLED`; empty when another picture follows.
    """

    code: str = ""
    params: Params = ()


class DeckEnrolment:
    """One camera's enrolment: `order` on the table's loop, `look` on the camera's thread."""

    def __init__(self, home: Path) -> None:
        """`home` is the file beside which profiles are kept: see `home_of`."""
        self._home: Final = home
        self._folder: TemporaryDirectory[str] | None = None
        self._taken: list[Path] = []
        self._command: subprocess.Popen[bytes] | None = None
        self._asked = False
        self.is_open = False
        """Whether cards are being spread: nothing that the camera sees counts."""

    @property
    def orders(self) -> tuple[str, ...]:
        """The pit's possible orders."""
        return (SPREAD, STOP) if self.is_open else (ENROL,)

    def order(self, order: str) -> bool:
        """Carry one of the orders out; False: the answer comes with a picture."""
        if self._asked or self._command is not None:
            raise DeviceError("ORDER_NOT_POSSIBLE", name="camera", order=order)
        if order == ENROL:
            self._taken = []
        self.is_open, self._asked = order != STOP, order == SPREAD
        return not self._asked

    def look(self, image: Image) -> Enrolled | None:
        """Take the next picture (BGR); return the result of the last order."""
        if self._command is not None:
            return self._ended(self._command)
        if not self._asked:
            return None
        self._asked = False
        self._folder = self._folder if self._taken else TemporaryDirectory(prefix="stand17-")
        assert self._folder is not None, "the first picture has made it"
        self._taken.append(Path(self._folder.name) / f"spread-{len(self._taken) + 1}.png")
        self._taken[-1].write_bytes(png_bytes(image))
        if len(self._taken) < SPREADS:
            return Enrolled()
        words = (*COMMAND, *map(str, self._taken), "--order", ORDER, "--out", self._draft, "--json")
        self._command = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.setpriority(os.PRIO_PROCESS, self._command.pid, NICENESS)
        return None

    def close(self) -> None:
        """Abort a running enrolment."""
        if self._command is not None:
            self._command.kill()
            self._command.wait()

    @property
    def _draft(self) -> str:
        return str(self._taken[-1].with_suffix(".profile"))

    def _ended(self, command: subprocess.Popen[bytes]) -> Enrolled | None:
        """Return the command's result; None while it runs."""
        if command.poll() is None:
            return None
        assert command.stdout is not None, "it has a pipe"
        with command.stdout as stream:
            said = stream.read()
        self._command, self.is_open = None, False
        try:
            return self._kept(json.loads(said))
        except (ValueError, KeyError):
            return Enrolled(LOST)
        except ConfigError as refusal:
            return Enrolled(refusal.code)
        finally:
            assert self._folder is not None, "its pictures lie there"
            self._folder.cleanup()

    def _kept(self, answer: dict[str, Any]) -> Enrolled:
        """Keep a proven profile; raises `ConfigError` as `Outputs.write`."""
        if not answer.pop("proven"):
            return Enrolled(answer.pop("code"), tuple(answer.items()))
        path = next_beside(self._home)
        if path is None:
            raise ConfigError("FILE_NOT_WRITTEN", path=str(self._home), reason="too many files")
        FRESH.write(path, Path(self._draft).read_bytes(), PUBLIC)
        figures = answer["figures"]
        shown = (("file", path.name), ("sha256", str(answer["sha256"])))
        return Enrolled("", (*shown, ("indices", figures["indices"]), ("right", figures["right"])))


def home_of(section: CameraSection) -> Path | None:
    """Return the file beside which a camera's own profiles are stored; None without deck and layout.

    Its name has the first letters of the configured profile's SHA-256, so that none counts beside another
    profile. Raises as `load_profile`.
    """
    if section.deck is not None:
        return section.deck.with_stem(f"{section.deck.stem}.{load_profile(section.deck).sha256[:8]}")
    return None if section.layout is None else section.layout.with_suffix(".profile")


def decks_of(section: CameraSection) -> list[Path | None]:
    """Return the profiles of a camera's deck: the configured one, then the later ones; the last counts."""
    home = home_of(section)
    return [section.deck, *([] if home is None else anew_beside(home))]


def deck_of(section: CameraSection) -> Path | None:
    """The profile of a camera's deck: the last that it made at the table, or the configured one."""
    return decks_of(section)[-1]


CODES: Final = {"worn": "DECK_WORN", "other": "DECK_OTHER_DESIGN", "new": "DECK_NOT_ENROLLED"}

_FIRST_CARDS: Final = 24
_UNREAD_OF_THEM: Final = 4
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
        """Measure the new cards of the last pictures (BGR); return the first notice."""
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
        """Count the new cards; report a new deck once, when enough cards show it."""
        self._read |= {event.track for event in scene.events if isinstance(event, Locked)}
        self._unread += sum(isinstance(event, UnclearSpot) for event in scene.events)
        cards = len(self._read) + self._unread
        if self._reported or cards < _FIRST_CARDS or self._unread * _FIRST_CARDS < _UNREAD_OF_THEM * cards:
            return None
        self._reported = True
        return PrintNotice("new", cards, self._unread, 0)


def _new_places(scene: TrackedScene) -> Iterator[PointPx]:
    """Yield the places of cards locked in this picture with rank and suit, or reported as unread."""
    places = {track.track: track.at for track in scene.tracks if track.state == "seen"}
    for event in scene.events:
        # A lock of the rank alone may be followed by one of the suit: the card would count twice.
        if isinstance(event, Locked) and event.name.suit is not None and event.track in places:
            yield places[event.track]
        if isinstance(event, UnclearSpot):
            yield event.at


def deck_trouble(notice: PrintNotice, name: str, *, required: bool) -> Trouble:
    """Return the alert about a camera's deck; another design holds a table that needs the camera."""
    params = (
        ("name", name),
        ("cards", notice.cards),
        ("beyond", notice.beyond),
        ("percent", notice.percent),
    )
    return Trouble(CODES[notice.what], params, hold=required and notice.what == "other")

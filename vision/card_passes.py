"""Count cards that pass a shoe's mouth: the foreground of each picture, and one event for each card.

A card counts when it has left the shoe, as with a shoe that reads by itself. Its name is reported only when
several pictures of it agree. Whether there were one or two cards follows from places and times. An index may
be another card's when it was out of sight in motion for longer than one card needs to make room for the next,
or is suddenly further back. Two certain names mean two cards; otherwise it stays unknown.
"""

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.looks import Looks, look_of_read
from vision.reading import CardName

MouthState = Literal["empty", "sheet", "covered", "dark", "glare"]
ExitSide = Literal["bottom", "top", "right", "left"]
"""The side of the picture where cards go out of sight."""


_SHEET_SHARE: Final = 0.03
"""Paper that makes a sheet, and anything else that is a cover.

Source: no measurement on record for the single numbers; docs/measurements/reader.md, A camera at the shoe's
mouth, has their joint effect.
"""

_END_FILLED: Final = 0.2
"""Where cards come in, or leave, is this share of the picture's length; a sheet fills so much of it.

Source: as above.
"""


class Foreground(NamedTuple):
    """One picture; `at_entry`, `at_exit`: a sheet reaches that side. `cut`: it has the cut card's own colour.

    `middle` is the sheet's centre, from 0 at the entry to 1 at the exit; 0 without a sheet.
    """

    state: MouthState
    at_entry: bool
    at_exit: bool
    moving: bool
    cut: bool = False
    middle: float = 0.0


class ForegroundDetector:
    """Looks at the pictures of one mouth in their order."""

    def __init__(self, leaves: ExitSide = "bottom", cut_bgr: tuple[int, int, int] | None = None) -> None:
        """`leaves` is the side where a card goes out of sight; `cut_bgr` the cut card's colour, if known."""
        self._leaves = leaves
        self._cut = None if cut_bgr is None else np.array(cut_bgr, np.float32)
        self._empty: Image | None = None
        self._before: Image | None = None
        self._still_ms: int | None = None

    def look(self, picture: Image, mono_ms: int) -> Foreground:
        """Take the next picture (height x width x 3, BGR), taken at `mono_ms`, which never goes back."""
        small = _small(picture)
        if self._before is not None and self._before.shape != small.shape:
            self._empty = self._before = None
        moving = self._moved(small)
        self._still_ms = mono_ms if moving or self._still_ms is None else self._still_ms
        planes = np.asarray(cv2.split(small))
        dark, bright = np.min(planes, axis=0), np.max(planes, axis=0)
        # 105.0: darkest channel of paper at least: exposure is set so that cards are bright.
        # 0.30: paper has less colour than this: distance of the channels as a share of the brightest.
        paper = np.asarray((dark >= 105.0) & (bright - dark <= 0.30 * bright))
        resting = self._empty is None and not moving and self._before is not None
        if resting and paper.mean() < _SHEET_SHARE:
            self._empty = small
        self._before = small
        foreign = self._foreign(small, paper)
        cut = self._is_cut(small) & foreign
        sheet = (paper & foreign) | cut
        state = self._state(picture, small, sheet, foreign)
        along = _along(foreign, self._leaves)
        # Limits for a difference from the empty mouth. Shares are of the picture, levels are grey levels.
        # Source: no measurement on record for the single numbers; docs/measurements/reader.md, A camera at
        # the shoe's mouth, has their joint effect.
        is_cut = bool(cut.mean() > 0.25)
        # 0.12, 0.2: where cards come in, or leave, is this share of the picture's length; a sheet fills so
        # much of it.
        length = max(1, round(0.12 * len(along)))
        entry, exit_ = (float(part.mean()) for part in (along[:length], along[-length:]))
        places = (np.arange(len(along)) + 0.5) / len(along)
        found = Foreground(
            state,
            *(entry > _END_FILLED, exit_ > _END_FILLED),
            moving,
            is_cut,
            float(along @ places / max(float(along.sum()), 1e-9)),
        )
        self._learn(found, small, mono_ms)
        return found

    def _state(self, picture: Image, small: Image, sheet: Image, foreign: Image) -> MouthState:
        step = 4
        # 250, 0.5, 4: more than this share at the end of the scale: ink may have vanished too. Every so
        # many pixels one is asked.
        glare = (picture[::step, ::step] >= 250).all(axis=2)
        if float(np.mean(glare)) > 0.5:
            return "glare"
        if sheet.mean() >= _SHEET_SHARE:
            return "sheet"
        # 0.45: an empty mouth that is darker than this share of before has lost its light.
        if self._empty is not None and small.mean() < 0.45 * self._empty.mean():
            return "dark"
        if self._empty is not None and foreign.mean() >= 0.30:
            return "covered"
        return "empty"

    def _foreign(self, small: Image, paper: Image) -> Image:
        """Before the empty mouth is known, only paper is known to be foreign."""
        if self._empty is None:
            return paper
        # 26.0: difference from the empty mouth, in any channel, that makes a pixel foreign.
        return np.asarray(np.abs(small - self._empty).max(axis=2) > 26.0)

    def _is_cut(self, small: Image) -> Image:
        if self._cut is None:
            return np.zeros(small.shape[:2], bool)
        # 40.0, 0.25: the cut card's colour within so many levels, and the share of the picture that it fills.
        return np.asarray(np.abs(small - self._cut).max(axis=2) < 40.0)

    def _moved(self, small: Image) -> bool:
        if self._before is None:
            return False
        # 12.0, 0.015: difference from the picture before that is motion, and in which share of the picture.
        changed = np.abs(small - self._before).max(axis=2) > 12.0
        return float(np.mean(changed)) > 0.015

    def _learn(self, found: Foreground, small: Image, mono_ms: int) -> None:
        """Adapt to the light of the empty mouth, and to an object that has long lain still in it."""
        if self._empty is None or self._still_ms is None:
            return
        if found.state == "empty" and not found.moving:
            # 0.03: share by which the picture of the empty mouth follows slow light, each picture.
            self._empty = self._empty + 0.03 * (small - self._empty)
        # 3000: what covers the mouth, lies still for so long and is no paper has become part of it.
        elif found.state == "covered" and mono_ms - self._still_ms >= 3000:
            self._empty = small


def _small(picture: Image) -> Image:
    """The picture made smaller, float32, height x width x 3."""
    # 64: longer side of the small picture on which all of this works.
    scale = 64 / max(picture.shape[:2])
    size = (max(4, round(picture.shape[1] * scale)), max(4, round(picture.shape[0] * scale)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def _along(mask: Image, leaves: ExitSide) -> Points:
    """Share of the mask at each place between entry and exit, n."""
    along = mask.mean(axis=1 if leaves in {"bottom", "top"} else 0)
    return np.asarray(along[::-1] if leaves in {"top", "left"} else along)


UncertainAbout = Literal["two", "unclear", "gap", "covered", "dark", "glare"]
"""Perhaps two cards as one; which way a card went; pictures are missing; the mouth was not to be seen (three
ways)."""


class IndexDetection(NamedTuple):
    """An index that was certain in one picture: name, probability (0..1), place.

    `along` is the place between the side where cards come in (0) and the exit (1).
    """

    name: CardName
    p: float
    along: float


class MouthObservation(NamedTuple):
    """One picture: its time, what differs from the empty mouth, and the certain indices."""

    mono_ms: int
    foreground: Foreground
    detections: tuple[IndexDetection, ...] = ()


class CardLeft(NamedTuple):
    """A card has left; `name` is None when it was not certain, `p` (0..1) the probability of the name."""

    name: CardName | None
    p: float


class CutCardLeft(NamedTuple):
    """The cut card has left."""

    cut: bool = True


class PulledBack(NamedTuple):
    """A card went back into the shoe; it has not been counted."""

    back: bool = True


class Uncertain(NamedTuple):
    """Something that could not be determined; reported before the card that it concerns."""

    about: UncertainAbout


MouthEvent = CardLeft | CutCardLeft | PulledBack | Uncertain


_PASS_READS: Final = 3
"""Fewest pictures that must name a card.

Source: no measurement on record for the single numbers; docs/measurements/reader.md, A camera at the shoe's
mouth, has their joint effect.
"""

_PASS_EXCHANGE_MS: Final = 100
"""No card makes room for the next one's index in less: a card's length at nearly a metre a second.

Source: as above.
"""

_PASS_STEADY: Final = 0.05
"""Within this share an index is at its place. Source: as above."""


GAP_MS: Final = 200
"""Without a picture for longer than this, a card may have passed unseen; a table's configuration may say
another.

Source: no measurement on record.
"""

PassDirection = Literal["out", "back"]


@dataclass
class _Pass:
    """The state of the sheet in the mouth.

    `rival` is an index that may be the next card's; `adrift_ms` is the time of unread motion. `entered` is
    the sheet's middle when it was first seen at the exit alone: a fast card, or an object from the felt.
    `odd`: it came from the felt, or was there before the first picture.
    """

    odd: bool = False
    entered: float | None = None
    looks: Looks = field(default_factory=Looks)
    rival: Looks = field(default_factory=Looks)
    way: PassDirection | None = None
    reached_exit: bool = False
    last: IndexDetection | None = None
    adrift_ms: int = 0
    cuts: int = 0
    doubted: bool = False


class CardPasses:
    """Follows one mouth. Time is that of the pictures and never goes back."""

    def __init__(self, gap_ms: int = GAP_MS) -> None:
        """Without a picture for longer than `gap_ms` a card may have passed unseen."""
        self._gap_ms = gap_ms
        self._at_ms: int | None = None
        self._pass: _Pass | None = None
        self._empty_ms: int | None = None
        self._blind_ms: int | None = None
        self._named_blind = False

    @property
    def named(self) -> CardName | None:
        """The card in the mouth, None while it is not certain or none is there."""
        one = self._pass
        return one.looks.best if one is not None and one.looks.agreed(_PASS_READS) else None

    def take(self, observation: MouthObservation) -> list[MouthEvent]:
        """Take the next picture; return its events."""
        events = self._after_gap(observation.mono_ms)
        since_ms = None if self._at_ms is None else observation.mono_ms - self._at_ms
        self._at_ms = observation.mono_ms
        match observation.foreground.state:
            case "sheet":
                self._blind_ms = None
                return events + self._sheet(observation, since_ms)
            case "empty":
                self._blind_ms = None
                return events + self._empty(observation.mono_ms)
            case about:
                return events + self._blind(about, observation.mono_ms)

    def _after_gap(self, now_ms: int) -> list[MouthEvent]:
        if self._at_ms is None or now_ms - self._at_ms <= self._gap_ms:
            return []
        if self._pass is not None:
            self._pass.way = None
        return [Uncertain("gap")]

    def _blind(self, about: UncertainAbout, now_ms: int) -> list[MouthEvent]:
        """Report once what hides the mouth, when a card could have passed behind it."""
        self._empty_ms = None
        if self._blind_ms is None:
            self._blind_ms, self._named_blind = now_ms, False
        # Limits for a passed card and for an unknown one. Shares are of the picture's length. Source: no
        # measurement on record for the single numbers; docs/measurements/reader.md, A camera at the shoe's
        # mouth, has their joint effect.
        # 150: under a cover, in the dark or in glare for longer than this, a card may have passed unseen.
        if self._named_blind or now_ms - self._blind_ms < 150:
            return []
        self._named_blind = True
        if self._pass is not None:
            self._pass.way = None
        return [Uncertain(about)]

    def _empty(self, now_ms: int) -> list[MouthEvent]:
        if self._pass is None:
            return []
        if self._empty_ms is None:
            self._empty_ms = now_ms
        # 25: an empty mouth counts when the next picture, so much later, shows it too.
        if now_ms - self._empty_ms < 25:
            return []
        gone, self._pass = self._pass, None
        # The events of a sheet that has gone.
        if gone.way == "back":
            return [PulledBack()] if gone.last is not None or gone.reached_exit else []
        if gone.odd and gone.last is None:
            # It came from the felt's side and went there again: no card, as far as anybody could see.
            return [Uncertain("unclear")]
        doubts = _uncertain_two(gone) if gone.rival.reads else []
        if gone.way is None or gone.odd:
            doubts.append(Uncertain("unclear"))
        return [*doubts, _left(gone)]

    def _sheet(self, observation: MouthObservation, since_ms: int | None) -> list[MouthEvent]:
        self._empty_ms = None
        shown, detections = observation.foreground, observation.detections
        if self._pass is None:
            from_exit = shown.at_exit and not shown.at_entry
            self._pass = _Pass(odd=since_ms is None, entered=shown.middle if from_exit else None)
        one = self._pass
        if one.entered is not None and shown.middle < one.entered - _PASS_STEADY:
            one.odd = True
        if shown.at_entry:
            one.entered = None
        if shown.at_entry != shown.at_exit:
            one.way = "out" if shown.at_exit else "back"
        one.reached_exit |= shown.at_exit
        one.cuts += shown.cut
        if len({detection.name for detection in detections}) > 1:
            return _uncertain_two(one)
        best = max(detections, key=lambda detection: detection.p, default=None)
        if best is not None:
            return self._read(one, best)
        if shown.moving:
            one.adrift_ms += min(since_ms or 0, _PASS_EXCHANGE_MS)
        return []

    def _read(self, one: _Pass, detection: IndexDetection) -> list[MouthEvent]:
        """Count a read for the card in the mouth, or for a possible next one."""
        if not _may_be_next(one, detection):
            one.looks.add(look_of_read(detection.name, detection.p, 1))
            one.last, one.adrift_ms = detection, 0
            return []
        if detection.name == one.looks.best:
            one.last, one.adrift_ms = detection, 0
            return _uncertain_two(one)
        one.rival.add(look_of_read(detection.name, detection.p, 1))
        # 2: fewest pictures that must name another card before it is taken for the next one.
        if one.rival.best != detection.name or one.rival.reads < 2:
            return []
        # Continue with the card of another name; the previous one counts where it was certain.
        after = _Pass(looks=one.rival, last=detection)
        self._pass = after
        return [_left(one)] if one.looks.agreed(_PASS_READS) else _uncertain_two(after)


def _may_be_next(one: _Pass, detection: IndexDetection) -> bool:
    """Whether this index may belong to another card than the last one."""
    if one.last is None:
        return False
    # 0.25: an index so much further back than a picture ago is another card's, or was pushed.
    if detection.along < one.last.along - 0.25:
        return True
    further = detection.name == one.looks.best and detection.along >= one.last.along - _PASS_STEADY
    # 250: an index that comes back in its place or further on, as that of a card on its way, may be another
    # then.
    return one.adrift_ms >= (250 if further else _PASS_EXCHANGE_MS)


def _uncertain_two(one: _Pass) -> list[MouthEvent]:
    """Say once of a sheet that it may be two."""
    if one.doubted:
        return []
    one.doubted = True
    return [Uncertain("two")]


def _left(one: _Pass) -> CardLeft | CutCardLeft:
    # 2: fewest pictures that must show the cut card's colour.
    if one.cuts >= 2 and one.last is None:
        return CutCardLeft()
    if not one.looks.agreed(_PASS_READS):
        return CardLeft(None, 0.0)
    return CardLeft(one.looks.best, one.looks.p_of(one.looks.best))

"""Classify one picture of a shoe's mouth without naming the card: empty, a sheet, or uncertain.

Every picture is reduced and compared with the empty mouth. A bright difference without colour is paper; any
other difference is print, a hand or plastic.
"""

from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points

MouthState = Literal["empty", "sheet", "covered", "dark", "glare"]
ExitSide = Literal["bottom", "top", "right", "left"]
"""The side of the picture where cards go out of sight."""


class ForegroundLimits(NamedTuple):
    """Limits for a difference from the empty mouth. Shares are of the picture, levels are grey levels.

    Source: no measurement on record for the single numbers; docs/measurements/reader.md, A camera at the
    shoe's mouth, has their joint effect.
    """

    small_px: int = 64
    """Longer side of the small picture on which all of this works."""

    foreign: float = 26.0
    """Difference from the empty mouth, in any channel, that makes a pixel foreign."""

    paper_level: float = 105.0
    """Darkest channel of paper at least: exposure is set so that cards are bright."""

    pale: float = 0.30
    """Paper has less colour than this: distance of the channels as a share of the brightest."""

    sheet_share: float = 0.03
    covered_share: float = 0.30
    """Paper that makes a sheet, and anything else that is a cover."""

    dark: float = 0.45
    """An empty mouth that is darker than this share of before has lost its light."""

    glare_level: int = 250
    glare_share: float = 0.5
    glare_step: int = 4
    """More than this share at the end of the scale: ink may have vanished too. Every so many pixels one is
    asked."""

    motion: float = 12.0
    motion_share: float = 0.015
    """Difference from the picture before that is motion, and in which share of the picture."""

    end: float = 0.12
    end_filled: float = 0.2
    """Where cards come in, or leave, is this share of the picture's length; a sheet fills so much of it."""

    follow: float = 0.03
    """Share by which the picture of the empty mouth follows slow light, each picture."""

    learn_ms: int = 3000
    """What covers the mouth, lies still for so long and is no paper has become part of it."""

    cut_near: float = 40.0
    cut_share: float = 0.25
    """The cut card's colour within so many levels, and the share of the picture that it fills."""


LIMITS: Final = ForegroundLimits()


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
        paper = _is_paper(small)
        resting = self._empty is None and not moving and self._before is not None
        if resting and paper.mean() < LIMITS.sheet_share:
            self._empty = small
        self._before = small
        found = self._judged(picture, small, paper, moving)
        self._learn(found, small, mono_ms)
        return found

    def _judged(self, picture: Image, small: Image, paper: Image, moving: bool) -> Foreground:
        foreign = self._foreign(small, paper)
        cut = self._is_cut(small) & foreign
        sheet = (paper & foreign) | cut
        state = self._state(picture, small, sheet, foreign)
        along = _along(foreign, self._leaves)
        is_cut = bool(cut.mean() > LIMITS.cut_share)
        return Foreground(state, *_ends(along), moving, is_cut, _middle(along))

    def _state(self, picture: Image, small: Image, sheet: Image, foreign: Image) -> MouthState:
        step = LIMITS.glare_step
        glare = (picture[::step, ::step] >= LIMITS.glare_level).all(axis=2)
        if float(np.mean(glare)) > LIMITS.glare_share:
            return "glare"
        if sheet.mean() >= LIMITS.sheet_share:
            return "sheet"
        if self._empty is not None and small.mean() < LIMITS.dark * self._empty.mean():
            return "dark"
        if self._empty is not None and foreign.mean() >= LIMITS.covered_share:
            return "covered"
        return "empty"

    def _foreign(self, small: Image, paper: Image) -> Image:
        """Before the empty mouth is known, only paper is known to be foreign."""
        if self._empty is None:
            return paper
        return np.asarray(np.abs(small - self._empty).max(axis=2) > LIMITS.foreign)

    def _is_cut(self, small: Image) -> Image:
        if self._cut is None:
            return np.zeros(small.shape[:2], bool)
        return np.asarray(np.abs(small - self._cut).max(axis=2) < LIMITS.cut_near)

    def _moved(self, small: Image) -> bool:
        if self._before is None:
            return False
        changed = np.abs(small - self._before).max(axis=2) > LIMITS.motion
        return float(np.mean(changed)) > LIMITS.motion_share

    def _learn(self, found: Foreground, small: Image, mono_ms: int) -> None:
        """Adapt to the light of the empty mouth, and to an object that has long lain still in it."""
        if self._empty is None or self._still_ms is None:
            return
        if found.state == "empty" and not found.moving:
            self._empty = self._empty + LIMITS.follow * (small - self._empty)
        elif found.state == "covered" and mono_ms - self._still_ms >= LIMITS.learn_ms:
            self._empty = small


def _small(picture: Image) -> Image:
    """The picture at `small_px`, float32, height x width x 3."""
    scale = LIMITS.small_px / max(picture.shape[:2])
    size = (max(4, round(picture.shape[1] * scale)), max(4, round(picture.shape[0] * scale)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def _is_paper(small: Image) -> Image:
    planes = np.asarray(cv2.split(small))
    dark, bright = np.min(planes, axis=0), np.max(planes, axis=0)
    return np.asarray((dark >= LIMITS.paper_level) & (bright - dark <= LIMITS.pale * bright))


def _along(mask: Image, leaves: ExitSide) -> Points:
    """Share of the mask at each place between entry and exit, n."""
    along = mask.mean(axis=1 if leaves in {"bottom", "top"} else 0)
    return np.asarray(along[::-1] if leaves in {"top", "left"} else along)


def _ends(along: Points) -> tuple[bool, bool]:
    """Return whether the entry side is filled, and whether the exit side is."""
    length = max(1, round(LIMITS.end * len(along)))
    entry, exit_ = (float(part.mean()) for part in (along[:length], along[-length:]))
    return entry > LIMITS.end_filled, exit_ > LIMITS.end_filled


def _middle(along: Points) -> float:
    places = (np.arange(len(along)) + 0.5) / len(along)
    return float(along @ places / max(float(along.sum()), 1e-9))

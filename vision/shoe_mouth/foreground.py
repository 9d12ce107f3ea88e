"""What one picture of a shoe's mouth shows, but for the card's name: empty, a sheet, or nothing certain.

Every picture is compared with the empty mouth, made small. What differs and is bright and without colour is
paper; anything else that differs is print, a hand or plastic.
"""

from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry.arrays import Image, Points

Sees = Literal["empty", "sheet", "covered", "dark", "glare"]
Side = Literal["bottom", "top", "right", "left"]

SMALL_PX: Final = 64
"""Length of the longer side of the small picture."""

FOREIGN: Final = 26.0
"""Grey levels, in any channel, by which something differs from the empty mouth."""

PAPER_LEAST: Final = 105.0
"""Darkest channel of paper at least: exposure is set so that cards are bright."""

PALE: Final = 0.30
"""Paper has less colour than this: distance of the channels as a share of the brightest."""

SHEET_LEAST: Final = 0.03
COVERED_LEAST: Final = 0.30
"""Shares of the picture: paper that makes a sheet, and anything else that is a cover."""

DARK_SHARE: Final = 0.45
"""An empty mouth this much darker than before has lost its light."""

GLARE_LEVEL: Final = 250
GLARE_SHARE: Final = 0.5
"""More than this share at the end of the scale: ink may have vanished too."""

MOTION: Final = 12.0
MOTION_LEAST: Final = 0.015
"""Grey levels from picture to picture, and in which share of the picture, that are motion."""

END: Final = 0.12
END_FILLED: Final = 0.2
"""Where cards come in, or leave, is this share of the picture's length; a sheet fills so much of it."""

FOLLOW: Final = 0.03
"""How fast the picture of the empty mouth follows slow light."""

LEARN_MS: Final = 3000
"""What lies still for so long and is no paper has become part of the mouth."""

CUT_NEAR: Final = 40.0
CUT_LEAST: Final = 0.25
"""The cut card's colour, in grey levels, and the share of the picture that it fills."""


class View(NamedTuple):
    """One picture; `at_entry`, `at_exit`: a sheet reaches that side. `cut` is the cut card's own colour.

    `middle` is where the sheet lies on the whole, 0 where cards come in, 1 the exit; 0 without one.
    """

    sees: Sees
    at_entry: bool
    at_exit: bool
    moving: bool
    cut: bool = False
    middle: float = 0.0


class MouthView:
    """Looks at the pictures of one mouth in their order."""

    def __init__(self, leaves: Side = "bottom", cut_bgr: tuple[int, int, int] | None = None) -> None:
        """`leaves` is the side where a card goes out of sight; `cut_bgr` the cut card's colour."""
        self._leaves = leaves
        self._cut = None if cut_bgr is None else np.array(cut_bgr, np.float32)
        self._empty: Points | None = None
        self._before: Points | None = None
        self._still_ms: int | None = None

    def look(self, picture: Image, mono_ms: int) -> View:
        """Take the next picture (height x width x 3, BGR)."""
        small = _small(picture)
        if self._before is not None and self._before.shape != small.shape:
            self._empty = self._before = None
        moving = self._moved(small)
        self._still_ms = mono_ms if moving or self._still_ms is None else self._still_ms
        paper = _is_paper(small)
        if self._empty is None and not moving and self._before is not None and paper.mean() < SHEET_LEAST:
            self._empty = small
        self._before = small
        view = self._judged(picture, small, paper, moving)
        self._learn(view, small, mono_ms)
        return view

    def _judged(self, picture: Image, small: Points, paper: Points, moving: bool) -> View:
        foreign = self._foreign(small, paper)
        cut = self._is_cut(small) & foreign
        sheet = (paper & foreign) | cut
        sees = self._sees(picture, small, sheet, foreign)
        along = _along(foreign, self._leaves)
        return View(sees, *_ends(along), moving, bool(cut.mean() > CUT_LEAST), _middle(along))

    def _sees(self, picture: Image, small: Points, sheet: Points, foreign: Points) -> Sees:
        if float(np.mean((picture[::4, ::4] >= GLARE_LEVEL).all(axis=2))) > GLARE_SHARE:
            return "glare"
        if sheet.mean() >= SHEET_LEAST:
            return "sheet"
        if self._empty is not None and small.mean() < DARK_SHARE * self._empty.mean():
            return "dark"
        if self._empty is not None and foreign.mean() >= COVERED_LEAST:
            return "covered"
        return "empty"

    def _foreign(self, small: Points, paper: Points) -> Points:
        """Before the empty mouth is known, only paper is known to be foreign."""
        if self._empty is None:
            return paper
        return np.asarray(np.abs(small - self._empty).max(axis=2) > FOREIGN)

    def _is_cut(self, small: Points) -> Points:
        if self._cut is None:
            return np.zeros(small.shape[:2], bool)
        return np.asarray(np.abs(small - self._cut).max(axis=2) < CUT_NEAR)

    def _moved(self, small: Points) -> bool:
        if self._before is None:
            return False
        return float(np.mean(np.abs(small - self._before).max(axis=2) > MOTION)) > MOTION_LEAST

    def _learn(self, view: View, small: Points, mono_ms: int) -> None:
        """Follow the light of the empty mouth; take for it what has covered it long and lies still."""
        if self._empty is None or self._still_ms is None:
            return
        if view.sees == "empty" and not view.moving:
            self._empty = self._empty + FOLLOW * (small - self._empty)
        elif view.sees == "covered" and mono_ms - self._still_ms >= LEARN_MS:
            self._empty = small


def _small(picture: Image) -> Points:
    scale = SMALL_PX / max(picture.shape[:2])
    size = (max(4, round(picture.shape[1] * scale)), max(4, round(picture.shape[0] * scale)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def _is_paper(small: Points) -> Points:
    dark, bright = np.minimum.reduce(cv2.split(small)), np.maximum.reduce(cv2.split(small))
    return np.asarray((dark >= PAPER_LEAST) & (bright - dark <= PALE * bright))


def _along(mask: Points, leaves: Side) -> Points:
    """How much of the mask there is at each place between entry and exit."""
    along = mask.mean(axis=1 if leaves in {"bottom", "top"} else 0)
    return np.asarray(along[::-1] if leaves in {"top", "left"} else along)


def _ends(along: Points) -> tuple[bool, bool]:
    """Whether the side where cards come in is filled, and the one where they leave."""
    length = max(1, round(END * len(along)))
    return bool(along[:length].mean() > END_FILLED), bool(along[-length:].mean() > END_FILLED)


def _middle(along: Points) -> float:
    places = (np.arange(len(along)) + 0.5) / len(along)
    return float(along @ places / max(float(along.sum()), 1e-9))

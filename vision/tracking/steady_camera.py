"""Decide whether the camera is in its place and its usual light: pictures in, one of five states out.

Cards are followed only while it is in its place: after a bump everything is read elsewhere.
"""

from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points
from vision.tracking.registration import REGISTRATION_RULE, PictureRegistration, Registration

_CONFIRM_MS: Final = 250
_CONFIRM_PICTURES: Final = 3
"""A camera counts as moved, or as back, after so many pictures and so long: a table that somebody knocks
against swings. Not measured."""

COVERED_MS: Final = 3000
"""What hides the print and the cards for longer is no hand that passes. Not measured."""

_ADOPT_MS: Final = 1000
"""How often what lies on the felt is counted among what shows the camera's place."""


class LightRule(NamedTuple):
    """Limits for changed light, as shares of brightness. Source: no measurement on record."""

    cells: tuple[int, int] = (16, 9)
    """Cells across and down whose brightness is compared."""

    share: float = 0.35
    most: float = 0.4
    """Light has changed when so large a share of the cells is brighter, or darker, by this much."""

    ms: int = 1000
    """It has when that lasts so long; hands and guests that lean over pass."""

    steady: float = 0.04
    """It is steady again when no more than this changes within `ms`."""

    follow: float = 0.02
    """How much of the present light is taken on at each look: the day goes by unnoticed."""

    look_ms: int = 200
    """Time between looks."""


LIGHT_RULE: Final = LightRule()

State = Literal["in_place", "doubt", "moved", "covered", "light"]


class Standing(NamedTuple):
    """The camera's state. `since_ms` is its start; `place` the last registration with a known place.

    `in_place`: cards may be followed. `doubt`: they may not, and nothing is reported yet. `moved`, `covered`
    (no print is visible) and `light` (changed and not yet steady) are reported.
    """

    state: State
    since_ms: int
    place: Registration | None = None


class SteadyCamera:
    """Watches one camera's pictures; for one thread. Pictures of another size begin anew."""

    def __init__(self, reference: Image | None = None) -> None:
        """`reference` is a picture (BGR) of the camera in its place; the first picture without one."""
        self._shape: tuple[int, ...] = () if reference is None else reference.shape
        self._registration = None if reference is None else PictureRegistration(reference)
        self._light = _LightWatch()
        self._standing = Standing("in_place", 0)
        self._candidate: Literal["in_place", "moved", "unknown"] = "in_place"
        self._candidate_ms, self._pictures = 0, 0
        self._adopted_ms = 0

    def look(self, image: Image, mono_ms: int) -> Standing:
        """Take the next picture (BGR), seen at `mono_ms`, which never goes back."""
        if self._registration is None or image.shape != self._shape:
            self.begin(image, mono_ms)
            return self._standing
        found = self._registration.look(image)
        self._count(found, mono_ms)
        state = self._settled(found, mono_ms)
        if state == "covered" and self._standing.place is None:
            # Never seen in its place: the reference shows sheets, or another table.
            self.begin(image, mono_ms)
            return self._standing
        # A coat over the camera is no light: only a table that is seen says of its light.
        if state == "in_place" and (light := self._light.look(image, mono_ms)) != "same":
            state = "light" if light == "changed" else "doubt"
        self._take(state, found, mono_ms)
        return self._standing

    def begin(self, image: Image, mono_ms: int) -> None:
        """Count this picture as one of the camera in its place."""
        self._shape = image.shape
        self._registration = PictureRegistration(image)
        self._light.begin(image, mono_ms)
        self._standing = Standing("in_place", mono_ms)
        self._candidate, self._candidate_ms, self._pictures = "in_place", mono_ms, 0
        self._adopted_ms = mono_ms

    def _count(self, found: Registration, mono_ms: int) -> None:
        """Count how long pictures have said the same."""
        if found.verdict != self._candidate:
            self._candidate, self._candidate_ms, self._pictures = found.verdict, mono_ms, 0
        self._pictures += 1

    def _settled(self, found: Registration, mono_ms: int) -> State:
        """Return the state that the pictures agree on."""
        before, lasts_ms = self._standing.state, mono_ms - self._candidate_ms
        confirmed = lasts_ms >= _CONFIRM_MS and self._pictures >= _CONFIRM_PICTURES
        match found.verdict:
            case "moved":
                return "moved" if confirmed or before == "moved" else "doubt"
            case "in_place":
                return "in_place" if confirmed or before in {"in_place", "light"} else before
            case "unknown":
                return self._unknown(found, lasts_ms)

    def _unknown(self, found: Registration, lasts_ms: int) -> State:
        """A table without print says nothing; one with print that shows none of it is covered."""
        before = self._standing.state
        if before in {"moved", "covered"}:
            return before
        if found.known < REGISTRATION_RULE.corners_least:
            return "in_place"
        return "covered" if lasts_ms >= COVERED_MS else "doubt"

    def _take(self, state: State, found: Registration, mono_ms: int) -> None:
        since_ms = self._standing.since_ms if state == self._standing.state else mono_ms
        place = self._standing.place if found.verdict == "unknown" else found
        self._standing = Standing(state, since_ms, place)
        if state == "in_place" and mono_ms - self._adopted_ms >= _ADOPT_MS:
            assert self._registration is not None, "looked before it began"
            self._registration.adopt()
            self._adopted_ms = mono_ms


class _LightWatch:
    """Follows the brightness of the table's parts."""

    def __init__(self) -> None:
        self._usual: Points | None = None
        self._recent: Points | None = None
        self._looked_ms = self._since_ms = self._steady_ms = 0
        self._said: Literal["same", "doubt", "changed"] = "same"

    def begin(self, image: Image, mono_ms: int) -> None:
        """Take this picture's light for the usual one."""
        self._usual = self._recent = _brightness(image)
        self._looked_ms, self._said = mono_ms, "same"

    def look(self, image: Image, mono_ms: int) -> Literal["same", "doubt", "changed"]:
        """Compare the light with the usual one.

        `changed` until the new light is steady, and then it becomes the usual one.
        """
        if self._usual is None or self._recent is None:
            self.begin(image, mono_ms)
            assert self._usual is not None, "just begun"
        if mono_ms - self._looked_ms < LIGHT_RULE.look_ms:
            return self._said
        self._looked_ms = mono_ms
        now = _brightness(image)
        if not _is_unlike(now, self._usual):
            self._usual += LIGHT_RULE.follow * (now - self._usual)
            self._said = "same"
            return self._said
        if self._said == "same":
            self._said, self._since_ms, self._steady_ms, self._recent = "doubt", mono_ms, mono_ms, now
        if abs(float(np.median(now / self._recent)) - 1) > LIGHT_RULE.steady:
            self._steady_ms, self._recent = mono_ms, now
        if self._said == "doubt" and mono_ms - self._since_ms >= LIGHT_RULE.ms:
            self._said, self._steady_ms, self._recent = "changed", mono_ms, now
        elif self._said == "changed" and mono_ms - self._steady_ms >= LIGHT_RULE.ms:
            self.begin(image, mono_ms)
        return self._said


def _brightness(image: Image) -> Points:
    """Mean grey level of each cell, from 1 on."""
    small = cv2.resize(image, LIGHT_RULE.cells, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float64) + 1


def _is_unlike(now: Points, usual: Points) -> bool:
    """Whether a large part of the table is brighter, or a large part of it darker."""
    ratio = now / usual
    brighter, darker = np.mean(ratio > 1 + LIGHT_RULE.share), np.mean(ratio < 1 / (1 + LIGHT_RULE.share))
    return max(float(brighter), float(darker)) > LIGHT_RULE.most

"""The survey: a heat map of the whole picture, which finds indices and cards in a way of its own.

The search for ink and the outlines of cards miss things for reasons of geometry; this network looks at the
picture as a whole and names no card. What only one of the two sees is unclear.
"""

from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from vision.geometry.arrays import Image, Points
from vision.inference.manifest import manifest_of, model_bytes
from vision.native.kernel import SURVEY_PATCH, SURVEY_PX, GainRule, survey_patches

LONG_PX: Final = SURVEY_PX
"""Long side of the network's picture at most: larger ones are made smaller by a whole number."""

SMALL_PX: Final = 640
"""Pictures with a longer side than this are halved at least."""

PATCH: Final = SURVEY_PATCH
DEPTH: Final = PATCH * PATCH * 3
"""The network takes squares of so many pixels a side as one place with all of their tones."""

CELL: Final = 2 * PATCH
"""Side of a cell of the output, in pixels of the network's picture; the heat has four values a cell."""

ALIGN: Final = 4 * PATCH
"""The network's picture has sides that are multiples of this."""

KINDS: Final = ("felt", "face", "back", "cut", "thing")
"""What a cell may hold. A joker counts as a face."""

OUTPUTS: Final = len(KINDS) + 4 + 1
"""Logits of the kinds, of the heat in the cell's four quarters, and a height."""

HEIGHT_UNIT: Final = 4.0
"""The height's output times this is the logarithm to base 2 of an index's height."""

WHITE_TONE: Final = 230.0
WHITE_SHARE: Final = 0.97
GAIN: Final = (0.8, 6.0)
"""The tone that this share of the picture is darker than is brought to WHITE_TONE, by such a factor."""

RULE: Final = GainRule(WHITE_SHARE, WHITE_TONE, *GAIN)


class Peaks(NamedTuple):
    """Where indices seem to be: centres (n x 2) and heights in pixels of the picture, and how sure (n)."""

    centres: Points
    heights: Points
    p: Points


class Survey(NamedTuple):
    """What the network says of a picture.

    `kinds` rows x columns x KINDS: probabilities for each cell; `heat` twice as many rows and columns:
    whether an index's centre is there; `heights` rows x columns: how high an index there would be, in pixels
    of the picture; `scale`: pixels of the picture for one of the network's.
    """

    kinds: Points
    heat: Points
    heights: Points
    scale: float

    def kind(self, name: str) -> Points:
        """Probability of a kind for each cell."""
        return np.ascontiguousarray(self.kinds[..., KINDS.index(name)])

    def peaks(self, least: float) -> Peaks:
        """The highest places of the heat that reach `least`."""
        highest = (self.heat >= least) & (self.heat == cv2.dilate(self.heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.divmod(np.flatnonzero(highest), highest.shape[1])
        centres = ((np.stack([columns, rows], 1) + 0.5) * PATCH - 0.5) * self.scale
        return Peaks(centres, self.heights[rows // 2, columns // 2], self.heat[rows, columns])

    def heat_at(self, centres: Points) -> Points:
        """Heat at n x 2 places of the picture: the nearest cell's, for it may end after the last cell."""
        places = ((centres / self.scale + 0.5) / PATCH).astype(np.intp)
        columns, rows = places.clip(0, np.array(self.heat.shape[::-1]) - 1).T
        return np.asarray(self.heat[rows, columns])

    def heat_near(self, centre: Points, reach: float) -> float:
        """The highest heat within `reach` pixels of a place of the picture, at least of its own place."""
        (left, top), (right, foot) = (
            np.floor(((centre + side * reach) / self.scale + 0.5) / PATCH).astype(int) for side in (-1, 1)
        )
        part = self.heat[max(top, 0) : max(foot, 0) + 1, max(left, 0) : max(right, 0) + 1]
        return float(part.max(initial=0.0))

    def share(self, corners: Points, kind: str) -> float:
        """Mean probability of a kind within a convex outline of the picture."""
        pixel = CELL * self.scale
        mask = np.zeros(self.kinds.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round((corners + 0.5) / pixel - 0.5).astype(np.int32), 1)
        inside = mask.astype(bool)
        return float(self.kinds[inside, KINDS.index(kind)].mean()) if inside.any() else 0.0


def patched(picture: Image) -> Image:
    """A picture whose sides are multiples of ALIGN, as rows x columns x DEPTH; a copy."""
    rows, columns = picture.shape[0] // PATCH, picture.shape[1] // PATCH
    strips = np.ascontiguousarray(picture).reshape(-1).view(f"V{3 * PATCH}")
    squares = strips.reshape(rows, PATCH, columns).transpose(0, 2, 1)
    return np.ascontiguousarray(squares).view(np.uint8).reshape(rows, columns, DEPTH)


def _scale_of(image: Image) -> int:
    """Pixels of the picture for one of the network's."""
    long_px: int = max(image.shape[:2])
    return max(-(-long_px // LONG_PX), 2 if long_px > SMALL_PX else 1)


def gain_of(picture: Image) -> float:
    """The factor that brings the brightest parts of a picture to WHITE_TONE."""
    blue, green, red = cv2.split(np.ascontiguousarray(picture[::CELL, ::CELL]))
    tones = np.bincount(cv2.max(cv2.max(blue, green), red).ravel(), minlength=256).cumsum()
    white = int(np.searchsorted(tones, WHITE_SHARE * tones[-1]))
    return float(np.clip(WHITE_TONE / max(white, 1), *GAIN))


def prepared(image: Image) -> Image:
    """The picture as the network takes it: smaller, evenly bright, with sides that are multiples of ALIGN."""
    scale = _scale_of(image)
    height, width = (max(1, side // scale) for side in image.shape[:2])
    even = np.empty((height + -height % ALIGN, width + -width % ALIGN, 3), np.uint8)
    part = even[:height, :width]
    way = cv2.INTER_AREA if scale == 2 else cv2.INTER_LINEAR
    cv2.resize(image, (width, height), dst=part, interpolation=way)
    cv2.convertScaleAbs(part, dst=part, alpha=gain_of(part))
    even[height:, :width] = part[-1]
    even[:, width:] = even[:, width - 1 : width]
    return even


def patches_in_opencv(image: Image) -> Image:
    """What `kernel.survey_patches` gives."""
    return patched(prepared(image))


def patches_of(image: Image) -> tuple[Image, int]:
    """The network's input for a picture, rows x columns x DEPTH, and pixels for one of the network's."""
    scale = _scale_of(image)
    patches = survey_patches(image, scale, ALIGN // PATCH, RULE)
    return (patches_in_opencv(image) if patches is None else patches), scale


def _softmax(logits: Points) -> Points:
    power = np.exp(logits - logits.max(axis=0))
    return np.asarray(power / power.sum(axis=0))


def survey_of(outputs: Points, scale: float) -> Survey:
    """A survey from the network's outputs, OUTPUTS x rows x columns."""
    count, (rows, columns) = len(KINDS), outputs.shape[1:]
    heat = np.empty((rows, 2, columns, 2), outputs.dtype)
    for number, quarter in enumerate(1 / (1 + np.exp(-outputs[count : count + 4]))):
        heat[:, number // 2, :, number % 2] = quarter
    heights = np.exp2(np.clip(outputs[-1] * HEIGHT_UNIT, 0, 10)) * scale
    kinds = _softmax(outputs[:count]).transpose(1, 2, 0)
    return Survey(kinds, heat.reshape(2 * rows, 2 * columns), heights, scale)


class SurveyNetwork:
    """The network and its manifest. One instance may be used by one thread at a time."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        """Use `open`."""
        self._session = session

    @classmethod
    def open(cls, folder: Path) -> "SurveyNetwork":
        """Loads the model of a folder; ConfigError MODEL_MISSING or MODEL_CHANGED."""
        data = model_bytes(folder, manifest_of(folder), {"kinds": list(KINDS), "depth": DEPTH})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return cls(onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"]))

    def look(self, image: Image) -> Survey:
        """Surveys a BGR picture of any size."""
        return self.see(*patches_of(image))

    def see(self, patches: Image, scale: int) -> Survey:
        """Surveys a picture by its `patches_of`."""
        outputs = self._session.run(None, {"patches": patches[None]})[0][0]
        return survey_of(outputs, scale)

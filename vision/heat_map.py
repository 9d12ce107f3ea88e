"""The heat map: a network over the whole picture; it names no card.

The search for ink pairs and the outlines of cards miss things for geometric reasons. The heat map fails for
other causes: what only one of the two finds is unclear.
"""

from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from vision.geometry import (
    LEAST,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPoses,
    Points,
    concatenated,
    inside_each,
    within_reach,
)
from vision.inference import open_session, read_manifest, verified_model
from vision.native import SURVEY_PATCH, SURVEY_PX, GainRule, survey_patches

PATCH_PX: Final = SURVEY_PATCH
"""The network takes squares of so many pixels a side as one place, with all of their tones."""

PATCH_DEPTH: Final = PATCH_PX * PATCH_PX * 3

OUTPUT_CELL_PX: Final = 2 * PATCH_PX
"""Side of a cell of the output, in pixels of the network's picture; the heat has four values a cell."""

CellKind = Literal["felt", "face", "back", "cut", "thing"]

CELL_KINDS: Final[tuple[CellKind, ...]] = ("felt", "face", "back", "cut", "thing")
"""What a cell may hold, in the order of the outputs. A joker counts as a face."""

OUTPUTS: Final = len(CELL_KINDS) + 4 + 1
"""Logits of the kinds, of the heat in the cell's four quarters, and a height."""

HEIGHT_UNIT: Final = 4.0
"""The height's output times this is the logarithm to base 2 of an index's height. Fixed by the shipped
network."""


_NEIGHBOURS: Final = [(row, column) for row in (0, 1, 2) for column in (0, 1, 2)]


class HeatPeaks(NamedTuple):
    """Likely indices: centres (n x 2), heights of the whole index in pixels, probabilities (n, 0..1)."""

    centres: Points
    index_px: Points
    p: Points


class HeatMap(NamedTuple):
    """The network's results for a picture.

    `kinds`: rows x columns x CELL_KINDS, probabilities for each cell. `heat`: twice as many rows and columns,
    probability of an index's centre there. `index_px`: rows x columns, height of a whole index there, in
    pixels of the picture. `scale`: pixels of the picture for one of the network's.
    """

    kinds: Points
    heat: Points
    index_px: Points
    scale: float

    def kind(self, name: CellKind) -> Points:
        """Probability of a kind for each cell, rows x columns."""
        return np.ascontiguousarray(self.kinds[..., CELL_KINDS.index(name)])

    def peaks(self, least: float) -> HeatPeaks:
        """Return local maxima of heat of at least `least`.

        Each is placed at the centroid of the heat around it, with sub-cell precision.
        """
        highest = (self.heat >= least) & (self.heat == cv2.dilate(self.heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.divmod(np.flatnonzero(highest), highest.shape[1])
        around = np.pad(self.heat, 1)
        weights = np.stack([around[rows + row, columns + column] for row, column in _NEIGHBOURS], 1)
        off = weights @ (np.array(_NEIGHBOURS) - 1.0)[:, ::-1] / np.maximum(weights.sum(1), LEAST)[:, None]
        centres = ((np.stack([columns, rows], 1) + off + 0.5) * PATCH_PX - 0.5) * self.scale
        return HeatPeaks(centres, self.index_px[rows // 2, columns // 2], self.heat[rows, columns])

    def heat_at(self, centres: Points) -> Points:
        """Heat at n x 2 places of the picture, n; past the last whole cell that of the nearest one."""
        places = ((centres / self.scale + 0.5) / PATCH_PX).astype(np.intp)
        columns, rows = places.clip(0, np.array(self.heat.shape[::-1]) - 1).T
        return np.asarray(self.heat[rows, columns])

    def heat_near(self, centre: Points, reach_px: float) -> float:
        """Return the highest heat within `reach_px` of a place of the picture, its own place included."""
        (left, top), (right, foot) = (
            np.floor(((centre + side * reach_px) / self.scale + 0.5) / PATCH_PX).astype(int)
            for side in (-1, 1)
        )
        part = self.heat[max(top, 0) : max(foot, 0) + 1, max(left, 0) : max(right, 0) + 1]
        return float(part.max(initial=0.0))

    def mean_within(self, corners: Points, name: CellKind) -> float:
        """Mean probability of a kind within a convex outline (n x 2); 0 where it covers no cell."""
        pixel = OUTPUT_CELL_PX * self.scale
        mask = np.zeros(self.kinds.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round((corners + 0.5) / pixel - 0.5).astype(np.int32), 1)
        inside = mask.astype(bool)
        return float(self.kinds[inside, CELL_KINDS.index(name)].mean()) if inside.any() else 0.0


def decode_heat_map(outputs: Points, scale: float) -> HeatMap:
    """A heat map from the network's outputs, OUTPUTS x rows x columns; `scale` as in `HeatMap`."""
    count, (rows, columns) = len(CELL_KINDS), outputs.shape[1:]
    heat = np.empty((rows, 2, columns, 2), outputs.dtype)
    for number, quarter in enumerate(1 / (1 + np.exp(-outputs[count : count + 4]))):
        heat[:, number // 2, :, number % 2] = quarter
    # 10: heights beyond 1,024 pixels of the network's picture, which has no more, are cut: a logit may be
    # anything.
    index_px = np.exp2(np.clip(outputs[-1] * HEIGHT_UNIT, 0, 10)) * scale
    logits = outputs[:count]
    power = np.exp(logits - logits.max(axis=0))
    kinds = np.asarray(power / power.sum(axis=0)).transpose(1, 2, 0)
    return HeatMap(kinds, heat.reshape(2 * rows, 2 * columns), index_px, scale)


ALIGN_PX: Final = 4 * PATCH_PX
"""The network's picture has sides that are multiples of this: its layers halve the patches twice."""


_EXPOSURE_SHARE: Final = 0.97
_EXPOSURE_TONE: Final = 230.0
"""The tone that this share of the pixels is darker than is brought to that tone, 0..255.

Source: the shipped network was trained with these values (models/MODEL_CARD.md, Data: the brightest 3 % of a
picture are brought to one tone).
"""

_EXPOSURE_GAIN: Final = (0.8, 6.0)
"""Least and greatest factor. Source: as above."""


KERNEL_GAIN_RULE: Final = GainRule(_EXPOSURE_SHARE, _EXPOSURE_TONE, *_EXPOSURE_GAIN)


def picture_patches(picture: Image) -> Image:
    """Return a copy of a picture (sides multiples of ALIGN_PX) as rows x columns x PATCH_DEPTH."""
    rows, columns = picture.shape[0] // PATCH_PX, picture.shape[1] // PATCH_PX
    strips = np.ascontiguousarray(picture).reshape(-1).view(f"V{3 * PATCH_PX}")
    squares = strips.reshape(rows, PATCH_PX, columns).transpose(0, 2, 1)
    return np.ascontiguousarray(squares).view(np.uint8).reshape(rows, columns, PATCH_DEPTH)


def _scale_of(image: Image) -> int:
    """Pixels of the picture for one of the network's."""
    long_px: int = max(image.shape[:2])
    # SURVEY_PX: long side of the network's picture at most: larger pictures are made smaller by a whole
    # number.
    # 640: pictures with a longer side than this are halved at least: the network was trained on halved
    # tables. Source: models/MODEL_CARD.md, Data.
    return max(-(-long_px // SURVEY_PX), 2 if long_px > 640 else 1)


def exposure_gain(picture: Image) -> float:
    """The factor that brings the brightest parts of a BGR picture to the rule's tone."""
    sample = np.ascontiguousarray(picture[::OUTPUT_CELL_PX, ::OUTPUT_CELL_PX])
    blue, green, red = cv2.split(sample)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    tones = np.bincount(brightest.ravel(), minlength=256).cumsum()
    white = int(np.searchsorted(tones, _EXPOSURE_SHARE * tones[-1]))
    return float(np.clip(_EXPOSURE_TONE / max(white, 1), *_EXPOSURE_GAIN))


def prepared_picture(image: Image) -> Image:
    """The picture as the network sees it: smaller, evenly bright, filled up to multiples of ALIGN_PX."""
    scale = _scale_of(image)
    height, width = (max(1, side // scale) for side in image.shape[:2])
    even = np.empty((height + -height % ALIGN_PX, width + -width % ALIGN_PX, 3), np.uint8)
    part = even[:height, :width]
    interpolation = cv2.INTER_AREA if scale == 2 else cv2.INTER_LINEAR
    cv2.resize(image, (width, height), dst=part, interpolation=interpolation)
    cv2.convertScaleAbs(part, dst=part, alpha=exposure_gain(part))
    even[height:, :width] = part[-1]
    even[:, width:] = even[:, width - 1 : width]
    return even


def heat_map_input_in_opencv(image: Image) -> Image:
    """Return the result of `kernel.survey_patches`, computed with OpenCV."""
    return picture_patches(prepared_picture(image))


def heat_map_input(image: Image) -> tuple[Image, int]:
    """The network's input for a BGR picture of any size but an empty one.

    Returns rows x columns x PATCH_DEPTH, uint8, and pixels of the picture for one of the network's.
    """
    scale = _scale_of(image)
    patches = survey_patches(image, scale, ALIGN_PX // PATCH_PX, KERNEL_GAIN_RULE)
    return (heat_map_input_in_opencv(image) if patches is None else patches), scale


class HeatMapNetwork:
    """The network and its manifest. One instance may be used by one thread at a time."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        """Use `open`."""
        self._session = session

    @classmethod
    def open(cls, folder: Path) -> "HeatMapNetwork":
        """Loads the network of a folder; ConfigError MODEL_MISSING or MODEL_CHANGED."""
        expected = {"kinds": list(CELL_KINDS), "depth": PATCH_DEPTH}
        return cls(open_session(verified_model(folder, read_manifest(folder), expected)))

    def look(self, image: Image) -> HeatMap:
        """The heat map of a BGR picture of any size but an empty one."""
        return self.look_at_input(*heat_map_input(image))

    def look_at_input(self, patches: Image, scale: int) -> HeatMap:
        """The heat map of a picture by its `heat_map_input`, which another thread may have made."""
        outputs = self._session.run(None, {"patches": patches[None]})[0][0]
        return decode_heat_map(outputs, scale)


SHOWN: Final = 4
"""Pixels of the camera's picture for one of the heat's: a cell of the map is never smaller."""


def heat_picture(network: HeatMapNetwork, jpeg: bytes, width: int, height: int) -> bytes:
    """Return a PNG of the heat over a picture, which is first scaled to the camera's size.

    Black areas of the picture have no heat.
    """
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None, "a picture of our own making"
    image = cv2.resize(shown, (width, height), interpolation=cv2.INTER_CUBIC)
    found = network.look(np.asarray(image, np.uint8))
    rows, columns = (round(side * PATCH_PX * found.scale / SHOWN) for side in found.heat.shape)
    heat = cv2.resize(found.heat, (columns, rows))[: height // SHOWN, : width // SHOWN].clip(0, 1)
    colour = cv2.applyColorMap((heat * 255).astype(np.uint8), cv2.COLORMAP_TURBO)
    # 230: how much of what lies below it a heat of 1 covers (0 to 255); less heat by its square root, to be
    # seen.
    alpha = (np.sqrt(heat) * 230).astype(np.uint8)
    good, data = cv2.imencode(".png", np.dstack([colour, alpha]))
    assert good, "a small picture can be encoded"
    return data.tobytes()


_HOT_PLACE_SIZED: Final = 0.1
"""Heat from which a place is looked at either way, where the height of the deck's indices is known. Source:
in six drawn decks that were not enrolled each index of a readable card is as hot."""


def propose_hot(
    heat_map: HeatMap, read: IndexPoses, covered: Points, lying_open: Points, index_px: float | None = None
) -> IndexPoses:
    """Propose places that may have an index where none was found; `read` and `covered` (n x 2) were found.

    `index_px` is the height of an index, where deck and camera give it. Open cards (outlines, m x 4 x 2) are
    skipped, since pips and court art are warm too. Directions come from the nearest read index, turned or
    not; without any there are no proposals.
    """
    # Selection and shifts of hot places. Lengths are in heights of an index. Source: 234 whole indices on
    # six drawn tables. Peak centres lie 0.16 heights from theirs in the median, 0.30 at most for nine in
    # ten; 196 are read with these shifts, 134 without. The others have no measurement on record;
    # docs/measurements/reader.md, What was measured, has their joint effect.
    # 0.25: heat from which a place is looked at.
    peaks = heat_map.peaks(0.25 if index_px is None else _HOT_PLACE_SIZED)
    known = np.concatenate([read.centres.reshape(-1, 2), covered.reshape(-1, 2)])
    near_px = (
        SAME_INDEX * peaks.index_px if index_px is None else np.full(len(peaks.p), SURELY_SAME * index_px)
    )
    reach = np.repeat(near_px[:, None], len(known), 1)
    explained = within_reach(peaks.centres, known, reach).any(1) | inside_each(peaks.centres, lying_open).any(
        1
    )
    open_ones = np.flatnonzero(~explained)
    if not len(open_ones) or not len(read.index_px):
        return read.take(np.zeros(0, int))
    peaks = HeatPeaks(*(column[open_ones] for column in peaks))
    near = np.hypot(*(peaks.centres[:, None] - read.centres).transpose(2, 0, 1)).argmin(1)
    heights = read.index_px[near] if index_px is None else np.full(len(near), index_px)
    places = IndexPoses(peaks.centres, read.downs[near], heights)
    lying = [places, places._replace(downs=-places.downs)]
    # 0.35: heat from which it is also looked at as a card that lies across.
    warm = places.take(np.flatnonzero(peaks.p >= (0.35 if index_px is None else _HOT_PLACE_SIZED)))
    lying += [warm._replace(downs=warm.rights), warm._replace(downs=-warm.rights)]
    return concatenated(map(shifted, lying))


def shifted(places: IndexPoses) -> IndexPoses:
    """Each place where it is and a little to each side."""
    # 0.15: A place is as far from the index's centre as a cell is wide; so far to each side it is looked at.
    shift = 0.15
    sides = ((0.0, 0.0), (shift, 0.0), (-shift, 0.0), (0.0, shift), (0.0, -shift))
    return concatenated(places._replace(centres=places.beside(*side)) for side in sides)

"""Cameras at a shoe's mouth: upright indices are read, followed, or decoded beside a counting reader.

`MouthTracker` follows a camera before the mouth alone; `CodedMouth` looks at the pictures of one beside a
reader that counts; `MouthReader` names the single grey pictures that some shoes send. Six lights in the
coded picture carry the code: three are always on. The twenty choices of three are ordered by value, the first
light lowest. The first choice means an empty mouth; the next sixteen number the sheets that entered
(hardware/open-shoe-protocol.md, section 4).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.card_passes import (
    GAP_MS,
    CardPasses,
    ExitSide,
    ForegroundDetector,
    IndexDetection,
    MouthEvent,
    MouthObservation,
    MouthState,
)
from vision.certainty import LIKELY_INDEX, PROBABILITY_LIMITS, SIZE_LIMITS, is_certain
from vision.geometry import Image, IndexPoses, Points, concatenated
from vision.indices import Augmentation, Index, augmented_views, fuse_labels, poses_of, read_indices
from vision.inference import Workers, default_models_dir
from vision.networks import IndexNetwork, Networks
from vision.proposal import PIP_REACH, RANK_REACH, InkComponents, find_components, pair_components
from vision.reading import RANKS, STATES, SUITS, CardName

VIEWS: Final = (
    Augmentation(0.0, 0.0, 1.0, 0.0),
    Augmentation(0.05, 0.03, 1.06, 4.0),
    Augmentation(-0.05, -0.03, 0.95, -4.0),
    Augmentation(0.03, -0.05, 1.03, -3.0),
    Augmentation(-0.03, 0.05, 0.97, 3.0),
)
"""The index as it stands, and four times a little off.

Source: no measurement on record.
"""


class NamedIndex(NamedTuple):
    """A read card.

    `suit` is None where only the rank is certain; `p` (0..1) is the probability of what is reported.
    """

    rank: str
    suit: str | None
    p: float


def _read_known_pose(image: Image, pose: IndexPoses, network: IndexNetwork) -> NamedIndex | None:
    """Name the index of one pose in a BGR picture; None where that would be a guess."""
    scores = network.classify_poses(image, augmented_views(pose, VIEWS))
    # Join the views of one index (rows of `views`); a rank that one of them names otherwise is none.
    rank, p_rank, same_rank = _fused(scores.rank)
    suit, p_suit, same_suit = _fused(scores.suit)
    state, p_index, same_state = _fused(scores.state)
    if not (same_rank and same_state) or STATES[state] != "index":
        return None
    if p_rank < PROBABILITY_LIMITS.p_rank or p_index < LIKELY_INDEX:
        return None
    # 0.998: least probability of a suit where no ink colour bears witness; below it only the rank is
    # reported. Source: no measurement on record.
    if same_suit and p_suit >= 0.998:
        return NamedIndex(RANKS[rank], SUITS[suit], p_rank * p_index * p_suit)
    return NamedIndex(RANKS[rank], None, p_rank * p_index)


def _fused(scores: Points) -> tuple[int, float, bool]:
    """Best label of one index (views x labels), its joint probability, and whether all views prefer it."""
    best, p, agreed = (part.item() for part in fuse_labels(list(scores[:, None])))
    return best, p, agreed


class _Boxes:
    """Components of ink as upright boxes: middle, top, foot and height, n each, pixels."""

    def __init__(self, middle: Points, top: Points, foot: Points) -> None:
        self.middle, self.top, self.foot = middle, top, foot
        self.height = foot - top

    @classmethod
    def of(cls, components: InkComponents, reach: float) -> "_Boxes":
        """Boxes that end `reach` standard deviations above and below the centres."""
        # 0.25: A component is at least half a pixel to either side in standard deviations: thin strokes
        # have a size, too.
        half = reach * np.sqrt(np.maximum(components.spreads[:, 1, 1], 0.25))
        x, y = components.centres[:, 0], components.centres[:, 1]
        return cls(x, y - half, y + half)


def _propose_upright_indices(image: Image) -> IndexPoses:
    """Every place of a BGR picture where an upright index may stand, some of them more than once."""
    components = find_components(image)
    found = concatenated((pair_components(components), _upright_pairs(components)))
    return found.take(np.flatnonzero(found.downs[:, 1] > 0))


def _upright_pairs(components: InkComponents) -> IndexPoses:
    """Every component, or two side by side, with a smaller one below."""
    ranks = _with_digits(_Boxes.of(components, RANK_REACH))
    pips = _Boxes.of(components, PIP_REACH)
    aside = np.abs(ranks.middle[:, None] - pips.middle)
    total = pips.foot - ranks.top[:, None]
    gap = (pips.top - ranks.foot[:, None]) / ranks.height[:, None]
    size = pips.height / ranks.height[:, None]
    # Limits for components that are a rank and its pip, one above the other. Source: of 200 drawn cards at
    # rest 16 were not found by the search for tables, none with these limits (history of this file).
    # (-0.15, 1.2): room between rank and pip, in heights of the rank.
    # (0.25, 1.4): height of the pip, in heights of the rank.
    fits = (gap > -0.15) & (gap < 1.2) & (size > 0.25) & (size < 1.4)
    # 0.3: A pip's middle is this share of the index's height beside its rank's, at most.
    # (15.0, 220.0): height of the whole index.
    fits &= (aside < 0.3 * total) & (total > 15.0) & (total < 220.0)
    rank, pip = np.nonzero(fits)
    middle = (ranks.middle[rank] + pips.middle[pip]) / 2
    level = (ranks.top[rank] + pips.foot[pip]) / 2
    downs = np.tile([0.0, 1.0], (len(rank), 1))
    return IndexPoses(np.column_stack([middle, level]), downs, total[rank, pip])


def _with_digits(boxes: _Boxes) -> _Boxes:
    """The boxes, and the union of each two that may be the digits of a ten."""
    height = boxes.height
    apart = boxes.middle - boxes.middle[:, None]
    level = np.abs(boxes.top - boxes.top[:, None]) < 0.2 * height
    alike = np.abs(np.log(height / height[:, None])) < np.log(1.5)
    # 1.1, 0.2, 1.5: the digits of a ten: so far apart, so level (in their height), so alike in height
    # (ratio), at most.
    one, two = np.nonzero((apart > 0) & (apart < 1.1 * height) & level & alike)
    both = (
        (boxes.middle[one] + boxes.middle[two]) / 2,
        np.minimum(boxes.top[one], boxes.top[two]),
        np.maximum(boxes.foot[one], boxes.foot[two]),
    )
    single = (boxes.middle, boxes.top, boxes.foot)
    return _Boxes(*(np.concatenate(pair) for pair in zip(single, both, strict=True)))


class UprightReader:
    """Reads pictures of a card's corner. May be used by one thread at a time."""

    def __init__(self, networks: Networks, leaves: ExitSide, longest_px: int) -> None:
        """`leaves` is the side where cards go out of sight; pictures are made `longest_px` long at most."""
        self._networks = networks
        self._leaves = leaves
        self._longest_px = longest_px

    @classmethod
    def open(cls, leaves: ExitSide, longest_px: int, models_dir: Path | None = None) -> "UprightReader":
        """Load the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not as trained."""
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), 1), leaves, longest_px)

    def detect(self, picture: Image) -> tuple[IndexDetection, ...]:
        """The upright indices of a BGR picture that are certain, and that further views confirm."""
        scale = min(1.0, self._longest_px / max(picture.shape[:2]))
        image = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        found, _ = read_indices(image, _propose_upright_indices(image), self._networks)
        # 0.93: least cosine between an index and the upright pose: 21 degrees. Source: no measurement on
        # record.
        certain = [index for index in found if index.down[1] > 0.93 and is_certain(index)]
        return tuple(self._detection(index, image) for index in certain if self._confirmed(index, image))

    def _confirmed(self, index: Index, image: Image) -> bool:
        """Whether the views of a known pose give the same name."""
        named = _read_known_pose(image, poses_of([index]), self._networks.indices)
        if named is None or named.rank != RANKS[index.rank]:
            return False
        return named.suit in {None, SUITS[index.suit]}

    def _detection(self, index: Index, image: Image) -> IndexDetection:
        x, y = index.centre / (image.shape[1], image.shape[0])
        along = {"bottom": y, "top": 1 - y, "right": x, "left": 1 - x}
        name = CardName(RANKS[index.rank], SUITS[index.suit])
        return IndexDetection(name, index.p, float(along[self._leaves]))


class MouthReader:
    """Reads pictures of one index. One instance may be used by one thread at a time."""

    def __init__(self, network: IndexNetwork) -> None:
        """Use `open`."""
        self._network = network

    @classmethod
    def open(cls, models_dir: Path | None = None, threads: int = 1) -> "MouthReader":
        """Load the network; ConfigError MODEL_MISSING or MODEL_CHANGED when it is not the trained one."""
        return cls(IndexNetwork.open((models_dir or default_models_dir()) / "index", Workers(threads)))

    def read(self, picture: Image) -> NamedIndex | None:
        """Name the card in a grey picture (height x width, uint8); None where that would be a guess."""
        pose = _locate_index(picture)
        if pose is None:
            return None
        return _read_known_pose(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), pose, self._network)


def _locate_index(picture: Image) -> IndexPoses | None:
    """Return the pose of the upright index in a grey picture.

    Print cut by the border belongs to the rest of the card. None without enough contrast, or where the
    remaining print does not fill enough of the height: the index is then cut, too small, or missing.
    """
    if min(picture.shape) < SIZE_LIMITS.index_px:
        return None
    # Requirements on a picture of one index. Source: no measurement on record.
    # 88, 1: shares of the pixels, in percent, that are darker than the paper and than the ink.
    paper, ink = (float(np.percentile(picture, share)) for share in (88, 1))
    contrast = paper - ink
    # 48: grey levels between paper and ink, at least: below it, light or focus has failed.
    if contrast < 48 or _steepest(picture) < 0.18 * contrast:
        return None
    # 0.5: ink is darker than this share of the way from ink to paper.
    dark = (picture < ink + 0.5 * contrast).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    height, width = picture.shape
    starts, ends = stats[:, :2], stats[:, :2] + stats[:, 2:4]
    whole = (starts > 0).all(1) & (ends < (width, height)).all(1)
    # 0.004: components of less than this share of the picture are dust.
    whole &= stats[:, cv2.CC_STAT_AREA] > 0.004 * picture.size
    whole[0] = False
    if not whole.any():
        return None
    (left, top), (right, foot) = starts[whole].min(0), ends[whole].max(0)
    # 0.6: the whole index is at least this share of the picture's height.
    if foot - top < max(SIZE_LIMITS.index_px, 0.6 * height):
        return None
    middle = np.array([[(left + right - 1) / 2, (top + foot - 1) / 2]])
    return IndexPoses(middle, np.array([[0.0, 1.0]]), np.array([float(foot - top)]))


def _steepest(picture: Image) -> float:
    """Grey levels from pixel to pixel at the steepest edges, in the direction in which they are flatter."""
    grey = picture.astype(np.float32)
    # 98, 0.18: the steepest edges, across and along, fall by this share of the contrast from pixel to
    # pixel; a card that moved while the picture was taken has none.
    share = 98
    return float(min(np.percentile(np.abs(np.diff(grey, axis=axis)), share) for axis in (0, 1)))


READ_PX: Final = 320
"""Longer side of the pictures that are read: a card's corner is large in them.

Source: no measurement on record; the drawn pictures of docs/measurements/reader.md, A camera at the shoe's
mouth, have this size.
"""

TURNS: Final = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


class MouthCameraSetup(NamedTuple):
    """Setup of a camera at the shoe's mouth.

    `window` is left, top, width and height of the part where the index passes, in pixels, or in shares of the
    picture where none is above 1. It is turned clockwise by `turn_deg` (0, 90, 180, 270) so that indices
    stand upright, then `mirrored` left to right for a camera with a mirror. `leaves` is the side of that
    window where cards disappear. `cut_bgr` is the cut card's colour.
    """

    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    turn_deg: int = 0
    leaves: ExitSide = "bottom"
    cut_bgr: tuple[int, int, int] | None = None
    gap_ms: int = GAP_MS
    mirrored: bool = False

    def upright(self, picture: Image) -> Image:
        """The window, turned; a window beyond the picture's border is cut to it."""
        height, width = picture.shape[:2]
        left, top, across, down = self.window
        if max(self.window) <= 1:
            left, across, top, down = left * width, across * width, top * height, down * height
        part = picture[round(top) : round(top + down), round(left) : round(left + across)]
        turn = TURNS.get(self.turn_deg)
        turned = part if turn is None or not part.size else cv2.rotate(part, turn)
        return np.ascontiguousarray(turned[:, ::-1] if self.mirrored else turned)


class MouthUpdate(NamedTuple):
    """A picture's events and content; `outside`: the window lies beyond the picture's border."""

    events: tuple[MouthEvent, ...]
    state: MouthState | Literal["outside"]


class MouthTracker:
    """Follows the pictures of one mouth, every one of them. May be used by one thread at a time."""

    def __init__(self, networks: Networks, setup: MouthCameraSetup) -> None:
        """Begin with an empty mouth, or with a card in it."""
        self._reader = UprightReader(networks, setup.leaves, READ_PX)
        self._setup = setup
        self._detector = ForegroundDetector(setup.leaves, setup.cut_bgr)
        self._passes = CardPasses(setup.gap_ms)

    @classmethod
    def open(cls, setup: MouthCameraSetup, models_dir: Path | None = None) -> "MouthTracker":
        """Load the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not as trained."""
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), 1), setup)

    def update(self, picture: Image, mono_ms: int) -> MouthUpdate:
        """Take the next picture (height x width x 3, BGR), taken at `mono_ms`, which never goes back."""
        upright = self._setup.upright(picture)
        if min(upright.shape) < 1:
            return MouthUpdate((), "outside")
        foreground = self._detector.look(upright, mono_ms)
        settled = self._passes.named is not None and not foreground.moving
        detections = self._reader.detect(upright) if foreground.state == "sheet" and not settled else ()
        events = self._passes.take(MouthObservation(mono_ms, foreground, detections))
        return MouthUpdate(tuple(events), foreground.state)


_LIGHTS: Final = 6
ENTRIES: Final = 16
WAYS: Final = tuple(word for word in range(1 << _LIGHTS) if word.bit_count() == _LIGHTS // 2)

_LIT: Final = 128
"""A light is on from this grey level. Source: a diode in sight is at the end of the scale after 8 ms of
exposure (hardware/shoe-reader/design/light.py), one that is off is as dark as the floor."""


CODED_READ_PX: Final = 320
"""Longer side of the picture when it is read: five pixels to a millimetre, at which the smallest index of
hardware/shoe-reader/design/geometry.py is 88 pixels high and the largest 180. Read with what is beside the
pane: cut to the pane, 32 of 32 cards of five of twelve drawn decks were not named where the index is near
its edge."""


class CodedPicture(NamedTuple):
    """A decoded picture. `entry`: the sheet's number, "empty" without one, "unclear" between two."""

    entry: int | Literal["empty", "unclear"]
    detections: tuple[IndexDetection, ...] = ()


def _entry_of(word: int) -> int | Literal["empty", "unclear"]:
    """Read which lights are on, the lowest bit first."""
    if word not in WAYS:
        return "unclear"
    place = WAYS.index(word)
    if place == 0:
        return "empty"
    return place - 1 if place <= ENTRIES else "unclear"


class CodedMouth:
    """Looks at the pictures of one mouth, every one of them. May be used by one thread at a time."""

    def __init__(self, reader: UprightReader, spots: Sequence[tuple[float, float]], radius: float) -> None:
        """`spots` are the six lights' middles in pixels of the whole picture, the lowest bit first."""
        self._reader = reader
        self._spots = tuple(spots)
        self._radius = max(1, round(radius))

    def look(self, picture: Image, window: Image) -> CodedPicture:
        """Take the next picture and its upright window (height x width x 3, BGR)."""
        entry = _entry_of(
            sum(self._is_lit(picture, x, y) << place for place, (x, y) in enumerate(self._spots))
        )
        # 40: A window that is darker on the average shows no sheet, or no flash: nothing is sought in it.
        if entry == "unclear" or window.size == 0 or float(window[::8, ::8].mean()) < 40:
            return CodedPicture(entry)
        return CodedPicture(entry, self._reader.detect(window))

    def _is_lit(self, picture: Image, x: float, y: float) -> bool:
        left, top, reach = round(x), round(y), self._radius
        spot = picture[max(top - reach, 0) : top + reach + 1, max(left - reach, 0) : left + reach + 1]
        return bool(spot.size) and float(np.median(spot)) >= _LIT

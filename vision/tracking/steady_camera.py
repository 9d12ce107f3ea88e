"""Whether the camera is in its place and its usual light: pictures are registered against the first.

Corners of the layout's print and of cards on it are found again in each picture. One moving card is a card;
a common shift and turn of everything is the camera. Cards are followed only while it is in its place.
"""

import math
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.geometry import Image, Points

WIDTH_PX: Final = 480
"""Width of the picture in which corners are followed: at a table of 1.84 m a pixel is 4 mm.

Measured (tests/vision/tracking/test_registration.py): a shift of 5 mm comes out within 0.4 mm.
"""


_MOVED_PX: Final = 0.5
"""A longer way anywhere among the corners is a moved camera.

Source: drawn tables; a shift of 2 mm and up is reported, hands and cards that move are not
(tests/vision/tracking/test_registration.py).
"""

_AGREE_PX: Final = 0.3
_ROUGHLY_PX: Final = 2.0
"""Corners that one shift and turn explain within this agree on it; in the first search, which knows of no
turn, roughly.

Source: as above.
"""

_CORNERS_LEAST: Final = 24
"""Fewer corners than this say nothing. Source: as above."""

_CELLS_LEAST: Final = 5
"""They have to lie in so many of the `CELLS`: what one hand pushes lies in fewer. Source: as above."""

_UNLIKE: Final = 9.0
"""A corner whose surroundings differ by more grey levels than this was not found. Source: as above."""


CELLS: Final = (8, 5)
_CORNERS_A_CELL: Final = 8
"""Cells across and down, and the corners kept of each: one hand of cards must not outvote the print.

Source: no measurement on record.
"""


_WINDOW_PX: Final = 15
_LEVELS: Final = 4
"""Side of the part of the picture that is followed, and halvings of the picture: up to some 100 pixels."""


_SAME_WINDOW_PX: Final = 7
"""Side of the part of the picture by which it is reported whether a place looks as in the first one."""


Verdict = Literal["in_place", "moved", "unknown"]


class Registration(NamedTuple):
    """A picture's registration against the first one.

    `matrix` (3 x 3) maps pixels of the first picture to those of this one, in full pixels; `shift_px` is the
    largest displacement of a corner. `start` and `end` (n x 2) are the corners that agree on it, then and
    now. None of them is valid where the verdict is unknown. `found` of `known` corners were seen.
    """

    verdict: Verdict
    matrix: Points
    shift_px: float
    start: Points
    end: Points
    found: int
    known: int

    @property
    def turn_deg(self) -> float:
        """Return the clockwise turn of the picture at the centre of the corners, in degrees."""
        if not len(self.start):
            return 0.0
        middle = self.start.mean(0)
        ends = _moved(self.matrix, middle + np.array([(-1, 0), (1, 0)]))
        right, down = ends[1] - ends[0]
        return math.degrees(math.atan2(float(down), float(right)))


class _Fit(NamedTuple):
    """The number of corners found, the transform (3 x 3) of those that agree, and these, n x 2."""

    found: int
    way: Points | None
    start: Points
    end: Points


STILL: Final = np.eye(3)
"""Nothing has moved."""


class PictureRegistration:
    """Holds pictures of one size against the first; for one thread."""

    def __init__(self, image: Image) -> None:
        """`image` (BGR) is the first picture, of a camera in its place."""
        self._scale = image.shape[1] / WIDTH_PX
        self._size = (WIDTH_PX, max(1, round(image.shape[0] / self._scale)))
        self._first = self._base = self._latest = self._flattened(image)
        self._print = _corners_of(self._first)
        self._laid = np.empty((0, 2), np.float32)
        self._well_placed = True

    def look(self, image: Image) -> Registration:
        """Find the next picture's place (BGR, of the first one's size)."""
        self._latest = self._flattened(image)
        known = len(self._print) + len(self._laid)
        if known < _CORNERS_LEAST:
            self._well_placed = True
            return _unknown(0, known)
        fit, self._well_placed = self._judge(STILL), False
        # 3: A long way is found in so many steps: each begins where the one before has ended.
        for _ in range(3):
            if fit.way is None or self._reach(fit.way) <= _MOVED_PX:
                break
            fit = self._judge(fit.way)
        if fit.way is None:
            return _unknown(fit.found, self._known_without())
        shift_px = self._reach(fit.way)
        # 0.15: only a picture as near to its place as this is adopted. Source: three times what noise alone
        # shifts a drawn table (tests/vision/tracking/test_registration.py).
        self._well_placed = shift_px < 0.15
        verdict: Verdict = "moved" if shift_px > _MOVED_PX else "in_place"
        start, end = ((places + 0.5) * self._scale - 0.5 for places in (fit.start, fit.end))
        # The transform between pixels of the full pictures, whose centres lie at halves.
        half = self._scale / 2 - 0.5
        grown = np.array([[self._scale, 0, half], [0, self._scale, half], [0, 0, 1.0]])
        full = grown @ fit.way @ np.linalg.inv(grown)
        way = np.asarray(full / full[2, 2])
        return Registration(verdict, way, shift_px * self._scale, start, end, fit.found, known)

    def _known_without(self) -> int:
        """The corners that have to be there where nothing is found any more."""
        if len(self._print) < _CORNERS_LEAST:
            # Cards on plain cloth alone: that they are gone says nothing of the camera.
            self._laid = self._laid[:0]
        return len(self._print) + len(self._laid)

    def adopt(self) -> None:
        """Add the last picture's content to the reference, if that picture is well in its place.

        Content equal to the first picture's keeps its reference from there: many small shifts do not add up.
        """
        if not self._well_placed:
            return
        apart = cv2.blur(cv2.absdiff(self._first, self._latest), (_SAME_WINDOW_PX, _SAME_WINDOW_PX))
        laid = apart > _UNLIKE
        self._base = np.where(laid, self._latest, self._first)
        corners = _corners_of(self._base)
        right, down = corners.astype(int).T
        self._laid = corners[laid[down, right]]

    def _judge(self, guess: Points) -> "_Fit":
        """The way on which corners agree that are found near a guess (3 x 3).

        At first a shift and a turn; near another guess also the tilt of a camera that looks elsewhere now.
        """
        first = np.array_equal(guess, STILL)
        fit = _fit if first else _fit_tilted
        start, end = self._follow(guess)
        # Limits for a displaced picture. Lengths in pixels of the small picture. Source: drawn tables; a
        # shift of 2 mm and up is reported, hands and cards that move are not
        # (tests/vision/tracking/test_registration.py).
        # 0.3: so many of the print's corners, or as many on cards, have to be found: else nothing is
        # reported.
        if len(start) < max(_CORNERS_LEAST, 0.3 * len(self._print)):
            return _Fit(len(start), self._far() if first else None, start, end)
        way, agree = fit(start, end, _ROUGHLY_PX if first else _AGREE_PX)
        chosen = agree & (_apart(way, start, end) < _AGREE_PX)
        if self._agreed(start[chosen], len(start)):
            start, end, found = start[chosen], end[chosen], len(start)
            return _Fit(found, fit(start, end, _AGREE_PX)[0], start, end)
        rough = agree.sum() >= _CORNERS_LEAST / 2 and _cells(start[agree], self._size) >= _CELLS_LEAST
        guessed = (way if rough and self._reach(way) > _MOVED_PX else self._far()) if first else None
        return _Fit(len(start), guessed, start[agree], end[agree])

    def _agreed(self, chosen: Points, found: int) -> bool:
        # 0.6: so many of those found have to agree on one shift and turn.
        return len(chosen) >= 0.6 * found and _cells(chosen, self._size) >= _CELLS_LEAST

    def _follow(self, guess: Points) -> tuple[Points, Points]:
        """Corners that were found again near a guess: where they were and where they are, n x 2 each."""
        near, flags = self._latest, cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
        if not np.array_equal(guess, STILL):
            near = cv2.warpPerspective(near, guess, self._size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        pairs = [_found(self._first, self._print, near), _found(self._base, self._laid, near)]
        start, end = (np.concatenate(places) for places in zip(*pairs, strict=True))
        return start, _moved(guess, end)

    def _far(self) -> Points | None:
        """A first guess of a long way or a wide turn, by features that look alike; None without one."""
        # 600, 0.75 and 0.3: how a long way is guessed: features, their ratio test
        # (as in `calibration.calibrate`), and the share of the matches that has to agree. Source: no
        # measurement on record.
        sift = cv2.SIFT.create(nfeatures=600)
        first, one = sift.detectAndCompute(self._base, None)
        second, other = sift.detectAndCompute(self._latest, None)
        if one is None or other is None or min(len(one), len(other)) < 2:
            return None
        pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(one, other, k=2)
        good = [best for best, next_best in pairs if best.distance < 0.75 * next_best.distance]
        if len(good) < _CORNERS_LEAST / 2:
            return None
        start = np.array([first[pair.queryIdx].pt for pair in good], np.float32)
        end = np.array([second[pair.trainIdx].pt for pair in good], np.float32)
        way, agree = _fit(start, end, _ROUGHLY_PX)
        enough = agree.sum() >= max(_CORNERS_LEAST / 2, 0.3 * len(good))
        return way if enough and _cells(start[agree], self._size) >= _CELLS_LEAST else None

    def _reach(self, way: Points) -> float:
        """The longest way that a corner goes, in small pixels."""
        places = np.concatenate([self._print, self._laid])
        return float(_apart(way, places, places).max())

    def _flattened(self, image: Image) -> Image:
        """The small grey picture without slow changes of light, its contrast the same everywhere in time."""
        small = cv2.resize(image, self._size, interpolation=cv2.INTER_AREA)
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
        # 6.0: slower changes than this are light (standard deviation); what is left has its contrast made
        # alike. Source: no measurement on record.
        light = cv2.GaussianBlur(grey, (0, 0), 6.0)
        return np.asarray(np.clip(128 + 100 * (grey - light) / (light + 20), 0, 255), np.uint8)


def _found(before: Image, corners: Points, now: Image) -> tuple[Points, Points]:
    """The corners of a picture that another one shows near by, and where; n x 2 each."""
    if not len(corners):
        return corners, corners
    window = (_WINDOW_PX, _WINDOW_PX)
    start = corners.reshape(-1, 1, 2)
    end, found, unlike = cv2.calcOpticalFlowPyrLK(
        before, now, start, np.zeros_like(start), winSize=window, maxLevel=_LEVELS
    )
    good = (found.ravel() == 1) & (unlike.ravel() < _UNLIKE)
    return corners[good], end.reshape(-1, 2)[good]


def _fit(start: Points, end: Points, reach_px: float) -> tuple[Points, Points]:
    """The shift and turn (3 x 3) that most of these corners share, and which of them do; still for none."""
    way, agree = cv2.estimateAffinePartial2D(start, end, method=cv2.RANSAC, ransacReprojThreshold=reach_px)
    if way is None or agree is None:
        return STILL, np.zeros(len(start), bool)
    return np.vstack([way, [0, 0, 1]]), agree.ravel() > 0


def _fit_tilted(start: Points, end: Points, reach_px: float) -> tuple[Points, Points]:
    """Fit as `_fit` for a flat table that the camera sees from another side."""
    way, agree = cv2.findHomography(start, end, cv2.RANSAC, reach_px)
    if way is None or agree is None:
        return STILL, np.zeros(len(start), bool)
    return way, agree.ravel() > 0


def _moved(way: Points, places: Points) -> Points:
    """Return places (n x 2) mapped by a transform (3 x 3)."""
    mapped = places @ way[:2, :2].T + way[:2, 2]
    return np.asarray(mapped / (places @ way[2, :2] + way[2, 2])[:, None])


def _apart(way: Points, start: Points, end: Points) -> Points:
    """Return each corner's distance from its mapped place."""
    return np.asarray(np.hypot(*(_moved(way, start) - end).T))


def _unknown(found: int, known: int) -> Registration:
    nothing = np.empty((0, 2))
    return Registration("unknown", STILL, 0.0, nothing, nothing, found, known)


def _corners_of(picture: Image) -> Points:
    """The best corners of each cell, n x 2."""
    # 0.004 and 5.0: corners weaker than this share of the strongest are noise; corners keep this distance.
    # Source: no measurement on record.
    points = cv2.goodFeaturesToTrack(picture, 2000, 0.004, 5.0)
    if points is None:
        return np.empty((0, 2), np.float32)
    found: dict[tuple[int, int], list[Points]] = {}
    # The contrast in the window around each pixel, in grey levels, rows x columns.
    levels, window = picture.astype(np.float32), (_WINDOW_PX, _WINDOW_PX)
    variance = cv2.blur(levels * levels, window) - cv2.blur(levels, window) ** 2
    contrast = np.asarray(np.sqrt(np.maximum(variance, 0)))
    for x, y in points.reshape(-1, 2):
        # 6.0: grey levels by which a corner's window varies (standard deviation); a weaker one is found
        # anywhere. Source: noise on plain cloth gives 0.4 to 1.7, the folds of the cloth of two
        # photographed tables 2 to 5, the print of drawn tables 12 and more, in a third of the light too.
        if contrast[int(y), int(x)] < 6.0:
            continue
        kept = found.setdefault(_cell(x, y, picture.shape[1::-1]), [])
        if len(kept) < _CORNERS_A_CELL:
            kept.append(np.array([x, y]))
    return np.array([place for kept in found.values() for place in kept], np.float32).reshape(-1, 2)


def _cell(x: float, y: float, size: tuple[int, ...]) -> tuple[int, int]:
    return int(x * CELLS[0] / size[0]), int(y * CELLS[1] / size[1])


def _cells(points: Points, size: tuple[int, int]) -> int:
    return len({_cell(x, y, size) for x, y in points})


_LIGHT_SHARE: Final = 0.35
"""Light has changed when so large a share of the cells is brighter, or darker, by this much.

Source: no measurement on record.
"""

_LIGHT_MS: Final = 1000
"""It has when that lasts so long; hands and guests that lean over pass.

Source: no measurement on record.
"""


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
        # Count how long pictures have said the same.
        if found.verdict != self._candidate:
            self._candidate, self._candidate_ms, self._pictures = found.verdict, mono_ms, 0
        self._pictures += 1
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

    def _settled(self, found: Registration, mono_ms: int) -> State:
        """Return the state that the pictures agree on."""
        before, lasts_ms = self._standing.state, mono_ms - self._candidate_ms
        # 250 and 3: A camera counts as moved, or as back, after so many pictures and so long: a table that
        # somebody knocks against swings. Not measured.
        confirmed = lasts_ms >= 250 and self._pictures >= 3
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
        if found.known < _CORNERS_LEAST:
            return "in_place"
        # 3000: what hides the print and the cards for longer is no hand that passes. Not measured.
        return "covered" if lasts_ms >= 3000 else "doubt"

    def _take(self, state: State, found: Registration, mono_ms: int) -> None:
        since_ms = self._standing.since_ms if state == self._standing.state else mono_ms
        place = self._standing.place if found.verdict == "unknown" else found
        self._standing = Standing(state, since_ms, place)
        # 1000: how often what lies on the felt is counted among what shows the camera's place.
        if state == "in_place" and mono_ms - self._adopted_ms >= 1000:
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
        # Limits for changed light, as shares of brightness. Source: no measurement on record.
        # 200: time between looks.
        if mono_ms - self._looked_ms < 200:
            return self._said
        self._looked_ms = mono_ms
        now = _brightness(image)
        # A large part of the table is brighter, or a large part of it darker.
        ratio = now / self._usual
        brighter, darker = np.mean(ratio > 1 + _LIGHT_SHARE), np.mean(ratio < 1 / (1 + _LIGHT_SHARE))
        if max(float(brighter), float(darker)) <= 0.4:
            # 0.02: how much of the present light is taken on at each look: the day goes by unnoticed.
            self._usual += 0.02 * (now - self._usual)
            self._said = "same"
            return self._said
        if self._said == "same":
            self._said, self._since_ms, self._steady_ms, self._recent = "doubt", mono_ms, mono_ms, now
        # 0.04: it is steady again when no more than this changes within `ms`.
        if abs(float(np.median(now / self._recent)) - 1) > 0.04:
            self._steady_ms, self._recent = mono_ms, now
        if self._said == "doubt" and mono_ms - self._since_ms >= _LIGHT_MS:
            self._said, self._steady_ms, self._recent = "changed", mono_ms, now
        elif self._said == "changed" and mono_ms - self._steady_ms >= _LIGHT_MS:
            self.begin(image, mono_ms)
        return self._said


def _brightness(image: Image) -> Points:
    """Mean grey level of each cell, from 1 on."""
    # (16, 9): cells across and down whose brightness is compared.
    small = cv2.resize(image, (16, 9), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float64) + 1

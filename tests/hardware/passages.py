"""Cards drawn through the reader by hand: what its sensors and its camera get of them.

No part of the firmware is simulated: `Rig` moves sheets, and hands edges and samples to the real one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from design.geometry import CARDS, PAPER, PLATES, READER, CardSize, Design
from design.thickness import counts

from tests.hardware.pictures import Image, Sheet, take_picture

STEP_US: Final = 250
"""So fine are the sheets moved; at 2 m/s half a millimetre."""

SAMPLE_US: Final = 2500
PAPER_US: Final = 1000
"""How often the main loop reads the thickness chip and the reflective sensor."""

CARD_COUNTS: Final = round(counts(1, 0.2))
"""What one card adds in a reader with some air under its foils (`design.thickness`), as calibrated."""

THICK_NOISE: Final = 0.03 * CARD_COUNTS
"""Counts (standard deviation). Source: the FDC1004's resolution of 0.5 fF is 0.9 % of what a card adds; three
times that for everything else."""

DARK_MV: Final = {"empty": 5, "paper": 900, "cut": 90}
"""By how much the reflective sensor's pin is lowered (`light.reflected_volt`, a part between the limits)."""

BASE_COUNTS: Final = 550_000
"""Of the empty mouth. Source: 1.05 pF (`design.thickness`)."""

SPACE_US: Final = 60_000
"""Time between two draws: the mouth is empty for several pictures."""

Place = Callable[[float], float]
"""Where a leading edge is, in millimetres, so many milliseconds after the draw began."""


class Face(NamedTuple):
    """What is printed on the side that the camera sees; `cut` is the cut card."""

    image: Image
    alpha: Image
    cut: bool = False
    thick: float = 1.0
    """In cards."""


class Drawn(NamedTuple):
    """One sheet of a draw; `behind` is how far it lies behind the draw's leading edge."""

    face: Face
    behind: float = 0.0
    size: CardSize = CARDS[0]
    side_y: float = 0.0
    turn_deg: float = 0.0
    height_mm: float = 0.2
    bend_mm: float = 0.0
    """How much higher than `height_mm` a bent card's face is at its leading edge."""


def steady(speed_m_s: float, start: float = -20.0) -> Place:
    """A draw of one speed (metres a second are millimetres a millisecond)."""
    return lambda ms: start + speed_m_s * ms


def by_hand(speed_m_s: float, swing: float = 0.35, start: float = -20.0) -> Place:
    """A draw that becomes faster and slower again by the share `swing`, once on the way."""
    way_ms = 130 / speed_m_s
    return lambda ms: (
        start + speed_m_s * (ms - swing * way_ms / (2 * math.pi) * math.sin(2 * math.pi * ms / way_ms))
    )


def pushed_back(speed_m_s: float, turn_x: float, start: float = -20.0) -> Place:
    """A draw up to `turn_x`, and back into the shoe."""
    return lambda ms: turn_x - abs(turn_x - (start + speed_m_s * ms))


def resting(speed_m_s: float, at_x: float, rest_ms: float, start: float = -20.0) -> Place:
    """A draw that stops with its leading edge at `at_x`: many dealers pull the next card out a little."""
    reach_ms = (at_x - start) / speed_m_s
    return lambda ms: start + speed_m_s * (ms if ms < reach_ms else max(reach_ms, ms - rest_ms))


class Shot(NamedTuple):
    """A picture as it comes from the camera, and when its flash was."""

    image: Image
    at_us: int


class Rig:
    """The reader with real firmware: `stamps`, `reader` and `link` are its own objects.

    `hand` is what a hand over the roof adds to the foil under the cards, in counts (`design.thickness`).
    """

    def __init__(
        self, firmware: Any, rng: np.random.Generator, *, design: Design = READER, pictures: bool = True
    ) -> None:
        """`firmware`: `stamps`, `mouth`, `reader` and `link`. Without `pictures` none is drawn."""
        self._draws = pictures
        self.now_us = 0
        self.link = firmware.link.Link(int(rng.integers(1, 0xFFFF)))
        settings = firmware.mouth.Settings(card_counts=CARD_COUNTS)
        self.reader = firmware.reader.Reader(self.link, b"SIM000000001", bytes(8), settings)
        self.link.status = lambda: (self.reader.status(), -128)
        self._counts = firmware.stamps.COUNTS
        self._stamps = firmware.stamps.Stamps()
        self._design = design
        self._rng = rng
        self._covered = [False, False]
        self._sampled_us = 0
        self._frame_us = float(rng.uniform(0, 1000 * design.optics.frame_ms))
        self._flash_us = float(rng.uniform(0, 1000 * design.flash_ms))
        self._lit: dict[int, int] = {}
        self._flashed: tuple[int, tuple[Drawn, ...], float, float] | None = None
        self._empty: dict[int, Image] = {}
        self.blind = (False, False)
        """Sensors that are broken: they never see anything."""
        self.stuck = (False, False)
        """Sensors with dust in their bore: they are always covered."""
        self.hand = 0.0
        self.mute = False
        """Whether the thickness sensor's bus is silent."""

    def draw(self, sheets: Sequence[Drawn], place: Place, last_ms: float) -> Iterator[Shot]:
        """Move sheets for so long, in steps; gives the pictures, the host may be served between them."""
        begin_us, end_us = self.now_us, self.now_us + int(last_ms * 1000) + SPACE_US
        while self.now_us < end_us:
            self.now_us += STEP_US
            ms = (self.now_us - begin_us) / 1000
            leading = place(ms)
            speed = abs(leading - place(ms - STEP_US / 1000)) / (STEP_US / 1000)
            self._sense(sheets, leading)
            if self._draws:
                yield from self._expose(sheets, leading, speed)

    def _expose(self, sheets: Sequence[Drawn], leading: float, speed: float) -> Iterator[Shot]:
        """Let the camera collect light, in its own rhythm, and the lamps flash in theirs."""
        optics, flash_us = self._design.optics, 1000 * self._design.flash_ms
        exposing = (self.now_us - self._frame_us) % (1000 * optics.frame_ms) < 1000 * optics.exposure_ms
        if exposing:
            word = self.reader.lights
            self._lit[word] = self._lit.get(word, 0) + STEP_US
            if (self.now_us - self._flash_us) % flash_us < STEP_US:
                self._flashed = (self.now_us, tuple(sheets), leading, speed)
        elif self._lit:
            yield self._picture()
            self._lit, self._flashed = {}, None

    def _sense(self, sheets: Sequence[Drawn], leading: float) -> None:
        """Give the firmware what its main loop would read now."""
        for place, x in enumerate((self._design.inner_x, self._design.outer_x)):
            over = self.stuck[place] or any(self._over(sheet, leading, x) for sheet in sheets)
            covered = over and not self.blind[place]
            if covered != self._covered[place]:
                self._covered[place] = covered
                self._stamps.put(bool(place), self._counts - 1 - self.now_us // 2)
        for is_outer, now, at_us in self._stamps.take(self.now_us):
            self.reader.edge(is_outer, now, at_us, self.now_us)
        if self.now_us % PAPER_US < STEP_US:
            self.reader.paper(self._paper_mv(sheets, leading))
        if self.now_us - self._sampled_us >= SAMPLE_US:
            self._sampled_us = self.now_us
            counts = None if self.mute else self._thick(sheets, leading)
            self.reader.sample(counts, self.now_us)
        self.reader.tick(self.now_us)

    def _over(self, sheet: Drawn, leading: float, x: float) -> bool:
        front = leading - sheet.behind
        return front - sheet.size.along < x < front

    def _thick(self, sheets: Sequence[Drawn], leading: float) -> int:
        """What the chip measures: each sheet counts by the share of the foil that it covers."""
        shares = 0.0
        for sheet in sheets:
            front = leading - sheet.behind
            inside = min(front, PLATES.x1) - max(front - sheet.size.along, PLATES.x0)
            shares += sheet.face.thick * max(inside, 0.0) / (PLATES.x1 - PLATES.x0)
        noise = float(self._rng.normal(0, THICK_NOISE))
        return round(BASE_COUNTS + self.hand + CARD_COUNTS * shares + noise)

    def _paper_mv(self, sheets: Sequence[Drawn], leading: float) -> int:
        """The reflective sensor's pin: it sees the lowest sheet, or none."""
        there = [sheet for sheet in sheets if self._over(sheet, leading, PAPER[0])]
        seen = "empty" if not there else "cut" if there[-1].face.cut else "paper"
        return 3290 - DARK_MV[seen]

    def _picture(self) -> Shot:
        """What the camera sends of this exposure: without a flash only the code lights shine in it."""
        total = sum(self._lit.values())
        lit = {word: us / total for word, us in self._lit.items()}
        at_us, sheets, leading, speed = self._flashed or (self.now_us, (), 0.0, 0.0)
        seen = self._design.picture
        there = [one for one in sheets if seen.x0 < leading - one.behind < seen.x1 + one.size.along]
        if not there:
            if len(lit) > 1:
                return Shot(take_picture((), lit, self._rng, design=self._design), at_us)
            (word,) = lit
            if word not in self._empty:
                self._empty[word] = take_picture((), lit, self._rng, design=self._design)
            return Shot(self._empty[word], at_us)
        laid = [
            Sheet(
                one.face.image,
                one.face.alpha,
                one.size,
                leading - one.behind,
                one.side_y,
                one.turn_deg,
                one.height_mm + one.bend_mm,
            )
            for one in there
        ]
        return Shot(take_picture(laid, lit, self._rng, speed_m_s=speed, design=self._design), at_us)

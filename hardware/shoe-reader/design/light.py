"""Currents and light of the reader as arithmetic; each figure with its source or marked as an estimate."""

import math
from typing import Final, NamedTuple

from design.geometry import READER, Design, Point

EPSILON_0: Final = 8.854e-12
"""Farad a metre."""


class Lamp(NamedTuple):
    """One white LED of the flash. Source: estimate for a 3535 LED of one watt."""

    ampere: float = 1.0
    lumen: float = 220.0
    forward_volt: float = 3.3


class Sensor(NamedTuple):
    """How a pixel answers light.

    Source of `volt_per_lux_s`: 4.0 V/(lux s) of the AR0141CS, whose pixels are 3.0 um, too (its data sheet,
    read at dtsheet.com/doc/1311235); a colour sensor behind a lens gets a third of it (estimate).
    `full_volt`: estimate.
    """

    volt_per_lux_s: float = 4.0 / 3
    full_volt: float = 0.6


LAMP: Final = Lamp()
SENSOR: Final = Sensor()
PAPER: Final = 0.8
"""Share of light that paper gives back. Source: estimate."""

LENS: Final = 0.9
"""Share of light that the lens lets through. Source: estimate."""

ROOM_LUX: Final = 500.0
"""Light at a table. Source: estimate; a bright office has as much."""

STRAY: Final = 0.002
"""Share of it that reaches the card's face in the tunnel, below the card and behind the roof. Source:
estimate."""


def illuminance(lamp: Point, spot: tuple[float, float], flux: float = LAMP.lumen) -> float:
    """Lux at a place of the card from one lamp, turned to the window's middle (Lambert, inverse square)."""
    x, y = READER.window.middle
    axis = (x - lamp[0], y - lamp[1], -lamp[2])
    ray = (spot[0] - lamp[0], spot[1] - lamp[1], -lamp[2])
    far, long = (math.sqrt(sum(part**2 for part in vector)) for vector in (ray, axis))
    from_axis = sum(a * b for a, b in zip(ray, axis, strict=True)) / (far * long)
    on_card = ray[2] / far
    return max(from_axis, 0.0) * on_card * flux / math.pi / (far / 1000) ** 2


def flash_lux(spot: tuple[float, float], design: Design = READER) -> float:
    """Lux at a place of the card while all lamps are on."""
    return sum(illuminance(lamp, spot) for lamp in design.lamps)


def filled(lux_s: float, design: Design = READER) -> float:
    """Share of the scale that paper fills after so much light (1 and more: clipped)."""
    optics = design.optics
    at_sensor = lux_s * PAPER * LENS / (4 * optics.f_number**2 * (1 + design.magnification) ** 2)
    return at_sensor * SENSOR.volt_per_lux_s / SENSOR.full_volt


def card_farad(
    sheets: int, *, plate_mm: float = 20.0, apart_mm: float = 3.0, permittivity: float = 3.0
) -> float:
    """Capacity of the thickness sensor's plates with so many cards between them.

    `permittivity` of paper and plastic. Source: estimate; what counts is that it is the same for every card.
    """
    card = sheets * 0.31
    gap = apart_mm - card + card / permittivity
    return EPSILON_0 * plate_mm**2 / gap / 1000


class Budget(NamedTuple):
    """What the reader takes."""

    flash_ampere: float
    flash_coulomb: float
    droop_volt: float
    mean_ampere: float
    usb_ampere: float
    series_ohm: float


RESERVOIR_FARAD: Final = 1000e-6
FEED_OHM: Final = 22.0
SUPPLY_VOLT: Final = 5.0
SWITCH_OHM: Final = 0.05
"""The MOSFET's resistance at 3.3 V on its gate. Source: estimate for an AO3400 class part."""

BOARD_AMPERE: Final = 0.045
CAMERA_AMPERE: Final = 0.2
SENSORS_AMPERE: Final = 0.06
"""Board at work, camera module, two infrared diodes with their receivers and six code lights. Source:
estimates."""


def budget(design: Design = READER) -> Budget:
    """The flash and the USB line: what a pulse takes from the capacitor, and what flows on the mean."""
    lamps = len(design.lamps)
    ampere = lamps * LAMP.ampere
    coulomb = ampere * design.flash_us / 1e6
    mean = coulomb / (design.flash_ms / 1e3)
    volt = SUPPLY_VOLT - mean * FEED_OHM
    ohm = (volt - LAMP.forward_volt - ampere * SWITCH_OHM) / LAMP.ampere
    usb = mean + BOARD_AMPERE + CAMERA_AMPERE + SENSORS_AMPERE
    return Budget(ampere, coulomb, coulomb / RESERVOIR_FARAD, mean, usb, ohm)

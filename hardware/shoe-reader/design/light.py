"""Currents and light of the reader as arithmetic; each figure with its source or marked as an estimate."""

import math
from typing import Final, NamedTuple

from design.geometry import READER, Design, Point

EPSILON_0: Final = 8.854e-12
"""Farad a metre."""


class Lamp(NamedTuple):
    """One white LED of the flash: lumens at one ampere, and between what its forward voltage lies there.

    Source: estimate for a 3535 LED of one watt; makers' bins at 350 mA reach from 2.8 to 3.6 V, 0.3 V more
    at one ampere.
    """

    lumen: float = 220.0
    forward_volt: tuple[float, float] = (2.8, 3.9)


class Sensor(NamedTuple):
    """How a pixel answers light.

    Source of `volt_per_lux_s`: 4.0 V/(lux s) of the AR0141CS, whose pixels are 3.0 um, too (its data sheet,
    read at dtsheet.com/doc/1311235); a colour sensor behind a lens gets a third of it, and half of that
    without binning (estimates). `full_volt`: estimate.
    """

    volt_per_lux_s: float = 4.0 / 3 / 2
    full_volt: float = 0.6


LAMP: Final = Lamp()
SENSOR: Final = Sensor()
PAPER: Final = 0.8
"""Share of light that paper gives back. Source: estimate."""

LENS: Final = 0.9 * 0.9
"""Share of light that lens and mirror let through. Source: estimate."""

_ROOM_LUX: Final = 500.0
"""Light at a table. Source: estimate; a bright office has as much."""

STRAY: Final = 0.002
"""Share of it that reaches the card's face in the tunnel, below the card and behind the roof. Source:
estimate."""


_AIM: Final = (13.0, 5.0)
"""Each lamp is turned to a place so far beyond the window's middle, at this y: the far side gets more."""


def _illuminance(lamp: Point, spot: tuple[float, float], flux: float = LAMP.lumen) -> float:
    """Lux at a place of the card from one lamp on its slope (Lambert, inverse square)."""
    middle = READER.window.middle[0]
    aim_x = middle + math.copysign(_AIM[0], middle - lamp[0])
    axis = (aim_x - lamp[0], _AIM[1] - lamp[1], -lamp[2])
    ray = (spot[0] - lamp[0], spot[1] - lamp[1], -lamp[2])
    far, long = (math.sqrt(sum(part**2 for part in vector)) for vector in (ray, axis))
    from_axis = sum(a * b for a, b in zip(ray, axis, strict=True)) / (far * long)
    on_card = ray[2] / far
    return max(from_axis, 0.0) * on_card * flux / math.pi / (far / 1000) ** 2


def flash_lux(spot: tuple[float, float], design: Design = READER) -> float:
    """Lux at a place of the card while all lamps are on."""
    return sum(_illuminance(lamp, spot) for lamp in design.lamps)


def filled(lux_s: float, design: Design = READER) -> float:
    """Share of the scale that paper fills after so much light (1 and more: clipped)."""
    optics = design.optics
    at_sensor = lux_s * PAPER * LENS / (4 * optics.f_number**2 * (1 + design.magnification) ** 2)
    return at_sensor * SENSOR.volt_per_lux_s / SENSOR.full_volt


_SUPPLY_VOLT: Final = (4.6, 5.25)
"""At the end of the cable. Source: USB 2.0, 4.75 V at the port, and 0.15 V for 2 m of cable (estimate)."""

_STRING_VOLT: Final = 27.0
"""What the step-up module is set to. Source: up to 28 V (lygte-info.dk, review of the MT3608 module)."""

SENSE_OHM: Final = 0.68
_BASE_VOLT: Final = (0.58, 0.74)
"""Base to emitter of the transistor that limits the current, at 10 and 45 degrees Celsius and 5 mA. Source:
estimate for a BC337, 0.66 V at 25 degrees, less 2 mV a degree, and its spread."""

_SWITCH_VOLT: Final = 0.3
"""What the MOSFET needs at least to regulate. Source: estimate for an IRLZ24N at one ampere."""

_STORE_FARAD: Final = 470e-6
FEED_OHM: Final = 150.0
"""Between module and store: what a switch that stays on can take is harmless to the lamps for ever."""

_BOARD_AMPERE: Final = 0.045
_CAMERA_AMPERE: Final = 0.25
_SENSORS_AMPERE: Final = 0.09
_STEP_UP: Final = 0.75
"""Board, camera module, sensors with code lights, and what the step-up passes on. Source: estimates."""


def lamp_ampere() -> tuple[float, float]:
    """Least and greatest current of the lamps in a flash: the limiting transistor alone says it."""
    return _BASE_VOLT[0] / SENSE_OHM, _BASE_VOLT[1] / SENSE_OHM


def headroom_volt(forward_volt: float, design: Design = READER) -> float:
    """What is left for the limiter at the end of a flash, with lamps of this forward voltage."""
    ampere = lamp_ampere()[1]
    mean = ampere * design.flash_us / (1000 * design.flash_ms)
    droop = ampere * design.flash_us / 1e6 / _STORE_FARAD
    string = len(design.lamps) * forward_volt
    return _STRING_VOLT - mean * FEED_OHM - droop - string - _BASE_VOLT[1] - _SWITCH_VOLT


def stuck_ampere() -> float:
    """What flows through the lamps where the switch stays on, for whatever reason."""
    return (_STRING_VOLT - len(READER.lamps) * LAMP.forward_volt[0] - _BASE_VOLT[0]) / FEED_OHM


def usb_ampere(design: Design = READER) -> float:
    """What the reader and its camera take from the table's computer on the mean."""
    mean = lamp_ampere()[1] * design.flash_us / (1000 * design.flash_ms)
    flash = mean * _STRING_VOLT / _SUPPLY_VOLT[0] / _STEP_UP
    return flash + _BOARD_AMPERE + _CAMERA_AMPERE + _SENSORS_AMPERE


class CodeLight(NamedTuple):
    """A white 3 mm LED from 5 V into a pin: low is on, and high leaves less than it needs to shine.

    Source: estimates for a small current, the pin's levels by the RP2040's data sheet at 4 mA.
    """

    forward_volt: tuple[float, float] = (2.55, 3.0)
    dark_volt: float = 2.4
    pin_low_volt: float = 0.3
    pin_high_volt: float = 3.0
    series_ohm: float = 470.0
    lumen_per_ampere: float = 250.0
    through_disc: float = 0.3
    disc_mm: float = 4.0


CODE_LIGHT: Final = CodeLight()


def code_ampere() -> tuple[float, float]:
    """Least and greatest current of a code light that is on."""
    (low, high), (weak, strong) = CODE_LIGHT.forward_volt, _SUPPLY_VOLT
    ohm = CODE_LIGHT.series_ohm
    return (weak - CODE_LIGHT.pin_low_volt - high) / ohm, (strong - low) / ohm


def code_filled(design: Design = READER) -> float:
    """Share of the scale that the weakest code light fills in one exposure (1 and more: at its end)."""
    area_m2 = math.pi * (CODE_LIGHT.disc_mm / 2000) ** 2
    exitance = code_ampere()[0] * CODE_LIGHT.lumen_per_ampere * CODE_LIGHT.through_disc / area_m2
    return filled(exitance * design.optics.exposure_ms / 1000 / PAPER, design)


class Reflective(NamedTuple):
    """The sensor that tells the black cut card from paper, QRE1113, with its resistors.

    Source: onsemi's data sheet (QRE1113/D, read at pdf.product.network/450e6367/onsemi.com/QRE1113GR.html):
    0.10 to 0.90 mA at 20 mA and 1 mm from a card that gives back 90 %, cross-talk at most 1 uA, forward
    voltage 1.2 to 1.6 V. `at_mm` and the shares of paper and of black are estimates, the curve's shape by
    its figure.
    """

    on_milliampere: tuple[float, float] = (0.10, 0.90)
    crosstalk_milliampere: float = 0.001
    forward_volt: tuple[float, float] = (1.2, 1.6)
    series_ohm: float = 100.0
    load_ohm: float = 22_000.0
    paper: float = 0.8
    black: float = 0.06
    at_mm: tuple[tuple[float, float], ...] = ((0.8, 1.0), (1.0, 1.0), (2.0, 0.55), (3.0, 0.28), (3.6, 0.2))


REFLECTIVE: Final = Reflective()


def reflected_volt(part_ma: float, mm: float, share: float) -> float:
    """By how much a sheet that gives back this share lowers the pin, for a part of this current."""
    sensor = REFLECTIVE
    (x0, y0), (x1, y1) = next(
        pair for pair in zip(sensor.at_mm, sensor.at_mm[1:], strict=False) if mm <= pair[1][0]
    )
    far = y0 + (y1 - y0) * (max(mm, x0) - x0) / (x1 - x0)
    volt = (3.3 - sensor.forward_volt[1]) / sensor.series_ohm / 0.020
    return min(part_ma * far * share / 0.9 * volt / 1000 * sensor.load_ohm, 3.1)

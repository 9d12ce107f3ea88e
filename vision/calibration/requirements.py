"""What a set-up must fulfil before cards may be read with it, and what is wrong with one."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.calibration.layout import CardsPart, Zone
from vision.calibration.plane_fit import PlaneFit
from vision.calibration.sheet_quality import SheetQuality

INDEX_PX_LEAST: Final = 16.0
INDEX_PX_WISHED: Final = 24.0
"""Height of an index's letter in the picture: below the first it is refused, below the second a warning."""

EDGE_PX_MOST: Final = 3.5
"""Wider edges are out of focus or moving: a stroke of an index is about as wide."""

BURNT_SHARE: Final = 0.10
PAPER_LEAST: Final = 80.0
RESIDUAL_PX_MOST: Final = 1.0
SPREAD_MM_MOST: Final = 5.0
"""Places on a box must be known at least so well (standard deviation), far less than a card's width."""


class Complaint(NamedTuple):
    """Something wrong: a code with parameters; `refuses` tells a fault from a warning.

    `zones` are those that it is about, each with a figure or "", for the hole `{zones}` of the sentence.
    """

    code: str
    params: dict[str, str | int]
    refuses: bool = True
    zones: tuple[tuple[Zone, str], ...] = ()


class ZoneMeasurement(NamedTuple):
    """What the camera makes of one zone; the worst of its corners counts.

    `index_px` is the height of the house's index there, `spread_mm` the standard deviation of a place.
    """

    zone: Zone
    whole: bool
    px_per_mm: float
    index_px: float
    spread_mm: float


def decimal(value: float) -> str:
    """A number for a sentence, one digit behind the point."""
    return f"{value:.1f}"


def measure_zone(zone: Zone, fit: PlaneFit, cards: CardsPart, size_px: tuple[int, int]) -> ZoneMeasurement:
    """Measure a zone in a picture of `size_px`, width and height."""
    corners = zone.corners()
    pixels = fit.plane.to_px(corners)
    whole = bool(np.isfinite(pixels).all() and (pixels >= 0).all() and (pixels < size_px).all())
    if not whole:
        return ZoneMeasurement(zone, False, 0.0, 0.0, float("inf"))
    scale = float(fit.plane.px_per_mm(corners).min())
    return ZoneMeasurement(zone, True, scale, scale * cards.index_mm, float(fit.spread(corners).max()))


def judge_zones(gauges: Iterable[ZoneMeasurement]) -> list[Complaint]:
    """Zones that the picture cuts, where cards are too small, or where places are too uncertain."""
    read = [one for one in gauges if one.zone.number is not None]
    whole = [one for one in read if one.whole]
    complaints = []
    if len(whole) < len(read):
        cut = tuple((one.zone, "") for one in read if not one.whole)
        complaints.append(Complaint("ZONE_CUT", {}, zones=cut))
    small = [one for one in whole if one.index_px < INDEX_PX_LEAST]
    low = [one for one in whole if INDEX_PX_LEAST <= one.index_px < INDEX_PX_WISHED]
    if small:
        complaints.append(_index("INDEX_TOO_SMALL", small, INDEX_PX_LEAST, refuses=True))
    if low:
        complaints.append(_index("INDEX_SMALL", low, INDEX_PX_WISHED, refuses=False))
    if far := [one for one in whole if one.spread_mm > SPREAD_MM_MOST]:
        zones = tuple((one.zone, f"± {decimal(one.spread_mm)} mm") for one in far)
        complaints.append(Complaint("PLACES_UNCERTAIN", {"most": decimal(SPREAD_MM_MOST)}, zones=zones))
    return complaints


def _index(code: str, gauges: Sequence[ZoneMeasurement], least: float, *, refuses: bool) -> Complaint:
    zones = tuple((one.zone, f"{decimal(one.index_px)} px") for one in gauges)
    return Complaint(code, {"least": f"{least:.0f}"}, refuses, zones)


def judge_quality(name: str, quality: SheetQuality) -> list[Complaint]:
    """A sheet, or a print, that is blurred, burnt out or too dark."""
    complaints = []
    if quality.edge_px is None or quality.edge_px > EDGE_PX_MOST:
        width = "?" if quality.edge_px is None else decimal(quality.edge_px)
        complaints.append(Complaint("BLURRED", {"what": name, "px": width, "most": decimal(EDGE_PX_MOST)}))
    if quality.burnt > BURNT_SHARE:
        share = f"{100 * quality.burnt:.0f}"
        complaints.append(Complaint("BURNT", {"what": name, "percent": share}))
    if quality.paper < PAPER_LEAST:
        complaints.append(Complaint("DARK", {"what": name, "level": round(quality.paper)}))
    return complaints


def judge_residual(residuals: dict[str, float]) -> list[Complaint]:
    """Points that no flat felt explains, in pixels by what they lie on."""
    worst = max(residuals, key=lambda name: residuals[name])
    if residuals[worst] < RESIDUAL_PX_MOST:
        return []
    most = {"what": worst, "px": decimal(residuals[worst]), "most": decimal(RESIDUAL_PX_MOST)}
    return [Complaint("RESIDUAL", dict(most))]

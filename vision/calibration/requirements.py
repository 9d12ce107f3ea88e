"""Requirements that a set-up must meet before cards are read with it."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from vision.calibration.layout import CardsPart, Zone
from vision.calibration.plane_fit import PlaneFit
from vision.calibration.sheet_quality import SheetQuality


class SetupLimits(NamedTuple):
    """Limits of a set-up (docs/layout.md, What is refused).

    Source: no measurement on record, except where a field names one.
    """

    rank_px: float = 16.0
    rank_px_wished: float = 24.0
    """Height of the rank's letter or number alone, without the pip: below the first a set-up is refused,
    below the second there is a warning. The whole index, whose height the reader's limits are about
    (`acceptance.SIZE_LIMITS`), is about twice as high: 1.9 times on the demo's deck, 1.5 to 2.4 on drawn
    ones.

    Source: the ratios follow from `synth.style`.
    """

    edge_px: float = 3.5
    """Wider edges are out of focus or moving: a stroke of an index is about as wide."""

    burnt_share: float = 0.10
    """Greatest share of the paper at the end of the scale."""

    paper_level: float = 80.0
    """Least usual brightness of the paper, 0..255."""

    residual_px: float = 1.0
    """Greatest root mean square of what no flat felt explains; drawn tables have 0.04 to 0.4
    (docs/layout.md)."""

    spread_mm: float = 5.0
    """Places on a box must be known at least so well (standard deviation), far less than a card's width."""


SETUP_LIMITS: Final = SetupLimits()


class Complaint(NamedTuple):
    """A fault or warning: a code with parameters; `refuses` is True for a fault.

    `zones` are the zones concerned, each with a figure or "", for the hole `{zones}` of the sentence.
    """

    code: str
    params: dict[str, str | int]
    refuses: bool = True
    zones: tuple[tuple[Zone, str], ...] = ()


class ZoneMeasurement(NamedTuple):
    """The measurements of one zone, at its worst corner.

    `rank_px` is the height of the house's rank letters there, `spread_mm` the standard deviation of a place.
    `whole`: the picture shows all of the zone.
    """

    zone: Zone
    whole: bool
    px_per_mm: float
    rank_px: float
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
    return ZoneMeasurement(zone, True, scale, scale * cards.rank_mm, float(fit.spread(corners).max()))


def judge_zones(measured: Iterable[ZoneMeasurement]) -> list[Complaint]:
    """Zones that the picture cuts, where cards are too small, or where places are too uncertain."""
    read = [one for one in measured if one.zone.number is not None]
    whole = [one for one in read if one.whole]
    complaints = []
    if len(whole) < len(read):
        cut = tuple((one.zone, "") for one in read if not one.whole)
        complaints.append(Complaint("ZONE_CUT", {}, zones=cut))
    limits = SETUP_LIMITS
    small = [one for one in whole if one.rank_px < limits.rank_px]
    low = [one for one in whole if limits.rank_px <= one.rank_px < limits.rank_px_wished]
    if small:
        complaints.append(_small_rank("INDEX_TOO_SMALL", small, limits.rank_px, refuses=True))
    if low:
        complaints.append(_small_rank("INDEX_SMALL", low, limits.rank_px_wished, refuses=False))
    if far := [one for one in whole if one.spread_mm > limits.spread_mm]:
        zones = tuple((one.zone, f"± {decimal(one.spread_mm)} mm") for one in far)
        complaints.append(Complaint("PLACES_UNCERTAIN", {"most": decimal(limits.spread_mm)}, zones=zones))
    return complaints


def _small_rank(code: str, measured: Sequence[ZoneMeasurement], least: float, *, refuses: bool) -> Complaint:
    zones = tuple((one.zone, f"{decimal(one.rank_px)} px") for one in measured)
    return Complaint(code, {"least": f"{least:.0f}"}, refuses, zones)


def judge_quality(name: str, quality: SheetQuality) -> list[Complaint]:
    """A sheet, or a print, that is blurred, burnt out or too dark."""
    complaints = []
    if quality.edge_px is None or quality.edge_px > SETUP_LIMITS.edge_px:
        width = "?" if quality.edge_px is None else decimal(quality.edge_px)
        complaints.append(
            Complaint("BLURRED", {"what": name, "px": width, "most": decimal(SETUP_LIMITS.edge_px)})
        )
    if quality.burnt > SETUP_LIMITS.burnt_share:
        share = f"{100 * quality.burnt:.0f}"
        complaints.append(Complaint("BURNT", {"what": name, "percent": share}))
    if quality.paper < SETUP_LIMITS.paper_level:
        complaints.append(Complaint("DARK", {"what": name, "level": round(quality.paper)}))
    return complaints


def judge_residual(residuals: dict[str, float]) -> list[Complaint]:
    """Return complaints about residuals (pixels, by target) that no flat felt explains."""
    worst = max(residuals, key=lambda name: residuals[name])
    if residuals[worst] < SETUP_LIMITS.residual_px:
        return []
    most = {"what": worst, "px": decimal(residuals[worst]), "most": decimal(SETUP_LIMITS.residual_px)}
    return [Complaint("RESIDUAL", dict(most))]

"""Writes a layout file and the picture that goes with it, from a calibration that nothing refuses."""

import hashlib
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from controller.outputs import FRESH, PUBLIC, Outputs
from vision.calibration.calibrate import CalibrationOutcome
from vision.calibration.layout import (
    VERSION,
    CameraPart,
    CardsPart,
    Layout,
    LensPart,
    Origin,
    PlanePart,
)
from vision.calibration.layout_files import layout_text, wrong
from vision.calibration.plane_fit import PlaneFit
from vision.calibration.png import png_bytes
from vision.geometry import Image, Points


class CalibrationRecord(NamedTuple):
    """Method and day (ISO 8601) of a calibration."""

    method: Literal["sheet", "print"]
    date: str


def write_layout(
    path: Path,
    outcome: CalibrationOutcome,
    cards: CardsPart,
    empty: Image,
    made: CalibrationRecord,
    *,
    outputs: Outputs = FRESH,
) -> Layout:
    """Write the picture of the empty table first, then the layout that names it.

    Raises `ConfigError` LAYOUT_WRONG, as `Outputs.write`, and `ValueError` when the outcome is refused.
    """
    if outcome.fit is None or outcome.refused:
        raise ValueError("a refused set-up has no layout")
    data = png_bytes(empty)
    reference = reference_beside(path)
    outputs.require_free(reference, path)
    try:
        layout = Layout(
            layout=VERSION,
            camera=CameraPart(width=empty.shape[1], height=empty.shape[0]),
            plane=_plane(outcome.fit),
            cards=cards,
            zone=tuple(one.zone for one in outcome.zones),
            origin=Origin(
                date=made.date,
                method=made.method,
                residual_px=round(outcome.fit.residual_px, 3),
                reference=reference.name,
                sha256=hashlib.sha256(data).hexdigest(),
            ),
        )
    except ValidationError as error:
        raise wrong(path, error) from error
    outputs.write(reference, data, PUBLIC)
    outputs.write(path, layout_text(layout).encode("utf-8"), PUBLIC)
    return layout


def reference_beside(layout: Path) -> Path:
    """Name the picture of the empty table that a layout has beside it."""
    return layout.with_name(f"{layout.stem}.reference.png")


def _plane(fit: PlaneFit) -> PlanePart:
    """The fitted plane; the matrix scaled so that the lens's centre has the depth 1, for people's eyes."""
    matrix, lens = fit.plane.mm_of_px, fit.plane.lens
    assert lens is not None
    matrix = matrix / float(matrix[2] @ (*lens.centre_px, 1.0))
    bent = LensPart(focal_px=lens.focal_px, centre_px=lens.centre_px, k1=lens.k1, k2=lens.k2)
    first, second, third = (_row(row) for row in matrix)
    return PlanePart(homography=(first, second, third), lens=bent)


def _row(row: Points) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])

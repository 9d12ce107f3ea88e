"""Layouts of a bumped camera, stored beside the calibrated one; no file is overwritten.

`layout.toml` is followed by `layout.anew-1.toml`, `layout.anew-2.toml` and so on; each names the SHA-256 of
its predecessor. A new calibration with sheets writes another `layout.toml`, which none of them follows.
"""

import hashlib
from datetime import date
from pathlib import Path
from typing import NamedTuple

from controller.domain import ConfigError
from controller.outputs import FRESH, PUBLIC, anew_beside, next_beside
from vision.calibration.layout import Layout
from vision.calibration.layout_files import layout_text, load_layout
from vision.calibration.png import png_bytes
from vision.calibration.recalibration import Recalibration
from vision.geometry import Image


class LayoutFile(NamedTuple):
    """A layout, the file that it stands in, and that file's SHA-256."""

    layout: Layout
    path: Path
    sha256: str


def latest_layout(path: Path) -> LayoutFile:
    """The layout of a file, or the last that its camera was given since; raises as `load_layout`."""
    latest = _read(path)
    for found in map(_read, anew_beside(path)):
        if found.layout.origin.before == latest.sha256:
            latest = found
    return latest


def layout_with(path: Path, sha256: str) -> LayoutFile | None:
    """Return the layout with this SHA-256, from a file or one of its successors.

    None where no file has it; raises as `load_layout`.
    """
    found = map(_read, (path, *anew_beside(path)))
    return next((one for one in found if one.sha256 == sha256), None)


def keep_anew(
    configured: Path, before: LayoutFile, found: Recalibration, image: Image, day: date
) -> LayoutFile:
    """Write the layout of a camera's new place, and the picture from there; on disk when it returns.

    `configured` is the file of the configuration. Raises `ConfigError` LAYOUT_NOT_WRITTEN where there are
    too many, and as `Outputs.write`.
    """
    path = next_beside(configured)
    if path is None:
        raise ConfigError("LAYOUT_NOT_WRITTEN", path=str(configured), reason="too many files")
    data, reference = png_bytes(image), path.with_suffix(".reference.png")
    origin = before.layout.origin.model_copy(
        update={
            "date": day.isoformat(),
            "method": "in_place",
            "residual_px": round(found.residual_px, 3),
            "reference": reference.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "before": before.sha256,
        }
    )
    layout = before.layout.model_copy(update={"plane": found.plane, "origin": origin})
    FRESH.write(reference, data, PUBLIC)
    FRESH.write(path, layout_text(layout).encode("utf-8"), PUBLIC)
    return _read(path)


def _read(path: Path) -> LayoutFile:
    layout = load_layout(path)
    return LayoutFile(layout, path, hashlib.sha256(path.read_bytes()).hexdigest())

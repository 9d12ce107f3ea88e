"""Calibrating a bumped camera where it stands now: from the corners that were found, to a layout on disk."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.domain.errors import DeviceError
from controller.ports import Clock
from vision.calibration import LayoutFile, TableMap, keep_anew, latest_layout, recalibrate
from vision.tracking import Standing


class KeptLayout(NamedTuple):
    """The layout files before and after, and what is left of the corners, in pixels."""

    before: LayoutFile
    after: LayoutFile
    residual_px: float


class InPlaceCalibration:
    """Finds and keeps the new layouts of one camera."""

    def __init__(self, layout_file: Path, clock: Clock) -> None:
        """`layout_file` is the one of the configuration."""
        self._file: Final = layout_file
        self._clock: Final = clock

    def keep(self, standing: Standing, image: NDArray[np.uint8]) -> KeptLayout:
        """Find the layout of the place at which the camera was found, and write it beside the last one.

        Raises `DeviceError` as `recalibrate`, and `ConfigError` as `load_layout` and `keep_anew`.
        """
        place = standing.place
        if standing.state != "moved" or place is None:
            raise DeviceError("RECALIBRATION_FEW", corners=0)
        before = latest_layout(self._file)
        scale = TableMap(before.layout, image.shape[1], image.shape[0], str(self._file)).scale
        start, end = ((places + 0.5) * scale - 0.5 for places in (place.start, place.end))
        found = recalibrate(before.layout, start, end)
        today = datetime.fromtimestamp(self._clock.utc_us() / 1e6, UTC).date()
        after = keep_anew(self._file, before, found, image, today)
        return KeptLayout(before, after, found.residual_px)

"""A camera that was bumped, covered or put into other light: its reports, and its calibration in place."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from controller.acts.catalogue import DeviceSeen
from controller.devices.cameras.deck import ENROLLED, SPREAD, Enrolled
from controller.domain import DeviceError
from controller.policy import Doubt
from controller.ports import Clock, OrderAnswer, Report, Trouble
from controller.runtime.api import Params
from vision.calibration import LayoutFile, TableMap, keep_anew, latest_layout, recalibrate
from vision.tracking import Registration, Standing


class CameraPlacing(NamedTuple):
    """The state of a camera (`vision.tracking.steady_camera`), and its displacement.

    `shift_mm` is that of the corner of print or card that has moved farthest; `turn_deg` is clockwise.
    """

    state: Literal["in_place", "doubt", "moved", "covered", "light", "enrolling"] = "in_place"
    shift_mm: float = 0.0
    turn_deg: float = 0.0


class Calibrated(NamedTuple):
    """The result of a calibration in place: `code` is "", or the reason of the refusal.

    `before` and `after` are the SHA-256 of the layout files, `placing` is the camera's displacement.
    """

    code: str
    before: str = ""
    after: str = ""
    residual_px: float = 0.0
    placing: CameraPlacing = CameraPlacing()


CALIBRATE: Final = "calibrate"
"""The order of the pit that has a bumped camera calibrated in its place."""

CALIBRATED: Final = "CAMERA_CALIBRATED"
"""The alert about a camera that was calibrated in its place, with the layouts before and after."""

_REPEATED_NS: Final = 1_000_000_000
"""A camera that is out of its place says so as often: its driver may have said that it is there."""

CODES: Final = {
    "moved": "CAMERA_BUMPED",
    "covered": "CAMERA_COVERED",
    "light": "CAMERA_LIGHT",
    "enrolling": "DECK_ENROLLING",
}
"""The alerts, by state. No camera of these is a witness until it is back or calibrated anew."""

CARD_MM: Final = 88.0
CARD_SHARE: Final = 1 / 21
"""A card's long side and its share of the picture's width, for a camera without a layout."""


class PlacingReporter:
    """Reports once when a camera is out of its place, and when it is back."""

    def __init__(self, name: str, *, required: bool) -> None:
        """A `required` camera counts as stale meanwhile, which holds the table; any other one warns."""
        self._name = name
        self._required = required
        self._out = ""
        self._due_ns = 0

    def after_picture(self, placing: CameraPlacing, mono_ns: int) -> tuple[Report, ...]:
        """Return the reports after a picture of this moment."""
        state = placing.state
        if state == "doubt" or (state == "in_place" and not self._out):
            return ()
        if state == "in_place":
            self._out = ""
            return (Report(self._name, mono_ns, self._seen("live")),) if self._required else ()
        if state == self._out:
            return self._again(mono_ns)
        self._out, self._due_ns = state, mono_ns + _REPEATED_NS
        return (Report(self._name, mono_ns, self._seen("stale"), (self._trouble(placing),)),)

    def calibrated(self, found: Calibrated, mono_ns: int) -> Report:
        """Return the report of a calibration ordered by the pit."""
        answers = (OrderAnswer(CALIBRATE, found.code),)
        if found.code:
            return Report(self._name, mono_ns, answers=answers)
        mm, degrees = max(1, round(found.placing.shift_mm)), f"{abs(found.placing.turn_deg):.1f}"
        params: Params = (
            *(("name", self._name), ("mm", mm), ("degrees", degrees)),
            *(("px", f"{found.residual_px:.2f}"), ("before", found.before), ("after", found.after)),
        )
        calibrated = Trouble(CALIBRATED, params, hold=False)
        return Report(self._name, mono_ns, troubles=(calibrated,), answers=answers)

    def enrolled(self, found: Enrolled, mono_ns: int) -> Report:
        """Return the report of a picture of the spread deck."""
        troubles: tuple[Trouble, ...] = ()
        if found.code or found.params:
            params = (("name", self._name), *found.params)
            troubles = (Trouble(found.code or ENROLLED, params, hold=False),)
        return Report(self._name, mono_ns, (), troubles, (OrderAnswer(SPREAD, found.code),))

    def _again(self, mono_ns: int) -> tuple[Report, ...]:
        if mono_ns < self._due_ns or not self._required:
            return ()
        self._due_ns = mono_ns + _REPEATED_NS
        return (Report(self._name, mono_ns, self._seen("stale")),)

    def _seen(self, presence: Literal["live", "stale"]) -> tuple[DeviceSeen, ...]:
        return (DeviceSeen(self._name, presence),) if self._required else ()

    def _trouble(self, placing: CameraPlacing) -> Trouble:
        return Trouble(CODES[placing.state], _placing_params(placing, self._name), hold=self._required)


def _placing_params(placing: CameraPlacing, name: str) -> Params:
    """Return the parameters of the placing's sentence for a camera of this name."""
    params: Params = (("name", name),)
    if placing.state == "moved":
        mm, degrees = max(1, round(placing.shift_mm)), f"{abs(placing.turn_deg):.1f}"
        params += (("mm", mm), ("degrees", degrees))
    return params


def out_of_place(placing: CameraPlacing, name: str) -> Doubt | None:
    """Return the hold for a displaced camera; None when it is in place."""
    code = CODES.get(placing.state)
    return None if code is None else Doubt(code, _placing_params(placing, name))


def placing_of(standing: Standing, felt: TableMap | None, width_px: int) -> CameraPlacing:
    """Return the displacement in millimetres: by the layout, else by a card's usual share of the picture."""
    place = standing.place
    if standing.state != "moved" or place is None:
        return CameraPlacing(standing.state)
    return CameraPlacing(standing.state, _shift_mm(place, felt, width_px), place.turn_deg)


def _shift_mm(place: Registration, felt: TableMap | None, width_px: int) -> float:
    if felt is None:
        return place.shift_px * CARD_MM / (CARD_SHARE * width_px)
    apart = felt.to_mm(place.end) - felt.to_mm(place.start)
    return float(np.nanmax(np.hypot(*apart.T)))


class KeptLayout(NamedTuple):
    """The layout files before and after, and the residual of the corners in pixels."""

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

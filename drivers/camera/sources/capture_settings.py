"""Fixed values of a camera: set once, read back, and looked at again while it runs."""

from typing import Final, Protocol

import cv2

from controller.domain import DeviceError
from drivers.camera.config import CameraConfig, without_password

SETTINGS: Final[dict[str, tuple[int, int | None, float]]] = {
    "exposure": (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_AUTO_EXPOSURE, 1),
    "gain": (cv2.CAP_PROP_GAIN, None, 0),
    "white_balance": (cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_AUTO_WB, 0),
    "focus": (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS, 0),
}
"""Each setting, the automatic that would change it again, and what switches that off in V4L2."""

TOLERANCE: Final = 0.02
"""A value this share beside the one that was asked for is taken for it: devices round to their own steps."""


class Settable(Protocol):
    """The part of `cv2.VideoCapture` that fixed settings need."""

    def set(self, setting: int, value: float, /) -> bool:
        """Ask for a value; True when the driver says that it took it."""
        ...

    def get(self, setting: int, /) -> float:
        """Read a value back."""
        ...


def lock(capture: Settable, config: CameraConfig) -> None:
    """Switch the automatics off, set what the configuration fixes and read it back.

    Raises `DeviceError` DEVICE_OPEN_FAILED with reason SETTING_REFUSED and what was wanted and found:
    pictures of a camera that does as it likes cannot be compared from one hour to the next.
    """
    for name, value in config.settings:
        setting, automatic, off = SETTINGS[name]
        if automatic is not None:
            capture.set(automatic, off)
        capture.set(setting, value)
    wrong = differing(capture, config)
    if wrong:
        name, found, wanted = wrong
        said = f"{name} {found:g}, {wanted:g}"
        raise DeviceError(
            "DEVICE_OPEN_FAILED", port=without_password(config.source), reason="SETTING_REFUSED", setting=said
        )


def differing(capture: Settable, config: CameraConfig) -> tuple[str, float, float] | None:
    """Find the first setting that is not as it was fixed: its name, what it is, what it should be."""
    for name, wanted in config.settings:
        setting, automatic, off = SETTINGS[name]
        found = capture.get(setting)
        if abs(found - wanted) > TOLERANCE * max(1.0, abs(wanted)):
            return name, found, wanted
        if automatic is not None and capture.get(automatic) != off:
            return f"auto {name}", capture.get(automatic), off
    return None


def read_back(capture: Settable, config: CameraConfig) -> tuple[tuple[str, str], ...]:
    """Read what the device is set to, in its own units: the picture's size and rate, the fixed settings."""
    width, height = (int(capture.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    rate = capture.get(cv2.CAP_PROP_FPS)
    fixed = ((name, f"{capture.get(SETTINGS[name][0]):g}") for name, _ in config.settings)
    return (("size", f"{width}x{height}"), ("fps", f"{rate:g}"), *fixed)

"""Sections of the cameras: one `[camera]`, or several `[[camera]]` where one alone does not see the table."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from controller.config.section import Fraction, Section

ADDRESS = "://"
"""What tells the address of a stream from the path of a device, file or folder."""


class Zone(Section):
    """Where in the picture the cards of a box lie: a circle in pixels.

    `box` is the box's number; the place in the list, from 1, when left out.
    """

    x: float
    y: float
    radius: float = Field(gt=0)
    box: int | None = Field(default=None, ge=1)


class CameraSection(Section):
    """A camera over the table, and where it sees boxes and dealer.

    `source` is a V4L2 device (its path or number), a video file, a folder of pictures, or the address of a
    stream (http, https, rtsp). When a `required` camera is lost the table holds; without another one it only
    warns. `exposure`, `gain`, `white_balance` and `focus` fix what a device would else change by itself, in
    the device's own units. `reference` is a picture of the empty table, against which a moved camera shows.
    `layout` is the file of `stand17 calibrate`; it takes the place of boxes and dealer, and of a reference
    that is not named.
    """

    name: str = Field(default="camera", min_length=1, max_length=40)
    source: str = Field(min_length=1)
    width: int = Field(default=1920, ge=0)
    height: int = Field(default=1080, ge=0)
    fps: float = Field(default=0, ge=0, le=240)
    loop: bool = False
    """Whether a file or folder begins again at its end."""
    required: bool = True
    silence_ms: int = Field(default=1000, ge=100)
    """Time without a good picture after which the camera counts as stale."""
    exposure: float | None = None
    gain: float | None = None
    white_balance: float | None = None
    focus: float | None = None
    reference: Path | None = None
    layout: Path | None = None
    record_fps: float = Field(default=5, ge=0, le=60)
    """Pictures a second, at most, that are encoded for the recording when the source gives no JPEG."""
    boxes: tuple[Zone, ...] = ()
    dealer: Zone | None = None
    read_every_ms: int = Field(default=300, gt=0)
    """How often the table hears where cards lie; the pictures between are followed all the same."""
    settle_ms: int = Field(default=2000, gt=0)
    """Time that hands need to clear the table, or to lay cards as the pit has ruled."""
    votes: int = Field(default=3, gt=0)
    """Pictures in a row that must show the same contradiction before the table is held."""
    certain: Fraction = 0.98
    """Readings below this probability contradict nobody."""

    @property
    def fixed(self) -> tuple[tuple[str, float], ...]:
        """The fixed settings, by name."""
        named = {
            "exposure": self.exposure,
            "gain": self.gain,
            "white_balance": self.white_balance,
            "focus": self.focus,
        }
        return tuple((name, value) for name, value in named.items() if value is not None)

    @model_validator(mode="after")
    def _sees_something(self) -> "CameraSection":
        circles = bool(self.boxes) or self.dealer is not None
        if circles and self.layout is not None:
            raise ValueError("a camera has a layout or boxes and dealer, not both")
        if not circles and self.layout is None:
            raise ValueError("a camera needs at least one of boxes and dealer, or a layout")
        return self

    def rooted(self, folder: Path) -> "CameraSection":
        """Make relative paths those of `folder`."""
        changed: dict[str, Any] = {}
        for name, path in (("reference", self.reference), ("layout", self.layout)):
            if path is not None:
                changed[name] = folder / path
        if ADDRESS not in self.source and not self.source.isdigit():
            changed["source"] = str(folder / self.source)
        return self.model_copy(update=changed)


def _listed(value: object) -> object:
    """Take a single `[camera]` for a list of one."""
    return (value,) if isinstance(value, dict | CameraSection) else value


Cameras = Annotated[tuple[CameraSection, ...], BeforeValidator(_listed), Field(max_length=8)]

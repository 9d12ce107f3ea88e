"""The layouts by which the cameras of a recording saw: those in force when it began, and each change since.

The session names the SHA-256 of each camera's layout file, the journal each calibration in its place. The
files themselves lie beside the configured one; a recording holds none of them.
"""

from typing import Final

from controller.config import CameraSection
from controller.devices.cameras.deck import ENDINGS
from controller.devices.cameras.follower import CALIBRATED
from controller.devices.cameras.setup import LAYOUT_UNKNOWN, layout_of
from controller.devices.kept import layouts_named, name_layouts
from controller.domain import ConfigError
from controller.journal.entry import Entry, body_of
from controller.recording.recording_reader import Recording
from controller.runtime.ledger import params_of
from vision.calibration import Layout


def calibration_of(entry: Entry) -> tuple[str, str, str] | None:
    """Return the camera that an entry says was calibrated in its place, with its old and new layout.

    The layouts are the SHA-256 of their files; None for any other entry.
    """
    if entry.kind != "trouble":
        return None
    body = body_of(entry)
    if body["code"] != CALIBRATED:
        return None
    params = {key: str(value) for key, value in params_of(body)}
    return params["name"], params["before"], params["after"]


def enrolment_of(entry: Entry) -> str:
    """Return the camera whose enrolment of a deck ended with an entry; "" for any other entry."""
    body = body_of(entry) if entry.kind == "trouble" else {}
    return str(dict(params_of(body))["name"]) if body.get("code") in ENDINGS else ""


class RecordedLayouts:
    """The layout of each camera at the recording's present position, which the caller sets."""

    def __init__(self, recording: Recording, *, replaced: bool) -> None:
        """Begin with the recorded layouts; `replaced`: the cameras' sections are not the recorded ones."""
        self._in_force = layouts_named(recording.session)
        # Where nothing is named, or another layout was given on purpose, the last one of the file has to do.
        self._strict: Final = bool(self._in_force) and not replaced
        for entry in recording.history:
            self.follow(entry)

    @property
    def named(self) -> str:
        """The layouts as they are now, as a session names them."""
        return name_layouts(self._in_force)

    def of(self, section: CameraSection) -> Layout | None:
        """Return the camera's present layout; None without one.

        Raises as `layout_of`; LAYOUT_UNKNOWN when the session names a missing file.
        """
        try:
            return layout_of(section, self._in_force.get(section.name, ""))
        except ConfigError as error:
            if self._strict or error.code != LAYOUT_UNKNOWN:
                raise
        return layout_of(section)

    def follow(self, entry: Entry) -> str:
        """Take an entry of the journal; return the camera whose layout it changes, "" for none."""
        calibrated = calibration_of(entry)
        if calibrated is None:
            return ""
        name, before, after = calibrated
        if self._in_force.get(name, before) != before:
            return ""
        self._in_force[name] = after
        return name

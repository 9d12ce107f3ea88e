"""The trials before a table opens: networks and deck profiles, and each device for a moment."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from controller.config import TableConfig
from controller.devices.cameras.deck import deck_of
from controller.devices.cameras.setup import camera_setups
from controller.devices.inputs import input_driver
from controller.devices.shoes import card_sources_to_try
from controller.domain import ConfigError
from controller.ports import Clock, Frame, FrameSource, Health, ObservationSource
from drivers.camera import Camera
from vision.enrolment import load_profile
from vision.inference import (
    default_models_dir,
    open_session,
    read_manifest,
    require_arithmetic,
    verified_model,
)

NETWORKS: Final = ("index", "glance", "body", "survey")
"""Folders of the networks that a camera over the table needs."""


def require_reader(config: TableConfig) -> None:
    """Compare every file with its hash, and this processor's results of each network with the recorded ones.

    Raises `ConfigError` MODEL_MISSING, MODEL_CHANGED, MODEL_COMPUTED_OTHERWISE, DECK_MISSING, DECK_CHANGED,
    DECK_OTHER_MODEL.
    """
    folder = config.models.folder or default_models_dir()
    manifests = {name: read_manifest(folder / name) for name in NETWORKS}
    for name, manifest in manifests.items():
        model = verified_model(folder / name, manifest, {})
        require_arithmetic(name, open_session(model), model)
    for deck in {deck for section in config.table_cameras if (deck := deck_of(section)) is not None}:
        _require_deck(deck, str(manifests["index"].get("sha256")))


def _require_deck(deck: Path, network: str) -> None:
    if load_profile(deck).network != network:
        raise ConfigError("DECK_OTHER_MODEL", path=str(deck))


_PROOF_S: Final = 0.1
_PICTURE_S: Final = 15.0
"""A camera that is opening, or has sent nothing yet, is waited for so long: a stream may begin slowly."""

_SPEAKS_ALWAYS: Final = frozenset({"peek", "chips"})
"""Kinds of devices that give a sign of life every second."""

_RATE_SHARE: Final = 0.02
"""A camera's rate may differ so much from what it was asked for: drivers round it."""

_NO_NEWS: Final = frozenset({"bytes", "opened"})
_DAMAGED: Final = frozenset({"LineFault", "LineRefused"})


_TriedDevice = ObservationSource | FrameSource


class DeviceFinding(NamedTuple):
    """A configured device after it was tried.

    `problem` is "" where nothing is wrong; `frame` the last picture of a camera over the table.
    """

    health: Health
    problem: str
    frame: Frame | None = None


def try_devices(
    config: TableConfig, clock: Clock, seconds: float, tell: Callable[[Health], None]
) -> list[DeviceFinding]:
    """Try each for so long at most; `tell` hears which is next. Raises as `card_sources_to_try`."""
    made: list[_TriedDevice] = [*card_sources_to_try(config, clock)]
    made += [eyes.make(clock, lambda *_: None, None) for eyes in camera_setups(config, placed=True)]
    made += [input_driver(section, clock, lambda *_: None) for section in config.inputs]
    rates = {section.name: section.fps for section in config.camera}
    return [_try(device, seconds, tell, rates.get(device.health().name, 0)) for device in made]


def _try(device: _TriedDevice, seconds: float, tell: Callable[[Health], None], fps: float) -> DeviceFinding:
    """Open a device until it has said something good or bad, or the time is over."""
    tell(device.health())
    device.open()
    begun = time.monotonic()
    try:
        while not _settled(health := device.health()):
            waits_s = max(seconds, _PICTURE_S) if _may_begin(device, health) else seconds
            if time.monotonic() - begun >= waits_s:
                break
            time.sleep(_PROOF_S)
        health = device.health()
        frame = device.latest() if isinstance(device, Camera) else None
    finally:
        device.close()
    return DeviceFinding(health, _problem(health, fps if isinstance(device, Camera) else 0), frame)


def _settled(health: Health) -> bool:
    """Whether a longer trial would bring nothing new."""
    counted = dict(health.counters)
    return health.state == "fault" or bool(counted.get("frames") or counted.get("CardOut"))


def _may_begin(device: _TriedDevice, health: Health) -> bool:
    """Whether a camera is opening or open, and no picture has come, good or bad."""
    begins = isinstance(device, Camera) and health.state in {"opening", "live", "stale"}
    counted = dict(health.counters)
    return begins and not any(number for name, number in counted.items() if name != "opened")


def _problem(health: Health, fps: float = 0) -> str:
    """Return the fault of a device; a line full of damaged messages is a fault although it is open.

    `fps` is the configured rate of a camera; 0: any rate.
    """
    if health.state != "live":
        return health.detail if health.detail not in {"", "OPENED"} else "NOT_THERE"
    given = float(dict(health.settings).get("fps", fps) or fps)
    if fps and abs(given - fps) > _RATE_SHARE * fps:
        return "RATE_DIFFERS"
    counted = dict(health.counters)
    if health.kind in _SPEAKS_ALWAYS and not counted.get("bytes"):
        return "NOT_THERE"
    understood = sum(number for name, number in counted.items() if name not in _NO_NEWS | _DAMAGED)
    return "NOTHING_UNDERSTOOD" if any(map(counted.get, _DAMAGED)) and not understood else ""

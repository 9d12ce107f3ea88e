"""The shoe reader's driver from its section of the configuration."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from controller.config.model import ShoeSection
from controller.ports import Clock, Report, Tap
from drivers.line import Connect, LineConfig, SerialStream
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.driver import SerialShoe
from drivers.shoe.open_shoe import Crop, Name, Namer, OpenShoe, OpenShoeOptions
from drivers.shoe.protocol import ShoeProtocol
from vision.shoe_mouth import MouthReader

COMMANDS: Final = frozenset({"lock", "unlock", "clear_error"})
"""What a table that allows commands may have its shoe do."""


def shoe_of(
    section: ShoeSection,
    clock: Clock,
    session: str,
    post: Callable[[Report], None],
    tap: Tap | None = None,
    *,
    connect: Connect = SerialStream,
    namer: Namer | None = None,
) -> SerialShoe:
    """Build the driver; nothing is opened yet.

    `connect` may open a recorded line. `namer` reads the pictures of a reader that sends pixels; it is called
    from the driver's thread.
    """
    adapter = ShoeAdapter(section.name, session)
    return SerialShoe(
        LineConfig(section.name, section.port, section.baud),
        _protocol(section, namer),
        lambda event, mono_ns: post(adapter.report(event, mono_ns)),
        clock,
        connect=connect,
        tap=tap,
    )


def namer_of(section: ShoeSection, models: Path | None) -> Namer | None:
    """Load the table's own model for a reader that may send pictures; None where the protocol has none.

    What the model is not certain of has no name: the card is reported unread, and the table asks. Raises
    `ConfigError` MODEL_MISSING or MODEL_CHANGED.
    """
    if section.protocol != "open":
        return None
    reader = MouthReader.open(models)

    def name(crop: Crop) -> Name:
        picture = np.frombuffer(crop.pixels, np.uint8).reshape(crop.height, crop.width)
        named = reader.read(picture)
        return Name(None, None, 0.0) if named is None else Name(*named)

    return name


def require_port(section: ShoeSection) -> None:
    """Raise `DeviceError` DEVICE_OPEN_FAILED with the reason when the shoe's line cannot be opened now."""
    SerialStream(section.port, section.baud).close()


def _protocol(section: ShoeSection, namer: Namer | None) -> ShoeProtocol:
    commands = COMMANDS if section.commands else frozenset[str]()
    if section.protocol == "open":
        first = secrets.randbelow(0x10000)
        return OpenShoe(OpenShoeOptions(section.certain, commands, first_command=first), namer)
    return AngelEye(AngelEyeOptions(bcc_in=section.bcc, commands=commands))

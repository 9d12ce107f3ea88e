"""The shoe reader's driver from its section of the configuration."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from controller.config.model import ShoeSection
from controller.devices.presence import PresenceReporter
from controller.ports import Clock, ReportSink, Tap
from drivers.lifecycle import DeviceChanged
from drivers.line import Connect, LineConfig, SerialStream
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.driver import SerialShoe
from drivers.shoe.open_shoe import Crop, MouthCamera, Namer, OpenShoe, OpenShoeOptions, ReadName
from drivers.shoe.shoe_events import ShoeEvent
from drivers.shoe.shoe_protocol import ShoeProtocol
from vision.shoe_mouth import MouthReader

COMMANDS: Final = frozenset({"lock", "unlock", "clear_error"})
"""What a table that allows commands may have its shoe do."""


def shoe_reader(
    section: ShoeSection,
    clock: Clock,
    session: str,
    post: ReportSink,
    tap: Tap | None = None,
    *,
    connect: Connect = SerialStream,
    namer: Namer | None = None,
    camera: MouthCamera | None = None,
    overhear: Callable[[ShoeEvent], None] | None = None,
) -> SerialShoe:
    """Build the driver; nothing is opened yet.

    `connect` may open a recorded line. `namer` reads the pictures of a reader that sends pixels; it is called
    from the driver's thread. `camera` names what a reader counts that does not name its cards;
    `overhear` gets every event as well.
    """
    adapter = ShoeAdapter(section.name, session)
    presence = PresenceReporter(section.name, clock, post, required=True, port=section.port)

    def receive(event: ShoeEvent, mono_ns: int) -> None:
        if overhear is not None:
            overhear(event)
        if isinstance(event, DeviceChanged):
            presence.changed(event.state, event.reason, mono_ns)
        else:
            post(adapter.report(event, mono_ns))

    return SerialShoe(
        LineConfig(section.name, section.port, section.baud),
        _protocol(section, namer, camera),
        receive,
        clock,
        connect=connect,
        tap=tap,
    )


def card_namer(section: ShoeSection, models: Path | None) -> Namer | None:
    """Load the table's own model for a reader that may send pictures; None where the protocol has none.

    What the model is not certain of has no name: the card is reported unread, and the table asks. Raises
    `ConfigError` MODEL_MISSING or MODEL_CHANGED.
    """
    if section.protocol != "open":
        return None
    reader = MouthReader.open(models)

    def name(crop: Crop) -> ReadName:
        picture = np.frombuffer(crop.pixels, np.uint8).reshape(crop.height, crop.width)
        named = reader.read(picture)
        return ReadName(None, None, 0.0) if named is None else ReadName(*named)

    return name


def require_port(section: ShoeSection) -> None:
    """Raise `DeviceError` DEVICE_OPEN_FAILED with the reason when the shoe's line cannot be opened now."""
    SerialStream(section.port, section.baud).close()


def _protocol(section: ShoeSection, namer: Namer | None, camera: MouthCamera | None) -> ShoeProtocol:
    commands = COMMANDS if section.commands else frozenset[str]()
    if section.protocol == "open":
        # An id of an earlier run would be taken for a command that has been carried out.
        first = secrets.randbelow(0x10000)
        return OpenShoe(OpenShoeOptions(section.certain, commands, first_command=first), namer, camera)
    return AngelEye(AngelEyeOptions(bcc_in=section.bcc, commands=commands))

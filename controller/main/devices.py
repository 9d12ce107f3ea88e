"""Devices, reader and screens from their sections of the configuration."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from controller.config.model import CameraSection, ShoeSection, TableConfig
from controller.domain.cards import Card
from controller.domain.observations import DeviceSeen
from controller.ports import Clock, DeviceState, FrameSource, Report, Tap
from controller.runtime.fusion import DEALER_BOX
from controller.runtime.watch import BoxAt, Read, ReadCard, Zone, circles
from controller.web.settings import CHIPS, WebSettings, chip_kinds
from drivers.camera import Camera, CameraConfig
from drivers.line_driver import Connect
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.driver import SerialShoe, ShoeConfig
from drivers.shoe.open_shoe import OpenShoe, OpenShoeOptions
from drivers.shoe.protocol import ShoeProtocol
from drivers.shoe.serial_stream import SerialStream
from vision import reading
from vision.reader import CardReader

Post = Callable[[Report], None]
Changed = Callable[[DeviceState, str], None]
MakeCamera = Callable[[Clock, Changed], FrameSource]


def shoe_of(
    section: ShoeSection,
    clock: Clock,
    session: str,
    post: Post,
    tap: Tap | None = None,
    *,
    connect: Connect = SerialStream,
) -> SerialShoe:
    """Build the shoe reader's driver; nothing is opened yet. `connect` may open a recorded line."""
    adapter = ShoeAdapter(section.name, session)
    return SerialShoe(
        ShoeConfig(section.name, section.port, section.baud),
        _protocol(section),
        lambda event, mono_ns: post(adapter.report(event, mono_ns)),
        clock,
        connect=connect,
        tap=tap,
    )


def _protocol(section: ShoeSection) -> ShoeProtocol:
    if section.protocol == "open":
        return OpenShoe(OpenShoeOptions(p_min=section.certain))
    return AngelEye(AngelEyeOptions(bcc_in=section.bcc))


def require_port(section: ShoeSection) -> None:
    """Raise `DeviceError` DEVICE_OPEN_FAILED with the reason when the shoe's line cannot be opened now."""
    SerialStream(section.port, section.baud).close()


def camera_maker(section: CameraSection) -> MakeCamera:
    """Make the camera of a configuration when clock and listener are known."""
    config = CameraConfig(section.name, section.source, section.width, section.height, section.fps)
    return lambda clock, changed: Camera(config, clock, changed=changed)


def camera_news(name: str, clock: Clock, post: Post) -> Changed:
    """Tell the table when the camera comes and goes; opening and waiting are no news."""
    told = ""

    def changed(state: DeviceState, _reason: str) -> None:
        nonlocal told
        seen = state if state in {"live", "stale"} else "lost"
        if state != "opening" and seen != told:
            told = seen
            post(Report(name, clock.mono_ns(), (DeviceSeen(name, seen),)))

    return changed


def zones_of(section: CameraSection) -> BoxAt:
    """Find boxes and dealer by the circles of the configuration."""
    boxes = [Zone(number, zone.x, zone.y, zone.radius) for number, zone in enumerate(section.boxes, start=1)]
    dealer = section.dealer
    return circles((*boxes, Zone(DEALER_BOX, dealer.x, dealer.y, dealer.radius)))


def open_reader(folder: Path | None) -> Read:
    """Load the trained reader. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    reader = CardReader.open(folder, threads=1)

    def read(image: NDArray[np.uint8]) -> Sequence[ReadCard]:
        found = reader.read(image).cards
        return [
            ReadCard(Card(card.rank, card.suit), _middle(card), card.p) for card in found if card.face == "up"
        ]

    return read


def web_settings(config: TableConfig) -> WebSettings:
    """Give the screens the house's chips, names and PINs."""
    chips = chip_kinds(config.table.chips_minor) or CHIPS
    hosts = (*WebSettings().hosts, config.web.host, *config.web.names)
    return WebSettings(chips=chips, hosts=hosts, pins=config.web.pins)


def _middle(card: reading.ReadCard) -> tuple[float, float]:
    """Find the centre of the card where its corners are known, else the place that was read."""
    if card.quad is None:
        return card.at
    return sum(x for x, _ in card.quad) / 4, sum(y for _, y in card.quad) / 4

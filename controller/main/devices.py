"""Devices, reader and screens from their sections of the configuration."""

from collections.abc import Callable
from pathlib import Path

from controller.config.model import ShoeSection, TableConfig
from controller.main.sight import followed
from controller.ports import Clock, Report, Tap
from controller.runtime.watch import Read
from controller.web.settings import CHIPS, WebSettings, chip_kinds
from drivers.line_driver import Connect
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.driver import SerialShoe, ShoeConfig
from drivers.shoe.open_shoe import OpenShoe, OpenShoeOptions
from drivers.shoe.protocol import ShoeProtocol
from drivers.shoe.serial_stream import SerialStream
from vision.layout.model import Layout
from vision.reader import CardReader

Post = Callable[[Report], None]


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


def open_reader(folder: Path | None, layout: Layout | None = None) -> Read:
    """Load the trained reader for one camera. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    return followed(CardReader.open(folder, threads=1), layout)


def web_settings(config: TableConfig) -> WebSettings:
    """Give the screens the house's chips, names and PINs."""
    chips = chip_kinds(config.table.chips_minor) or CHIPS
    hosts = (*WebSettings().hosts, config.web.host, *config.web.names)
    return WebSettings(chips=chips, hosts=hosts, pins=config.web.pins)

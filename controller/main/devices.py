"""Reader and screens from their sections of the configuration."""

from pathlib import Path

from controller.config.model import TableConfig
from controller.main.sight import Sight
from controller.web.settings import CHIPS, WebSettings, chip_kinds
from vision.calibration import Layout
from vision.reader import CardReader


def open_reader(folder: Path | None, layout: Layout | None = None) -> Sight:
    """Load the trained reader for one camera. Raises `ConfigError` MODEL_MISSING or MODEL_CHANGED."""
    return Sight(CardReader.open(folder, threads=1), layout)


def web_settings(config: TableConfig) -> WebSettings:
    """Give the screens the house's chips, names and PINs."""
    chips = chip_kinds(config.table.chips_minor) or CHIPS
    hosts = (*WebSettings().hosts, config.web.host, *config.web.names)
    return WebSettings(chips=chips, hosts=hosts, pins=config.web.pins)

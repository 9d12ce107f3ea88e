"""The table's configuration file: strict, one section for each part, every default visible."""

from controller.config.load import load_config
from controller.config.model import TableConfig

__all__ = ["TableConfig", "load_config"]

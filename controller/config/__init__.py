"""The table's configuration: a TOML file in, one checked section for each part out, every default visible.

May import validation and domain.
"""

from controller.config.model import TableConfig, load_config

__all__ = ["TableConfig", "load_config"]

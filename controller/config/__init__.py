"""The table's configuration: a TOML file in, one checked section for each part out, every default visible.

May import validation and domain.
"""

from controller.config.model import (
    RETIRED,
    OnAlertSection,
    RetiredSetting,
    ShoeSection,
    TableConfig,
    TableSection,
    TlsSection,
    WebSection,
    fits_in_name,
    gaming_day,
    load_config,
    without_retired,
)
from controller.config.sections import (
    ADDRESS,
    BY_ONE,
    CameraSection,
    CardsFrom,
    ChipsSection,
    FloorSection,
    InputSection,
    KeysSection,
    PeekSection,
    PeopleSection,
    RecordingSection,
    SecondPersonSection,
)

__all__ = [
    "ADDRESS",
    "BY_ONE",
    "RETIRED",
    "CameraSection",
    "CardsFrom",
    "ChipsSection",
    "FloorSection",
    "InputSection",
    "KeysSection",
    "OnAlertSection",
    "PeekSection",
    "PeopleSection",
    "RecordingSection",
    "RetiredSetting",
    "SecondPersonSection",
    "ShoeSection",
    "TableConfig",
    "TableSection",
    "TlsSection",
    "WebSection",
    "fits_in_name",
    "gaming_day",
    "load_config",
    "without_retired",
]

"""A person of the house: id, name, role, and the hashes by which he is known; all of it checked."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from controller.domain.errors import ConfigError
from controller.domain.plain_text import is_plain
from controller.policy.state.line_person import StaffRole

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
"""What a person is called in the journal: it has to be typed at a tablet, and `dealer:ID` has to be read."""

NAME_MAX: Final = 60
PIN_DIGITS_MAX: Final = 12
PIN_DIGITS_MIN: Final[Mapping[StaffRole, int]] = {
    "dealer": 4,
    "supervisor": 6,
    "pit_manager": 6,
    "surveillance": 6,
    "tester": 6,
    "administrator": 6,
}

DEMO: Final = "demo-"
"""How the ids of the demo's people begin; nobody at a live table is called so."""


def _plain(name: str) -> str:
    """Refuse a name that could not be shown and written down."""
    if not is_plain(name):
        raise ValueError("a name is text without control characters")
    return name


class PersonRecord(BaseModel):
    """One person. `pin` and `card` are hashes (see `controller.people.hashes`); `card` "" is no card."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=ID_PATTERN)
    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX), AfterValidator(_plain)]
    role: StaffRole
    pin: str = Field(max_length=400)
    card: str = Field(default="", max_length=400)
    disabled: bool = False


def require_id(person_id: str) -> None:
    """Raise PERSON_ID_WRONG for what cannot be an id, or is one of the demo's people."""
    if re.fullmatch(ID_PATTERN, person_id) is None or person_id.startswith(DEMO):
        raise ConfigError("PERSON_ID_WRONG", id=person_id[:40] if is_plain(person_id) else "?")


def require_name(name: str) -> None:
    """Raise PERSON_NAME_WRONG for what cannot be shown as a name."""
    if not 0 < len(name.strip()) <= NAME_MAX or not is_plain(name):
        raise ConfigError("PERSON_NAME_WRONG", limit=NAME_MAX)


def require_pin(role: StaffRole, pin: str) -> None:
    """Raise PIN_TOO_SHORT for a PIN that is no row of enough digits, PIN_TOO_EASY for one that is guessed."""
    least = PIN_DIGITS_MIN[role]
    if not (pin.isascii() and pin.isdigit() and least <= len(pin) <= PIN_DIGITS_MAX):
        raise ConfigError("PIN_TOO_SHORT", least=least, most=PIN_DIGITS_MAX)
    steps = {int(after) - int(before) for before, after in pairwise(pin)}
    if steps in ({0}, {1}, {-1}):
        raise ConfigError("PIN_TOO_EASY")

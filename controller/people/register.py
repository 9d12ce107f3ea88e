"""Everybody of a table at one moment, and the changes that led there; a value, not a file."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from controller.people.person import PersonRecord
from controller.policy.state.line_person import StaffRole

ChangeKind = Literal["added", "taken_over", "disabled", "enabled", "reset"]
PIN_DAYS: Final = 92
"""How long a PIN is used before its person is asked for a new one: a quarter (Nevada GCB's checklist)."""

_DAY_US: Final = 24 * 3600 * 1_000_000

NEW_PIN: Final[frozenset[ChangeKind]] = frozenset(("added", "taken_over", "reset"))


class PeopleChange(BaseModel):
    """One change of the people's file: `number` counts from 1, `by` is who changed it (`console:root`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int = Field(ge=1)
    at_utc_us: int
    by: str
    change: ChangeKind
    id: str
    name: str
    role: StaffRole


class Register(NamedTuple):
    """The people by id, the changes in order, and the salt of the cards' hashes."""

    people: Mapping[str, PersonRecord]
    changes: tuple[PeopleChange, ...]
    card_salt: bytes

    def person(self, person_id: str) -> PersonRecord | None:
        """Find somebody who may sign in; None for strangers and for whoever is disabled."""
        found = self.people.get(person_id)
        return None if found is None or found.disabled else found

    def holder(self, card: str) -> PersonRecord | None:
        """Find whose card has this hash; None for strangers and for whoever is disabled."""
        return next((one for one in self.people.values() if one.card == card and not one.disabled), None)

    def is_pin_old(self, person_id: str, now_utc_us: int) -> bool:
        """Whether somebody has had his PIN for longer than PIN_DAYS; not where no change says since when."""
        given = (one.at_utc_us for one in self.changes if one.id == person_id and one.change in NEW_PIN)
        return now_utc_us - max(given, default=now_utc_us) > PIN_DAYS * _DAY_US

    @property
    def working(self) -> tuple[PersonRecord, ...]:
        """Everybody who may sign in."""
        return tuple(one for one in self.people.values() if not one.disabled)


class PeopleBook(Protocol):
    """Where the people of a table are kept."""

    def register(self) -> Register:
        """Give everybody as of now."""
        ...


class FixedBook:
    """People who are not kept in a file: those of the demo, and of tests."""

    def __init__(
        self, *people: PersonRecord, card_salt: bytes = bytes(16), changes: tuple[PeopleChange, ...] = ()
    ) -> None:
        """Nobody joins them later."""
        self._register = Register({one.id: one for one in people}, changes, card_salt)

    def register(self) -> Register:
        """See `PeopleBook.register`."""
        return self._register

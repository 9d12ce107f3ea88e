"""People of the house: id, name, role, and the argon2id hashes of PIN and card.

A PIN and a staff card are stored in no other form. A register contains all people of a table at one moment
with the changes that led there; it is a value, not a file.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Final, Literal, NamedTuple, Protocol

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import hash_secret_raw
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from controller.domain import ConfigError, is_plain
from controller.policy.line import StaffRole

_ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
"""What a person is called in the journal: it has to be typed at a tablet, and `dealer:ID` has to be read."""

_NAME_MAX: Final = 60
_PIN_DIGITS_MAX: Final = 12
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
    """One person. `pin` and `card` are hashes; `card` "": no card."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=_ID_PATTERN)
    name: Annotated[str, Field(min_length=1, max_length=_NAME_MAX), AfterValidator(_plain)]
    role: StaffRole
    pin: str = Field(max_length=400)
    card: str = Field(default="", max_length=400)
    disabled: bool = False


def require_id(person_id: str) -> None:
    """Raise PERSON_ID_WRONG for an invalid id, or one of the demo's people."""
    if re.fullmatch(_ID_PATTERN, person_id) is None or person_id.startswith(DEMO):
        raise ConfigError("PERSON_ID_WRONG", id=person_id[:40] if is_plain(person_id) else "?")


def require_name(name: str) -> None:
    """Raise PERSON_NAME_WRONG for a name that cannot be shown."""
    if not 0 < len(name.strip()) <= _NAME_MAX or not is_plain(name):
        raise ConfigError("PERSON_NAME_WRONG", limit=_NAME_MAX)


def require_pin(role: StaffRole, pin: str) -> None:
    """Raise PIN_TOO_SHORT for other than enough digits, PIN_TOO_EASY for a guessable PIN."""
    least = PIN_DIGITS_MIN[role]
    if not (pin.isascii() and pin.isdigit() and least <= len(pin) <= _PIN_DIGITS_MAX):
        raise ConfigError("PIN_TOO_SHORT", least=least, most=_PIN_DIGITS_MAX)
    steps = {int(after) - int(before) for before, after in pairwise(pin)}
    if steps in ({0}, {1}, {-1}):
        raise ConfigError("PIN_TOO_EASY")


KIND: Final = "$argon2id$"

SALT_BYTES: Final = 16

_CARD_PATTERN: Final = r"^[\x21-\x7e]{4,64}$"
"""What a staff card's reader types: letters, digits and signs, no space."""


class PinHasher:
    """Makes and checks hashes. Without arguments at the library's cost: RFC 9106, low memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """`hasher` is for tests that sign many people in."""
        self._hasher: Final = hasher or PasswordHasher(type=Type.ID)
        self._nobody = ""

    def hash(self, pin: str) -> str:
        """Hash a PIN with a salt of its own."""
        return self._hasher.hash(pin)

    def matches(self, hashed: str, pin: str) -> bool:
        """Whether this is the PIN. The hash "" takes as long as any other and never matches."""
        known = hashed.startswith(KIND)
        try:
            return self._hasher.verify(hashed if known else self._of_nobody(), pin) and known
        except (VerificationError, InvalidHashError):
            return False

    def card(self, number: str, salt: bytes) -> str:
        """Hash a card's number. The whole file has one salt: a card is found by its hash."""
        cost = self._hasher
        return hash_secret_raw(
            number.encode(), salt, cost.time_cost, cost.memory_cost, cost.parallelism, cost.hash_len, Type.ID
        ).hex()

    def _of_nobody(self) -> str:
        """Give a hash as dear as the others, so that a wrong id takes as long as a wrong PIN."""
        if not self._nobody:
            self._nobody = self._hasher.hash("nobody")
        return self._nobody


def is_card(number: str) -> bool:
    """Whether this is a valid card number."""
    return re.fullmatch(_CARD_PATTERN, number) is not None


ChangeKind = Literal["added", "taken_over", "disabled", "enabled", "reset"]
_PIN_DAYS: Final = 92
"""How long a PIN is used before its person is asked for a new one: a quarter (Nevada GCB's checklist)."""

_DAY_US: Final = 24 * 3600 * 1_000_000

_NEW_PIN: Final[frozenset[ChangeKind]] = frozenset(("added", "taken_over", "reset"))


class PeopleChange(BaseModel):
    """One change of the people's file: `number` counts from 1, `by` is its author (`console:root`)."""

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
        """Return a person who may sign in; None for an unknown or disabled person."""
        found = self.people.get(person_id)
        return None if found is None or found.disabled else found

    def holder(self, card: str) -> PersonRecord | None:
        """Return the person whose card has this hash; None for an unknown card or a disabled person."""
        return next((one for one in self.people.values() if one.card == card and not one.disabled), None)

    def is_pin_old(self, person_id: str, now_utc_us: int) -> bool:
        """Whether a person's PIN is older than _PIN_DAYS; False when no change gives its date."""
        given = (one.at_utc_us for one in self.changes if one.id == person_id and one.change in _NEW_PIN)
        return now_utc_us - max(given, default=now_utc_us) > _PIN_DAYS * _DAY_US

    @property
    def working(self) -> tuple[PersonRecord, ...]:
        """Return all people who may sign in."""
        return tuple(one for one in self.people.values() if not one.disabled)


class PeopleBook(Protocol):
    """The store of a table's people."""

    def register(self) -> Register:
        """Return the present register."""
        ...


class FixedBook:
    """People who are not kept in a file: those of the demo, and of tests."""

    def __init__(
        self, *people: PersonRecord, card_salt: bytes = bytes(16), changes: tuple[PeopleChange, ...] = ()
    ) -> None:
        """Register these people for good."""
        self._register = Register({one.id: one for one in people}, changes, card_salt)

    def register(self) -> Register:
        """The people who may sign in."""
        return self._register

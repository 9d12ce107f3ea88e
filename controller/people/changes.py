"""What is done to people at the console: added, disabled, enabled, given a new PIN or card."""

from collections.abc import Mapping

from controller.domain.errors import ConfigError
from controller.people.hashes import KIND, PinHasher, is_card
from controller.people.person import PersonRecord, require_id, require_name, require_pin
from controller.people.register import ChangeKind, Register
from controller.people.store import Update
from controller.policy.state.line_person import StaffRole


def added(record: PersonRecord, pin: str, card: str, hasher: PinHasher) -> Update:
    """Add a person with this PIN and, where `card` is not "", this staff card.

    The update raises what `require_id`, `require_name` and `require_pin` raise, PERSON_KNOWN for an id
    that is taken, FIRST_ADMINISTRATOR where nobody is there to answer for the table, CARD_WRONG, CARD_TAKEN.
    """

    def update(register: Register) -> tuple[ChangeKind, PersonRecord]:
        require_id(record.id)
        require_name(record.name)
        require_pin(record.role, pin)
        if record.id in register.people:
            raise ConfigError("PERSON_KNOWN", id=record.id)
        if record.role != "administrator" and not _administrators(register):
            raise ConfigError("FIRST_ADMINISTRATOR")
        hashed = _card(register, card, hasher, record.id)
        return "added", record.model_copy(update={"pin": hasher.hash(pin), "card": hashed})

    return update


def reset(person_id: str, pin: str, card: str | None, hasher: PinHasher) -> Update:
    """Give a person a new PIN and, where `card` is not None, another card ("" for none).

    It also lets somebody in again who was disabled.
    """

    def update(register: Register) -> tuple[ChangeKind, PersonRecord]:
        record = _known(register, person_id)
        require_pin(record.role, pin)
        kept = record.card if card is None else _card(register, card, hasher, person_id)
        changed = {"pin": hasher.hash(pin), "card": kept, "disabled": False}
        return "reset", record.model_copy(update=changed)

    return update


def disabled(person_id: str) -> Update:
    """Keep a person out; raises LAST_ADMINISTRATOR for the only one left."""

    def update(register: Register) -> tuple[ChangeKind, PersonRecord]:
        record = _known(register, person_id)
        if _administrators(register) == [person_id]:
            raise ConfigError("LAST_ADMINISTRATOR", id=person_id)
        return "disabled", record.model_copy(update={"disabled": True})

    return update


def taken_over(person_id: str, pin_hash: str) -> Update:
    """Add somebody who stood in a configuration of old, as a supervisor with the PIN that he has."""

    def update(_register: Register) -> tuple[ChangeKind, PersonRecord]:
        return "taken_over", PersonRecord(id=person_id, name=person_id, role="supervisor", pin=pin_hash)

    return update


def to_take_over(register: Register, pins: Mapping[str, str]) -> dict[str, str]:
    """Find the names of a configuration that can be taken over: new, fit for an id, hashed by argon2id."""
    return {
        name: hashed for name, hashed in pins.items() if name not in register.people and _fits(name, hashed)
    }


def _fits(name: str, hashed: str) -> bool:
    try:
        require_id(name)
    except ConfigError:
        return False
    return hashed.startswith(KIND)


def _known(register: Register, person_id: str) -> PersonRecord:
    record = register.people.get(person_id)
    if record is None:
        raise ConfigError("PERSON_UNKNOWN", id=person_id[:40])
    return record


def _card(register: Register, card: str, hasher: PinHasher, person_id: str) -> str:
    """Hash a card that nobody else has; "" for none."""
    if not card:
        return ""
    if not is_card(card):
        raise ConfigError("CARD_WRONG")
    hashed = hasher.card(card, register.card_salt)
    owner = next((one.id for one in register.people.values() if one.card == hashed), person_id)
    if owner != person_id:
        raise ConfigError("CARD_TAKEN", id=owner)
    return hashed


def _administrators(register: Register) -> list[str]:
    return [one.id for one in register.working if one.role == "administrator"]


def new_person(person_id: str, name: str, role: StaffRole) -> PersonRecord:
    """Begin the record of a person; id and name are checked, the PIN comes with `added`."""
    require_id(person_id)
    require_name(name)
    return PersonRecord(id=person_id, name=name.strip(), role=role, pin="")

"""The file of people: JSON beside the journal, for the table's account alone, replaced at each change.

One command and one running table may use it at once: a change holds a lock, and a reader sees the old file
or the new one. A list that is kept for many tables is signed where it is kept and brought to a table by file;
the table then plays from its own file, without the place that the list comes from. The file of rated guests
of earlier versions holds pseudonyms and names: names can only be erased.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from controller.domain import ConfigError
from controller.outputs import PRIVATE, open_regular, read_regular
from controller.people.person import (
    KIND,
    SALT_BYTES,
    ChangeKind,
    PeopleChange,
    PersonRecord,
    PinHasher,
    Register,
    is_card,
    require_id,
    require_name,
    require_pin,
)
from controller.policy.line import StaffRole
from controller.ports import MACHINE_DISK
from controller.validation import read_document

BYTES_MAX: Final = 4_000_000

Update = Callable[[Register], tuple[ChangeKind, PersonRecord]]
"""Finds the new record of one person, or raises `ConfigError`; nothing is changed then."""


class _Content(BaseModel):
    """The file as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    people: tuple[PersonRecord, ...] = ()
    changes: tuple[PeopleChange, ...] = ()
    card_salt: str = Field(pattern=f"^[0-9a-f]{{{2 * SALT_BYTES}}}$")
    format: Literal[1] = 1


class PeopleFile:
    """The people of one table. A file that is gone or broken while the table runs changes nothing."""

    def __init__(self, path: Path) -> None:
        """Name the file; it is read when it is needed."""
        self.path: Final = path
        self._known: Register | None = None
        self._mark: tuple[int, ...] = ()

    def register(self) -> Register:
        """Return the present register; an empty one before the file exists.

        Raises `ConfigError` PEOPLE_UNREADABLE, or `MalformedLine`, for a file that was never read.
        """
        mark = self._stamp()
        if self._known is None or (mark and mark != self._mark):
            try:
                self._known = self._read()
            except ConfigError:
                if self._known is None:
                    raise
            self._mark = mark
        return self._known

    def close_to_others(self) -> None:
        """Remove other accounts' rights to the file, after they were reported."""
        with suppress(OSError):
            self.path.chmod(PRIVATE)

    def change(self, update: Update, by: str, at_utc_us: int) -> PersonRecord:
        """Change one person, durably, and note who did so and when; the person's new record."""
        with locked(self.path):
            register = self._read()
            change, record = update(register)
            number = len(register.changes) + 1
            noted = PeopleChange(
                number=number,
                at_utc_us=at_utc_us,
                by=by,
                change=change,
                id=record.id,
                name=record.name,
                role=record.role,
            )
            people = {**register.people, record.id: record}
            self._write(Register(people, (*register.changes, noted), register.card_salt))
            return record

    def document(self) -> bytes:
        """The file as it is. Raises `ConfigError` PEOPLE_UNREADABLE, PEOPLE_NOT_OURS for another account."""
        try:
            return read_regular(self.path, BYTES_MAX, links=True)
        except PermissionError as error:
            raise ConfigError("PEOPLE_NOT_OURS", path=str(self.path)) from error
        except OSError as error:
            raise ConfigError("PEOPLE_UNREADABLE", path=str(self.path)) from error

    def take_over(self, document: bytes, source: Path) -> None:
        """Replace all people by a newer list from `source`; an equal list changes nothing.

        Raises `ConfigError` PEOPLE_PUT_BACK for a list that lacks a change known here: a disabled person
        could sign in again. PEOPLE_UNREADABLE, PEOPLE_UNWRITABLE.
        """
        newer = _register_of(document, source).changes
        with locked(self.path):
            known = self._read().changes
            if newer[: len(known)] != known:
                raise ConfigError("PEOPLE_PUT_BACK", path=str(source))
            if len(newer) > len(known):
                _write_private(self.path, document)

    def _read(self) -> Register:
        try:
            self.path.stat()
        except FileNotFoundError:
            return Register({}, (), secrets.token_bytes(SALT_BYTES))
        except OSError:
            # The reading below says why.
            pass
        return _register_of(self.document(), self.path)

    def _write(self, register: Register) -> None:
        content = _Content(
            people=tuple(register.people.values()),
            changes=register.changes,
            card_salt=register.card_salt.hex(),
        )
        text = json.dumps(content.model_dump(mode="json"), ensure_ascii=False, indent=1)
        _write_private(self.path, text.encode())

    def _stamp(self) -> tuple[int, ...]:
        """Tell one version of the file from another; () where there is none."""
        try:
            known = self.path.stat()
        except OSError:
            return ()
        return known.st_ino, known.st_mtime_ns, known.st_size


def _register_of(document: bytes, path: Path) -> Register:
    """Return the register of a list. Raises `ConfigError` PEOPLE_UNREADABLE."""
    try:
        content = _Content.model_validate(read_document(document, path, "PEOPLE_UNREADABLE"))
    except ValidationError as error:
        raise ConfigError("PEOPLE_UNREADABLE", path=str(path)) from error
    salt = bytes.fromhex(content.card_salt)
    return Register({one.id: one for one in content.people}, content.changes, salt)


def _write_private(path: Path, content: bytes) -> None:
    """Replace a file that the account alone may read, whole and durably. Raises PEOPLE_UNWRITABLE."""
    new = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(open_regular(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            _give_to_owner(file.fileno(), path.parent)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        MACHINE_DISK.keep_name(path)
    except OSError as error:
        raise ConfigError("PEOPLE_UNWRITABLE", path=str(path)) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file's lock: two changes at once come one after the other. Raises PEOPLE_UNWRITABLE."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = open_regular(Path(f"{path}.lock"), os.O_RDWR | os.O_CREAT)
        _give_to_owner(lock, path.parent)
    except OSError as error:
        raise ConfigError("PEOPLE_UNWRITABLE", path=str(path)) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _give_to_owner(handle: int, folder: Path) -> None:
    """Give a file that root writes for a table to the account that owns the folder."""
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(handle, owner.st_uid, owner.st_gid)


Sign = Callable[[bytes], bytes]
"""Makes a signature of a message."""

_IsGenuine = Callable[[bytes, bytes], bool]
"""Whether a message has this signature of the one key whose lists count."""

_MARK: Final = b"stand17 people\n"
"""Begins what is signed, so that no signature of another thing passes for one of a list."""


def publish(file: PeopleFile, to: Path, sign: Sign) -> None:
    """Write the list for other tables: the file's bytes, then a line with their signature.

    Raises `ConfigError` PEOPLE_UNWRITABLE.
    """
    document = file.document()
    _write_private(to, document + b"\n" + sign(_MARK + document).hex().encode() + b"\n")


class BroughtPeople:
    """The list that the house brings to `source`, and the table's own file."""

    def __init__(self, file: PeopleFile, source: Path, is_genuine: _IsGenuine) -> None:
        """Begin unread."""
        self._file, self._source, self._is_genuine = file, source, is_genuine

    def bring(self) -> None:
        """Take over a newer list; a missing or older one changes nothing.

        Raises `ConfigError` as `signed_document` and `PeopleFile.take_over`; then the table keeps its list.
        """
        document = self.signed_document()
        if document:
            self._file.take_over(document, self._source)

    def signed_document(self) -> bytes:
        """Return the present list at `source`, b"" without one.

        Raises `ConfigError` PEOPLE_UNREADABLE, PEOPLE_FORGED for another key's signature.
        """
        try:
            brought = read_regular(self._source, BYTES_MAX)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise ConfigError("PEOPLE_UNREADABLE", path=str(self._source)) from error
        document, _, line = brought.rstrip(b"\n").rpartition(b"\n")
        try:
            signature = bytes.fromhex(line.decode("ascii"))
        except ValueError:
            signature = b""
        if not self._is_genuine(_MARK + document, signature):
            raise ConfigError("PEOPLE_FORGED", path=str(self._source))
        return document


def added(record: PersonRecord, pin: str, card: str, hasher: PinHasher) -> Update:
    """Add a person with this PIN and, unless `card` is "", this staff card.

    The update raises as `require_id`, `require_name` and `require_pin`, PERSON_KNOWN for a used id,
    FIRST_ADMINISTRATOR when the table has no administrator yet, CARD_WRONG, CARD_TAKEN.
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
    """Give a person a new PIN and, unless `card` is None, another card ("" for none).

    It also admits a disabled person again.
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
    """Add a person of an old configuration, as a supervisor with the present PIN."""

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
    """Hash a card that no other person has; "" for none."""
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


_NAMES: Final = TypeAdapter[dict[str, str]](dict[str, str])


def erase_guest(path: Path, guest: str) -> None:
    """Remove a pseudonym and its name; the file is replaced whole, with mode 0600.

    Raises `ConfigError` GUESTS_UNREADABLE or GUEST_UNKNOWN.
    """
    if not path.is_file():
        # Else the lock would be made beside nothing.
        raise ConfigError("GUESTS_UNREADABLE", path=str(path))
    with locked(path):
        try:
            data = read_regular(path, BYTES_MAX, links=True)
            names = _NAMES.validate_python(read_document(data, path, "GUESTS_UNREADABLE"))
        except (OSError, ValidationError) as error:
            raise ConfigError("GUESTS_UNREADABLE", path=str(path)) from error
        if names.pop(guest, None) is None:
            raise ConfigError("GUEST_UNKNOWN", guest=guest[:40])
        _write_private(path, json.dumps(names, ensure_ascii=False, indent=1).encode())

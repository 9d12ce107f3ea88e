"""The people's file: JSON beside the journal, for the table's account alone, replaced whole at each change.

One command and one running table may use it at once: whoever changes it holds a lock, whoever reads it sees
the old file or the new one.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.domain.errors import ConfigError
from controller.outputs import open_regular, read_regular
from controller.people.hashes import SALT_BYTES
from controller.people.person import PersonRecord
from controller.people.register import ChangeKind, PeopleChange, Register
from controller.validation import read_document

PRIVATE: Final = 0o600
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
        """Give everybody as of now; nobody where there is no file yet.

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
        """Take the rights of everybody else away, once somebody has been told that they had them."""
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
        """Replace everybody by a newer list that came from `source`; the one that is here changes nothing.

        Raises `ConfigError` PEOPLE_PUT_BACK where it lacks a change that is known here: whoever was kept out
        could sign in again. PEOPLE_UNREADABLE, PEOPLE_UNWRITABLE.
        """
        newer = _register_of(document, source).changes
        with locked(self.path):
            known = self._read().changes
            if newer[: len(known)] != known:
                raise ConfigError("PEOPLE_PUT_BACK", path=str(source))
            if len(newer) > len(known):
                write_private(self.path, document)

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
        write_private(self.path, text.encode())

    def _stamp(self) -> tuple[int, ...]:
        """Tell one version of the file from another; () where there is none."""
        try:
            known = self.path.stat()
        except OSError:
            return ()
        return known.st_ino, known.st_mtime_ns, known.st_size


def _register_of(document: bytes, path: Path) -> Register:
    """Everybody of a list. Raises `ConfigError` PEOPLE_UNREADABLE."""
    try:
        content = _Content.model_validate(read_document(document, path, "PEOPLE_UNREADABLE"))
    except ValidationError as error:
        raise ConfigError("PEOPLE_UNREADABLE", path=str(path)) from error
    salt = bytes.fromhex(content.card_salt)
    return Register({one.id: one for one in content.people}, content.changes, salt)


def write_private(path: Path, content: bytes) -> None:
    """Replace a file that the account alone may read, whole and durably. Raises PEOPLE_UNWRITABLE."""
    new = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(open_regular(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            _give_to_owner(file.fileno(), path.parent)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        _sync(path.parent)
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
    """Give a file that root writes for a table to the table's account, whose folder it is."""
    owner = folder.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _sync(folder: Path) -> None:
    """Put the file's new name on disk, too."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""A journal's note and end mark, signed with the table's key.

SQLite drops the tail of a damaged write-ahead log without a word, and a chain cannot tell that its last
links are gone. So the head is noted a second time in `<journal>.head`: before a commit where the journal
ends and where it will end, after it where it ends now. What lies on the disk after a kill is one of the two;
a journal that ends before the first has lost entries. With a key the note is signed:

    head   = seq, 20 digits; a blank; hash, 64 hexadecimal digits; a line feed
    note   = head head heads key " " signature LF      (where it ends, where it will end, Ed25519)
    heads  = as head: the number of signed heads beside the journal, SHA-256 of their lines
    signed = "stand17 note" LF head head heads

Without a key it is the first head alone. Notes of older programs have no `heads`.

The end mark, `<journal>.mark`, outlives a note that was removed or put back. It has two slots of one length,
written in turn at each signed head, so that a torn write leaves the other one:

    slot   = head heads key " " signature LF
    signed = "stand17 mark" LF head heads

The key's file is PEM (PKCS 8), the public half stands as 64 hexadecimal digits. Under systemd a credential
named `table.key` takes the place of the file, so that it may be encrypted and bound to the machine.
"""

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.domain import JournalError
from controller.outputs import lock, read_regular
from controller.ports import MACHINE_DISK, PRIVATE, SideDisk


class TableKey:
    """A private key; `public` is its other half, 64 hexadecimal digits. `is_new`: made just now."""

    def __init__(self, private: Ed25519PrivateKey, *, is_new: bool = False) -> None:
        """Take over a key; use `load_or_make`."""
        self._private = private
        self.public: Final = private.public_key().public_bytes_raw().hex()
        self.is_new: Final = is_new

    @classmethod
    def load_or_make(
        cls,
        file: Path,
        environment: Mapping[str, str] = os.environ,
        *,
        chance: Callable[[int], bytes] = secrets.token_bytes,
    ) -> Self:
        """The credential where systemd gives one, else the file; made where there is none.

        Raises `JournalError` KEY_UNREADABLE (no Ed25519 key, or a folder that cannot be written) or
        KEY_OPEN_TO_OTHERS (more than its owner may read the file).
        """
        credential = _credential(environment)
        if credential is not None:
            return cls.load(credential)
        try:
            return cls(_made(file, chance(_KEY_BYTES)), is_new=True)
        except FileExistsError:
            pass
        except OSError as error:
            raise JournalError("KEY_UNREADABLE", path=str(file), reason=error.strerror or "") from error
        if file.stat().st_mode & _OTHERS:
            raise JournalError("KEY_OPEN_TO_OTHERS", path=str(file))
        return cls.load(file)

    @classmethod
    def given(cls, file: Path, environment: Mapping[str, str] = os.environ) -> Self:
        """Return the key of an open table, which must exist. Raises `JournalError`."""
        return cls.load(_credential(environment) or file)

    @classmethod
    def load(cls, file: Path) -> Self:
        """A key that has to be there. Raises `JournalError` KEY_UNREADABLE."""
        return cls(_private(file))

    def sign(self, message: bytes) -> bytes:
        """64 bytes that only this key can make."""
        return self._private.sign(message)


_HEAD: Final = "%020d %s\n"
_HEAD_LENGTH: Final = 20 + 1 + 64 + 1
_SIGNATURE_LENGTH: Final = 64 + 1 + 128 + 1
_OLD_LENGTH: Final = 2 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_NOTE_LENGTH: Final = 3 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_SLOT_LENGTH: Final = 2 * _HEAD_LENGTH + _SIGNATURE_LENGTH
_SLOTS: Final = 2


class Head(NamedTuple):
    """The end of a journal: its last sequence (0 when empty) and the hash there."""

    seq: int
    hash: bytes


LOST: Final = Head(0, b"\xff" * 32)
"""Stands for the end of a commit where a program ended with reports that it could not write."""

WITHDRAWN: Final = Head(0, bytes(32))
"""What stands for the end of a commit that has failed: no commit ends in front of the first entry."""


NO_HEADS: Final = Head(0, hashlib.sha256().digest())
"""No head has been signed yet."""


class HeadNote(NamedTuple):
    """The side file's content: the end of the journal before and after a commit, and the signer.

    `key` is the public key of the signature, "" for an unsigned note. `genuine` is False for an invalid
    signature, or an unreadable note. `heads` is the number of signed heads with the hash of their lines; None
    in a note without it.
    """

    head: Head
    following: Head
    key: str
    genuine: bool
    heads: Head | None = None


class EndMark(NamedTuple):
    """The last entry that the table has signed a head of, and how many signed heads there were then."""

    end: Head
    heads: Head


class HeadFile:
    """The locked side file, for the one process that writes."""

    def __init__(self, journal: Path, key: TableKey | None = None, disk: SideDisk = MACHINE_DISK) -> None:
        """Take the lock, or raise JOURNAL_IN_USE while another process writes to this journal."""
        self._key, self._path, self.disk = key, Path(_beside(journal)), disk
        self.heads = NO_HEADS
        """The signed heads that the next note vouches for."""
        self._is_lost = self._is_marked = False
        self._mark_path = mark_path(journal)
        try:
            self._file = lock(self._path, disk.open)
        except BlockingIOError as error:
            raise JournalError("JOURNAL_IN_USE", path=str(journal)) from error
        except OSError as error:
            code = "JOURNAL_READ_ONLY" if isinstance(error, PermissionError) else "JOURNAL_CANNOT_OPEN"
            raise JournalError(code, path=str(journal), reason=str(error)) from error

    def announce(self, head: Head, following: Head) -> None:
        """Remember, before a commit, where it begins and where it will end; without a key nothing."""
        if self._key is not None:
            self._write(self._lines(head, following), self._key)

    def note(self, head: Head) -> None:
        """Remember the head after a commit; not synced, since losing the note loses nothing."""
        self._write(_line(head) if self._key is None else self._lines(head, head), self._key)

    def withdraw(self, head: Head) -> None:
        """Note that the commit behind this head has failed; without a key nothing.

        A commit whose sync failed is refused, but its entries can be in the write-ahead log, where a restart
        finds them.
        """
        if self._key is not None:
            self._write(self._lines(head, WITHDRAWN), self._key)

    def lose(self, head: Head) -> None:
        """Remember that the program ends with reports that it could not write; without a key nothing.

        The note is written over itself: a full disk has room for it.
        """
        self._is_lost = True
        self.note(head)

    def mark(self, head: Head) -> None:
        """Sign the end of the journal and the number of signed heads; without a key nothing.

        The first mark of a run fills both slots: a contradicting one has held its start. A mark that cannot
        be written leaves an older one, which is valid too.
        """
        if self._key is None:
            return
        text = _line(head) + _line(self.heads)
        slot = f"{text}{_signed(self._key, text, MARK)}".encode()
        first = self.heads.seq % _SLOTS
        with suppress(OSError):
            handle = self.disk.open(self._mark_path, os.O_WRONLY | os.O_CREAT)
            try:
                for number in (first,) if self._is_marked else (first, 1 - first):
                    self.disk.write(self._mark_path, handle, slot, number * _SLOT_LENGTH)
                self._is_marked = True
            finally:
                os.close(handle)

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._file)

    def _lines(self, head: Head, following: Head) -> str:
        return _line(head) + _line(LOST if self._is_lost else following) + _line(self.heads)

    def _write(self, heads: str, key: TableKey | None) -> None:
        """A full disk must not fail a commit that has already happened: then the older note stands."""
        if key is not None:
            heads += _signed(key, heads, NOTE)
        try:
            self.disk.write(self._path, self._file, heads.encode(), 0)
            if key is None:
                # The rest of the signed note.
                self.disk.shorten(self._path, self._file, len(heads))
        except OSError:
            return


def read_head(journal: Path) -> Head | None:
    """Read the noted head, with any signature; None without a whole note."""
    note = read_note(journal)
    return None if note is None or note == UNREADABLE else note.head


def read_note(journal: Path) -> HeadNote | None:
    """Read the note; None without one, `UNREADABLE` for another content."""
    try:
        with Path(_beside(journal)).open("rb") as file:
            text = file.read(_NOTE_LENGTH + 1).decode("ascii", "replace")
    except OSError:
        return None
    if not text:
        return None
    head, following = _head_in(text[:_HEAD_LENGTH]), _head_in(text[_HEAD_LENGTH : 2 * _HEAD_LENGTH])
    if head is not None and len(text) == _HEAD_LENGTH:
        return HeadNote(head, head, "", genuine=True)
    if head is None or following is None or len(text) not in (_OLD_LENGTH, _NOTE_LENGTH):
        return UNREADABLE
    noted, signed = text[:-_SIGNATURE_LENGTH], text[-_SIGNATURE_LENGTH:]
    key, _, signature = signed.rstrip("\n").partition(" ")
    heads = _head_in(noted[2 * _HEAD_LENGTH :]) if len(text) == _NOTE_LENGTH else None
    return HeadNote(head, following, key, _is_genuine(noted, key, signature, NOTE), heads)


def mark_path(journal: Path) -> Path:
    """Return the file of a journal's end mark."""
    return Path(f"{journal}.mark")


def read_mark(journal: Path, public: str) -> EndMark | None:
    """Return the newest end mark signed by this table; None without one."""
    try:
        with mark_path(journal).open("rb") as file:
            text = file.read(_SLOTS * _SLOT_LENGTH).decode("ascii", "replace")
    except OSError:
        return None
    found = []
    for start in range(0, len(text), _SLOT_LENGTH):
        slot = text[start : start + _SLOT_LENGTH]
        end, heads = _head_in(slot[:_HEAD_LENGTH]), _head_in(slot[_HEAD_LENGTH : 2 * _HEAD_LENGTH])
        key, _, signature = slot[2 * _HEAD_LENGTH :].rstrip("\n").partition(" ")
        marked = slot[: 2 * _HEAD_LENGTH]
        if end and heads and key == public and _is_genuine(marked, key, signature, MARK):
            found.append(EndMark(end, heads))
    return max(found, key=lambda mark: mark.end.seq, default=None)


NOTE: Final = "stand17 note"
MARK: Final = "stand17 mark"
"""What a signature is for: a note never passes as a mark."""


def _signed(key: TableKey, text: str, purpose: str) -> str:
    return f"{key.public} {key.sign(_message(text, purpose)).hex()}\n"


def _is_genuine(text: str, key: str, signature: str, purpose: str) -> bool:
    try:
        return is_signed_by(key, _message(text, purpose), bytes.fromhex(signature))
    except ValueError:
        return False


def _message(text: str, purpose: str) -> bytes:
    return f"{purpose}\n{text}".encode()


def _line(head: Head) -> str:
    return _HEAD % (head.seq, head.hash.hex())


def _head_in(line: str) -> Head | None:
    number, _, digest = line.rstrip("\n").partition(" ")
    if len(line) != _HEAD_LENGTH or not number.isdigit():
        return None
    try:
        return Head(int(number), bytes.fromhex(digest))
    except ValueError:
        return None


def _beside(journal: Path) -> str:
    return f"{journal}.head"


UNREADABLE: Final = HeadNote(Head(0, bytes(32)), Head(0, bytes(32)), "", genuine=False)
"""A side file that holds something else than a note."""


CREDENTIAL: Final = "table.key"
"""Name of the systemd credential, and of the file beside the journal."""

BYTES_MAX: Final = 10_000
"""No key file is longer; what is longer is something else."""

_KEY_BYTES: Final = 32
"""Bytes of chance that an Ed25519 key is."""

_OTHERS: Final = 0o077


def _credential(environment: Mapping[str, str]) -> Path | None:
    """The key that systemd gives; it guards it, the folder is the service's own."""
    folder = environment.get("CREDENTIALS_DIRECTORY", "")
    found = Path(folder) / CREDENTIAL
    return found if folder and found.is_file() else None


def is_signed_by(public: str, message: bytes, signature: bytes) -> bool:
    """Whether the private key of this public key has signed the message; False for an invalid key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def public_key(written: str) -> str:
    """Read a public key from its 64 digits, or from a file that holds them or a PEM.

    Raises `JournalError` KEY_UNREADABLE.
    """
    words = written
    try:
        if (file := Path(written)).is_file():
            words = read_regular(file, BYTES_MAX, links=True).decode("ascii")
        if "BEGIN" in words:
            loaded = _formats().load_pem_public_key(words.encode())
            if isinstance(loaded, Ed25519PublicKey):
                return loaded.public_bytes_raw().hex()
        return Ed25519PublicKey.from_public_bytes(bytes.fromhex(words.strip())).public_bytes_raw().hex()
    except (OSError, ValueError) as error:
        raise JournalError("KEY_UNREADABLE", path=written, reason="no public Ed25519 key") from error


def pem(public: str) -> str:
    """The public key as other programs read it."""
    key, formats = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)), _formats()
    return key.public_bytes(formats.Encoding.PEM, formats.PublicFormat.SubjectPublicKeyInfo).decode()


def _made(file: Path, secret: bytes) -> Ed25519PrivateKey:
    """Make a key and keep it; `FileExistsError` where there is one already."""
    key, formats = Ed25519PrivateKey.from_private_bytes(secret), _formats()
    text = key.private_bytes(formats.Encoding.PEM, formats.PrivateFormat.PKCS8, formats.NoEncryption())
    # Whole or not at all: a second table that starts in the same folder never reads half a key.
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        draft.chmod(PRIVATE)
        os.link(draft, file)
        MACHINE_DISK.keep_name(file)
    finally:
        with suppress(OSError):
            draft.unlink()
    return key


def _formats() -> ModuleType:
    """The formats of key files: they take longer to import than a signature takes to check."""
    return import_module("cryptography.hazmat.primitives.serialization")


def _private(file: Path) -> Ed25519PrivateKey:
    try:
        key = _formats().load_pem_private_key(read_regular(file, BYTES_MAX, links=True), password=None)
    except OSError as error:
        raise JournalError("KEY_UNREADABLE", path=str(file), reason=error.strerror or "") from error
    except (TypeError, ValueError) as error:
        raise JournalError("KEY_UNREADABLE", path=str(file), reason="no private key in PEM") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise JournalError("KEY_UNREADABLE", path=str(file), reason="no Ed25519 key")
    return key

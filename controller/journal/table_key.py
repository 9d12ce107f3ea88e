"""The key with which a table signs: Ed25519, made at its first start, readable by its own account alone.

The file is PEM (PKCS 8), the public half stands as 64 hexadecimal digits. Under systemd a credential named
`table.key` takes the place of the file, so that it may be encrypted and bound to the machine.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.domain import JournalError
from controller.outputs import read_regular
from controller.ports import MACHINE_DISK, PRIVATE

CREDENTIAL: Final = "table.key"
"""Name of the systemd credential, and of the file beside the journal."""

BYTES_MAX: Final = 10_000
"""No key file is longer; what is longer is something else."""

_KEY_BYTES: Final = 32
"""Bytes of chance that an Ed25519 key is."""

_OTHERS: Final = 0o077


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

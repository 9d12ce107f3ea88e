"""What a witness of signed heads says: how many heads of a table it has seen, and which ones.

It is a checkpoint as transparency logs have it (C2SP tlog-checkpoint), the log being the lines of a table's
heads without their nonces: they tell no card. Under it stands the witness's cosignature (tlog-cosignature,
Ed25519):

    stand17 heads KEY                  the table's public key
    NUMBER                             of heads
    ROOT                               base64 of the Merkle tree's root over their lines (RFC 6962)

    — NAME SIGNATURE                   base64 of key id, time and signature
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import JournalError
from controller.journal.table_key import TableKey, is_signed_by
from controller.outputs import read_regular

NAME: Final = "stand17-witness"
ENDING: Final = ".checkpoint"
BYTES_MAX: Final = 10_000
"""No checkpoint is longer."""

_ED25519_COSIGNATURE: Final = b"\x04"
_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8


class Tree:
    """A Merkle tree that only grows: the roots of its full parts, the largest first."""

    def __init__(self) -> None:
        """Begin empty."""
        self.size = 0
        self._parts: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        """Add a leaf, here the line of a head."""
        self.size += 1
        part = 1, sha256(b"\x00" + leaf).digest()
        while self._parts and self._parts[-1][0] == part[0]:
            size, left = self._parts.pop()
            part = 2 * size, _joined(left, part[1])
        self._parts.append(part)

    @property
    def root(self) -> bytes:
        """The hash that every leaf and its place go into."""
        if not self._parts:
            return sha256().digest()
        *others, (_, root) = self._parts
        for _, left in reversed(others):
            root = _joined(left, root)
        return root


def _joined(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class HeadsCheckpoint(NamedTuple):
    """So many heads of the table with this key; `at_s` is when the witness signed, seconds since 1970."""

    key: str
    size: int
    root: bytes
    at_s: int = 0

    def text(self) -> str:
        """Return the signed text, with its last line feed."""
        return f"stand17 heads {self.key}\n{self.size}\n{b64encode(self.root).decode()}\n"

    def cosigned(self, witness: TableKey, at_s: int) -> str:
        """The text with the signature of a witness under it."""
        signature = witness.sign(_message(at_s, self.text()))
        sealed = _key_id(witness.public) + at_s.to_bytes(_TIME_BYTES, "big") + signature
        return f"{self.text()}\n— {NAME} {b64encode(sealed).decode()}\n"


def read_checkpoint(note: str, witness: str) -> HeadsCheckpoint | None:
    """Return a checkpoint signed by this witness; None for any other text."""
    text, _, signatures = note.partition("\n\n")
    try:
        origin, size, root = text.split("\n")
        found = HeadsCheckpoint(
            origin.removeprefix("stand17 heads "), int(size), b64decode(root, validate=True)
        )
        for line in signatures.splitlines():
            sealed = b64decode(line.rpartition(" ")[2], validate=True)
            at_s = int.from_bytes(sealed[_ID_BYTES:][:_TIME_BYTES], "big")
            signature = sealed[_ID_BYTES + _TIME_BYTES :]
            if sealed[:_ID_BYTES] == _key_id(witness) and is_signed_by(
                witness, _message(at_s, f"{text}\n"), signature
            ):
                return found._replace(at_s=at_s) if found.text() == f"{text}\n" else None
    except ValueError:
        return None
    return None


def checkpoint_in(path: Path, witness: str) -> HeadsCheckpoint | None:
    """The checkpoint of a file, see `read_checkpoint`. Raises `JournalError` HEADS_UNREADABLE."""
    try:
        return read_checkpoint(read_regular(path, BYTES_MAX).decode(), witness)
    except UnicodeDecodeError:
        return None
    except OSError as error:
        raise JournalError("HEADS_UNREADABLE", path=str(path), reason=error.strerror or "") from error


def root_of(lines: Iterable[bytes]) -> bytes:
    """The root over these lines of heads."""
    tree = Tree()
    for line in lines:
        tree.add(line)
    return tree.root


def _message(at_s: int, text: str) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()


def _key_id(public: str) -> bytes:
    named = NAME.encode() + b"\n" + _ED25519_COSIGNATURE + bytes.fromhex(public)
    return sha256(named).digest()[:_ID_BYTES]

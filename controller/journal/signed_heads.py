"""Signed heads: where a journal ended at a round's end, vouched for by the table's key.

Each is a line of JSON in `<journal>.signed`, and leaves the machine as it is made. It must not tell a card
that lies face down, and a hash does: where all but one card is known, 52 guesses find it. So what is signed
is a sealed hash:

    code      = SHA-256( nonce || hash of the entry `seq` )     nonce: 32 bytes of chance
    signature = Ed25519 of "stand17 head" LF, then the line's other fields as JSON: keys in the order of the
                alphabet, no blanks, ASCII

The nonce stays in the file beside the journal and never leaves it. With it the code is bound to one hash;
without it no guess can be tried.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from controller.domain.errors import JournalError
from controller.journal.head_file import Head
from controller.journal.table_key import TableKey, is_signed_by
from controller.outputs import open_regular
from controller.ports.side_disk import MACHINE_DISK, SideDisk

HeadReason = Literal["start", "round", "close"]
"""Why a head is signed: the program has started · a round has ended · table or program closes."""

NONCE_BYTES: Final = 32
LINE_MAX: Final = 2_000
"""Characters of the longest line that is read; ours have about 450."""

INT_MAX: Final = 2**63 - 1
"""What a column of the journal, or of a database, holds."""

RandomBytes = Callable[[int], bytes]


class SignedHead(NamedTuple):
    """One line. `number` counts the heads of a journal from 1, `key` is the public half in hexadecimal.

    `journal` is the name of its file when it was signed; `nonce` is "" in a line that was kept elsewhere.
    `since` is 0 where the table vouches for every entry up to `seq`; else only for those from this one on:
    at a start, or while it ran, the evidence did not fit. `follows` is the code of the last head in the
    table's journal before this one; only in a journal's first head, else "".
    """

    table: str
    journal: str
    number: int
    seq: int
    round: int
    at_utc_us: int
    reason: HeadReason
    code: str
    key: str
    signature: str
    nonce: str = ""
    since: int = 0
    follows: str = ""

    @property
    def is_genuine(self) -> bool:
        """Whether its own key has signed it."""
        try:
            return is_signed_by(self.key, _message(self), bytes.fromhex(self.signature))
        except ValueError:
            return False

    def seals(self, digest: bytes) -> bool:
        """Whether this is the hash that was signed; False without the nonce."""
        return bool(self.nonce) and _sealed(bytes.fromhex(self.nonce), digest) == self.code

    def line(self, *, with_nonce: bool) -> str:
        """JSON and a line feed; what leaves the journal's folder goes without the nonce."""
        fields = _fields(self)
        if not with_nonce:
            del fields["nonce"]
        return json.dumps(fields, sort_keys=True, separators=(",", ":")) + "\n"


class HeadSigner:
    """Signs the heads of one journal and appends them to its file; for one thread at a time."""

    def __init__(
        self,
        journal: Path,
        table: str,
        key: TableKey,
        chance: RandomBytes = secrets.token_bytes,
        *,
        since: int = 0,
        before: SignedHead | None = None,
        disk: SideDisk = MACHINE_DISK,
    ) -> None:
        """Go on behind the lines that are there; `since` as in `SignedHead`, or what they say already.

        `before` is the last head of the table's journal before this one.
        """
        self._path, self._name, self._table = heads_path(journal), journal.name, table
        self._chance, self.key, self._disk = chance, key, disk
        data = _whole(self._path)
        self._hash, self._end = hashlib.sha256(data), len(data)
        self._number = data.count(b"\n")
        last = head_of(data.rsplit(b"\n", 2)[-2]) if data else None
        known = last.since if last is not None and last.key == key.public and last.is_genuine else 0
        self._since = max(since, known)
        self._follows = "" if before is None else before.code

    @property
    def mark(self) -> Head:
        """How many heads there are now, and the SHA-256 of their lines."""
        return Head(self._number, self._hash.digest())

    def doubt(self, seq: int) -> None:
        """Vouch only for entries from `seq` on: those before did not fit."""
        self._since = max(self._since, seq)

    def sign(self, head: Head, round_number: int, at_utc_us: int, reason: HeadReason) -> SignedHead:
        """Sign where the journal ends now. Raises OSError where the line cannot be written."""
        nonce = self._chance(NONCE_BYTES)
        blank = SignedHead(
            table=self._table,
            journal=self._name,
            number=self._number + 1,
            seq=head.seq,
            round=round_number,
            at_utc_us=at_utc_us,
            reason=reason,
            code=_sealed(nonce, head.hash),
            key=self.key.public,
            signature="",
            nonce=nonce.hex(),
            since=self._since,
            follows="" if self._number else self._follows,
        )
        signed = blank._replace(signature=self.key.sign(_message(blank)).hex())
        self._append(signed.line(with_nonce=True).encode())
        self._number += 1
        return signed

    def _append(self, line: bytes) -> None:
        """Write behind the last whole line: one that was torn by a power cut or a full disk goes."""
        handle = self._disk.open(self._path, os.O_WRONLY | os.O_CREAT)
        try:
            if not self._end:
                self._disk.keep_name(self._path)
            self._disk.shorten(self._path, handle, self._end)
            self._disk.write(self._path, handle, line, self._end)
            self._disk.sync(self._path, handle)
        finally:
            os.close(handle)
        self._end += len(line)
        self._hash.update(line)


def heads_path(journal: Path) -> Path:
    """Where the signed heads of a journal are."""
    return Path(f"{journal}.signed")


def heads_beside(journal: Path) -> Iterator[SignedHead | None]:
    """The heads beside a journal; none where there is no such file, see `heads_in`."""
    path = heads_path(journal)
    return heads_in(path) if path.exists() else iter(())


def lines_from(path: Path, first: int, end: int | None = None) -> Iterator[tuple[bytes, SignedHead | None]]:
    """The lines of a file from byte `first` on, up to byte `end`, each with its head; see `heads_in`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            file.seek(first)
            while (end is None or file.tell() < end) and (line := file.readline(LINE_MAX)):
                if line.endswith(b"\n") or len(line) == LINE_MAX:
                    yield line, head_of(line)
    except OSError as error:
        raise JournalError("HEADS_UNREADABLE", path=str(path), reason=error.strerror or "") from error


def heads_in(path: Path) -> Iterator[SignedHead | None]:
    """The heads of a file, of a journal or kept elsewhere; None for a line that is no head.

    A last line without its line feed was torn by a power cut and does not count. Raises `JournalError`
    HEADS_UNREADABLE where the file cannot be read.
    """
    return (head for _, head in lines_from(path, 0))


def newest_of(heads: Iterable[SignedHead | None]) -> dict[str, int]:
    """The number of each key's last head: a machine that took the table over counts its own from 1."""
    newest: dict[str, int] = {}
    for head in heads:
        if head is not None:
            newest[head.key] = max(head.number, newest.get(head.key, 0))
    return newest


def head_of(line: bytes) -> SignedHead | None:
    """Read one line; None for one that is no head. Syslog and others may have put words before it."""
    try:
        fields: dict[str, Any] = json.loads(line[line.index(b"{") :])
        head = SignedHead(**fields)
        bytes.fromhex(head.nonce + head.code + head.key + head.signature)
    except (AttributeError, RecursionError, TypeError, ValueError):
        return None
    numbers = (head.number, head.seq, head.round, head.at_utc_us, head.since)
    words = (head.table, head.journal, head.follows)
    known = all(type(number) is int and 0 <= number <= INT_MAX for number in numbers)
    known = known and head.reason in get_args(HeadReason)
    return head if known and all(isinstance(word, str) for word in words) else None


def heads_mark(journal: Path, lines: int | None = None) -> Head:
    """How many heads lie beside a journal, and the SHA-256 of their lines; of the first `lines` alone.

    Raises `JournalError` HEADS_UNREADABLE.
    """
    try:
        data = _whole(heads_path(journal))
    except OSError as error:
        path = str(heads_path(journal))
        raise JournalError("HEADS_UNREADABLE", path=path, reason=error.strerror or "") from error
    found = [line + b"\n" for line in data.split(b"\n")[:-1]][:lines]
    return Head(len(found), hashlib.sha256(b"".join(found)).digest())


def _whole(path: Path) -> bytes:
    """The file up to the end of its last whole line."""
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


def _sealed(nonce: bytes, digest: bytes) -> str:
    return hashlib.sha256(nonce + digest).hexdigest()


def _fields(head: SignedHead) -> dict[str, Any]:
    """The fields as they are written: `since` and `follows` only where they say something."""
    fields = head._asdict()
    for name in ("since", "follows"):
        if not fields[name]:
            del fields[name]
    return fields


def _message(head: SignedHead) -> bytes:
    signed = {name: value for name, value in _fields(head).items() if name not in ("nonce", "signature")}
    return b"stand17 head\n" + json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()

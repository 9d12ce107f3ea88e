"""Heads of journals, and the heads that a witness has.

Each head is a line of JSON in `<journal>.signed`, and leaves the machine as it is made. It must not tell a
card that lies face down, and a hash does: where all but one card is known, 52 guesses find it. So what is
signed is a sealed hash:

    code      = SHA-256( nonce || hash of the entry `seq` )     nonce: 32 bytes of chance
    signature = Ed25519 of "stand17 head" LF, then the line's other fields as JSON: keys in the order of the
                alphabet, no blanks, ASCII

The nonce stays in the file beside the journal and never leaves it. With it the code is bound to one hash;
without it no guess can be tried.

A journal that was put back with everything beside it fits itself: only heads that were kept elsewhere
contradict it. One kept file holds the heads of every journal of that name, one after the other, each from
number 1 on. The first head of a new journal names the last one of the journal before.

A witness has a checkpoint as transparency logs have it (C2SP tlog-checkpoint). The log is the lines of a
table's heads without their nonces: they tell no card. Under it stands the witness's cosignature
(tlog-cosignature, Ed25519):

    stand17 heads KEY                  the table's public key
    NUMBER                             of heads
    ROOT                               base64 of the Merkle tree's root over their lines (RFC 6962)

    — NAME SIGNATURE                   base64 of key id, time and signature
"""

import hashlib
import json
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from controller.domain import JournalError
from controller.journal.head_file import Head, TableKey, is_signed_by
from controller.outputs import open_regular, read_regular
from controller.ports import MACHINE_DISK, SideDisk, Trouble

HeadReason = Literal["start", "round", "close"]
"""Why a head is signed: the program has started · a round has ended · table or program closes."""

NONCE_BYTES: Final = 32
LINE_MAX: Final = 2_000
"""Characters of the longest line that is read; ours have about 450."""

INT_MAX: Final = 2**63 - 1
"""What a column of the journal, or of a database, holds."""

RandomBytes = Callable[[int], bytes]


class SignedHead(NamedTuple):
    """One line. `number` counts the heads of a journal from 1, `key` is the public key in hexadecimal.

    `journal` is the name of its file at the signature; `nonce` is "" in a line kept elsewhere. `since` is 0
    when the table vouches for every entry up to `seq`; otherwise it is the first vouched entry: at a start,
    or during the run, the evidence did not fit. `follows` is the code of the last head in the table's
    preceding journal; only in a journal's first head, else "".
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
        """Whether this is the signed hash; False without the nonce."""
        return bool(self.nonce) and _sealed(bytes.fromhex(self.nonce), digest) == self.code

    def line(self, *, with_nonce: bool) -> str:
        """Return JSON and a line feed; a line that leaves the journal's folder has no nonce."""
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
        """Continue the existing lines; `since` as in `SignedHead`, or as in them.

        `before` is the last head of the table's preceding journal.
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
        """The number of heads, and the SHA-256 of their lines."""
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
        """Write after the last whole line; a line torn by a power cut or a full disk is overwritten."""
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
    """Return the file of a journal's signed heads."""
    return Path(f"{journal}.signed")


def heads_beside(journal: Path) -> Iterator[SignedHead | None]:
    """Yield the heads beside a journal; none without such a file, see `heads_in`."""
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
    """Read one line; None when it is no head. Syslog and others may put words before it."""
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
    """Return the number of heads beside a journal (or `lines` of them), and the SHA-256 of their lines.

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


Judgement = Literal["fits", "anew", "cut", "rewritten", "put_back"]
"""What is kept fits · is of earlier journals alone · has heads that are missing beside · has others there ·
goes on with a later journal."""


class KeptJudgement(NamedTuple):
    """The relation of a file of kept heads to a journal; `last` is the newest contradicting head."""

    code: Judgement
    last: SignedHead | None = None


def judged(kept: Path, journal: Path, public: str) -> KeptJudgement:
    """Hold the heads of a file that this key has signed against those beside a journal.

    Raises `JournalError` HEADS_UNREADABLE; a file that is not there fits.
    """
    runs = _runs(kept, journal.name, public)
    beside = {head.number: head for found in heads_beside(journal) if (head := _own(found, public))}
    own = [run for run in runs if beside.get(run[0].number) == run[0]]
    if not own:
        return KeptJudgement("anew" if runs and not beside else "fits")
    if own[-1] is not runs[-1]:
        return KeptJudgement("put_back", runs[-1][-1])
    missing = [head for head in own[-1] if head.number not in beside]
    other = [head for head in own[-1] if head.number in beside and _contradicts(head, beside[head.number])]
    if other:
        return KeptJudgement("rewritten", other[-1])
    return KeptJudgement("cut", missing[-1]) if missing else KeptJudgement("fits")


def kept_finding(kept: Path, journal: Path, public: str, end: int) -> Trouble | None:
    """Return the hold of a table at its start; `end` is the last entry of its journal, 0 for none.

    Raises `JournalError` JOURNAL_CUT_OFF or JOURNAL_REWRITTEN when the journal must not be written to.
    """
    found = judged(kept, journal, public)
    last = found.last
    if last is None:
        is_anew = found.code == "anew" and not end
        return Trouble("JOURNAL_BEGUN_ANEW", (("place", str(kept.parent)),)) if is_anew else None
    if found.code == "rewritten":
        raise JournalError("JOURNAL_REWRITTEN", path=str(journal), seq=last.seq)
    if found.code == "cut" and last.seq > end:
        raise JournalError("JOURNAL_CUT_OFF", path=str(journal), found=end, noted=last.seq)
    if found.code == "cut":
        return Trouble("JOURNAL_HEADS_CUT", (("found", last.number - 1), ("vouched", last.number)))
    return Trouble("JOURNAL_PUT_BACK", (("found", end), ("noted", last.seq)))


def _contradicts(head: SignedHead, beside: SignedHead) -> bool:
    """Whether the head of this number beside the journal differs, and vouches for the same entries.

    When a disk has lost a head that was kept elsewhere, a start has held the table for it. The head that took
    its number vouches only for later entries.
    """
    return beside != head and beside.since <= head.seq


def runs_of(heads: Iterable[SignedHead | None], name: str) -> list[dict[int, SignedHead]]:
    """The heads of each journal of this name by their line, in the order in which they were kept.

    A journal's first head may be missing: the place was not reachable then. Entries only ever become more.
    """
    runs: list[dict[int, SignedHead]] = []
    seq = 0
    for line, head in enumerate(heads, start=1):
        if head is not None and head.journal == name:
            if head.number == 1 or head.seq < seq or not runs:
                runs.append({})
            runs[-1][line], seq = head._replace(nonce=""), head.seq
    return runs


def _runs(kept: Path, name: str, public: str) -> list[list[SignedHead]]:
    """The runs of the heads that this table has signed."""
    heads = (_own(found, public) for found in heads_in(kept)) if kept.exists() else ()
    return [[*run.values()] for run in runs_of(heads, name)]


def _own(head: SignedHead | None, public: str) -> SignedHead | None:
    """Return the head without its nonce; None for another table's head."""
    if head is None or head.key != public or not head.is_genuine:
        return None
    return head._replace(nonce="")


HEADS: Final = ".journal.signed"


def head_before(journal: Path, table: str) -> SignedHead | None:
    """The newest head of this table in the folder's other journals, without its nonce; None for none.

    Files that cannot be read have nothing to say: a table opens all the same.
    """
    found = [_last(path) for path in journal.parent.glob(f"*{HEADS}") if path != heads_path(journal)]
    own = [head for head in found if head is not None and head.table == table and head.is_genuine]
    newest = max(own, key=lambda head: head.at_utc_us, default=None)
    return None if newest is None else newest._replace(nonce="")


def opened_of(body: bytes) -> Mapping[str, Any]:
    """Return the fields of an entry's body; none for an unreadable one."""
    try:
        said = json.loads(body)
    except (RecursionError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def name_of(head: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identity of a signed head in the next journal's first entry: table, key, number, code."""
    return tuple(str(head.get(field)) for field in ("table", "key", "number", "code"))


def _last(path: Path) -> SignedHead | None:
    """Return the head of the last whole line, without a line torn by a power cut."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            file.seek(max(path.stat().st_size - 2 * LINE_MAX, 0))
            lines = file.read().rsplit(b"\n", 2)
    except OSError:
        return None
    return head_of(lines[-2]) if len(lines) > 1 else None


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
        signature = witness.sign(_signed_text(at_s, self.text()))
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
                witness, _signed_text(at_s, f"{text}\n"), signature
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


def _signed_text(at_s: int, text: str) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()


def _key_id(public: str) -> bytes:
    named = NAME.encode() + b"\n" + _ED25519_COSIGNATURE + bytes.fromhex(public)
    return sha256(named).digest()[:_ID_BYTES]

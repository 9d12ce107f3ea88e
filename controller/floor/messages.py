"""What passes over the floor's network: signed commands, receipts, a table's lines, and their subjects.

A sealed message is a line of JSON with the public key and its signature, then the body as it is.
signature = Ed25519 of "stand17 " and the purpose, LF, the context, LF, and the body
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.domain import JournalError, TableError
from controller.journal.copying import NOTHING, Continued, lines_after
from controller.journal.head_file import Head, TableKey, is_signed_by
from controller.journal.heads import heads_beside, name_of, opened_of
from controller.journal.keeping import KeptDiffers
from controller.journal.store import JournalReader

Purpose = Literal["command", "answer", "state", "run", "receipt"]
"""What a signature is for: one that was made for something else never counts."""

SEAL_MAX: Final = 400
"""Bytes of the line; ours has 230."""


class Opened(NamedTuple):
    """The signed content, and the public key that has signed it."""

    key: str
    body: bytes


def sealed(purpose: Purpose, body: bytes, key: TableKey, belongs: str = "") -> bytes:
    """Sign a message; `belongs` is its context, which both ends know and which is not sent; no line feed."""
    signature = key.sign(_message(purpose, belongs, body)).hex()
    return json.dumps({"key": key.public, "signature": signature}).encode() + b"\n" + body


def opened(purpose: Purpose, data: bytes, belongs: str = "") -> Opened | None:
    """Return the signed content; None without a valid signature for that purpose."""
    seal, line_feed, body = data.partition(b"\n")
    try:
        fields = json.loads(seal) if line_feed and len(seal) <= SEAL_MAX else {}
        key, signature = str(fields["key"]), bytes.fromhex(fields["signature"])
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return Opened(key, body) if is_signed_by(key, _message(purpose, belongs, body), signature) else None


def asked_as(number: str, question: bytes) -> str:
    """Return the context of an answer: this question, asked this once."""
    return f"{number} {hashlib.sha256(question).hexdigest()}"


def run_of(attempt: str, journal: str, name: str) -> str:
    """Return the context of a run of lines: this attempt, for this journal in a file of this name."""
    return f"{attempt} {journal} {name}"


def _message(purpose: Purpose, belongs: str, body: bytes) -> bytes:
    return f"stand17 {purpose}\n{belongs}\n".encode() + body


class Receipt(NamedTuple):
    """`journal` is the hash of its first entry; `heads` the number of each key's newest signed head."""

    journal: str
    end: Head
    heads: Mapping[str, int]

    def encode(self) -> bytes:
        """Return the receipt as JSON."""
        fields = {"seq": self.end.seq, "hash": self.end.hash.hex(), "heads": dict(self.heads)}
        return json.dumps({"journal": self.journal, **fields}).encode()


def nothing_of(journal: str) -> Receipt:
    """The receipt for a journal of which nothing is there."""
    return Receipt(journal, NOTHING, {})


def receipt_of(data: bytes) -> Receipt | None:
    """Read a receipt; None for anything else."""
    try:
        fields = json.loads(data)
        heads = {str(key): int(number) for key, number in fields["heads"].items()}
        end = Head(int(fields["seq"]), bytes.fromhex(fields["hash"]))
        return Receipt(str(fields["journal"]), end, heads)
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None


_COMMAND_MAX: Final = 20_000
"""Bytes; the longest act has about 1,000."""


class AskedCommand(NamedTuple):
    """A command of the pit to a table.

    `table` is its public key, `journal` the hash of its journal's first entry. `act` is the act of a screen;
    `second` is the second person, "" for none. The other fields as in `controller.runtime.api.Command`.
    """

    table: str
    journal: str
    command_id: str
    actor: str
    expected_seq: int
    act: Mapping[str, Any]
    second: str = ""


def signed_command(asked: AskedCommand, key: TableKey) -> bytes:
    """Sign a command."""
    return sealed("command", json.dumps(asked._asdict(), separators=(",", ":")).encode(), key)


def taken_command(data: bytes, commanders: Collection[str]) -> tuple[AskedCommand, str]:
    """Read a command; return it with the key of the server that has signed it.

    Raises `TableError` COMMAND_NOT_SIGNED unless one of `commanders` has signed it.
    """
    found = opened("command", data[:_COMMAND_MAX])
    if found is None or found.key not in commanders:
        raise TableError("COMMAND_NOT_SIGNED")
    try:
        return AskedCommand(**json.loads(found.body)), found.key
    except (RecursionError, TypeError, ValueError) as error:
        raise TableError("COMMAND_NOT_SIGNED") from error


def accepted(seq: int) -> bytes:
    """The answer to a command that is durable and visible."""
    return json.dumps({"seq": seq}).encode()


def refused(refusal: TableError) -> bytes:
    """The answer to a command that has changed nothing."""
    return json.dumps({"code": refusal.code, "params": refusal.params}).encode()


def answer_of(data: bytes) -> int:
    """Read an answer: the sequence of the last entry. Raises the `TableError` in it."""
    try:
        fields = json.loads(data)
        if "code" not in fields:
            return int(fields["seq"])
        refusal = TableError(str(fields["code"]), **fields["params"])
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise TableError("TABLE_UNANSWERED") from error
    raise refusal


RUN: Final = 256
"""Entries that go in one message: of a minute in a table's day, and of days for one that comes back."""


class OwnJournal:
    """One journal of a table; `id` is the hash of its first entry."""

    def __init__(self, path: Path) -> None:
        """Raises `JournalError` where it cannot be read."""
        self.path: Final = path
        reader = JournalReader(path)
        try:
            self.id: Final = reader.hash_at(1).hex()
            self.end: Final = reader.last_seq()
            opened = [body for _, body in reader.of_kind("opened")]
        finally:
            reader.close()
        follows = opened_of(opened[0]).get("follows") if opened else None
        self._follows: Mapping[str, Any] = follows if isinstance(follows, dict) else {}

    def require_same(self, receipt: Receipt) -> None:
        """Raise `KeptDiffers` when the archive's last entry differs from this journal's."""
        if receipt.end == NOTHING:
            return
        reader = JournalReader(self.path)
        try:
            if reader.hash_at(receipt.end.seq) != receipt.end.hash:
                raise KeptDiffers
        finally:
            reader.close()

    def lacking(self, receipt: Receipt, released: int) -> tuple[list[bytes], Continued]:
        """The next lines that the archive lacks; see `lines_after`."""
        return lines_after(self.path, Continued(receipt.end, receipt.heads), released, RUN)

    def before(self) -> "OwnJournal | None":
        """The same table's journal of the day before, where it lies beside this one."""
        if not self._follows:
            return None
        path = self.path.parent / Path(str(self._follows.get("journal", ""))).name
        wanted = name_of(self._follows)
        try:
            heads = (head for head in heads_beside(path) if head is not None)
            known = path != self.path and any(name_of(head._asdict()) == wanted for head in heads)
            return OwnJournal(path) if known else None
        except JournalError:
            return None


def days_back(journal: OwnJournal) -> Iterator[OwnJournal]:
    """The journals before this one, newest first: no more is played in any of them."""
    seen = {journal.path}
    while (before := journal.before()) is not None and before.path not in seen:
        seen.add(before.path)
        journal = before
        yield before


STATES: Final = "stand17.state.*"
"""What each table shows: published, and kept by nobody."""

ENTRIES: Final = "stand17.entries.*"
"""Lines of journals on their way to the archive; the stream `STREAM` keeps them until they are there."""

STREAM: Final = "stand17_entries"

JOURNAL: Final = "Stand17-Journal"
"""Header with the hash of the journal's first entry, which is its id."""

NAME: Final = "Stand17-Name"
"""Header with the name of the journal's file."""

ASKED: Final = "Stand17-Asked"
"""Header that names a question: what was asked once is answered for that once."""


def subject_of(what: Literal["state", "entries", "receipt", "command", "view"], key: str) -> str:
    """Return the subject of a table: its state, its lines, receipts, commands or requests for its view."""
    return f"stand17.{what}.{key}"


def key_of(subject: str) -> str:
    """The table that a subject names last."""
    return subject.rpartition(".")[2]

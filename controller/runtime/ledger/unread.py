"""Entries of a journal that cannot be folded: the table waits in front of them until the pit sets them aside.

Nothing after such an entry is placed on the table: its meaning is unknown. The hold names the first and the
last of the entries, and folding continues behind that hold.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.domain import JournalError
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.journal.upcast import Body, body_of
from controller.policy.state.holds import Hold
from controller.runtime.ledger import Ledger, UnreadEntries, fold

HOLD: Final = "ENTRY_UNREADABLE"
"""Code of the hold in front of entries that cannot be folded; `seq` is the first, `last` the last of them."""


def follow(ledger: Ledger, entry: Entry) -> Ledger:
    """Fold the next entry of a journal, or note that it cannot be folded.

    Raises `JournalError` ENTRY_TOO_NEW: a later program's entry can be read by that program.
    """
    unread = ledger.unread
    if unread is not None and not _holds_before(entry, unread):
        return ledger._replace(seq=entry.seq, unread=unread._replace(last=entry.seq))
    try:
        return fold(ledger._replace(unread=None), entry).ledger
    except JournalError as error:
        if error.code == "ENTRY_TOO_NEW":
            raise
    except Exception:  # Whatever a body makes the fold do, the table comes up in front of it.
        pass
    return ledger._replace(seq=entry.seq, unread=UnreadEntries(entry.seq, entry.seq))


def hold_body(unread: UnreadEntries) -> Body:
    """Give the body of the hold in front of these entries."""
    return {"code": HOLD, "params": {"seq": unread.first, "last": unread.last}}


def set_aside_bodies(holds: tuple[Hold, ...]) -> list[Body]:
    """Return the bodies of the entries that set aside the unread entries of these holds."""
    return [dict(held.params) for held in holds if held.code == HOLD]


class SetAside(NamedTuple):
    """Entries that a person has set aside, with that person."""

    first: int
    last: int
    by: str


def set_aside_in(path: Path) -> tuple[SetAside, ...]:
    """Return the entries set aside in a journal file; raises `JournalError` for another kind of file."""
    reader = JournalReader(path)
    try:
        written = reader.of_kind("set_aside")
    finally:
        reader.close()
    return tuple(found for actor, body in written if (found := _read(actor, body)) is not None)


def _read(actor: str, body: bytes) -> SetAside | None:
    try:
        fields = json.loads(body)
        return SetAside(int(fields["seq"]), int(fields["last"]), actor)
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
        return None


def _holds_before(entry: Entry, unread: UnreadEntries) -> bool:
    """Whether this is the hold of the table in front of these entries."""
    if entry.kind != "held":
        return False
    try:
        body: dict[str, Any] = body_of(entry)
    except JournalError:
        return False
    params = body.get("params")
    return body.get("code") == HOLD and isinstance(params, dict) and params.get("seq") == unread.first

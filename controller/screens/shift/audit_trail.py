"""The journal as the pit reads and takes it along: filtered, newest first, with the state of its chain."""

import io
import json
from collections.abc import AsyncIterator, Iterable
from typing import Final, Literal, NamedTuple

from controller.engine.dealer import hidden_hole
from controller.journal.heads import SignedHead
from controller.outputs import CsvWriter
from controller.runtime.api import AuditLine, TablePort, TableSnapshot
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import Word, Words
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import sentence_of, who_of

PAGE: Final = 100
WINDOW: Final = 500
"""Entries that are read at once."""

COLUMNS: Final = ("seq", "at_utc_us", "round", "kind", "actor", "body", "hash")
Format = Literal["csv", "json"]


class AuditFilter(NamedTuple):
    """Which entries are wanted: of this kind, of somebody whose name holds this, in or about this round."""

    kind: str = ""
    who: str = ""
    round: int | None = None

    def takes(self, line: AuditLine) -> bool:
        """Whether an entry is wanted."""
        of_round = self.round in (None, line.round) or json.loads(line.body).get("round") == self.round
        return of_round and self.kind in ("", line.kind) and self.who.lower() in line.actor.lower()


class AuditRow(ViewModel):
    """One entry as a sentence, None where another one says it; `hash` "" where it would tell a card.

    `round` is the round that it is about: an earlier round's payout may be entered in the next one.
    """

    seq: int
    kind: str
    at_utc_us: int
    round: int | None
    by: str | Word
    text: Words | None
    hash: str


class ChainState(ViewModel):
    """How far the chain has been walked, and the first entry that does not fit it."""

    checked_seq: int
    broken_seq: int | None
    broken_code: str


class SignatureState(ViewModel):
    """The last head that the table's key has signed: its number, the entry that it ends with, when."""

    number: int
    seq: int
    at_utc_us: int
    key: str


class AuditTrail(ViewModel):
    """A page of the trail, newest first; `older` asks for the next one. `kinds` are all that there are.

    `kept_back`: the entries of the round that runs are left out, because a card of it lies face down.
    """

    rows: tuple[AuditRow, ...]
    older: int | None
    kinds: tuple[str, ...]
    kept_back: bool
    chain: ChainState
    signature: SignatureState | None


class AuditReader:
    """Reads the trail of one table; used on its loop."""

    def __init__(self, table: TablePort, latest: TableSnapshot) -> None:
        """`latest` says which round runs, and whether a card of it lies face down."""
        self._table = table
        self._latest = latest
        self.keeps_back: Final = hidden_hole(latest.state.dealer)

    def _may_show(self, line: AuditLine) -> bool:
        running = line.round is not None and line.round >= self._latest.state.book.number
        return not (self.keeps_back and running)

    async def page(self, wanted: AuditFilter, before: int | None) -> tuple[tuple[AuditLine, ...], int | None]:
        """The newest entries before this one that are wanted, and before which to go on."""
        # No further than the journal goes: a page that is asked for before entry 10**16 is the newest one.
        end = min(self._latest.seq + 1, before or self._latest.seq + 1)
        found: list[AuditLine] = []
        while end > 1 and len(found) < PAGE:
            start = max(1, end - WINDOW)
            lines = [line for line in await self._table.audit(start, end - start) if line.seq < end]
            found += [line for line in reversed(lines) if self._may_show(line) and wanted.takes(line)]
            end = start
        older = found[PAGE - 1].seq if len(found) > PAGE or (end > 1 and len(found) == PAGE) else None
        return tuple(found[:PAGE]), older

    async def export(self, wanted: AuditFilter, form: Format) -> AsyncIterator[str]:
        """Write all that is wanted, oldest first: CSV with a heading, or one JSON object a line."""
        if form == "csv":
            yield _csv(COLUMNS)
        start = 1
        while lines := await self._table.audit(start, WINDOW):
            start = lines[-1].seq + 1
            for line in lines:
                if line.seq <= self._latest.seq and self._may_show(line) and wanted.takes(line):
                    fields = {name: getattr(line, name) for name in COLUMNS}
                    yield _csv(fields.values()) if form == "csv" else _json_line(fields)


def audit_trail(
    lines: tuple[AuditLine, ...],
    older: int | None,
    shift: LiveShift,
    signed: SignedHead | None,
    *,
    kept_back: bool,
) -> AuditTrail:
    """A page with what is known of chain and signatures; `shift` has walked all entries."""
    broken = shift.broken
    about = shift.history.rows(
        "SELECT seq, number FROM entry WHERE seq BETWEEN ? AND ?",
        (min((line.seq for line in lines), default=0), max((line.seq for line in lines), default=0)),
    )
    numbers = {row["seq"]: row["number"] for row in about}
    signature = signed and SignatureState(
        number=signed.number, seq=signed.seq, at_utc_us=signed.at_utc_us, key=signed.key
    )
    return AuditTrail(
        rows=tuple(_row(line, numbers.get(line.seq, line.round)) for line in lines),
        older=older,
        kinds=tuple(shift.kinds),
        kept_back=kept_back,
        chain=ChainState(
            checked_seq=shift.seq,
            broken_seq=None if broken is None else broken[0],
            broken_code="" if broken is None else broken[1],
        ),
        signature=signature,
    )


def _row(line: AuditLine, number: int | None) -> AuditRow:
    return AuditRow(
        seq=line.seq,
        kind=line.kind,
        at_utc_us=line.at_utc_us,
        round=number,
        by=who_of(line.actor),
        text=sentence_of(line),
        hash=line.hash,
    )


def _json_line(fields: dict[str, object]) -> str:
    return json.dumps({**fields, "body": json.loads(str(fields["body"]))}, ensure_ascii=False) + "\n"


def _csv(values: Iterable[object]) -> str:
    text = io.StringIO()
    CsvWriter(text).row(values)
    return text.getvalue()

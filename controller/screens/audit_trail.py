"""The journal as the pit reads and takes it along: filtered, newest first, with the state of its chain."""

import io
import json
from collections.abc import AsyncIterator, Iterable
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import RULING_NAMES
from controller.engine.hands import hidden_hole
from controller.history.history import History
from controller.journal.heads import SignedHead
from controller.outputs import CsvWriter
from controller.runtime.api import AuditLine, TablePort, TableSnapshot
from controller.runtime.snapshot import BROKEN
from controller.screens.dealt_rounds import LiveShift
from controller.screens.sentences import Say, body_of, who_of
from controller.screens.words import Money, ViewModel, Words, moved

PAGE: Final = 100
WINDOW: Final = 500
"""Entries that are read at once."""

COLUMNS: Final = ("seq", "at_utc_us", "round", "kind", "actor", "body", "hash")
Format = Literal["csv", "json"]


ALWAYS_US: Final = 2**62
"""Later than any entry."""

Group = Literal["rulings", "money", "stops", "people"]
"""What somebody looks for: decisions of the pit, the float, stops, who came and went."""

GROUPS: Final[dict[Group, str]] = {
    "rulings": f"role <> 'dealer' AND (obs IN {tuple(sorted(RULING_NAMES))} OR (obs = 'paid' AND late = 1))",
    "money": "obs IN ('fill', 'credit', 'drop', 'count', 'slip_void')",
    "stops": "kind IN ('held', 'disputed', 'resumed') OR obs IN ('freeze', 'resume')",
    "people": "obs = 'dealer' OR kind IN ("
    "'signed_in', 'signed_out', 'pin_refused', 'denied', 'people_changed')",
}
"""Each as a condition on the history's entries."""


class AuditFilter(NamedTuple):
    """A filter of entries: their kind, part of the person's name, their round, their group.

    `since_us` and `until_us` are wall clock, both included.
    """

    kind: str = ""
    who: str = ""
    round: int | None = None
    group: Group | None = None
    since_us: int = 0
    until_us: int = ALWAYS_US

    def takes(self, line: AuditLine) -> bool:
        """Whether an entry passes the filter."""
        of_round = self.round in (None, line.round) or json.loads(line.body).get("round") == self.round
        of_time = self.since_us <= line.at_utc_us <= self.until_us
        return (
            of_time and of_round and self.kind in ("", line.kind) and self.who.lower() in line.actor.lower()
        )


class AuditRow(ViewModel):
    """One entry as a sentence, None when another entry has it; `hash` "" when it would reveal a card.

    `round` is the round that it concerns: an earlier round's payout may be entered in the next one. `before`
    and `after` are the house's win of a round before and after a ruling; `change` is their difference, or the
    movement of the float. All are None when no money moved. `by` is "" for an entry without a person.
    """

    seq: int
    kind: str
    at_utc_us: int
    round: int | None
    by: str
    second: str
    text: Words | None
    before: Money | None
    after: Money | None
    change: Money | None
    hash: str


class ChainState(ViewModel):
    """The last verified entry of the chain, and the first entry that breaks it."""

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

    `counts` are those of the wanted time.

    `kept_back`: the entries of the round that runs are left out, because a card of it lies face down.
    """

    rows: tuple[AuditRow, ...]
    older: int | None
    counts: dict[Group, int]
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

    async def page(
        self, wanted: AuditFilter, before: int | None, rows: int = PAGE
    ) -> tuple[tuple[AuditLine, ...], int | None]:
        """Return at most `rows` of the newest wanted entries before this one, and where to go on."""
        # No further than the journal goes: a page that is asked for before entry 10**16 is the newest one.
        end = min(self._latest.seq + 1, before or self._latest.seq + 1)
        found: list[AuditLine] = []
        while end > 1 and len(found) < rows:
            start = max(1, end - WINDOW)
            lines = [line for line in await self._table.audit(start, end - start) if line.seq < end]
            found += [line for line in reversed(lines) if self._may_show(line) and wanted.takes(line)]
            end = start
        older = found[rows - 1].seq if len(found) > rows or (end > 1 and len(found) == rows) else None
        return tuple(found[:rows]), older

    async def of_group(
        self, wanted: AuditFilter, before: int | None, history: History, rows: int = PAGE
    ) -> tuple[tuple[AuditLine, ...], int | None]:
        """Return a page of a group of entries, selected by the history."""
        assert wanted.group is not None
        found: list[AuditLine] = []
        seqs = history.rows(
            f"SELECT seq FROM entry WHERE ({GROUPS[wanted.group]}) AND seq < ?"
            " AND us BETWEEN ? AND ? ORDER BY seq DESC",
            (before or self._latest.seq + 1, wanted.since_us, wanted.until_us),
        )
        for row in seqs:
            lines = await self._table.audit(row["seq"], 1)
            found += [line for line in lines if self._may_show(line) and wanted.takes(line)]
            if len(found) > rows:
                break
        return tuple(found[:rows]), found[rows - 1].seq if len(found) > rows else None

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
                    if form == "csv":
                        yield _csv(fields.values())
                    else:
                        yield json.dumps({**fields, "body": json.loads(line.body)}, ensure_ascii=False) + "\n"


async def audit_trail(
    lines: tuple[AuditLine, ...],
    older: int | None,
    shift: LiveShift,
    signed: SignedHead | None,
    say: Say,
    *,
    wanted: AuditFilter,
    kept_back: bool,
) -> AuditTrail:
    """Return a page with the state of chain and signatures; `shift` has read all entries."""
    history = shift.history
    broken = history.rows("SELECT seq, code FROM entry WHERE kind = ? ORDER BY seq LIMIT 1", (BROKEN,))
    signature = signed and SignatureState(
        number=signed.number, seq=signed.seq, at_utc_us=signed.at_utc_us, key=signed.key
    )
    return AuditTrail(
        rows=tuple([await _row(line, history, say) for line in lines]),
        older=older,
        counts={
            group: history.rows(
                f"SELECT count(*) AS n FROM entry WHERE ({condition}) AND us BETWEEN ? AND ?",
                (wanted.since_us, wanted.until_us),
            )[0]["n"]
            for group, condition in GROUPS.items()
        },
        kinds=tuple(row["kind"] for row in history.rows("SELECT DISTINCT kind FROM entry ORDER BY kind")),
        kept_back=kept_back,
        chain=ChainState(
            checked_seq=shift.seq,
            broken_seq=broken[0]["seq"] if broken else None,
            broken_code=broken[0]["code"] if broken else "",
        ),
        signature=signature,
    )


RULED: Final = "SELECT won_before AS was, won_after AS now FROM ruling WHERE seq = ?"
PAID: Final = (
    "SELECT -q.paid AS was, -p.paid AS now FROM entry e JOIN payout p ON p.round = e.number AND p.box = e.box"
    " AND p.seat = coalesce(e.seat, 0) AND p.seq >= e.seq"
    " JOIN payout q ON q.round = p.round AND q.box = p.box"
    " AND q.seat = p.seat AND q.seq < e.seq WHERE e.seq = ? AND e.obs = 'paid' AND e.late = 1"
    " ORDER BY p.seq, q.seq DESC LIMIT 1"
)
MOVED: Final = (
    "SELECT NULL AS was, amount AS now FROM movement WHERE seq = ? AND by IN ('fill', 'credit', 'drop')"
)


def _money(seq: int, history: History) -> tuple[Money | None, Money | None, Money | None]:
    """Return the change of an entry for the house or the float: before, after, difference."""
    for question in (RULED, PAID, MOVED):
        for row in history.rows(question, (seq,)):
            was, now = row["was"], row["now"]
            if now is None:
                continue
            if was is None:
                return None, None, moved(now)
            # A payout is the bettor's amount; only its difference counts for the house.
            shown = (None, None) if question == PAID else (moved(was), moved(now))
            return (*shown, moved(now - was)) if was != now else (None, None, None)
    return None, None, None


async def _row(line: AuditLine, history: History, say: Say) -> AuditRow:
    before, after, change = _money(line.seq, history)
    about = history.rows("SELECT number FROM entry WHERE seq = ?", (line.seq,))
    who = who_of(line.actor)
    return AuditRow(
        before=before,
        after=after,
        change=change,
        second=str(body_of(line).get("second") or "").rpartition(":")[2],
        seq=line.seq,
        kind=line.kind,
        at_utc_us=line.at_utc_us,
        round=about[0]["number"] if about else line.round,
        by=who if isinstance(who, str) and not line.actor.startswith("device:") else "",
        text=await say(line),
        hash=line.hash,
    )


def _csv(values: Iterable[object]) -> str:
    text = io.StringIO()
    CsvWriter(text).row(values)
    return text.getvalue()

"""A journal told once more: every entry is written again and compared with the stored bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.domain.errors import ConfigError, JournalError
from controller.feed.codec import parse, to_json
from controller.feed.header import Header
from controller.feed.reading import Line
from controller.feed.report import Json
from controller.journal.entry import GENESIS, Entry, digest
from controller.journal.upcast import VERSIONS, Body, body_of
from controller.journal.verify import Misfit, VerifyReport, verify
from controller.journal.witness import Head
from controller.replay.entry_sources import recorded_entries
from controller.replay.feed_export import FeedExport, feed_object_of, header_of
from controller.runtime.draft import encoded
from controller.runtime.ledger import Ledger, fold, open_ledger
from controller.runtime.refold import DERIVED, Refolder


class CheckedJournal(NamedTuple):
    """A journal as it was told again: `lines` are its feed up to the first misfit, if there is one."""

    header: Header
    ledger: Ledger
    lines: tuple[Line, ...]
    expected: tuple[Json, ...]
    report: VerifyReport


class JournalCheck:
    """A `Refold` that also folds the ledger, gathers the feed, and holds every entry to its bytes."""

    def __init__(self) -> None:
        """Begin before entry 1."""
        self._refolder = Refolder()
        self._started_utc_us = 0
        self.lines = FeedExport(0)
        self.ledger: Ledger | None = None

    def __call__(self, entry: Entry) -> str | None:
        """Check one entry; None when it fits."""
        code = self._refolder(entry)
        if code is not None:
            return code
        try:
            if not self._same_bytes(entry):
                return "NOT_CANONICAL"
            self._take(entry)
        except (ConfigError, KeyError, TypeError, ValueError):
            return "ENTRY_UNREADABLE"
        return None

    def end(self) -> str | None:
        """See `Refold.end`."""
        return self._refolder.end()

    @property
    def header(self) -> Header:
        """The header of the feed. Raises `JournalError` NOT_OPENED before the first good entry."""
        opening = self._opened().opening
        return header_of(opening.table, opening.rules, opening.currency, self._started_utc_us)

    def told(self, report: VerifyReport) -> CheckedJournal:
        """Sum up. Raises `JournalError` NOT_OPENED where not even the first entry is good."""
        ledger = self._opened()
        expected = tuple(self.lines.expected(ledger.state))
        return CheckedJournal(self.header, ledger, tuple(self.lines.lines), expected, report)

    def _opened(self) -> Ledger:
        if self.ledger is None:
            raise JournalError("NOT_OPENED", seq=1, kind="-")
        return self.ledger

    def _take(self, entry: Entry) -> None:
        if self.ledger is None:
            self._started_utc_us = entry.at_utc_us
            self.lines = FeedExport(entry.at_utc_us)
            self.ledger = open_ledger(entry)
            return
        self.ledger = fold(self.ledger, entry)
        self.lines.take(entry)

    def _same_bytes(self, entry: Entry) -> bool:
        """Whether this program would write the very same bytes; an older version is not held to them."""
        if entry.version != VERSIONS[entry.kind]:
            return True
        if entry.kind in DERIVED:
            return self._refolder.derived == entry.body
        return _rewritten(entry.kind, body_of(entry)) == entry.body


def _rewritten(kind: str, body: Body) -> bytes:
    """Read and write a body as the table does; observations go through their own types."""
    obs = feed_object_of(kind, body)
    if obs is None:
        return encoded(body)
    written = to_json(parse(obs))
    if kind == "refused":
        return encoded({**body, "obs": written})
    command = {"command": body["command"]} if "command" in body else {}
    return encoded({**written, **command})


def check_journal(path: Path, progress: Callable[[int], None]) -> CheckedJournal:
    """Tell a journal again up to the first entry that does not fit.

    `progress` is told each sequence that was good. Raises `JournalError` where the file is no journal,
    cannot be opened, or does not begin as a journal does.
    """
    retelling = JournalCheck()
    report = verify(path, retelling, progress)
    return retelling.told(report)


def check_recorded_journal(path: Path) -> CheckedJournal:
    """Tell the journal that a recording carries, its history and its own entries, again.

    Raises as `recorded_entries`, and `JournalError` NOT_OPENED where the journal does not begin with its
    first entry.
    """
    retelling, head = JournalCheck(), Head(0, GENESIS)
    for entry in recorded_entries(path):
        code = _linked(entry, head) or retelling(entry)
        if code is not None:
            return retelling.told(_report(path, head, Misfit(entry.seq, code)))
        head = Head(entry.seq, entry.hash)
    return retelling.told(_report(path, head, None))


def _linked(entry: Entry, head: Head) -> str | None:
    """Check an entry's place in the chain, as `controller.journal.rows` does."""
    if entry.seq != head.seq + 1:
        return "GAP"
    if entry.prev_hash != head.hash:
        return "LINK"
    return None if digest(entry) == entry.hash else "HASH"


def _report(path: Path, head: Head, misfit: Misfit | None) -> VerifyReport:
    return VerifyReport(str(path), head.seq, head, misfit, sound=True, vouched=False)

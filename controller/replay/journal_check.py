"""Verification of a journal, or of one round of it: its feed, and the first entry that is not as it must be.

Every entry is folded by the live table's code, written again, and compared with the stored bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import ConfigError, JournalError, TableError
from controller.engine.state import TableState
from controller.engine.table import next_round
from controller.feed.codec import parse, to_json
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json
from controller.journal.checking import VerifyReport, verify, walk
from controller.journal.entry import GENESIS, VERSIONS, BadEntry, Entry, body_of, linked
from controller.journal.head_file import Head
from controller.journal.store import JournalReader
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recording
from controller.replay.journal_feed import FeedExport, HistorySteps, feed_object_of, header_of
from controller.replay.round_entries import CHECKPOINT, decode, ledger_of, recorded_entries
from controller.runtime.draft import COMMAND_KEYS, Folded, encoded, fold
from controller.runtime.ledger import Ledger, dealt_rules, open_ledger
from controller.runtime.redaction import secret_rounds
from controller.runtime.restore import DERIVED, ResultVerifier, SetAside, set_aside_in


class CheckedJournal(NamedTuple):
    """A journal up to its first misfit, if there is one, as the feed that it is."""

    header: FeedHeader
    ledger: Ledger
    lines: tuple[FeedLine, ...]
    """The lines as the rules took them."""
    history: HistorySteps
    """The lines as they came to the table's door, and what the table has done."""
    expected: tuple[Json, ...]
    report: VerifyReport
    carried: tuple[FeedLine, ...] = ()
    """Lines that come first in a feed of this journal: what its day took over from the one before."""


class JournalCheck:
    """An `EntryCheck` that also gathers the feed and holds every entry to its bytes."""

    def __init__(self, aside: Sequence[SetAside] = ()) -> None:
        """Begin before entry 1; of entries set `aside` nothing was ever on the table."""
        self._verifier = ResultVerifier(aside)
        self._ledger: Ledger | None = None
        self._started_utc_us = 0
        self._feed = FeedExport(0)

    def __call__(self, entry: Entry) -> str | None:
        """Check one entry; None when it fits."""
        code = self._verifier(entry)
        if code is None and not self._verifier.is_aside(entry.seq):
            try:
                code = self._take(entry)
            except (ConfigError, KeyError, TypeError, ValueError):
                code = "ENTRY_UNREADABLE"
        if code is None:
            self._ledger = self._verifier.ledger
        return code

    def end(self) -> str | None:
        """Return the code of a missing end; None for a whole journal."""
        return self._verifier.end()

    def result(self, report: VerifyReport) -> CheckedJournal:
        """Sum up. Raises `JournalError` NOT_OPENED where not even the first entry is good."""
        ledger = self._ledger
        if ledger is None:
            raise JournalError("NOT_OPENED", seq=1, kind="-")
        opening = ledger.opening
        rules = dealt_rules(opening.rules, opening.house)
        header = header_of(opening, rules, self._started_utc_us)
        expected = tuple(self._feed.expected(ledger.state))
        lines, before = tuple(self._feed.lines), tuple(self._feed.carried)
        return CheckedJournal(header, ledger, lines, self._feed.history, expected, report, before)

    def _take(self, entry: Entry) -> str | None:
        """Compare the bytes and add to the feed; the first entry begins both."""
        folded = self._verifier.folded
        if self._ledger is None or folded is None:
            self._started_utc_us = entry.at_utc_us
            self._feed = FeedExport(entry.at_utc_us)
            return None
        if not self._same_bytes(entry, folded):
            return "NOT_CANONICAL"
        self._feed.take(self._ledger, entry, folded)
        return None

    def _same_bytes(self, entry: Entry, folded: Folded) -> bool:
        """Whether this program would write the same bytes; entries of an older version are exempt."""
        if entry.version != VERSIONS[entry.kind]:
            return True
        if entry.kind in DERIVED:
            return self._verifier.derived == entry.body
        return _rewritten(entry.kind, folded) == entry.body


def _rewritten(kind: str, folded: Folded) -> bytes:
    """Write a body as the table does; observations go through their own types."""
    body = folded.body
    if kind == "refused":
        return encoded({**body, "obs": to_json(parse(body["obs"]))})
    if folded.observation is None:
        return encoded(body)
    proof = {key: value for key, value in body.items() if key in COMMAND_KEYS}
    return encoded({**to_json(folded.observation), **proof})


def check_journal(path: Path, progress: Callable[[int], None]) -> CheckedJournal:
    """Check a journal up to the first entry that does not fit.

    `progress` gets each sequence that was good. Raises `JournalError` where the file is no journal,
    cannot be opened, or does not begin as a journal does.
    """
    check = JournalCheck(set_aside_in(path))
    report = verify(path, check, progress)
    return check.result(report)


def check_beginning(path: Path, most: int) -> CheckedJournal:
    """Check the first entries of a journal alone, for a first look while the whole of it is checked.

    Raises as `check_journal`.
    """
    reader = JournalReader(path)
    try:
        return _checked(path, islice(reader.read(), most))
    finally:
        reader.close()


def check_recorded_journal(path: Path, most: int | None = None) -> CheckedJournal:
    """Check the journal that a recording carries, its history and its own entries; the first `most` of them.

    Raises as `recorded_entries`, and `JournalError` NOT_OPENED where the journal does not begin with its
    first entry.
    """
    return _checked(path, _chained(recorded_entries(path, most)))


def _checked(path: Path, entries: Iterable[Entry | BadEntry]) -> CheckedJournal:
    """Check entries that no side file vouches for."""
    check = JournalCheck()
    head, misfit = walk(entries, check)
    return check.result(VerifyReport(str(path), head.seq, head, misfit, sound=True, vouched=False))


def _chained(entries: Sequence[Entry]) -> Iterator[Entry | BadEntry]:
    """Check each entry against the one before, as a journal file is read."""
    prev_hash = GENESIS
    for seq, entry in enumerate(entries, start=1):
        yield linked(entry, seq, prev_hash)
        prev_hash = entry.hash


def hides(ledger: Ledger | None) -> bool:
    """Whether a hash of the end would reveal a card that was not turned: 52 guesses find it."""
    return ledger is not None and bool(secret_rounds(ledger.state, ledger.unturned) or ledger.waiting_count)


_LIFTS: Final = frozenset({"released", "resumed"})


class CutRound(NamedTuple):
    """The round as the part of a journal that it is, and the table before it."""

    checked: CheckedJournal
    before: TableState


def cut_round(recording: Recording) -> CutRound | None:
    """Fold the entries of an exported round; None for a recording that begins with a whole journal.

    The round keeps its number at the table. Raises `RecordingError` for an unreadable checkpoint.
    """
    path = str(recording.path)
    start = recording.attachments.get(CHECKPOINT)
    if start is None:
        return None
    began = decode(start, path)
    before = ledger_of(began)
    entries = [decode_entry(one.data, path) for one in recording if one.kind == "fact"]
    cut = _CutFolder(path, before, entries[0].at_utc_us if entries else 0)
    for entry in entries:
        cut.take(entry)
    return cut.result()


def closed_round(journal: Path, number: int, before: TableState | None) -> CutRound | None:
    """Fold a closed round's entries alone, after the closed round `before` it (None for the first round).

    None when the whole day must be played: the round began under a hold, or an entry cannot be folded. Raises
    `JournalError` for an unreadable journal.
    """
    reader = JournalReader(journal)
    try:
        opening = next(reader.read(), None)
        if not isinstance(opening, Entry):
            return None
        ledger = open_ledger(opening)
        if before is not None:
            ledger = ledger._replace(run=replace(ledger.run, state=next_round(before)))
        return _closed(_CutFolder(str(journal), ledger, opening.at_utc_us), reader, number)
    except (TableError, KeyError, TypeError, ValueError):
        return None
    finally:
        reader.close()


def _closed(cut: "_CutFolder", reader: JournalReader, number: int) -> CutRound | None:
    first = reader.first_of(number)
    for entry in reader.read(first) if first else ():
        if not isinstance(entry, Entry) or (entry.kind in _LIFTS and not cut.ledger.holds):
            return None
        if cut.ledger.state.book.number > number and feed_object_of(entry.kind, body_of(entry)) is not None:
            break
        # Consequences of the previous round's end stay with that end.
        cut.take(entry, kept=entry.caused_by is None or entry.caused_by >= first)
    return cut.result()


class _CutFolder:
    """Folds the entries of a round, and collects their feed."""

    def __init__(self, path: str, before: Ledger, began_us: int) -> None:
        self.ledger = before
        self._before, self._path, self._began_us = before, path, began_us
        self._feed = FeedExport(began_us)
        self._count = 0

    def take(self, entry: Entry, *, kept: bool = True) -> None:
        folded = fold(self.ledger, entry)
        if kept:
            self._feed.take(self.ledger, entry, folded)
        self.ledger = folded.ledger
        self._count += 1

    def result(self) -> CutRound:
        state, rules = self._before.state, self._before.state.book.rules
        header = header_of(self.ledger.opening, rules, self._began_us)
        head = Head(self.ledger.seq, GENESIS)
        report = VerifyReport(self._path, self._count, head, None, sound=True, vouched=False)
        expected = tuple(self._feed.expected(self.ledger.state))
        lines, history = tuple(self._feed.lines), self._feed.history
        return CutRound(CheckedJournal(header, self.ledger, lines, history, expected, report), state)

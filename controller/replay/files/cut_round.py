"""A round by itself: cut out of a long recording with the table that it carries, or closed, of a journal."""

from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain import TableError
from controller.engine.state import TableState
from controller.engine.table import next_round
from controller.journal.checking import VerifyReport
from controller.journal.entry import GENESIS, Entry, body_of
from controller.journal.head_file import Head
from controller.journal.store import JournalReader
from controller.recording import entry_codec
from controller.recording.recording_reader import Recording
from controller.replay.files.journal_check import CheckedJournal
from controller.replay.history.checkpoint import CHECKPOINT, decode, ledger_of
from controller.replay.history.feed_export import FeedExport, feed_object_of, header_of
from controller.runtime.draft import fold
from controller.runtime.ledger import Ledger, open_ledger

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
    entries = [entry_codec.decode(one.data, path) for one in recording if one.kind == "fact"]
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

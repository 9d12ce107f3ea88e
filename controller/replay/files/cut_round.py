"""A round that was cut out of a long recording: the table that it carries, and what was done there."""

from typing import NamedTuple

from controller.engine.state import TableState
from controller.journal.checking.verify import VerifyReport
from controller.journal.entry import GENESIS
from controller.journal.head_file import Head
from controller.recording import entry_codec
from controller.recording.recording_reader import Recording
from controller.replay.files.journal_check import CheckedJournal
from controller.replay.history.checkpoint import CHECKPOINT, decode, ledger_of
from controller.replay.history.feed_export import FeedExport, header_of
from controller.runtime.ledger import fold


class CutRound(NamedTuple):
    """The round as the part of a journal that it is, and the table before it."""

    checked: CheckedJournal
    before: TableState


def cut_round(recording: Recording) -> CutRound | None:
    """Follow the entries of a cut-out round; None for a recording that begins with a whole journal.

    The round has the number that it had at the table. Raises `RecordingError` where what it begins with
    cannot be read.
    """
    path = str(recording.path)
    start = recording.attachments.get(CHECKPOINT)
    if start is None:
        return None
    began = decode(start, path)
    ledger = before = ledger_of(began)
    entries = [entry_codec.decode(one.data, path) for one in recording if one.kind == "fact"]
    began_us = entries[0].at_utc_us if entries else 0
    feed = FeedExport(began_us)
    for entry in entries:
        folded = fold(ledger, entry)
        feed.take(ledger, entry, folded)
        ledger = folded.ledger
    header = header_of(ledger.opening, began.rules, began_us)
    report = VerifyReport(path, len(entries), Head(ledger.seq, GENESIS), None, sound=True, vouched=False)
    expected = tuple(feed.expected(ledger.state))
    checked = CheckedJournal(header, ledger, tuple(feed.lines), feed.history, expected, report)
    return CutRound(checked, before.state)

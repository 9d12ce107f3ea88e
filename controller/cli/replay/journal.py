"""`stand17 replay JOURNAL`: the rounds as their feed would print them, and whether every bit is as stored."""

from collections.abc import Callable, Iterator
from pathlib import Path

from controller.cli.replay.source import ReplayFinding, ReplaySource
from controller.feed.replay import Played, left_open
from controller.i18n import text
from controller.journal.checking.verify import VerifyReport
from controller.replay.files.journal_check import check_journal


def journal_source(path: Path, advance: Callable[[int], None]) -> ReplaySource:
    """Check the journal and give its facts as played. Raises `JournalError`."""
    checked = check_journal(path, advance)
    left = left_open(checked.ledger.state)
    end = Played(None, () if left is None else (left,))
    currency = checked.header.currency
    return ReplaySource((*checked.history.played, end), currency, lambda: _findings(checked.report))


def _findings(report: VerifyReport) -> Iterator[ReplayFinding]:
    """Say what the walk over the journal found wrong, as `stand17 verify` says it."""
    if report.misfit is not None:
        seq, code = report.misfit
        sentence = text("verify.misfit", {"seq": seq, "reason": text(f"misfit.{code}")})
        yield ReplayFinding({"type": "misfit", "seq": seq, "code": code}, sentence)
    if not report.sound:
        yield ReplayFinding({"type": "misfit", "seq": None, "code": "UNSOUND"}, text("verify.unsound"))

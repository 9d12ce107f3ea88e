"""Histories of journals, and all that one holds."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.journal.entry import Entry, trusted
from controller.journal.store import JournalReader
from controller.rules import load_file
from controller.runtime.restore import restore
from controller.runtime.snapshot import history_lines, secrets_of

RULES = load_file("it", Path()).rules
TABLES = (
    "entry", "settlement", "bet", "part", "hand", "payout", "stake", "answer", "stop", "movement", "person",
    "clock_step", "shoe_count", "certainty", "card", "laid", "round",
)  # fmt: skip
VIEWS = ("ruling", "shadow", "books", "phase", "difference", "alert", "device", "pause", "dealer", "shift")


def entries_of(journal: Path) -> list[Entry]:
    reader = JournalReader(journal)
    found = [trusted(entry) for entry in reader.read()]
    reader.close()
    return found


def lines_of(entries: Iterable[Entry]) -> list[EntryLine]:
    """The entries as the table may show them once all is played."""
    known = list(entries)
    ledger = restore(known)
    assert ledger is not None
    return list(history_lines(known, secrets_of(ledger)))


def history_of(journal: Path) -> History:
    history = History(RULES)
    history.take(lines_of(entries_of(journal)))
    return history


def everything(history: History) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table and view."""
    return {name: history.rows(f"SELECT * FROM {name}") for name in (*TABLES, *VIEWS)}

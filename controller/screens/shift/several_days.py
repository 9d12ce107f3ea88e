"""The patterns of all days whose journals are in a folder, read by a process of its own."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from controller.domain import JournalError
from controller.journal.entry import trusted
from controller.journal.store import JournalReader
from controller.runtime.snapshot import Secrets, audit_line
from controller.screens.own_process import answer_of, stand_back
from controller.screens.shapes.words import ViewModel
from controller.screens.shift.dealt_rounds import Day, dealt_rounds
from controller.screens.shift.patterns import Patterns, patterns_of
from controller.screens.shift.reader import LINES, LiveShift, entry_line

MODULE: Final = "controller.screens.shift.several_days"
"""This one, by name: as a program it has another."""


class SeveralDays(ViewModel):
    """The result of `stand17 patterns`; `left_out` are journals that could not be read to their end."""

    days: int
    tables: tuple[str, ...]
    found: Patterns
    left_out: tuple[str, ...] = ()


def patterns_of_days(days: Iterable[Day]) -> SeveralDays:
    """Return the patterns of these days, in any order."""
    dealt = sorted((day for day in days if day.rounds), key=lambda day: day.rounds[0].began_us)
    tables = tuple(sorted({day.table for day in dealt}))
    return SeveralDays(days=len(dealt), tables=tables, found=patterns_of(dealt))


def days_in(journal: Path) -> Iterator[Day]:
    """The days of a journal. Raises `JournalError` at the first entry that does not fit."""
    shift, table = LiveShift(), ""
    with closing(JournalReader(journal)) as reader:
        # Nothing of a line goes further but how many, and how sure: no card has to be kept back.
        lines = (audit_line(trusted(entry), Secrets(frozenset())) for entry in reader.read())
        while some := list(islice(lines, LINES)):
            table = next((str(json.loads(one.body)["table"]) for one in some if one.kind == "opened"), table)
            shift.take(map(entry_line, some))
            shift.take_certainties(some)
    history = shift.history
    last = history.rows("SELECT max(round) AS last FROM entry")[0]["last"]
    # A card of the last round may still lie face down.
    history.forget_certainties(last or 0)
    for day in history.rows("SELECT DISTINCT day FROM round ORDER BY day"):
        numbers = history.rows("SELECT round FROM round WHERE day = ?", (day["day"],))
        yield Day(table, list(dealt_rounds(history, [one["round"] for one in numbers])))


def days_beside(journal: Path) -> SeveralDays | None:
    """Return the patterns of all journals in the folder of this one; None when the reading takes too long."""
    written = answer_of(MODULE, str(journal.parent))
    return None if written is None else SeveralDays.model_validate_json(written)


def main() -> None:
    """Write the patterns of the folder that the command line names."""
    stand_back()
    days: list[Day] = []
    left_out = []
    for journal in sorted(Path(sys.argv[1]).glob("*.journal")):
        try:
            days += list(days_in(journal))
        except JournalError:
            left_out.append(journal.name)
    found = patterns_of_days(days)
    sys.stdout.write(found.model_copy(update={"left_out": tuple(left_out)}).model_dump_json())


if __name__ == "__main__":
    main()

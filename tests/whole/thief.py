"""A thief who may write to the files beside a closed table: whatever he changes there is named.

Heads that were kept elsewhere are out of his reach. He works on copies: the table itself goes on undisturbed.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

import apsw

from controller.journal.database import add_rows, lay_triggers
from controller.journal.entry import Entry, digest, trusted
from controller.journal.heads import heads_path
from controller.journal.store import JournalReader
from tests.whole.broken import require

TRIES: Final = 3
"""Thefts that are tried at the end of a shift."""

Named = Callable[[Path], set[str]]
"""What a check and the next start of a table say of this journal; nothing where all is well."""


class Thief:
    """Comes to one table when it is closed; that files are put back as they were is `AtRest`'s part."""

    def __init__(self, journal: Path, seed: int) -> None:
        self._journal, self._chance = journal, Random(f"thief {seed}")

    def steal(self, named: Named) -> dict[str, set[str]]:
        """Try some thefts, each on a copy of a table that is closed; what was named of each."""
        known, found = named(self._journal), dict[str, set[str]]()
        for theft in self._chance.sample([*THEFTS], TRIES):
            with tempfile.TemporaryDirectory(prefix="stand17-theft-") as folder:
                copy = Path(folder) / self._journal.name
                _copy(self._journal, copy.parent)
                THEFTS[theft](copy, self._chance)
                found[theft] = named(copy) - known
                require(found[theft], "NOT_NAMED", theft)
        return found


def _copy(journal: Path, to: Path) -> None:
    for file in journal.parent.glob(f"{journal.name}*"):
        shutil.copyfile(file, to / file.name)


def _empty_heads(journal: Path, chance: Random) -> None:
    """The signed heads are gone, or the last of them."""
    lines = heads_path(journal).read_bytes().splitlines(keepends=True)
    heads_path(journal).write_bytes(b"".join(lines[: chance.choice((0, len(lines) - 1))]))


def _forge_head(journal: Path, chance: Random) -> None:
    """A signed head says another entry."""
    lines = heads_path(journal).read_bytes().splitlines(keepends=True)
    at = chance.randrange(len(lines))
    lines[at] = lines[at].replace(b'"seq":', b'"seq":1')
    heads_path(journal).write_bytes(b"".join(lines))


def _change_entry(journal: Path, chance: Random) -> None:
    """An entry says another time; sometimes the whole chain behind it is made anew."""
    entries = _entries(journal)
    at = chance.randrange(len(entries))
    entries[at] = entries[at]._replace(at_utc_us=entries[at].at_utc_us + 1)
    for after in range(at, len(entries)) if chance.random() < 0.5 else ():
        prev_hash = entries[after - 1].hash if after else entries[0].prev_hash
        linked = entries[after]._replace(prev_hash=prev_hash)
        entries[after] = linked._replace(hash=digest(linked))
    _write(journal, entries)


def _cut_off(journal: Path, chance: Random) -> None:
    """The last entries are gone."""
    entries = _entries(journal)
    _write(journal, entries[: -chance.randint(1, min(9, len(entries) - 1))])


def _entries(journal: Path) -> list[Entry]:
    with closing(JournalReader(journal)) as reader:
        return [trusted(entry) for entry in reader.read()]


def _write(journal: Path, entries: list[Entry]) -> None:
    """Write all entries anew, past the triggers, which are there again afterwards."""
    with closing(apsw.Connection(str(journal))) as file:
        names = [
            str(name) for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        ]
        for name in names:
            file.execute(f"DROP TRIGGER {name}")
        file.execute("DELETE FROM event")
        add_rows(file, entries)
        lay_triggers(file, names)


THEFTS: Final[dict[str, Callable[[Path, Random], None]]] = {
    "heads emptied": _empty_heads,
    "head forged": _forge_head,
    "entry changed": _change_entry,
    "cut off": _cut_off,
}

"""What befalls the files of a table that is not running: bits that turn, and files put back as they were.

It is tried on a copy, and the table itself goes on undisturbed: what is not as it was has to be named by a
check or by the next start, or be of no consequence.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, Literal

from controller.domain import JournalError
from controller.journal.keeping import kept_file
from controller.journal.store import JournalReader
from controller.runtime.ledger import Ledger
from controller.runtime.restore import restore
from tests.whole.broken import require
from tests.whole.side_files import KEPT

RestFault = Literal["flipped", "older"]
"""A bit of a file has turned · files lie there as they were at an earlier end of the program."""

ENDINGS: Final = ("", "-wal", ".head", ".mark", ".signed")
JOURNAL: Final = ENDINGS[:2]
TOGETHER: Final = (ENDINGS, ENDINGS, JOURNAL, (".head",), (".signed",), (".head", ".signed"), (".mark",))
"""What is put back at once."""

Named = Callable[..., set[str]]
"""What a check and the next start say of a journal beside a file of kept heads."""


class AtRest:
    """The files of one table, and how they lay at an earlier end of its program."""

    def __init__(self, journal: Path, chance: Random) -> None:
        """Nothing is kept yet."""
        self._journal, self._chance = journal, chance
        self._before = journal.parent / "before"
        self._kept_before = 0

    def befall(self, what: RestFault, named: Named) -> str:
        """Do it to a copy: which files, "" where nothing was there to be put back. Raises `Broken`."""
        known, truth = named(self._journal), _folded(self._journal)
        with tempfile.TemporaryDirectory(prefix="stand17-rest-") as folder:
            copy = Path(folder) / self._journal.name
            _copy(self._journal, copy.parent)
            (copy.parent / KEPT).mkdir()
            kept = kept_file(copy.parent / KEPT, copy)
            _copy(kept_file(self._journal.parent / KEPT, self._journal), kept.parent)
            done = self._flip(copy, kept) if what == "flipped" else self._put_back(copy)
            found = named(copy, kept=kept) - known if done else set()
            same = found or _folded(copy) == truth
            require(same, "NOT_NAMED", f"{what}: {done}")
        return done

    def look(self) -> None:
        """The program has ended: keep the files as they lay the first time, to put them back later."""
        if not self._before.exists():
            self._before.mkdir()
            _copy(self._journal, self._before)
            self._kept_before = self._kept()

    def _flip(self, copy: Path, kept: Path) -> str:
        """Turn one bit somewhere."""
        files = [Path(f"{copy}{ending}") for ending in ENDINGS] + [kept]
        file = self._chance.choice([file for file in files if file.exists() and file.stat().st_size])
        data = bytearray(file.read_bytes())
        at = self._chance.randrange(len(data))
        data[at] ^= 1 << self._chance.randrange(8)
        file.write_bytes(data)
        return f"{file.parent.name if file == kept else ''} {file.name} byte {at} of {len(data)}"

    def _put_back(self, copy: Path) -> str:
        """Put files back; all of them only where a head was kept meanwhile: else nobody could know."""
        if not self._before.exists():
            return ""
        endings = self._chance.choice(TOGETHER)
        if endings == ENDINGS and self._kept() == self._kept_before:
            return ""
        for ending in endings:
            Path(f"{copy}{ending}").unlink(missing_ok=True)
            before = self._before / f"{copy.name}{ending}"
            if before.exists():
                shutil.copyfile(before, f"{copy}{ending}")
        return ", ".join(endings)

    def _kept(self) -> int:
        file = kept_file(self._journal.parent / KEPT, self._journal)
        return file.stat().st_size if file.exists() else 0


def _copy(journal: Path, to: Path) -> None:
    for file in journal.parent.glob(f"{journal.name}*"):
        shutil.copyfile(file, to / file.name)


def _folded(journal: Path) -> Ledger | None:
    """What the journal says, None where it cannot be read."""
    try:
        with closing(JournalReader(journal)) as reader:
            return restore(reader.read())
    except JournalError:
        return None

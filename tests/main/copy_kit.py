"""A table whose journal is written once more beside its commits, for the tests of what that serves."""

from pathlib import Path

from controller.acts.catalogue import CardSeen
from controller.journal.copying import entries_of
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from drivers.simulated import PtyShoe
from tests.main.live_kit import play


def cards(*ranks: str) -> list[CardSeen]:
    return [CardSeen(rank, "s", by="hand") for rank in ranks]  # type: ignore[arg-type]


def entries(journal: Path) -> list[Entry]:
    reader = JournalReader(journal)
    try:
        return [entry for entry in reader.read() if isinstance(entry, Entry)]
    finally:
        reader.close()


def end(copy: Path) -> int:
    return max((entry.seq for entry in entries_of(copy)), default=0) if copy.exists() else 0


def run(folder: Path, story: object, copies: Path, name: str = "table.journal") -> None:
    shoe = PtyShoe()
    journal = {"file": folder / name, "slow_ms": 5000, "copy_folder": copies}
    try:
        play(folder, story, {"port": shoe.port}, journal=journal)  # type: ignore[arg-type]
    finally:
        shoe.close()

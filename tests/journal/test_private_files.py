"""What a journal leaves on the disk is readable by the table's own account alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.ports import SystemClock

FILES = tuple(f"table.journal{ending}" for ending in ("", "-wal", "-shm", ".head", ".reserve"))


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """The process allows everybody everything: what is private is so by the program's own doing."""
    before = os.umask(0)
    yield
    os.umask(before)


def opened(folder: Path) -> Journal:
    journal = Journal.open(folder / "table.journal", SystemClock())
    journal.append([NewEntry("opened", b"{}", "system", None, None, 1)])
    return journal


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_every_file_of_a_new_journal_is_its_owners(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    assert modes(tmp_path) == dict.fromkeys(FILES, 0o600)
    journal.close()


def test_files_that_others_could_read_are_taken_back(tmp_path: Path) -> None:
    opened(tmp_path).close()
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    journal = opened(tmp_path)
    assert modes(tmp_path) == dict.fromkeys(FILES, 0o600)
    journal.close()

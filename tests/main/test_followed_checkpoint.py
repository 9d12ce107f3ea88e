"""A journal that was followed before opens at once again, and never as anything but itself."""

import shutil
from pathlib import Path

import apsw
import pytest

from controller.journal.checkpoint_file import checkpoint_path
from controller.journal.table_key import TableKey
from controller.runtime.checkpoint.followed import FollowedCheckpoint
from controller.runtime.followed_table import FollowedTable

Evening = tuple[Path, Path, dict[str, int]]


@pytest.fixture
def archived(evening: Evening, tmp_path: Path) -> Path:
    shutil.copyfile(evening[0] / "table.journal", tmp_path / "table.journal")
    return tmp_path / "table.journal"


def follow(path: Path, program: str = "one") -> tuple[FollowedTable, int]:
    """The table of a journal, folded whole, and at which entry its folding began."""
    key = TableKey.load_or_make(path.parent / "archive.key", {})
    table = FollowedTable(path, lambda: 0, FollowedCheckpoint(path, key, program, every=1))
    began = table.ledger.seq
    while table.fold():
        pass
    table.publish()
    return table, began


def test_it_is_folded_once_and_then_shown_as_it_was(archived: Path, evening: Evening) -> None:
    first, began = follow(archived)
    again, went_on = follow(archived)
    assert (began, went_on) == (1, evening[2]["end"])
    assert again.hub.latest() == first.hub.latest()
    assert again.closed_round(1) == first.closed_round(1) is not None


def test_another_program_another_key_and_a_damaged_one_fold_all_of_it(archived: Path) -> None:
    first, _ = follow(archived)
    assert follow(archived, "another")[1] == 1
    (archived.parent / "archive.key").unlink()
    assert follow(archived)[1] == 1
    with apsw.Connection(str(checkpoint_path(archived))) as file:
        file.execute("UPDATE part SET body = CAST('[]' AS BLOB) WHERE name = 'rest'")
    again, began = follow(archived)
    assert (began, again.hub.latest()) == (1, first.hub.latest())


def test_a_journal_that_was_put_back_is_folded_as_it_lies_there(archived: Path, evening: Evening) -> None:
    follow(archived)
    with apsw.Connection(str(archived)) as file:
        for (trigger,) in list(file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
            file.execute(f'DROP TRIGGER "{trigger}"')
        file.execute("DELETE FROM event WHERE seq > ?", (evening[2]["bet"],))
    table, began = follow(archived)
    assert (began, table.ledger.seq) == (1, evening[2]["bet"])

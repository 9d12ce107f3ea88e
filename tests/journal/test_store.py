"""What a caller of the journal can rely on: order, durability, refusal of what would endanger it."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from controller.domain import JournalError
from controller.journal.database import APPLICATION_ID, require_safe_sqlite
from controller.journal.entry import Entry
from controller.journal.head_file import NO_HEADS, Head, TableKey
from controller.journal.store import Journal, JournalReader
from tests.journal.journal_kit import TickingClock, note, write_journal


def test_what_is_appended_is_read_back_in_order_by_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    written = write_journal(path, 5)
    again = Journal.open(path, TickingClock())
    assert tuple(again.read()) == written
    assert again.head() == (5, written[-1].hash)
    more = again.append([note(5), note(6)])
    assert [entry.seq for entry in more] == [6, 7]
    assert more[0].prev_hash == written[-1].hash
    assert tuple(again.read(6)) == more
    again.close()


def test_a_reader_sees_a_commit_while_the_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, TickingClock())
    journal.append([note(0)])
    reader = JournalReader(path)
    assert len(list(reader.read())) == 1
    journal.append([note(1)])
    assert len(list(reader.read())) == 2
    reader.close()
    journal.close()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE event SET body = x'00' WHERE seq = 2",
        "DELETE FROM event WHERE seq = 3",
        "INSERT OR REPLACE INTO event SELECT 2, kind, version, 0, 1, 'x', 1, body, hash, hash FROM event",
        "INSERT INTO event SELECT 9, kind, version, 0, 1, 'x', 1, body, prev_hash, hash FROM event LIMIT 1",
        "UPDATE meta SET value = '2'",
        "DELETE FROM meta",
    ],
)
def test_nobody_changes_shortens_or_stretches_it_through_sql(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "table.journal"
    written = write_journal(path, 3)
    connection = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError):
        connection.execute(sql)
    connection.close()
    reader = JournalReader(path)
    assert tuple(reader.read()) == written
    reader.close()


def test_a_wrong_type_is_refused_by_the_table_itself(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 1)
    connection = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError):
        connection.execute(
            "INSERT INTO event VALUES (2, 'fact', 'one', 0, 1, 'x', 1, x'00', zeroblob(32), zeroblob(32))"
        )
    connection.close()


def test_a_second_writer_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    first = Journal.open(path, TickingClock())
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from controller.domain import JournalError\n"
        "from controller.journal.store import Journal\n"
        "from tests.journal.journal_kit import TickingClock\n"
        "try:\n"
        "    Journal.open(Path(sys.argv[1]), TickingClock())\n"
        "except JournalError as error:\n"
        "    print(error.code)\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    root = Path(__file__).parents[2]
    assert subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split() == [
        "JOURNAL_IN_USE"
    ]
    first.close()
    assert subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout == ""


def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, TickingClock())
    before = journal.append([note(0), note(1)])
    # SQLite's own limit takes the same path through it as a device without room.
    pages = journal._connection.pragma("page_count")
    journal._connection.pragma("max_page_count", pages)
    with pytest.raises(JournalError) as caught:
        journal.append([note(2), note(3, size=20_000)])
    assert caught.value.code == "JOURNAL_DISK_FULL"
    assert tuple(journal.read()) == before
    assert journal.head().seq == 2
    journal._connection.pragma("max_page_count", pages + 100)
    after = journal.append([note(2)])
    journal.close()
    reader = JournalReader(path)
    assert tuple(reader.read()) == before + after
    reader.close()


def test_a_file_marked_read_only_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    written = write_journal(path, 2)
    path.chmod(0o444)
    with pytest.raises(JournalError) as caught:
        Journal.open(path, TickingClock())
    assert caught.value.code == "JOURNAL_READ_ONLY"
    reader = JournalReader(path)
    assert tuple(reader.read()) == written
    reader.close()


def test_a_schema_of_a_later_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 2)
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalError) as caught:
        Journal.open(path, TickingClock())
    assert caught.value.code == "SCHEMA_TOO_NEW"
    assert caught.value.params["found"] == 99
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"rank,suit\nA,s\n" * 400, b"\x89PNG\r\n\x1a\n" + bytes(9000)])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.journal"
    path.write_bytes(content)
    with pytest.raises(JournalError) as caught:
        Journal.open(path, TickingClock())
    assert caught.value.code == "NOT_A_JOURNAL"
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE chips (colour TEXT)")
    connection.close()
    for attempt in (lambda: Journal.open(path, TickingClock()), lambda: JournalReader(path)):
        with pytest.raises(JournalError) as caught:
            attempt()
        assert caught.value.code == "NOT_A_JOURNAL"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "table.journal"
    with pytest.raises(JournalError) as caught:
        Journal.open(path, TickingClock())
    assert caught.value.code == "JOURNAL_CANNOT_OPEN"
    assert caught.value.params["path"] == str(path)


def test_a_cut_off_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 200, size=300)
    os.truncate(path, path.stat().st_size // 4096 // 2 * 4096)
    with pytest.raises(JournalError) as caught:
        Journal.open(path, TickingClock())
    assert caught.value.code == "JOURNAL_DAMAGED"


def test_a_cut_off_write_ahead_log_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, TickingClock())
    for number in range(20):
        journal.append([note(number)])
    # The files as a killed process leaves them, the log two thirds as long.
    copy = tmp_path / "copy.journal"
    copy.write_bytes(path.read_bytes())
    log = Path(f"{path}-wal").read_bytes()
    Path(f"{copy}-wal").write_bytes(log[: len(log) * 2 // 3])
    Path(f"{copy}.head").write_bytes(Path(f"{path}.head").read_bytes())
    journal.close()
    with pytest.raises(JournalError) as caught:
        Journal.open(copy, TickingClock())
    assert caught.value.code == "JOURNAL_CUT_OFF"
    assert caught.value.params["noted"] == 20


def test_an_sqlite_that_may_corrupt_the_file_is_refused() -> None:
    require_safe_sqlite("3.51.3")
    require_safe_sqlite("3.54.1")
    with pytest.raises(JournalError) as caught:
        require_safe_sqlite("3.51.2")
    assert caught.value.code == "SQLITE_UNSAFE"


def test_one_bad_row_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    written = write_journal(path, 5)
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_no_update")
    connection.execute("UPDATE event SET kind = CAST(x'ff' AS TEXT) WHERE seq = 2")
    connection.close()
    reader = JournalReader(path)
    found = list(reader.read())
    reader.close()
    assert found[1] == (2, "HASH")
    assert [entry for entry in found if isinstance(entry, Entry)] == [written[0], *written[2:]]


def test_the_file_carries_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 1)
    assert int.from_bytes(path.read_bytes()[68:72], "big") == APPLICATION_ID


def test_a_copy_with_its_log_alone_is_read_and_nothing_is_laid_beside_it(tmp_path: Path) -> None:
    """As an inspector holds it: copied from a running table, on a medium that cannot be written to."""
    journal = Journal.open(tmp_path / "table.journal", TickingClock())
    written = journal.append([note(0), note(1)])
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("table.journal", "table.journal-wal"):
        shutil.copy(tmp_path / name, copy)
    reader = JournalReader(copy / "table.journal")
    assert tuple(reader.read()) == written
    assert sorted(path.name for path in copy.iterdir()) == ["table.journal", "table.journal-wal"]
    reader.close()
    (copy / "table.journal-wal").unlink()
    with pytest.raises(JournalError) as caught:
        JournalReader(copy / "table.journal")
    assert (caught.value.code, caught.value.params["log"]) == ("JOURNAL_LOG_MISSING", "table.journal-wal")
    journal.close()


def test_a_lock_of_another_program_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 2)
    journal = Journal.open(path, TickingClock())
    journal._connection.set_busy_timeout(1)
    browser = apsw.Connection(str(path))
    browser.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError) as caught:
        journal.append([note(3)])
    assert caught.value.code == "JOURNAL_LOCKED"
    browser.close()
    journal.close()


def test_what_comes_last_is_written_where_the_disk_is_full(tmp_path: Path) -> None:
    """A card that is reported while the program stops: room was kept free for it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        journal = Journal.open(disk / "table.journal", TickingClock())
        journal.append([note(0)])
        with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        with pytest.raises(JournalError) as caught:
            journal.append([note(1, size=20_000)])
        assert caught.value.code == "JOURNAL_DISK_FULL"
        journal.end_soon()
        journal.append([note(1, size=20_000)])
        journal.close()
    finally:
        subprocess.run(["umount", disk], check=True)


def test_reports_that_were_lost_at_the_stop_hold_the_next_start(tmp_path: Path) -> None:
    path, key = tmp_path / "table.journal", TableKey.load_or_make(tmp_path / "table.key", {})
    journal = Journal.open(path, TickingClock(), key)
    journal.append([note(0)])
    journal.lose()
    # The head that is signed at the end does not take the word back.
    journal.vouch(Head(0, NO_HEADS.hash))
    journal.close()
    again = Journal.open(path, TickingClock(), key)
    assert "REPORTS_LOST_AT_STOP" in [found.code for found in again.findings]
    again.close()

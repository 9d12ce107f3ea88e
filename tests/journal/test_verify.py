"""The check names the first entry that does not fit, whatever byte was touched."""

import hashlib
import random
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from controller.domain import JournalError
from controller.journal.checking import VerifyReport, verify
from controller.journal.entry import Entry, body_of
from controller.journal.store import Journal
from tests.journal.journal_kit import TickingClock, note, write_journal

FIELDS = ("kind", "version", "at_utc_us", "round_id", "actor", "caused_by", "body", "prev_hash", "hash")


class Reteller:
    """A refold made of one function; at the end it answers with `owed`."""

    def __init__(self, judge: Callable[[Entry], str | None], owed: str | None = None) -> None:
        self._judge, self._owed = judge, owed

    def __call__(self, entry: Entry) -> str | None:
        return self._judge(entry)

    def end(self) -> str | None:
        return self._owed


def check(
    path: Path, judge: Callable[[Entry], str | None] = lambda _: None, owed: str | None = None
) -> VerifyReport:
    return verify(path, Reteller(judge, owed), lambda _: None)


def test_a_journal_left_alone_is_found_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    written = write_journal(path, 30)
    report = check(path)
    assert report.ok
    assert (report.entries, report.head.hash) == (30, written[-1].hash)


def test_the_chain_can_be_recomputed_from_the_documented_layout(tmp_path: Path) -> None:
    entry = write_journal(tmp_path / "table.journal", 1)[0]
    head = f"1\nfact\n1\n{entry.at_utc_us}\n-\ndealer:7\n-\n{len(entry.body)}\n".encode()
    assert entry.hash == hashlib.sha256(bytes(32) + head + entry.body).digest()


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("seq", [1, 4, 7])
def test_a_changed_field_is_named_by_its_entry(tmp_path: Path, field: str, seq: int) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 7)
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_no_update")
    old = connection.execute(f"SELECT {field} FROM event WHERE seq = ?", (seq,)).get
    connection.execute(f"UPDATE event SET {field} = ? WHERE seq = ?", (_other(old), seq))
    connection.close()
    misfit = check(path).misfit
    assert misfit is not None
    assert misfit.seq == seq


def _other(value: object) -> str | int | bytes:
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    if isinstance(value, str):
        return value + "x"
    return 1 + (value if isinstance(value, int) else 0)


def test_a_removed_entry_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 7)
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_no_delete")
    connection.execute("DELETE FROM event WHERE seq = 4")
    connection.close()
    assert check(path).misfit == (4, "GAP")


def test_a_missing_tail_is_named_where_the_side_file_knows_of_it(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 7)
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER event_no_delete")
    connection.execute("DELETE FROM event WHERE seq > 5")
    connection.close()
    assert check(path).misfit == (6, "MISSING")


def test_a_chain_written_anew_is_noticed_through_the_side_file(tmp_path: Path) -> None:
    path, other = tmp_path / "table.journal", tmp_path / "other.journal"
    write_journal(path, 7)
    journal = Journal.open(other, TickingClock())
    for number in range(7):
        journal.append([note(number + 1)])
    journal.close()
    path.write_bytes(other.read_bytes())
    assert check(path).misfit == (7, "REWRITTEN")


def test_any_flipped_byte_of_any_entry_is_named(tmp_path: Path) -> None:
    """Each trial flips one byte in the pages that hold entries; no trial may pass as whole.

    Bytes of a page that hold no data (free space) change nothing that was recorded; there the entries must
    be the same as before, byte for byte.
    """
    path, broken = tmp_path / "table.journal", tmp_path / "broken.journal"
    written = write_journal(path, 120, size=90)
    content = path.read_bytes()
    chance = random.Random(17)
    named = 0
    for _ in range(400):
        where = chance.randrange(4096, len(content))
        flipped = bytes([content[where] ^ (1 << chance.randrange(8))])
        broken.write_bytes(content[:where] + flipped + content[where + 1 :])
        named += _named_or_untouched(broken, written, where)
    assert named > 200


def _named_or_untouched(path: Path, written: tuple[Entry, ...], where: int) -> bool:
    seen: list[Entry] = []

    def keep(entry: Entry) -> None:
        seen.append(entry)

    try:
        report = check(path, keep)
    except JournalError:
        return True
    if report.misfit is not None:
        assert tuple(seen) == written[: report.misfit.seq - 1], f"byte {where}"
        return True
    assert tuple(seen) == written, f"byte {where} changed an entry and was not named"
    return False


def test_what_the_refold_finds_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 7)
    assert check(path, lambda entry: "SETTLED_DIFFERS" if entry.seq == 3 else None).misfit == (
        3,
        "SETTLED_DIFFERS",
    )


def test_a_result_that_never_came_is_named_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    write_journal(path, 7)
    assert check(path, owed="EVIDENCE_MISSING").misfit == (8, "EVIDENCE_MISSING")


def test_an_entry_of_a_later_program_is_named_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, TickingClock())
    journal.append([note(0), note(1)._replace(version=9)])
    journal.close()

    def refold(entry: Entry) -> None:
        body_of(entry)

    assert check(path, refold).misfit == (2, "ENTRY_TOO_NEW")


def test_an_old_entry_is_lifted_step_by_step_and_keeps_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    entry = write_journal(path, 1)[0]
    lifted = body_of(
        entry,
        versions={"fact": 3},
        steps={
            ("fact", 1): lambda body: {**body, "box": body["n"] + 1},
            ("fact", 2): lambda body: {**body, "boxes": [body["box"]]},
        },
    )
    assert lifted["boxes"] == [1]
    assert b"boxes" not in entry.body

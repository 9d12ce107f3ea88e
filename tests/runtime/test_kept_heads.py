"""What was kept elsewhere contradicts a journal that was put back with everything beside it."""

import shutil
from pathlib import Path

import pytest

from controller.domain import JournalError
from controller.journal.checking import verify_signed
from controller.journal.head_file import TableKey
from controller.journal.heads import heads_in
from controller.journal.keeping import FolderPlace, KeptDiffers, kept_file
from controller.journal.store import compared
from tests.runtime.reopening_kit import Day, dealt_day


@pytest.fixture
def day(tmp_path: Path) -> Day:
    (tmp_path / "table").mkdir()
    (tmp_path / "kept").mkdir()
    return dealt_day(tmp_path / "table")


def kept(day: Day) -> Path:
    return kept_file(day.path.parents[1] / "kept", day.path)


def public_key(day: Day) -> str:
    return TableKey.load(day.key_file).public


def place(day: Day) -> FolderPlace:
    return FolderPlace(kept(day).parent, day.path, public_key(day))


def keep(day: Day) -> None:
    """Keep each head that is not kept yet, as the running table does."""
    known = len(kept(day).read_text().splitlines()) if kept(day).exists() else 0
    to = place(day)
    for head in list(heads_in(day.signed))[known:]:
        assert head is not None
        to.keep(head.line(with_nonce=False))


def found(day: Day) -> list[str]:
    key = TableKey.load(day.key_file)
    return [trouble.code for trouble in compared(day.path, key, (kept(day),)).findings]


def deal_on(day: Day) -> None:
    running = day.start()
    running.bet()
    running.sign()
    running.close()


def test_a_journal_rolled_back_with_everything_beside_it_is_refused(day: Day, tmp_path: Path) -> None:
    keep(day)
    shutil.copytree(tmp_path / "table", tmp_path / "then")
    deal_on(day)
    keep(day)
    assert found(day) == []
    shutil.rmtree(tmp_path / "table")
    shutil.copytree(tmp_path / "then", tmp_path / "table")
    # Nothing in the folder shows it: a table without what is kept elsewhere would play on.
    assert compared(day.path, TableKey.load(day.key_file)).findings == ()
    before = (day.files(), kept(day).read_bytes())
    with pytest.raises(JournalError) as caught:
        found(day)
    assert (caught.value.code, caught.value.params["found"]) == ("JOURNAL_CUT_OFF", day.end().seq)
    # A place that was not there at the start is compared before anything is written to it.
    with pytest.raises(KeptDiffers):
        place(day).keep("another history\n")
    assert (day.files(), kept(day).read_bytes()) == before


def test_what_somebody_else_writes_there_is_noticed_while_the_table_runs(day: Day) -> None:
    keep(day)
    to = place(day)
    lines = kept(day).read_bytes().splitlines(keepends=True)
    to.keep("")
    kept(day).write_bytes(b"".join(lines[:-1]))
    with pytest.raises(KeptDiffers):
        to.keep("more\n")


def test_a_journal_that_begins_anew_is_asked_about_once(day: Day, tmp_path: Path) -> None:
    keep(day)
    for path in (tmp_path / "table").glob("table.journal*"):
        path.unlink()
    assert found(day) == ["JOURNAL_BEGUN_ANEW"]
    deal_on(day)
    with kept(day).open("ab") as file:
        file.write(b'{"at_utc_us":17')  # as a power cut leaves a line
    keep_all = place(day)
    for head in heads_in(day.signed):
        assert head is not None
        keep_all.keep(head.line(with_nonce=False))
    assert found(day) == []
    beside = [head._replace(nonce="") for head in heads_in(day.signed) if head]
    assert [head for head in heads_in(kept(day)) if head][-len(beside) :] == beside


def test_heads_that_are_missing_beside_take_two_people(day: Day) -> None:
    keep(day)
    lines = day.signed.read_bytes().splitlines(keepends=True)
    day.signed.write_bytes(b"".join(lines[:-1]))
    assert "JOURNAL_HEADS_CUT" in found(day)
    # The table holds and goes on; what it signs next takes the lost head's number, and is no other history.
    deal_on(day)
    last = [head for head in heads_in(day.signed) if head][len(lines) - 1 :]
    for head in last:
        place(day).keep(head.line(with_nonce=False))
    assert last
    assert found(day) == []
    # Whoever compares with what was kept still reads that one number has two heads.
    fault = verify_signed(day.path, public_key(day), kept(day)).fault
    assert fault is not None
    assert fault.code == "KEPT_DIFFERS"

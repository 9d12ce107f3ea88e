"""Each row of the documentation's table of what is compared at a start ends as it is written there."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from controller.domain import TableError
from controller.journal.head_file import Head, TableKey
from controller.journal.heads import heads_in
from controller.journal.keeping import FolderPlace, kept_file
from controller.journal.store import Journal
from controller.ports import SystemClock
from controller.runtime.api import Rejected, Resume
from controller.runtime.restore import ProgramStart, start
from tests.main import test_journal_copy as copies
from tests.runtime import test_reopening as tampers
from tests.runtime.reopening_kit import Day, dealt_day
from tests.runtime.runtime_kit import IDENTITY

Story = Callable[[Day], None]
TABLE: Final = Path(__file__).parents[2] / "docs" / "evidence.md"
HOUR_US: Final = 3_600_000_000


class Row(NamedTuple):
    """One row: what is found, whether that opens, holds or is refused, its codes, and who goes on."""

    found: str
    verdict: str
    codes: frozenset[str]
    who: str


def rows() -> list[Row]:
    text = TABLE.read_text().partition("## What is compared at the start")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line[:2] == "| "
    ]
    return [Row(one[0], one[1], frozenset(re.findall(r"`(\w+)`", one[2])), one[3]) for one in cells[2:]]


class LaterClock(SystemClock):
    """An hour ahead."""

    def utc_us(self) -> int:
        return super().utc_us() + HOUR_US


def nothing(_: Day) -> None:
    """Everything agrees."""


def killed_beside_a_commit(day: Day) -> None:
    running = day.start()
    running.journal._head_file.announce(running.journal.head(), Head(99, bytes(32)))
    running.close()


def change_a_body(day: Day) -> None:
    day.sql(
        "DROP TRIGGER event_no_update",
        "UPDATE event SET body = CAST('{}' AS BLOB) WHERE seq = 3",
        "CREATE TRIGGER event_no_update BEFORE UPDATE ON event\n"
        "    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END",
    )


def begin_as_another(day: Day) -> None:
    lose_all(day)
    journal = Journal.open(day.path, SystemClock(), TableKey.load(day.key_file))
    start(journal, IDENTITY._replace(table="T2"), "live", "test")
    journal.close()


def lose_all(day: Day) -> None:
    for path in day.path.parent.glob("table.journal*"):
        path.unlink()


def keep(day: Day) -> None:
    folder = day.path.parent.parent / "kept"
    folder.mkdir(exist_ok=True)
    place = FolderPlace(folder, day.path, TableKey.load(day.key_file).public)
    day.kept = (kept_file(folder, day.path),)
    known = len(day.kept[0].read_text().splitlines()) if day.kept[0].exists() else 0
    for head in list(heads_in(day.signed))[known:]:
        assert head is not None
        place.keep(head.line(with_nonce=False))


def put_back_whole(day: Day) -> None:
    """With everything beside it."""
    then = day.path.parent.with_name("then")
    keep(day)
    shutil.copytree(day.path.parent, then)
    tampers.deal_on(day)
    keep(day)
    lose_all(day)
    shutil.copytree(then, day.path.parent, dirs_exist_ok=True)


def kept_head_is_missing(day: Day) -> None:
    keep(day)
    lines = day.signed.read_bytes().splitlines(keepends=True)
    day.signed.write_bytes(b"".join(lines[:-1]))


def kept_of_a_later_journal(day: Day) -> None:
    """A journal that was begun anew was kept, and the one before is put back."""
    then = day.path.parent.with_name("then")
    keep(day)
    shutil.copytree(day.path.parent, then)
    lose_all(day)
    running = day.start()
    running.ask("pit", Resume())
    running.close()
    keep_anew = FolderPlace(day.kept[0].parent, day.path, TableKey.load(day.key_file).public)
    for head in heads_in(day.signed):
        assert head is not None
        keep_anew.keep(head.line(with_nonce=False))
    lose_all(day)
    shutil.copytree(then, day.path.parent, dirs_exist_ok=True)


def begun_anew_under_kept_heads(day: Day) -> None:
    keep(day)
    lose_all(day)


def clock_went_back(day: Day) -> None:
    key = TableKey.load(day.key_file)
    journal = Journal.open(day.path, LaterClock(), key)
    start(journal, IDENTITY, "live", "test", ProgramStart((("key", key.public),)))
    journal.close()


def reports_were_lost(day: Day) -> None:
    running = day.start()
    running.ask("pit", Resume())
    running.journal.lose()
    running.close()


def key_was_left_out(day: Day) -> None:
    """A journal of a program without keys is put in its place."""
    lose_all(day)
    journal = Journal.open(day.path, SystemClock())
    start(journal, IDENTITY, "live", "test")
    journal.close()


STORIES: Final[dict[str, tuple[Story, ...]]] = {
    "everything agrees": (nothing,),
    "a kill beside a commit": (killed_beside_a_commit,),
    "the journal ends before": (tampers.lose_entries, tampers.lose_journal, tampers.lose_journal_and_note),
    "another entry where": (tampers.rewrite, tampers.rewrite_with_a_note, tampers.rewrite_without_a_note),
    "an entry that does not follow": (change_a_body,),
    "another table's journal by name": (begin_as_another,),
    "another table's journal by its key": (tampers.bring_another_tables_journal, tampers.lose_the_key),
    "a table, view or trigger": (tampers.change_a_trigger, tampers.add_a_trigger),
    "triggers that keep": (tampers.drop_a_trigger,),
    "no note": (tampers.lose_the_note,),
    "a note without the table's signature": (tampers.scribble_on_the_note, tampers.note_without_a_signature),
    "the journal goes on behind": (tampers.add_an_entry,),
    "no signed heads although": (tampers.lose_the_heads,),
    "fewer signed heads": (tampers.empty_the_heads, tampers.cut_the_heads),
    "an end mark of an entry": (tampers.put_back_all_but_the_mark,),
    "heads in `keep_folder` of entries": (put_back_whole,),
    "heads in `keep_folder` that are missing": (kept_head_is_missing, kept_of_a_later_journal),
    "no journal, and heads": (begun_anew_under_kept_heads,),
    "a clock behind": (clock_went_back,),
    "a note that the program ended": (reports_were_lost,),
    "a line of the signed heads": (tampers.sign_a_head_of_ones_own,),
    "a journal that names no key": (key_was_left_out,),
}
ELSEWHERE: Final = {
    "a journal that does not continue its copy": copies.__name__,
    "taken over from a copy": copies.__name__,
}
"""Rows whose stories need a copy, and are told there."""


def test_each_row_has_a_story() -> None:
    for row in rows():
        told = [begins for begins in (*STORIES, *ELSEWHERE) if row.found.startswith(begins)]
        assert len(told) == 1, row.found
    assert len(rows()) == len(STORIES) + len(ELSEWHERE)


CASES: Final = [
    pytest.param(row, story, id=story.__name__)
    for row in rows()
    for begins, stories in STORIES.items()
    if row.found.startswith(begins)
    for story in stories
]


@pytest.mark.parametrize(("row", "story"), CASES)
def test_a_start_ends_as_its_row_says(row: Row, story: Story, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    day = dealt_day(tmp_path / "table")
    story(day)
    if row.verdict == "refused":
        before = day.files()
        with pytest.raises(TableError) as caught:
            day.start()
        assert caught.value.code in row.codes
        day.note.touch()
        assert {name: day.files()[name] for name in before} == before
        return
    running = day.start()
    found = set(running.holds) - {"RESTARTED"}
    assert found <= row.codes
    assert found or row.codes == {"RESTARTED"}
    if row.verdict == "held" or "pit" in row.who:
        refused = running.ask("dealer", Resume())
        assert isinstance(refused, Rejected)
        assert refused.code == "NOT_ALLOWED"
    if "two people" in row.who:
        alone = running.ask("pit", Resume())
        assert isinstance(alone, Rejected)
        assert alone.code == "SECOND_NEEDED"
    who, second = {"dealer": ("dealer", ""), "pit": ("pit", "")}.get(
        row.who.partition(";")[0], ("pit", "P-02")
    )
    assert not isinstance(running.ask(who, Resume(), second), Rejected)
    assert running.holds == []
    running.close()

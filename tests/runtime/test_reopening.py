"""A journal whose files do not fit is refused untouched, or opens held until the pit has looked."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw
import pytest

from controller.acts.catalogue import Bet, Close, HoldsLifted
from controller.domain import JournalError
from controller.feed.codec import to_json
from controller.journal.checking import SignedFault, verify_signed
from controller.journal.entry import NewEntry
from controller.journal.head_file import Head, HeadFile, TableKey, read_mark, read_note
from controller.journal.heads import HeadSigner
from controller.journal.store import Journal
from controller.policy import DEFAULT_OPTIONS, House
from controller.policy.allowed import release_of
from controller.ports import SystemClock, Trouble
from controller.rules import load_file
from controller.runtime.api import Observe, Rejected, Resume
from controller.runtime.draft import encoded
from controller.runtime.restore import opened_entry, start
from tests.runtime.reopening_kit import Day, dealt_day, write_note
from tests.runtime.runtime_kit import IDENTITY


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return dealt_day(tmp_path)


def test_what_nobody_touched_comes_back_with_its_restart_alone(day: Day) -> None:
    running = day.start()
    assert running.holds == ["RESTARTED"]
    running.close()
    note = read_note(day.path)
    assert note is not None
    assert (note.genuine, note.key, note.head) == (True, running.key.public, day.end())


def lose_entries(day: Day) -> None:
    day.sql("DROP TRIGGER event_no_delete", f"DELETE FROM event WHERE seq = {day.end().seq}")


def lose_journal(day: Day) -> None:
    day.path.unlink()


def lose_journal_and_note(day: Day) -> None:
    day.path.unlink()
    day.note.unlink()


def rewrite(day: Day) -> None:
    day.rewrite(day.end().seq)


def rewrite_with_a_note(day: Day) -> None:
    """An entry that a signed head vouches for, and a note that fits what was written."""
    day.rewrite(day.end().seq - 1)
    day.note.unlink()
    note_without_a_signature(day)


def rewrite_without_a_note(day: Day) -> None:
    day.rewrite(day.end().seq - 1)
    day.note.unlink()


def change_a_trigger(day: Day) -> None:
    day.sql(
        "DROP TRIGGER event_no_delete",
        "CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT 1; END",
    )


def add_a_trigger(day: Day) -> None:
    day.sql("CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT 1; END")


def bring_another_tables_journal(day: Day) -> None:
    """Of a table with the same name and the same rules."""
    other = day.path.parent / "other"
    other.mkdir()
    foreign = Day(other)
    for path in day.path.parent.glob("table.journal*"):
        path.unlink()
    for path in foreign.path.parent.glob("table.journal*"):
        shutil.move(path, day.path.parent)
    shutil.rmtree(other)


def lose_the_key(day: Day) -> None:
    day.key_file.unlink()
    TableKey.load_or_make(day.key_file, {})


REFUSED: Final[dict[Callable[[Day], None], str]] = {
    lose_entries: "JOURNAL_CUT_OFF",
    lose_journal: "JOURNAL_CUT_OFF",
    lose_journal_and_note: "JOURNAL_CUT_OFF",
    rewrite: "JOURNAL_REWRITTEN",
    rewrite_with_a_note: "JOURNAL_REWRITTEN",
    rewrite_without_a_note: "JOURNAL_REWRITTEN",
    change_a_trigger: "JOURNAL_ALTERED",
    add_a_trigger: "JOURNAL_ALTERED",
    bring_another_tables_journal: "OTHER_KEY",
    lose_the_key: "OTHER_KEY",
}


@pytest.mark.parametrize("tamper", REFUSED, ids=lambda tamper: tamper.__name__)
def test_a_journal_that_is_not_this_tables_record_is_refused_and_left_as_it_is(
    day: Day, tamper: Callable[[Day], None]
) -> None:
    tamper(day)
    before = day.files()
    with pytest.raises(JournalError) as caught:
        day.start()
    assert caught.value.code == REFUSED[tamper]
    day.note.touch()
    after = day.files()
    assert {name: after[name] for name in before} == before


def lose_the_note(day: Day) -> None:
    day.note.unlink()


def scribble_on_the_note(day: Day) -> None:
    day.note.write_bytes(b"x" * 400)


def note_another_end(day: Day) -> None:
    """By the format of the note, with a key of one's own."""
    own = TableKey.load_or_make(day.path.parent / "own.key", {})
    write_note(day, Head(day.end().seq + 5, bytes(32)), own)


def note_without_a_signature(day: Day) -> None:
    write_note(day, day.end())


def rewrite_the_last_entry_with_a_note(day: Day) -> None:
    """Neither a signed head nor the end mark vouches for it."""
    rewrite(day)
    note_without_a_signature(day)


def add_an_entry(day: Day) -> None:
    """By this very program, without the table's key: the note is as it was."""
    before = day.note.read_bytes()
    journal = Journal.open(day.path, SystemClock())
    journal.append([NewEntry("fact", encoded(to_json(Bet(3, 0, 1000))), "pit:x", 1)])
    journal.append([NewEntry("fact", encoded(to_json(Bet(4, 0, 1000))), "pit:x", 1)])
    journal.close()
    day.note.write_bytes(before)


def drop_a_trigger(day: Day) -> None:
    day.sql("DROP TRIGGER event_no_update")


def lose_the_heads(day: Day) -> None:
    day.signed.unlink()


def sign_a_head_of_ones_own(day: Day) -> None:
    own = TableKey.load_or_make(day.path.parent / "own.key", {})
    HeadSigner(day.path, "T1", own).sign(day.end(), 1, 0, "round")


def lose_a_head_in_the_middle(day: Day) -> None:
    lines = day.signed.read_bytes().splitlines(keepends=True)
    day.signed.write_bytes(b"".join([lines[0], *lines[2:]]))


def empty_the_heads(day: Day) -> None:
    day.signed.write_bytes(b"")


def cut_the_heads(day: Day) -> None:
    day.signed.write_bytes(day.signed.read_bytes().splitlines(keepends=True)[0])


def cut_off_a_round_with_the_note_of_then(day: Day) -> None:
    """No key is needed: what the table noted an hour ago is genuine."""
    note, end = day.note.read_bytes(), day.end().seq
    deal_on(day)
    day.cut_off(end)
    day.note.write_bytes(note)
    empty_the_heads(day)
    day.mark.unlink()


def put_back_all_but_the_mark(day: Day) -> None:
    note, end, signed = day.note.read_bytes(), day.end().seq, day.signed.read_bytes()
    deal_on(day)
    day.cut_off(end)
    day.note.write_bytes(note)
    day.signed.write_bytes(signed)


def deal_on(day: Day) -> None:
    running = day.start()
    running.bet()
    running.sign()
    running.close()


HELD: Final[dict[Callable[[Day], None], str]] = {
    lose_the_note: "JOURNAL_NOTE_MISSING",
    scribble_on_the_note: "JOURNAL_NOTE_FORGED",
    note_another_end: "JOURNAL_NOTE_FORGED",
    note_without_a_signature: "JOURNAL_NOTE_FORGED",
    rewrite_the_last_entry_with_a_note: "JOURNAL_NOTE_FORGED",
    add_an_entry: "JOURNAL_NOTE_BEHIND",
    drop_a_trigger: "JOURNAL_UNGUARDED",
    lose_the_heads: "JOURNAL_HEADS_MISSING",
    sign_a_head_of_ones_own: "JOURNAL_HEADS_DAMAGED",
    lose_a_head_in_the_middle: "JOURNAL_HEADS_CUT",
    empty_the_heads: "JOURNAL_HEADS_CUT",
    cut_the_heads: "JOURNAL_HEADS_CUT",
    cut_off_a_round_with_the_note_of_then: "JOURNAL_HEADS_CUT",
    put_back_all_but_the_mark: "JOURNAL_PUT_BACK",
}


@pytest.mark.parametrize("tamper", HELD, ids=lambda tamper: tamper.__name__)
def test_what_could_be_explained_opens_held_and_only_the_pit_lifts_it(
    day: Day, tamper: Callable[[Day], None]
) -> None:
    tamper(day)
    running = day.start()
    assert sorted(running.holds) == sorted([HELD[tamper], "RESTARTED"])
    refused = running.ask("dealer", Resume())
    assert isinstance(refused, Rejected)
    assert refused.code == "NOT_ALLOWED"
    if release_of(HELD[tamper]) == "two":
        for second in ("", "7", "pit:7"):
            alone = running.ask("pit", Resume(), second)
            assert alone == Rejected("SECOND_NEEDED", (("hold", HELD[tamper]),))
    assert not isinstance(running.ask("pit", Resume(), "P-02"), Rejected)
    assert running.holds == []
    running.close()
    assert HELD[tamper] in written_holds(day)
    deal_on(day)
    signed = verify_signed(day.path, running.key.public)
    assert signed.fault is not None, "what was in doubt once is never vouched for"
    if tamper not in (sign_a_head_of_ones_own, lose_a_head_in_the_middle):
        assert (signed.fault, signed.since > 1) == (SignedFault("VOUCHED_SINCE", seq=signed.since), True)


def test_a_journal_rewritten_without_its_note_and_with_emptied_heads_is_held_for_two_people(day: Day) -> None:
    deal_on(day)
    day.rewrite(day.end().seq)
    day.note.unlink()
    empty_the_heads(day)
    running = day.start()
    assert sorted(running.holds) == ["JOURNAL_NOTE_MISSING", "JOURNAL_PUT_BACK", "RESTARTED"]
    assert running.ask("pit", Resume()) == Rejected("SECOND_NEEDED", (("hold", "JOURNAL_PUT_BACK"),))
    assert not isinstance(running.ask("pit", Resume(), "P-02"), Rejected)
    running.close()
    # The marks of this run have taken the place of both: it is said once.
    again = day.start()
    assert again.holds == ["RESTARTED"]
    again.close()


def half_a_slot(day: Day) -> None:
    data = day.mark.read_bytes()
    newest = 0 if data[:20] > data[len(data) // 2 :][:20] else len(data) // 2
    day.mark.write_bytes(data[:newest] + b"\0" * 100 + data[newest + 100 :])


def no_mark(day: Day) -> None:
    day.mark.unlink()


def a_mark_of_another_key(day: Day) -> None:
    day.mark.unlink()
    end = day.end()
    file = HeadFile(day.path, TableKey.load_or_make(day.path.parent / "other.key", {}))
    file.mark(Head(end.seq + 5, end.hash))
    file.close()


def a_note_in_its_place(day: Day) -> None:
    day.mark.write_bytes(day.note.read_bytes())


@pytest.mark.parametrize("tamper", [half_a_slot, no_mark, a_mark_of_another_key, a_note_in_its_place])
def test_a_mark_that_is_torn_or_not_this_tables_says_nothing(day: Day, tamper: Callable[[Day], None]) -> None:
    deal_on(day)
    assert day.mark.stat().st_mode & 0o777 == 0o600
    before = read_mark(day.path, TableKey.load(day.key_file).public)
    assert before is not None
    tamper(day)
    if tamper is half_a_slot:
        left = read_mark(day.path, TableKey.load(day.key_file).public)
        assert left is not None
        assert left.end.seq < before.end.seq
    running = day.start()
    assert running.holds == ["RESTARTED"]
    running.close()
    assert read_mark(day.path, running.key.public) is not None


def test_two_people_go_on_at_a_table_with_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the pit's page does it: the way out of one hold, signed by another person."""
    house = House(load_file("nl", Path()).irregularities, DEFAULT_OPTIONS)
    monkeypatch.setattr("tests.runtime.reopening_kit.IDENTITY", IDENTITY._replace(house=house))
    day = dealt_day(tmp_path)
    empty_the_heads(day)
    running = day.start()
    cut = next(hold for hold in running.ledger.holds if hold.code == "JOURNAL_HEADS_CUT")
    assert (cut.release, cut.ways) == ("two", ("keep",))
    keep = Observe(HoldsLifted("pit:7", "looked into", (cut.code,)))
    assert running.ask("pit", keep) == Rejected("SECOND_NEEDED", (("hold", cut.code),))
    assert not isinstance(running.ask("pit", keep, "P-02"), Rejected)
    assert running.holds == ["RESTARTED"]
    running.close()


def written_holds(day: Day) -> list[str]:
    connection = apsw.Connection(str(day.path))
    bodies = connection.execute("SELECT CAST(body AS TEXT) FROM event WHERE kind = 'held'").fetchall()
    connection.close()
    return [json.loads(str(body))["code"] for (body,) in bodies]


def test_dropped_triggers_are_back_after_the_first_entry(day: Day) -> None:
    drop_a_trigger(day)
    day.start().close()
    with pytest.raises(apsw.ConstraintError):
        day.sql("UPDATE event SET actor = 'x' WHERE seq = 2")
    running = day.start()
    assert running.holds == ["JOURNAL_UNGUARDED", "RESTARTED"]
    running.close()


def test_a_journal_of_an_older_program_opens_at_the_keys_first_start_and_holds_later(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, SystemClock())
    start(journal, IDENTITY, "live", "old")
    journal.close()
    for name in ("copy", "again"):
        (tmp_path / name).mkdir()
        for file in tmp_path.glob("table.journal*"):
            shutil.copy(file, tmp_path / name)
    first = Day.__new__(Day)
    first.path, first.key_file = tmp_path / "copy" / "table.journal", tmp_path / "table.key"
    running = first.start()
    assert running.holds == ["RESTARTED"]
    running.close()
    first.path = tmp_path / "again" / "table.journal"
    running = first.start()
    assert running.holds == ["JOURNAL_UNSIGNED", "RESTARTED"]
    running.close()


@pytest.mark.parametrize("signed", [True, False])
def test_a_journal_that_was_begun_anew_without_the_tables_key_is_held(
    tmp_path: Path, *, signed: bool
) -> None:
    """A kill at the first start leaves the opening alone, as somebody may who has removed the whole day."""
    path, key_file = tmp_path / "table.journal", tmp_path / "table.key"
    key = TableKey.load_or_make(key_file, {})
    journal = Journal.open(path, SystemClock(), key if signed else None)
    journal.append([opened_entry(IDENTITY)])
    journal.close()
    day = Day.__new__(Day)
    day.path, day.key_file = path, key_file
    running = day.start()
    assert running.holds == [*([] if signed else ["JOURNAL_UNSIGNED"]), "RESTARTED"]
    running.close()


def test_a_kill_before_the_first_head_needs_no_hold(tmp_path: Path) -> None:
    day = Day(tmp_path)
    day.signed.unlink()
    day.mark.unlink()
    write_note(day, day.end(), TableKey.load_or_make(day.key_file, {}))
    running = day.start()
    assert running.holds == ["RESTARTED"]
    running.close()


@pytest.mark.parametrize("when", ["before the commit", "after the commit"])
def test_a_kill_beside_the_commit_needs_no_hold(day: Day, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    running = day.start()
    running.ask("pit", Resume())
    if when == "after the commit":
        # What the kill keeps from being written.
        monkeypatch.setattr(HeadFile, "note", lambda *_: None)
        running.ask("pit", Observe(Bet(3, 0, 1000)))
    else:
        running.journal._head_file.announce(running.journal.head(), Head(99, bytes(32)))
    running.close()
    monkeypatch.undo()
    again = day.start()
    assert again.holds == ["RESTARTED"]
    again.close()


def test_a_program_that_is_not_its_release_is_answered_for_by_an_administrator(day: Day) -> None:
    differs = Trouble("SOFTWARE_DIFFERS", (("count", 1), ("names", "controller/rules/nl.toml")))
    for _ in range(2):
        running = day.start(differs)
        assert sorted(running.holds) == ["RESTARTED", "SOFTWARE_DIFFERS"]
        for role in ("dealer", "pit", "tester", "system"):
            for lifts in (Resume(), Observe(HoldsLifted("7", "SEEN"))):
                refused = running.ask(role, lifts)
                assert isinstance(refused, Rejected)
                assert refused.code == "NOT_ALLOWED"
        running.close()
    running = day.start(differs)
    assert not isinstance(running.ask("administrator", Resume()), Rejected)
    assert running.holds == []
    running.close()


def test_a_table_is_dealt_on_after_all_of_it(day: Day) -> None:
    running = day.start()
    running.ask("pit", Resume())
    assert not isinstance(running.ask("pit", Observe(Close())), Rejected)
    running.close()

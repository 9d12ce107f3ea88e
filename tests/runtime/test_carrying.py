"""A new gaming day goes on where the day before ended."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.journal.entry import GENESIS, Entry, NewEntry
from controller.policy import DEFAULT_OPTIONS, House
from controller.rules import HOUSES, load_file
from controller.runtime.carrying import KIND, carried_entries, cleared, may_end
from controller.runtime.draft import encoded, fold
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.restore import Identity, opened_entry
from controller.runtime.snapshot import audit_line, secrets_of
from tests.runtime.story import Story


def chained(new: NewEntry, seq: int) -> Entry:
    return Entry(seq, new.kind, new.version, 7, new.round_id, new.actor, None, new.body, GENESIS, GENESIS)


def next_day(ledger: Ledger, name: str) -> tuple[Ledger, list[Entry]]:
    """A journal that begins behind this one."""
    file = load_file(name, Path())
    house = House(file.irregularities, DEFAULT_OPTIONS._replace(card_gap_ms=0))
    entries = [chained(opened_entry(Identity("T1", file.rules, "EUR", house)), 1)]
    for one in carried_entries(ledger, "T1-2026-11-28.journal", 2):
        entries.append(chained(NewEntry(one.kind, encoded(one.body), one.actor, 1), len(entries) + 1))
    after = open_ledger(entries[0])
    for entry in entries[1:]:
        after = fold(after, entry).ledger
    return after, entries


def last_between_rounds(entries: list[Entry]) -> Ledger:
    """The newest state in which a journal may end, without its holds."""
    ledger, found = open_ledger(entries[0]), None
    for entry in entries[1:]:
        ledger = fold(ledger, entry).ledger
        free = ledger._replace(run=replace(ledger.run, holds=(), kept=()), waiting=())
        found = free if may_end(free) else found
    assert found is not None
    return found


@pytest.mark.parametrize("name", HOUSES)
def test_what_a_day_takes_over_is_what_the_day_before_had(name: str) -> None:
    ledger = last_between_rounds(Story(name, 5).journal.entries)
    before = cleared(ledger.state)
    assert before is not None
    after, entries = next_day(ledger, name)
    assert (after.state.book.number, after.state.book.past.last) == (1, ())
    assert (after.state.shoe, after.state.watch) == (before.shoe, before.watch)
    assert (after.state.book.sets, after.state.book.rack) == (before.book.sets, before.book.rack)
    assert bool(after.state.book.counted_in) == bool(before.book.counted_in)
    assert (after.dealer, after.tries) == (ledger.dealer, ledger.tries)
    assert [(one.code, one.severity, one.status) for one in after.alerts] == [
        (one.code, one.severity, one.status) for one in ledger.alerts
    ]
    shown = json.loads(audit_line(entries[1], secrets_of(after)).body)
    assert entries[1].kind == KIND
    assert not {"shoe", "watch", "sets"} & shown.keys()


def test_the_float_of_a_new_day_begins_with_what_the_day_before_has_left() -> None:
    carried = EntryLine(3, KIND, 7, 1, "system:table", {"rack": 50_000, "counted": True, "dealer": "d9"})
    fill = {"obs": "fill", "slip": "F1", "amount": 1000, "by": "pit:p7", "second": "s2"}
    history = History()
    history.take([carried, EntryLine(4, "fact", 8, 1, "pit:p7", fill)])
    (books,) = history.rows("SELECT opening, fills, expected FROM books")
    assert books == {"opening": 50_000, "fills": 1000, "expected": 51_000}

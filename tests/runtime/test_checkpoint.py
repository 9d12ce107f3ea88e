"""A start from a checkpoint is a start from the first entry, whatever the table went through before."""

import json
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, cast

import apsw
import pytest
from deal import deal_shoe

from controller.acts.catalogue import CardSeen, End, Observation, RestCounting, Void
from controller.domain.errors import JournalError
from controller.domain.money import Money
from controller.engine import TableState
from controller.engine.settle.round_status import is_final
from controller.feed.codec import parse
from controller.journal.checking.chain_check import FALSE, ChainCheck
from controller.journal.checkpoint_file import CheckpointFile
from controller.journal.entry import GENESIS, BadEntry, Entry, NewEntry, digest
from controller.journal.head_file import Head
from controller.journal.heads_seen import NOTHING_SEEN
from controller.journal.store import JournalReader, compared
from controller.journal.table_key import TableKey
from controller.policy import DEFAULT_OPTIONS, House
from controller.ports import Report, SystemClock, Trouble
from controller.rules import load_file
from controller.runtime.api import AlertStep, AlertView, CallPit, Command, Observe, Resume, TableAction
from controller.runtime.checkpoint.keeper import FoldedAgain
from controller.runtime.checkpoint.state_parts import LedgerParts, ledger_of
from controller.runtime.door.door import TableDoor
from controller.runtime.door.items import SubmittedCommand
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.ledger.answered import NEWEST_MAX, NO_ANSWERS, GivenAnswer
from controller.runtime.ledger.journal_opening import dealt_rules
from controller.runtime.ledger.restore import Identity, opened_entry, restore
from controller.runtime.ledger.unread import follow
from tests.runtime.reopening_kit import PROGRAM, Day, dealt_day
from tests.runtime.test_hole_card_property import rulings

HOUSES: Final = ("nl", "de", "spielbank", "fr", "it")
ROUNDS: Final = 8
CUTS: Final = 6
"""Entries of each story at which it is taken apart, put together and gone on with."""


COUNTING: Final = 4
"""The entry of each story after which two cards of the shoe's rest are counted."""


class MemoryJournal:
    """Entries in a list, chained as on a disk."""

    def __init__(self, first: NewEntry) -> None:
        self.entries: list[Entry] = []
        self.append([first], 1)

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        before = len(self.entries)
        for new in entries:
            previous = self.entries[-1].hash if self.entries else GENESIS
            entry = Entry(
                seq=len(self.entries) + 1,
                kind=new.kind,
                version=new.version,
                at_utc_us=at_utc_us or 0,
                round_id=new.round_id,
                actor=new.actor,
                caused_by=new.caused_by,
                body=new.body,
                prev_hash=previous,
                hash=GENESIS,
            )
            self.entries.append(entry._replace(hash=digest(entry)))
        return tuple(self.entries[before:])

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        return iter(self.entries[from_seq - 1 :])


class Story:
    """Rounds of some shoes, with rulings, holds, alerts and devices by chance in between."""

    def __init__(self, name: str, seed: int) -> None:
        file, self.chance = load_file(name, Path()), random.Random(seed)
        # The cards come as fast as the machine deals them, which a house would ask about at each hand.
        house = House(file.irregularities, DEFAULT_OPTIONS._replace(card_gap_ms=0))
        self.journal = MemoryJournal(opened_entry(Identity("T1", file.rules, "EUR", house)))
        self.door = TableDoor(self.journal, open_ledger(self.journal.entries[0]), SystemClock(), mode="live")
        self.numbers = iter(range(1, 100_000))
        for told in (RestCounting("begin"), CardSeen("A", "s"), CardSeen("9", "h"), RestCounting("cancel")):
            self.tell(told)
        plain = cast("Any", dealt_rules(file.rules, house)._asdict())
        shoes = chain.from_iterable(deal_shoe(plain, seed + more) for more in range(ROUNDS))
        for number, dealt in enumerate(islice(shoes, ROUNDS)):
            for line in dealt.lines:
                self.tell(parse(line))
                self.go_wrong(ruled=number % 3 == 2)
            self.end()

    def ask(self, action: TableAction) -> None:
        command = Command(f"c{next(self.numbers)}", "p7", "pit", None, action, meaning=f"{action}")
        self.door.take(SubmittedCommand(command, lambda _answer: None))

    def tell(self, told: Observation) -> None:
        if isinstance(told, CardSeen):
            self.door.take(Report("shoe", 0, (told,)))
        else:
            self.ask(Observe(told))

    def go_wrong(self, *, ruled: bool) -> None:
        chance, ledger = self.chance, self.door.ledger
        if ruled and chance.random() < 0.1:
            self.ask(Observe(chance.choice(rulings(chance))))
        if chance.random() < 0.04:
            params = (("name", "rack"), ("counted", chance.randint(1, 9)), ("expected", 0))
            self.door.take(Report("rack", 0, (), (Trouble("RACK_DIFFERS", params, hold=False),)))
        if chance.random() < 0.03 and ledger.alerts:
            step = chance.choice(("ack", "assign", "resolve"))
            self.ask(AlertStep(chance.choice(ledger.alerts).alert, cast("Any", step), "x"))
        if chance.random() < 0.03:
            self.ask(CallPit("é\N{SNOWMAN}"))
        if self.door.ledger.holds and chance.random() < 0.7:
            self.ask(Resume())

    def end(self) -> None:
        if not is_final(self.door.ledger.state.settlement.status):
            self.ask(Observe(Void(None, "p7", "nobody knows any more")))
        self.ask(Resume())
        self.ask(Observe(End()))


@pytest.mark.parametrize("name", HOUSES)
def test_a_checkpoint_and_what_came_after_it_lead_where_all_entries_lead(name: str) -> None:
    entries = Story(name, 5).journal.entries
    whole = restore(iter(entries))
    assert whole is not None
    assert whole.state.book.past.last
    cuts = sorted({*random.Random(17).sample(range(1, len(entries)), CUTS), COUNTING})
    ledger, parts = open_ledger(entries[0]), LedgerParts()
    for entry in entries[1:]:
        if ledger.seq in cuts:
            kept = {name: part.write() for name, part in parts.of(ledger).items()}
            back = ledger_of(kept, entries[0])
            assert (back.run.rest is not None) == (back.seq == COUNTING)
            # What Facts compare as equal may still differ: their words must not.
            assert (back, repr(back)) == (ledger, repr(ledger))
            for later in entries[back.seq :]:
                back = follow(back, later)
            assert (back, repr(back)) == (whole, repr(whole))
        ledger = follow(ledger, entry)


def test_every_command_of_a_long_day_is_known_again() -> None:
    answered, last = NO_ANSWERS, {}
    for number in range(1, 5 * NEWEST_MAX):
        command, meaning = f"c{number % (4 * NEWEST_MAX)}", "" if number % 3 else f"{number:016x}"
        answered = answered.with_answer(command, number, meaning)
        last[command] = GivenAnswer(number, meaning)
    assert {command: answered.find(command) for command in last} == last
    assert answered.find("c") is None


def checkpoint_seq(day: Day) -> int:
    file = apsw.Connection(str(day.checkpoint))
    told = file.execute("SELECT told FROM mark").get
    file.close()
    return int(json.loads(told)["seq"])


def test_a_start_folds_only_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    day = dealt_day(tmp_path)
    assert checkpoint_seq(day) == day.end().seq
    assert day.checkpoint.stat().st_mode & 0o777 == 0o600
    running = day.start()
    began = running.keeper.folded_from
    assert began is not None
    assert began.head == Head(checkpoint_seq(day), reader_hash(day, checkpoint_seq(day)))
    assert running.ledger == folded(day)
    running.bet()
    # As after kill -9: what was written since stands behind the checkpoint.
    running.journal.close()
    again = day.start()
    assert again.keeper.folded_from is not None
    assert again.keeper.folded_from.head.seq < again.ledger.seq - 3
    assert (again.ledger, again.ledger.state.boxes[0].bets) == (folded(day), ((0, 1000),))
    again.close()


def reader_hash(day: Day, seq: int) -> bytes:
    reader = JournalReader(day.path)
    try:
        return reader.hash_at(seq)
    finally:
        reader.close()


def folded(day: Day) -> Ledger:
    """All entries, from the first on."""
    reader = JournalReader(day.path)
    try:
        whole = restore(reader.read())
    finally:
        reader.close()
    assert whole is not None
    return whole


def damage(day: Day) -> None:
    """One card of a stored round, by hand."""
    day.checkpoint.write_bytes(day.checkpoint.read_bytes().replace(b"1000", b"9000"))


def break_the_file(day: Day) -> None:
    day.checkpoint.write_bytes(b"no database" * 1000)


def change_a_part(day: Day) -> None:
    in_checkpoint(day, "UPDATE part SET body = CAST(replace(CAST(body AS TEXT), '1000', '9000') AS BLOB)")


def add_a_view(day: Day) -> None:
    in_checkpoint(day, "ALTER TABLE part RENAME TO old", "CREATE VIEW part AS SELECT name, body FROM old")


def sign_it_oneself(day: Day) -> None:
    """Written with the program's own means and another key, under the table's name."""
    own = TableKey.load_or_make(day.path.parent / "own.key", {})
    end, ledger = day.end(), folded(day)
    ledger = ledger._replace(run=replace(ledger.run, holds=()))
    file = CheckpointFile(day.path, own, PROGRAM)
    file.save(end, ledger.opening.key, (), NOTHING_SEEN, LedgerParts().of(ledger))
    file.close()
    public = TableKey.load(day.key_file).public
    in_checkpoint(
        day, f"UPDATE mark SET told = CAST(replace(CAST(told AS TEXT), '{own.public}', '{public}') AS BLOB)"
    )


def roll_the_journal_back(day: Day) -> None:
    """All files of the journal as they were before the last two runs; the checkpoint alone is newer."""
    old = day.path.parent / "old"
    for name in ("table.journal", "table.journal.head", "table.journal.signed"):
        shutil.copy(old / name, day.path.parent / name)


def in_checkpoint(day: Day, *statements: str) -> None:
    file = apsw.Connection(str(day.checkpoint))
    for statement in statements:
        file.execute(statement)
    file.close()


PUT_ASIDE: Final[dict[Callable[[Day], None], str]] = {
    damage: "CHECKPOINT_DAMAGED",
    break_the_file: "CHECKPOINT_DAMAGED",
    change_a_part: "CHECKPOINT_DAMAGED",
    add_a_view: "CHECKPOINT_DAMAGED",
    sign_it_oneself: "CHECKPOINT_FORGED",
    roll_the_journal_back: "CHECKPOINT_MISFIT",
}


@pytest.mark.parametrize("tamper", PUT_ASIDE, ids=lambda tamper: tamper.__name__)
def test_a_checkpoint_that_cannot_be_trusted_is_put_aside_and_all_is_folded(
    tmp_path: Path, tamper: Callable[[Day], None]
) -> None:
    day = dealt_day(tmp_path)
    shutil.copytree(tmp_path, tmp_path / "old")
    day.start().close()
    tamper(day)
    running = day.start()
    assert (running.keeper.refused, running.keeper.folded_from) == (PUT_ASIDE[tamper], None)
    assert running.ledger == folded(day)
    assert running.ledger.state.boxes[0].bets == ((0, 1000),)
    aside = Path(f"{day.checkpoint}.aside")
    assert aside.stat().st_mode & 0o777 == 0o600
    running.close()
    # The next start has a checkpoint again.
    again = day.start()
    assert (again.keeper.refused, again.ledger) == ("", folded(day))
    assert again.keeper.folded_from is not None
    again.close()


def test_another_program_folds_all_and_no_checkpoint_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = dealt_day(tmp_path)
    monkeypatch.setattr("tests.runtime.reopening_kit.PROGRAM", "another")
    running = day.start()
    assert (running.keeper.refused, running.keeper.folded_from) == ("CHECKPOINT_OLD", None)
    assert running.ledger == folded(day)
    running.close()
    day.checkpoint.unlink()
    running = day.start()
    assert (running.keeper.refused, running.keeper.folded_from) == ("", None)
    running.close()


def break_the_chain(day: Day, seq: int) -> None:
    day.sql("DROP TRIGGER event_no_update", f"UPDATE event SET body = x'7b7d' WHERE seq = {seq}")
    day.sql(
        "CREATE TRIGGER event_no_update BEFORE UPDATE ON event\n"
        "    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END"
    )


def test_what_was_changed_behind_a_checkpoint_is_found_beside_the_running_table(tmp_path: Path) -> None:
    day = dealt_day(tmp_path)
    break_the_chain(day, 4)
    running = day.start()
    began = running.keeper.folded_from
    assert began is not None
    found: list[BadEntry] = []
    check = ChainCheck(day.path, began.head, FoldedAgain(began.ledger), found.append, rest_s=0)
    check.open()
    assert check._work is not None
    check._work.join(None)
    assert found == [BadEntry(4, "HASH")]
    running.keeper.distrust()
    running.close()
    # Nothing is built on it any more.
    assert not day.checkpoint.exists()
    with pytest.raises(JournalError) as caught:
        day.start()
    assert (caught.value.code, caught.value.params) == ("CHAIN_BROKEN", {"seq": 4, "reason": "HASH"})


def sign_a_state(day: Day, ledger: Ledger) -> None:
    """A checkpoint by the table's own key of what the journal does not lead to."""
    file = CheckpointFile(day.path, key := TableKey.load(day.key_file), PROGRAM)
    file.save(day.end(), ledger.opening.key, (key.public,), NOTHING_SEEN, LedgerParts().of(ledger))
    file.close()


def with_state(ledger: Ledger, state: TableState) -> Ledger:
    return ledger._replace(run=replace(ledger.run, state=state))


def test_a_false_checkpoint_signed_with_the_tables_own_key_is_found(tmp_path: Path) -> None:
    day = dealt_day(tmp_path)
    true = folded(day)
    book = replace(true.state.book, rules=true.state.book.rules._replace(blackjack_pays=(6, 5)))
    sign_a_state(day, with_state(true, replace(true.state, book=book)))
    running = day.start()
    assert (running.keeper.refused, running.ledger == folded(day)) == ("CHECKPOINT_FORGED", True)
    running.close()
    true = folded(day)
    box = replace(true.state.boxes[0], bets=((0, Money(9900)),))
    sign_a_state(day, with_state(true, replace(true.state, boxes=(box, *true.state.boxes[1:]))))
    running = day.start()
    began = running.keeper.folded_from
    assert began is not None
    found: list[BadEntry] = []
    check = ChainCheck(day.path, began.head, FoldedAgain(began.ledger), found.append, rest_s=0)
    check.open()
    assert check._work is not None
    check._work.join(None)
    assert found == [BadEntry(began.head.seq, FALSE)]
    running.close()


def test_what_was_changed_after_a_checkpoint_is_refused_at_once(tmp_path: Path) -> None:
    day = dealt_day(tmp_path)
    running = day.start()
    running.bet()
    running.journal.close()
    break_the_chain(day, day.end().seq - 1)
    with pytest.raises(JournalError) as caught:
        day.start()
    assert caught.value.code == "CHAIN_BROKEN"


def test_a_kill_while_a_checkpoint_is_written_leaves_the_one_before(tmp_path: Path) -> None:
    day = dealt_day(tmp_path)
    head, ledger, key = day.end(), folded(day), TableKey.load(day.key_file)

    def write_on() -> None:
        file, alerts = CheckpointFile(day.path, key, PROGRAM), ledger.alerts
        while True:
            alerts = (
                *alerts,
                AlertView(ledger.seq + len(alerts) * 999, "X", "info", 1, (), 0, "open", "", ""),
            )
            parts = LedgerParts().of(ledger._replace(alerts=alerts))
            file.save(head, ledger.opening.key, (key.public,), NOTHING_SEEN, parts)

    for after_s in (0.05, 0.11, 0.23):
        writer = get_context("fork").Process(target=write_on)
        writer.start()
        time.sleep(after_s)
        writer.kill()
        writer.join()
        found = compared(day.path, key, PROGRAM)
        assert found.refused == ""
        if found.checkpoint is not None:
            back = ledger_of(found.checkpoint.parts, opened_of(day))
            assert back._replace(alerts=()) == ledger._replace(alerts=())
    running = day.start()
    assert running.ledger.seq == day.end().seq
    running.close()


def opened_of(day: Day) -> Entry:
    reader = JournalReader(day.path)
    try:
        first = next(reader.read())
    finally:
        reader.close()
    assert isinstance(first, Entry)
    return first

"""A journal of a million entries within a minute: rounds that the table's door has written, over and over.

The same rounds are dealt through the door twice, into memory. The entries of the second time fit behind
themselves: what differs the next time are numbers (of rounds, entries, commands and counts). Those are put
in, and the journal's own writer chains and stores them by the ten thousand.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from controller.bench.table import STAKE, play_round, shuffled
from controller.domain.observations import Bet, CardSeen, Observation, ShoeLoaded
from controller.domain.rules import RuleSet
from controller.engine import TableState, new_table, step
from controller.journal.entry import GENESIS, BadEntry, Entry, NewEntry
from controller.journal.head_file import Head
from controller.journal.private_files import PRIVATE
from controller.journal.signed_heads import HeadSigner, heads_path
from controller.journal.store import Journal
from controller.journal.table_key import TableKey
from controller.ports import Report, SystemClock, Trouble
from controller.runtime.api import Command, CommandAnswer, Observe, Rejected
from controller.runtime.door import TableDoor
from controller.runtime.door_items import Item, SubmittedCommand
from controller.runtime.restore import Identity, ProgramStart, opened_entry, restore, started_entry

BOXES: Final = 7
ROUNDS: Final = 260
"""Rounds of the pattern, about ten thousand entries: they are committed together."""

SHOES: Final = 20
LEFT_FOR_A_ROUND: Final = 78
"""Fewer cards than this in the shoe, and a new one is loaded before the bets."""

_COUNTING: Final = re.compile(rb'"(round|counted)":(\d+)|"(command)":"bench-(\d+)"')
"""The numbers of a body that count on."""


class PatternEntry(NamedTuple):
    """An entry that comes again.

    `body` has holes for `numbers`, each with whether it counts rounds. `cause` is the place in the pattern of
    the entry that it follows from.
    """

    entry: NewEntry
    body: bytes
    numbers: tuple[tuple[int, bool], ...]
    cause: int | None


class Pattern(NamedTuple):
    """What is written first, then again and again, each time so many rounds and commands later."""

    first: list[NewEntry]
    again: list[PatternEntry]
    rounds: int
    commands: int


class _Memory:
    """Entries kept in memory, unchained: a pattern needs no hashes."""

    def __init__(self, first: NewEntry) -> None:
        self.entries: list[Entry] = []
        self.append([first])

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        before = len(self.entries)
        for seq, new in enumerate(entries, start=before + 1):
            name = (new.round_id, new.actor, new.caused_by)
            self.entries.append(
                Entry(seq, new.kind, new.version, at_utc_us or 0, *name, new.body, GENESIS, GENESIS)
            )
        return tuple(self.entries[before:])

    def read(self, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
        return iter(self.entries[from_seq - 1 :])


def make(path: Path, identity: Identity, key: TableKey, entries: int, alerts: int) -> None:
    """Write a journal of at least so many entries, `alerts` of them alerts that nobody resolves.

    With the signed heads of its rounds. Synced once for ten thousand entries: who cuts the power begins anew.
    """
    pattern = dealt(identity, key)
    journal, heads = Journal.open(path, SystemClock(), key), _Heads(path, identity.table, key)
    written = journal.append(pattern.first)
    left, times = alerts - _alerts(written), 0
    heads.of(written)
    while journal.head().seq < entries:
        written = journal.append(list(shifted(pattern, journal.head().seq, times, left)))
        left, times = left - _alerts(written), times + 1
        heads.of(written)
    heads.write()
    journal.close()


def dealt(identity: Identity, key: TableKey) -> Pattern:
    """Deal the same rounds twice through the door; with the entries of an opening in front."""
    memory = _Memory(opened_entry(identity))
    started = ProgramStart((("key", key.public),))
    memory.append([started_entry("live", "bench", started)])
    ledger = restore(memory.read())
    assert ledger is not None
    door = TableDoor(memory, ledger, SystemClock(), mode="live")
    told = [*_rounds(identity.rules)]
    # At once: a state is shown after each batch, and nobody looks at it.
    door.take(*(_item(one, number) for number, one in enumerate(told)))
    end = len(memory.entries)
    door.take(*(_item(one, number) for number, one in enumerate(told, start=len(told))))
    first, again = memory.entries[:end], memory.entries[end:]
    return Pattern(
        [_new(entry) for entry in first],
        [_holed(entry, end) for entry in again],
        ROUNDS,
        len(told),
    )


def shifted(pattern: Pattern, end: int, times: int, alerts: int) -> Iterator[NewEntry]:
    """The pattern behind entry `end`, `times` times further; alerts while any of `alerts` are left."""
    seqs: list[int] = []
    rounds, commands = times * pattern.rounds, times * pattern.commands
    for entry, body, numbers, cause in pattern.again:
        if entry.kind == "trouble":
            alerts -= 1
            if alerts < 0:
                seqs.append(0)
                continue
        end += 1
        seqs.append(end)
        yield entry._replace(
            body=body % tuple([number + (rounds if is_round else commands) for number, is_round in numbers]),
            round_id=None if entry.round_id is None else entry.round_id + rounds,
            caused_by=None if cause is None else seqs[cause],
        )


class _Heads(HeadSigner):
    """Signs the end of each round as the table does, and writes all of it at once."""

    def __init__(self, journal: Path, table: str, key: TableKey) -> None:
        super().__init__(journal, table, key)
        self._file, self._lines, self._round = heads_path(journal), list[bytes](), 0

    def of(self, written: Sequence[Entry]) -> None:
        """Sign each entry that begins another round."""
        for entry in written:
            if entry.round_id is not None and entry.round_id != self._round:
                self._round = entry.round_id
                self.sign(Head(entry.seq, entry.hash), self._round, entry.at_utc_us, "round")

    def write(self) -> None:
        """Put all lines on the disk."""
        with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_CREAT, PRIVATE), "wb") as file:
            file.writelines(self._lines)

    def _append(self, line: bytes) -> None:
        self._lines.append(line)


def _rounds(rules: RuleSet) -> Iterator[Observation | Trouble]:
    """Rounds by basic strategy, an alert in front of each."""
    shoes, state = shuffled(rules.decks, Random(1), count=SHOES), new_table(rules)
    bets = [Bet(box, 0, STAKE) for box in range(1, BOXES + 1)]
    cards: list[CardSeen] = []
    for number in range(ROUNDS):
        if len(cards) < LEFT_FOR_A_ROUND or not number:
            cards = next(shoes)
            state = step(state, ShoeLoaded(rules.decks)).state
            yield ShoeLoaded(rules.decks)
        yield _miscounted(number)
        state = play_round(state, bets, cards, _forget)
        yield from [fact.obs for fact in state.log]


def _forget(_: TableState) -> None:
    """Keep no state between a round's start and its end."""


def _miscounted(number: int) -> Trouble:
    """A rack that counts another number each round: an alert of its own that nobody resolves."""
    return Trouble("RACK_DIFFERS", (("name", "rack"), ("counted", number), ("expected", 0)), hold=False)


def _item(told: Observation | Trouble, number: int) -> Item:
    """What the table is told as entry `number` or so: the number makes commands and alerts differ."""
    if isinstance(told, Trouble):
        return Report("rack", 0, (), (_miscounted(number),))
    if isinstance(told, CardSeen):
        return Report("shoe", 0, (told,))
    command = Command(f"bench-{number}", "bench", "system", None, Observe(told))
    return SubmittedCommand(command, _taken)


def _taken(answer: CommandAnswer) -> None:
    assert not isinstance(answer, Rejected), answer


def _new(entry: Entry) -> NewEntry:
    return NewEntry(entry.kind, entry.body, entry.actor, entry.round_id, entry.caused_by, entry.version)


def _holed(entry: Entry, before: int) -> PatternEntry:
    """An entry of the pattern, whose first one follows entry `before`."""
    numbers = [(int(found[2] or found[4]), found[1] == b"round") for found in _COUNTING.finditer(entry.body)]
    body = _COUNTING.sub(_hole, entry.body.replace(b"%", b"%%"))
    cause = None if entry.caused_by is None else entry.caused_by - before - 1
    return PatternEntry(_new(entry), body, tuple(numbers), cause)


def _hole(found: re.Match[bytes]) -> bytes:
    return b'"%b":%%d' % found[1] if found[1] else b'"command":"bench-%d"'


def _alerts(written: Sequence[Entry]) -> int:
    return sum(entry.kind == "trouble" for entry in written)

"""A clock that ticks by hand and a journal with some entries, for the tests of this folder."""

from pathlib import Path

from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal


class TickingClock:
    """Each look at it is one millisecond later."""

    def __init__(self) -> None:
        self.now_us = 1_700_000_000_000_000

    def utc_us(self) -> int:
        self.now_us += 1000
        return self.now_us

    def mono_ns(self) -> int:
        return self.now_us * 1000


def note(number: int, *, size: int = 20) -> NewEntry:
    body = b'{"obs":"bet","n":%d,"pad":"%s"}' % (number, b"x" * size)
    return NewEntry("fact", body, "dealer:7", round_id=number % 5 or None, caused_by=number or None)


def write_journal(path: Path, count: int, *, size: int = 20) -> tuple[Entry, ...]:
    journal = Journal.open(path, TickingClock())
    written = tuple(journal.append([note(number, size=size)])[0] for number in range(count))
    journal.close()
    return written

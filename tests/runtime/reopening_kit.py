"""A table that is started again and again on one journal with a key of its own, and touched files."""

import hashlib
from pathlib import Path
from typing import Any

import apsw

from controller.acts.catalogue import Bet
from controller.domain import TableError
from controller.journal.entry import Entry, digest
from controller.journal.head_file import Head, HeadFile, TableKey, mark_path
from controller.journal.heads import HeadReason, HeadSigner, heads_path
from controller.journal.store import Journal
from controller.ports import SystemClock, Trouble
from controller.runtime.api import Command, Observe, Resume
from controller.runtime.door import TableDoor
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.ledger import Ledger
from controller.runtime.restore import ProgramStart, start
from tests.runtime.runtime_kit import IDENTITY

Answers = list[Any]


class Day:
    """A table that is started and stopped again and again on one journal, with its own key."""

    kept: tuple[Path, ...] = ()
    """Files of heads that were kept elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "table.journal"
        self.note = folder / "table.journal.head"
        self.signed = heads_path(self.path)
        self.mark = mark_path(self.path)
        self.key_file = folder / "table.key"
        self.start().close()

    def start(self, *holds: Trouble) -> "Running":
        """`holds`: what was found on the program itself."""
        return Running(self, holds)

    def files(self) -> dict[str, str]:
        """What lies there, but for SQLite's index of its log."""
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.path.parent.iterdir()
            if not path.name.endswith("-shm")
        }

    def sql(self, *statements: str) -> None:
        connection = apsw.Connection(str(self.path))
        for statement in statements:
            connection.execute(statement)
        connection.close()

    def cut_off(self, seq: int) -> None:
        """Delete every entry behind one, and leave no trace of it in the file."""
        self.sql(
            "DROP TRIGGER event_no_delete",
            f"DELETE FROM event WHERE seq > {seq}",
            "CREATE TRIGGER event_no_delete BEFORE DELETE ON event\n"
            "    BEGIN SELECT RAISE(ABORT, 'the journal is never shortened'); END",
        )

    def rewrite(self, seq: int) -> None:
        """Change an entry, and write the chain anew from there on, as somebody who knows the format would."""
        connection = apsw.Connection(str(self.path))
        connection.execute("DROP TRIGGER event_no_update")
        rows = [Entry(*row) for row in connection.execute("SELECT * FROM event ORDER BY seq")]
        previous = rows[seq - 2].hash
        for row in rows[seq - 1 :]:
            body = row.body.replace(b"1000", b"9000") if row.seq == seq else row.body
            changed = row._replace(body=body, prev_hash=previous)
            previous = digest(changed)
            connection.execute(
                "UPDATE event SET body = ?, prev_hash = ?, hash = ? WHERE seq = ?",
                (body, changed.prev_hash, previous, row.seq),
            )
        connection.execute(
            "CREATE TRIGGER event_no_update BEFORE UPDATE ON event\n"
            "    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END"
        )
        connection.close()

    def end(self) -> Head:
        connection = apsw.Connection(str(self.path))
        row: Any = connection.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        connection.close()
        return Head(*row)


class Running:
    """One run of the program, as far as the journal is concerned; people act through the table's door."""

    def __init__(self, day: Day, holds: tuple[Trouble, ...] = ()) -> None:
        self._clock = SystemClock()
        self.key = TableKey.load_or_make(day.key_file, {})
        self.journal = Journal.open(day.path, self._clock, self.key, day.kept)
        known = ProgramStart((("key", self.key.public),), holds)
        try:
            ledger = start(self.journal, IDENTITY, "live", "test", known)
        except TableError:
            self.journal.close()
            raise
        self.door = TableDoor(self.journal, ledger, self._clock, mode="live")
        self._signer = HeadSigner(day.path, "T1", self.key, since=self.journal.doubted_from)
        self.sign()

    @property
    def ledger(self) -> Ledger:
        return self.door.ledger

    @property
    def holds(self) -> list[str]:
        return [hold.code for hold in self.ledger.holds]

    def sign(self, reason: HeadReason = "round") -> None:
        self._signer.sign(self.journal.head(), 1, self._clock.utc_us(), reason)
        self.journal.vouch(self._signer.mark)

    def ask(self, role: Any, action: Any, second: str = "") -> Any:
        said: Answers = []
        command = Command(f"{role}-{self.ledger.seq}", "7", role, None, action, second=second)
        self.door.take(SubmittedCommand(command, said.append))
        return said[0]

    def bet(self) -> None:
        self.ask("pit", Resume())
        self.ask("pit", Observe(Bet(1, 0, 1000)))

    def close(self) -> None:
        self.journal.close()


def dealt_day(folder: Path) -> Day:
    """Two bets after a start; the last head that is signed stands before the second."""
    day = Day(folder)
    running = day.start()
    running.bet()
    running.sign()
    running.ask("pit", Observe(Bet(2, 0, 1000)))
    running.close()
    return day


def write_note(day: Day, head: Head, key: TableKey | None = None) -> None:
    file = HeadFile(day.path, key)
    file.note(head)
    file.close()

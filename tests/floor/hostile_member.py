"""A member of the floor that sends the archive what it likes, among the runs of a table that is closed.

Whatever it sends, the archive has the table's journal as the table wrote it, and every command goes on.
"""

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

from controller.domain import JournalError
from controller.floor.archive import FINDINGS_EACH, Archive, findings_in, journals_in
from controller.floor.days import days_of, faults_of
from controller.floor.intake import Intake, KnownTables, SentRun
from controller.floor.messages import run_of, sealed
from controller.floor.postgresql import against_file
from controller.journal.copying import write_entry
from controller.journal.entry import Entry, trusted
from controller.journal.head_file import TableKey
from controller.journal.heads import NONCE_BYTES, SignedHead, heads_beside, opened_of
from controller.journal.store import JournalReader
from controller.ports import SystemClock
from controller.runtime.followed_table import FollowedTable
from tests.floor.hostile_kit import Odd, chained
from tests.whole.broken import require

RUN: Final = 40
"""Entries of the table in one run: the member sends between two of them."""

BODIES: Final = (
    b"",
    b"5",
    b"[]",
    b"\xff\x00",
    b'{"bets":{"a":1}}',
    b'{"table":5}',
    b"[" * 50_000,
    b'{"x":1e999}',
)
KINDS: Final = ("opened", "started", "fact", "settled", "held", "people", "\x00", "k" * 300)
TIMES: Final = (-(2**62), -1, 0, 2**63 - 1)
NUMBERS: Final = (-1, 0, 1, 2**53, 2**63, 2**70)


class HostileMember:
    """Has a key that the archive knows for a table of its own, BJ-H, and chance."""

    def __init__(self, folder: Path, journal: list[Entry], first: str, chance: Random) -> None:
        """`journal` is the other table's, which it has seen on the way."""
        self._key = TableKey.load_or_make(folder / "hostile.key", {})
        self._stranger = TableKey.load_or_make(folder / "stranger.key", {})
        self._seen, self._first, self._chance = journal, first, chance
        self._table = str(opened_of(journal[0].body).get("table"))
        self._own = chained([Odd("opened", b'{"table":"BJ-H"}')])

    def runs(self) -> Iterator[SentRun]:
        """What it sends now."""
        for _ in range(self._chance.randrange(4)):
            yield self._chance.choice(SENT)(self)

    def _signed(self, entries: list[Entry], heads: bytes = b"", name: str = "BJ-H") -> SentRun:
        data = b"".join(write_entry(entry) + b"\n" for entry in entries) + heads
        return self._run(data, entries[0].hash.hex(), name)

    def _run(self, data: bytes, first: str, name: str = "BJ-H", by: TableKey | None = None) -> SentRun:
        attempt = f"{self._chance.getrandbits(64):x}"
        body = sealed("run", data, by or self._key, run_of(attempt, first, name))
        return SentRun(self._key.public, first, name, attempt, body)

    def theirs(self) -> SentRun:
        """The other table's true entries, or changed ones, under its own key."""
        at = self._chance.randrange(len(self._seen))
        changed = self._seen[at]._replace(body=self._chance.choice(BODIES))
        return self._run(write_entry(self._chance.choice((self._seen[at], changed))) + b"\n", self._first)

    def forged(self) -> SentRun:
        """A run that another key has signed, or none, or with a journal's name that is none."""
        run = self._run(b"x", self._chance.choice((self._first, "../x", '"' * 5000)), by=self._stranger)
        return run._replace(data=self._chance.choice((run.data, b"", os.urandom(300), run.data[:90])))

    def own(self) -> SentRun:
        """Its own journal goes on with odd entries."""
        kind, body = self._chance.choice(KINDS), self._chance.choice(BODIES)
        told = [Odd(one.kind, one.body, one.at_utc_us, one.actor, one.round_id) for one in self._own]
        told.append(Odd(kind, body, self._chance.choice(TIMES), "a\x00", self._chance.choice((None, 2**62))))
        self._own = chained(told)
        return self._signed(self._own)

    def rewritten(self) -> SentRun:
        """Its own journal, otherwise than before."""
        begun = self._own[0]
        told = [
            Odd(begun.kind, begun.body, begun.at_utc_us),
            Odd("fact", b'{"n":%d}' % self._chance.getrandbits(40)),
        ]
        return self._signed(chained(told))

    def another(self) -> SentRun:
        """A journal more, under its own name, or one that it takes from somebody."""
        table = self._chance.choice(("BJ-H", "BJ-H", self._table, "z" * 9000))
        begun = Odd("opened", json.dumps({"table": table}).encode(), self._chance.getrandbits(50))
        return self._signed(
            chained([begun]), name=self._chance.choice(("BJ-H", "../../x", "\x00", "ä" * 300))
        )

    def unlike(self) -> SentRun:
        """An entry without the hash that it names, torn lines, and what is no line."""
        entry = self._own[-1]._replace(body=b'{"not":"hashed"}')
        return self._run(
            write_entry(entry)[: self._chance.choice((30, 9999))] + b"\n{}\n\xff", self._own[0].hash.hex()
        )

    def heads(self) -> SentRun:
        """Genuine heads with any number, of any key."""
        made = b"".join(self._head().line(with_nonce=True).encode() for _ in range(20))
        return self._signed(self._own, made)

    def _head(self) -> SignedHead:
        nonce, end = secrets.token_bytes(NONCE_BYTES), self._own[-1]
        number, seq = self._chance.choice(NUMBERS), self._chance.choice((*NUMBERS, end.seq))
        code = hashlib.sha256(nonce + end.hash).hexdigest()
        head = SignedHead("BJ-H", "h", number, seq, 0, 0, "start", code, self._key.public, "", nonce.hex())
        fields = {
            name: value
            for name, value in head._asdict().items()
            if name not in ("nonce", "signature", "since")
        }
        said = b"stand17 head\n" + json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
        return head._replace(signature=self._key.sign(said).hex())


SENT: Final[tuple[Callable[[HostileMember], SentRun], ...]] = (
    HostileMember.theirs,
    HostileMember.forged,
    HostileMember.own,
    HostileMember.rewritten,
    HostileMember.another,
    HostileMember.unlike,
    HostileMember.heads,
)


def archive_under_a_hostile_member(journal: Path, seed: int, key: TableKey) -> None:
    """Archive a closed journal of the table with this key, with the member between; read all of it."""
    chance = Random(f"hostile {seed}")
    with closing(JournalReader(journal)) as reader:
        entries = [trusted(one) for one in reader.read()]
    heads = [head.line(with_nonce=True).encode() for head in heads_beside(journal) if head is not None]
    first = entries[0].hash.hex()
    with tempfile.TemporaryDirectory(prefix="stand17-hostile-") as name:
        folder = Path(name) / "archive"
        with Archive(folder, SystemClock()) as archive:
            KnownTables((folder,)).enrol(key.public, str(opened_of(entries[0].body).get("table")))
            intake, member = Intake(archive), HostileMember(Path(name), entries, first, chance)
            for at in range(0, len(entries), RUN):
                for run in member.runs():
                    intake.take(run)
                    intake.receipt(run.journal, run.attempt)
                told = [write_entry(entry) + b"\n" for entry in entries[at : at + RUN]]
                told += heads if at + RUN >= len(entries) else []
                body = sealed("run", b"".join(told), key, run_of(f"{at}", first, "table"))
                brought = intake.take(SentRun(key.public, first, "table", f"{at}", body))
                require(brought is not None and brought.error is None, "NOT_TAKEN", f"{brought}")
        _check(folder, journal, first)


def _check(folder: Path, journal: Path, first: str) -> None:
    """The table's journal is whole, and whoever reads the archive reads to its end."""
    (kept,) = folder.glob(f"*-{first[:12]}.journal")
    error = against_file(kept, journal)
    require(error is None, "ARCHIVED_OTHERWISE", f"{error}")
    require([*heads_beside(kept)] == [*heads_beside(journal)], "HEADS_OTHERWISE", kept.name)
    require(faults_of(kept) == (), "FAULT_OF_ANOTHER", f"{faults_of(kept)}")
    require(kept.name in {day.journal for day in days_of(folder).days}, "NO_DAY", kept.name)
    codes = [(one.source, one.code) for one in findings_in(folder)]
    require(all(codes.count(one) <= FINDINGS_EACH for one in codes), "FINDINGS", f"{len(codes)}")
    for path in journals_in(folder):
        try:
            followed = FollowedTable(path, lambda: 0)
            while followed.fold():
                """Goes on to its end, or to a stop that the pit sees."""
            followed.publish()
        except JournalError:
            require(path != kept, "NOT_FOLLOWED", path.name)

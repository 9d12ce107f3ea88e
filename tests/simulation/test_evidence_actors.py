"""What seeds have a table and its witness go through: lost heads, second days, forks, cuts, links and pipes.

Each step of a script is one of the actors below; the model says what the witness has to answer.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest

from controller.domain import JournalError
from controller.floor.heads_witness import HeadsWitness
from controller.journal.head_file import Head, TableKey
from controller.journal.heads import HeadSigner, SignedHead, heads_path, read_checkpoint
from controller.journal.keeping import FolderPlace, KeptDiffers, kept_file
from controller.journal.store import Journal
from controller.ports import SystemClock
from controller.runtime.restore import start
from tests.limits.test_never_silent import SetClock
from tests.runtime.runtime_kit import IDENTITY

SEEDS: Final = range(12)
STEPS: Final = 60
ACTORS: Final = ("round",) * 6 + (
    "again",
    "next day",
    "other name",
    "put back",
    "anew",
    "restart",
    "torn",
    "cut",
)
EVENING_US: Final = 1_795_204_440_000_000


class Evening:
    """A table that signs heads, the witness that they are sent to, and what it has to hold."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random, self.folder = Random(f"evidence {seed}"), folder
        self.key = TableKey.load_or_make(folder / "table.key", {})
        self.kept, self.clock, self.seq = folder / "witness", SystemClock(), 0
        self.days, self.name = 0, "table"
        self.told: list[SignedHead] = []
        self.names: set[str] = set()
        self.last: SignedHead | None = None
        self.signer = self.begun(None)
        self.witness = HeadsWitness(self.kept, [self.key.public], self.clock)

    def begun(self, before: SignedHead | None) -> HeadSigner:
        """A journal of its own folder."""
        self.days += 1
        self.here = self.folder / f"day {self.days}"
        self.here.mkdir()
        return HeadSigner(self.here / f"{self.name}.journal", "T1", self.key, before=before)

    def sign(self, signer: HeadSigner) -> SignedHead:
        self.seq += self.random.randrange(1, 9)
        return signer.sign(Head(self.seq, bytes(32)), 1, EVENING_US + self.seq, "round")

    def send(self, head: SignedHead, *, expected: str) -> None:
        before = self.size()
        answer = self.witness.take(head.line(with_nonce=False).encode())
        assert answer.verdict == expected, (head.number, head.journal)
        bare = head._replace(nonce="")
        if expected == "witnessed" and bare not in self.told:
            self.told.append(bare)
            self.names.add(head.journal)
        assert self.size() == len(self.told) >= before

    def size(self) -> int:
        note = self.kept / f"{self.key.public}.checkpoint"
        found = read_checkpoint(note.read_text(), self.witness.public) if note.exists() else None
        return 0 if found is None else found.size

    def round(self) -> None:
        self.last = self.sign(self.signer)
        # The network is away for a fifth of the heads; the first of a journal is tried until it is taken.
        if self.last.number == 1 or self.random.random() < 0.8:
            self.send(self.last, expected="witnessed")

    def again(self) -> None:
        if self.told:
            self.send(self.random.choice(self.told), expected="witnessed")

    def next_day(self) -> None:
        self.signer = self.begun(self.last)
        self.round()

    def other_name(self) -> None:
        self.name = f"table {self.days}"
        self.next_day()

    def put_back(self) -> None:
        """The journal as it lay at an earlier head, and another history from there on."""
        delivered = [head for head in self.told if head.journal == f"{self.name}.journal"]
        if not delivered or delivered[-1] is not self.told[-1] or delivered[-1].number < 2:
            return
        lines = heads_path(self.here / f"{self.name}.journal").read_bytes().splitlines(keepends=True)
        earlier = self.folder / f"fork {self.days} {self.seq}"
        earlier.mkdir()
        count = self.random.randrange(1, delivered[-1].number)
        heads_path(earlier / f"{self.name}.journal").write_bytes(b"".join(lines[:count]))
        self.send(
            self.sign(HeadSigner(earlier / f"{self.name}.journal", "T1", self.key)), expected="two_histories"
        )

    def anew(self) -> None:
        """A second first head under a known name that follows nothing."""
        fresh = self.folder / f"anew {self.days} {self.seq}"
        fresh.mkdir()
        known = f"{self.name}.journal" in self.names
        if known:
            self.send(
                self.sign(HeadSigner(fresh / f"{self.name}.journal", "T1", self.key)),
                expected="two_histories",
            )

    def restart(self) -> None:
        os.close(self.witness._lock)
        self.witness = HeadsWitness(self.kept, [self.key.public], self.clock)

    def torn(self) -> None:
        """A kill while the witness writes a head."""
        with (self.kept / f"{self.key.public}.signed").open("ab") as log:
            log.write(b'{"code":"00')
        self.restart()

    def cut(self) -> None:
        """Somebody shortens the witness's log, alone or with its checkpoint; it is put back afterwards."""
        log, note = (self.kept / f"{self.key.public}{end}" for end in (".signed", ".checkpoint"))
        whole, signed = log.read_bytes(), note.read_bytes() if note.exists() else b""
        if not self.told:
            return
        os.close(self.witness._lock)
        log.write_bytes(whole[: self.random.randrange(len(whole) // 2)])
        if self.random.random() < 0.5:
            note.unlink()
        with pytest.raises(JournalError, match="WITNESS_LOG_CHANGED"):
            HeadsWitness(self.kept, [self.key.public], self.clock)
        log.write_bytes(whole)
        note.write_bytes(signed)
        self.reopened()

    def reopened(self) -> None:
        # The refused one has left its lock to the collector; a process would have ended.
        shutil.copytree(self.kept, self.kept.with_name("moved"))
        shutil.rmtree(self.kept)
        self.kept.with_name("moved").rename(self.kept)
        self.witness = HeadsWitness(self.kept, [self.key.public], self.clock)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_witness_signs_one_history_whatever_happens_to_table_and_witness(tmp_path: Path, seed: int) -> None:
    evening = Evening(tmp_path, seed)
    for _ in range(STEPS):
        getattr(evening, evening.random.choice(ACTORS).replace(" ", "_"))()
    assert len(evening.told) > STEPS // 6


def lay(what: str, file: Path, own: Path) -> None:
    match what:
        case "link":
            file.symlink_to(own)
        case "dangling":
            file.symlink_to(own.with_name("not there"))
        case "second name":
            file.hardlink_to(own)
        case "pipe":
            os.mkfifo(file)
        case _:
            file.mkdir()


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_laid_into_the_kept_folder_no_other_file_is_written_to(tmp_path: Path, seed: int) -> None:
    random, kept, own = Random(f"laid {seed}"), tmp_path / "kept", tmp_path / "people.json"
    kept.mkdir()
    own.write_bytes(b"people")
    journal, key = tmp_path / "table.journal", TableKey.load_or_make(tmp_path / "table.key", {})
    signer, place = HeadSigner(journal, "T1", key), FolderPlace(kept, journal, key.public)
    file = kept_file(kept, journal)
    for number in range(1, 30):
        head = signer.sign(Head(number, bytes(32)), 1, EVENING_US + number, "round")
        laid = random.choice(("nothing", "nothing", "link", "second name", "pipe", "folder", "dangling"))
        if laid != "nothing" and not file.exists() and not file.is_symlink():
            lay(laid, file, own)
        with suppress(OSError, KeptDiffers):
            place.keep(head.line(with_nonce=False))
        if random.random() < 0.5:
            file.rmdir() if file.is_dir() else file.unlink(missing_ok=True)
            place = FolderPlace(kept, journal, key.public)
    assert own.read_bytes() == b"people"
    assert not (tmp_path / "not there").exists()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_start_with_a_wrong_clock_holds_where_it_lies_before_the_last_entry(
    tmp_path: Path, seed: int
) -> None:
    random, last_us, path = Random(f"clock {seed}"), 0, tmp_path / "t.journal"
    for _ in range(8):
        now_us = random.choice((1_000_000, EVENING_US, last_us + 1, last_us - 500_000, last_us - 2_000_000))
        journal = Journal.open(path, SetClock(max(now_us, 0)))
        ledger = start(journal, IDENTITY, "live", "test")
        held = [dict(hold.params) for hold in ledger.holds if hold.code == "CLOCK_STEPPED_BACK"]
        behind_us = last_us - max(now_us, 0)
        assert ({"seconds": behind_us // 1_000_000} in held) == (behind_us > 1_000_000)
        last_us = ledger.at_utc_us
        journal.close()

"""Journals as a hostile member of the floor writes them: chained and hashed, with any content."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.journal.copying import write_entry
from controller.journal.entry import GENESIS, Entry, digest
from controller.journal.store import JournalReader


class Odd(NamedTuple):
    """The fields of an entry that its writer chooses."""

    kind: str
    body: bytes
    at_utc_us: int = 1_800_000_000_000_000
    actor: str = "system"
    round_id: int | None = None


def opened(table: str) -> Odd:
    return Odd("opened", json.dumps({"table": table}).encode())


def chained(written: Sequence[Odd]) -> list[Entry]:
    found, last = list[Entry](), GENESIS
    for seq, one in enumerate(written, start=1):
        kind, body, at_us, actor, round_id = one
        entry = Entry(seq, kind, 1, at_us, round_id, actor, None, body, last, GENESIS)
        found.append(entry._replace(hash=digest(entry)))
        last = found[-1].hash
    return found


def copy_of(folder: Path, name: str, written: Sequence[Odd]) -> Path:
    """A copy with these entries, as a table brings it to the archive."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.journal.copy"
    path.write_bytes(b"".join(write_entry(entry) + b"\n" for entry in chained(written)))
    return path


def open_files(folder: Path) -> list[str]:
    """The files of this folder that this process has open."""
    return [str(path) for path in _targets() if path.is_relative_to(folder)]


def _targets() -> Iterator[Path]:
    for link in Path("/proc/self/fd").iterdir():
        try:
            yield link.readlink()
        except OSError:
            continue


def kept_in(journal: Path) -> int:
    reader = JournalReader(journal)
    try:
        return reader.last_seq()
    finally:
        reader.close()


def of_table(whole: Iterable[Entry], table: str) -> list[Entry]:
    """The same entries in the journal of another table, chained anew."""
    made, before = list[Entry](), GENESIS
    for entry in whole:
        body = entry.body
        if entry.kind == "opened":
            body = json.dumps({**json.loads(body), "table": table}).encode()
        new = entry._replace(body=body, prev_hash=before)
        made.append(new._replace(hash=digest(new)))
        before = made[-1].hash
    return made

"""Entries being thought out: each is folded as soon as it is added, and none is on disk yet."""

import json
from typing import Final

from controller.journal.entry import GENESIS, Entry, NewEntry
from controller.journal.upcast import VERSIONS, Body
from controller.runtime.ledger import Ledger, fold


def encoded(body: Body) -> bytes:
    """Write a body as compact UTF-8 JSON, keys in the order given."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


class Draft:
    """The ledger as it will be, and the entries that lead there."""

    def __init__(self, ledger: Ledger, at_utc_us: int) -> None:
        """Begin at a durable ledger; `at_utc_us` stands in until the journal gives the true time."""
        self.ledger: Ledger = ledger
        self.entries: Final[list[NewEntry]] = []
        self._at_utc_us = at_utc_us

    def add(self, kind: str, body: Body, actor: str, caused_by: int | None = None) -> int:
        """Add an entry and return the sequence that it will have."""
        seq, version = self.ledger.seq + 1, VERSIONS[kind]
        new = NewEntry(kind, encoded(body), actor, self.ledger.state.book.number, caused_by, version)
        self.entries.append(new)
        entry = Entry(
            seq=seq,
            kind=kind,
            version=version,
            at_utc_us=self._at_utc_us,
            round_id=new.round_id,
            actor=actor,
            caused_by=caused_by,
            body=new.body,
            prev_hash=GENESIS,
            hash=GENESIS,
        )
        self.ledger = fold(self.ledger, entry)
        return seq

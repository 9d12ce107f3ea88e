"""Sessions, journal entries and a clock to set by hand, for the tests of this folder."""

import json
from pathlib import Path

from controller.journal.entry import GENESIS, Entry
from controller.recording import facts
from controller.recording.format import Kind, Session, Source
from controller.recording.intake import Item
from controller.recording.segments import Segments, Size
from controller.recording.shelf import Keep, Kept, Shelf

START_US = 1_790_000_000_000_000
S = 10**9
"""Nanoseconds in a second."""

NO_RESERVE = Keep(reserve_bytes=0)


class HandClock:
    """Both clocks stand still until they are moved."""

    def __init__(self) -> None:
        self.now_ns = 5 * S

    def mono_ns(self) -> int:
        return self.now_ns

    def utc_us(self) -> int:
        return START_US + (self.now_ns - 5 * S) // 1000


def session(segment: int = 1) -> Session:
    return Session(
        table="BJ 1",
        currency="EUR",
        program="0.1",
        mode="live",
        start_utc_us=START_US,
        start_mono_ns=5 * S,
        rules_name="nl",
        rules_sha256="00",
        rules='{"decks":6}',
        config='{"table":{}}',
        segment=segment,
    )


SOURCES = (Source("shoe", ("rx", "tx", "mark"), {"baud": "4800"}), Source("camera", ("jpeg",), {"fps": "30"}))


def entry(seq: int, kind: str = "fact", **body: object) -> Entry:
    written = json.dumps(body or {"obs": "close"}).encode()
    return Entry(seq, kind, 1, START_US, 1, "pit:p7", None, written, GENESIS, bytes([seq]) * 32)


def fact(seq: int, at_ns: int, kind: str = "fact", **body: object) -> Item:
    return Item("fact", "", at_ns, facts.encode(entry(seq, kind, **body)))


def message(at_ns: int, data: bytes = b"D", kind: Kind = "rx", source: str = "shoe") -> Item:
    return Item(kind, source, at_ns, data)


class Row:
    """Segments in a folder of their own, filled by hand."""

    def __init__(self, folder: Path, keep: Keep = NO_RESERVE, size: Size | None = None) -> None:
        self.shelf = Shelf(folder, keep)
        self.segments = Segments(self.shelf, session(), SOURCES, size or Size(ns=60 * S))
        self.segments.make_room(5 * S)

    def put(self, *items: Item) -> None:
        for item in items:
            self.segments.make_room(item.mono_ns)
            self.segments.write(item)
            self.segments.remember(item)

    def close(self, now_ns: int) -> list[Kept]:
        self.segments.finish(now_ns)
        self.segments.release()
        return self.shelf.kept()

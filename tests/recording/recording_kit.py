"""Sessions, journal entries and a clock to set by hand, for the tests of this folder."""

import json
from pathlib import Path

from controller.journal.copying import write_entry
from controller.journal.entry import GENESIS, Entry
from controller.recording.format import MessageKind, RecordedSession, RecordedSource
from controller.recording.recorder import QueuedMessage, SegmentLimits, SessionWriter
from controller.recording.segments import RetentionPolicy, SegmentStore, StoredSegment

START_US = 1_790_000_000_000_000
S = 10**9
"""Nanoseconds in a second."""

NO_RESERVE = RetentionPolicy(reserve_bytes=0)


class HandClock:
    """Both clocks stand still until they are moved."""

    def __init__(self) -> None:
        self.now_ns = 5 * S

    def mono_ns(self) -> int:
        return self.now_ns

    def utc_us(self) -> int:
        return START_US + (self.now_ns - 5 * S) // 1000


def session(segment: int = 1) -> RecordedSession:
    return RecordedSession(
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


SOURCES = (
    RecordedSource("shoe", ("rx", "tx", "mark"), {"baud": "4800"}),
    RecordedSource("camera", ("jpeg",), {"fps": "30"}),
)


def entry(seq: int, kind: str = "fact", **body: object) -> Entry:
    written = json.dumps(body or {"obs": "close"}).encode()
    return Entry(seq, kind, 1, START_US, 1, "pit:p7", None, written, GENESIS, bytes([seq]) * 32)


def fact(seq: int, at_ns: int, kind: str = "fact", **body: object) -> QueuedMessage:
    return QueuedMessage("fact", "", at_ns, write_entry(entry(seq, kind, **body)))


def message(at_ns: int, data: bytes = b"D", kind: MessageKind = "rx", source: str = "shoe") -> QueuedMessage:
    return QueuedMessage(kind, source, at_ns, data)


def pictures_of_a_minute(folder: Path, camera: str, begin_utc_us: int, jpeg: bytes) -> Path:
    """Record the same picture of a camera once a second for a minute; the folder."""
    store = SegmentStore(folder, NO_RESERVE)
    begin = session()._replace(start_utc_us=begin_utc_us, start_mono_ns=0)
    source = RecordedSource(camera, ("jpeg",), {"fps": "1"})
    segments = SessionWriter(store, begin, (source,), SegmentLimits(ns=3600 * S))
    segments.make_room(0)
    for second in range(60):
        segments.write(message(second * S, jpeg, "jpeg", camera))
    segments.finish(60 * S)
    return folder


class Row:
    """Segments in a folder of their own, filled by hand."""

    def __init__(
        self, folder: Path, keep: RetentionPolicy = NO_RESERVE, size: SegmentLimits | None = None
    ) -> None:
        self.store = SegmentStore(folder, keep)
        self.segments = SessionWriter(self.store, session(), SOURCES, size or SegmentLimits(ns=60 * S))
        self.segments.make_room(5 * S)

    def put(self, *items: QueuedMessage) -> None:
        for item in items:
            self.segments.make_room(item.mono_ns)
            self.segments.write(item)
            self.segments.remember(item)

    def close(self, now_ns: int) -> list[StoredSegment]:
        self.segments.finish(now_ns)
        self.segments.release()
        return self.store.kept()

"""Sources of a round's entries and messages: a recording, a folder of them, a journal."""

import json
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from controller.domain import ConfigError
from controller.journal.entry import BadEntry, Entry
from controller.journal.store import JournalReader
from controller.recording import entry_codec
from controller.recording.format import WITHOUT_TABLE, RecordedSession, RecordedSource, RecordingError
from controller.recording.recording_reader import Recorded, Recording, segments_in
from controller.replay.history.checkpoint import RoundCheckpoint


def journal_entries(path: Path) -> list[Entry]:
    """Read a journal up to the first entry that cannot be trusted. Raises `JournalError`."""
    reader = JournalReader(path)
    try:
        return list(_good(reader.read()))
    finally:
        reader.close()


def _good(entries: Iterator[Entry | BadEntry]) -> Iterator[Entry]:
    for entry in entries:
        if isinstance(entry, BadEntry):
            return
        yield entry


def recorded_entries(path: Path, most: int | None = None) -> list[Entry]:
    """Read the journal that a recording carries, its own entries included, or the first `most` of them.

    Raises `RecordingError`: where it carries none RECORDING_WITHOUT_TABLE, or RECORDING_WITHOUT_JOURNAL if a
    table ran all the same.
    """
    with Recording(path) as recording:
        later = (entry_codec.decode(one.data, str(path)) for one in recording if one.kind == "fact")
        found = list(islice(chain(recording.history_entries(), later), most))
    if not found:
        alone = recording.session.mode == WITHOUT_TABLE
        code = "RECORDING_WITHOUT_TABLE" if alone else "RECORDING_WITHOUT_JOURNAL"
        raise RecordingError(code, path=str(path))
    return found


def segments_of(path: Path) -> list[Path]:
    """Give the segments of a folder that carry the newest one's journal, or the one file.

    Raises `RecordingError` RECORDING_MISSING for a folder without any.
    """
    if not path.is_dir():
        return [path]
    segments = segments_in(path)
    if not segments:
        raise RecordingError("RECORDING_MISSING", path=str(path), reason="-")
    ids = {segment: _journal_id(segment) for segment in segments}
    journal = next((found for found in reversed(ids.values()) if found is not None), None)
    if journal is None:
        raise RecordingError("RECORDING_EMPTY", path=str(path))
    return [segment for segment, found in ids.items() if found == journal]


class Clip(NamedTuple):
    """Segments of one recording, in order, with the journal entries that they lack.

    Without `pictures` only those of a camera at the shoe's mouth stay: they stand for a shoe's bytes.
    `attached` are the names and contents of attached files.
    """

    segments: tuple[Path, ...]
    session: RecordedSession
    pictures: bool = True
    entries: tuple[Entry, ...] = ()
    attached: tuple[tuple[str, bytes], ...] = ()

    def messages(self) -> Iterator[Recorded]:
        """Give every message, on the clock of the first segment's session."""
        return merge(self._journalled(), self._recorded(), key=lambda one: one.utc_ns)

    def _journalled(self) -> Iterator[Recorded]:
        for entry in self.entries:
            utc_ns = entry.at_utc_us * 1000
            yield Recorded("fact", "", self.session.mono_ns(utc_ns), utc_ns, entry_codec.encode(entry))

    def _recorded(self) -> Iterator[Recorded]:
        mouth = _mouth(self.session)
        for path in self.segments:
            with Recording(path) as recording:
                for recorded in recording:
                    if self.pictures or recorded.kind != "jpeg" or recorded.source == mouth:
                        yield recorded._replace(mono_ns=self.session.mono_ns(recorded.utc_ns))

    def sources(self) -> list[RecordedSource]:
        """Return the devices with the settings that a replay needs for their drivers."""
        found: dict[str, RecordedSource] = {}
        for path in self.segments:
            with Recording(path) as recording:
                for (kind, name), settings in recording.settings.items():
                    known = found.get(name, RecordedSource(name, (), settings))
                    if name and kind not in known.kinds:
                        found[name] = known._replace(kinds=(*known.kinds, kind))
        return list(found.values())


def _mouth(session: RecordedSession) -> str:
    """Name the camera that has seen the cards, "" where a shoe has read them."""
    try:
        cameras = json.loads(session.config)["camera"]
        return str(next((one["name"] for one in cameras if one.get("profile") == "shoe_mouth"), ""))
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


def clip_of(segments: Sequence[Path], entries: Sequence[Entry], *, pictures: bool) -> Clip:
    """Choose the segments in which these entries were made, by the journal that each begins with."""
    first, last = entries[0].seq, entries[-1].seq
    ends = [_history_end(segment) for segment in segments]
    nexts = [*ends[1:], last]
    chosen = [
        segment
        for segment, before, after in zip(segments, ends, nexts, strict=True)
        if before < last and after >= first
    ]
    if not chosen:
        raise ConfigError("ROUND_NOT_RECORDED", round=entries[0].round_id or 0)
    return Clip(tuple(chosen), _session(chosen[0]), pictures)


def is_recorded(segments: Sequence[Path], entries: Sequence[Entry]) -> bool:
    """Whether the segments reach back to the first of these entries, which the ring may have dropped."""
    return _history_end(segments[0]) < entries[0].seq


def journal_clip(entries: Sequence[Entry], start: RoundCheckpoint) -> Clip:
    """Make a clip of a journal alone: there are no bytes, everything is taken as it was journalled."""
    begun_us = entries[0].at_utc_us
    session = RecordedSession(start.table, start.currency, "", "live", begun_us, begun_us * 1000)
    return Clip((), session, entries=tuple(entries))


def _journal_id(path: Path) -> str | None:
    """Name the journal of a segment; None for a file that a crash left without a beginning."""
    try:
        return _session(path).journal_id
    except RecordingError:
        return None


def _session(path: Path) -> RecordedSession:
    with Recording(path) as recording:
        return recording.session


def _history_end(path: Path) -> int:
    with Recording(path) as recording:
        return recording.history[-1].seq if recording.history else 0

"""The recorder of a table: its configuration and journal in, a handle that taps the devices out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

from controller.config import TableConfig
from controller.config.recording import RecordingSection
from controller.devices.kept.recording_session import journal_id, recorded_sources, recording_session
from controller.domain.rules import RuleSet
from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal, JournalReader
from controller.ports import Clock, Report, ReportSink, Tap, Trouble
from controller.ports.side_disk import MACHINE_DISK, SideDisk
from controller.ports.work import StartWork, WorkThread
from controller.recording import entry_codec
from controller.recording.format import RecordingError
from controller.recording.recorder import Recorder, SegmentLimits, SessionWriter
from controller.recording.recording_reader import RecordedPictures
from controller.recording.segments import DAY_US, RetentionPolicy, SegmentStore

NAME: Final = "recorder"
SHARE: Final = 8
"""A segment takes no more than this part of the budget, because whole segments are removed."""

SEGMENT_BYTES_MAX: Final = 2_000 << 20


class RecordedJournal(Journal):
    """A journal that tells what it has on disk, and only then."""

    on_written: Callable[[Sequence[Entry]], None] | None = None

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """See `Journal.append`."""
        written = super().append(entries, at_utc_us)
        # After the disk has it: a recording never knows more than its journal.
        if self.on_written is not None:
            self.on_written(written)
        return written


class RecorderHandle:
    """The recorder of a table that may have none."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        """Nothing runs yet."""
        self._recorder = recorder

    @property
    def tap(self) -> Tap | None:
        """What the devices are given."""
        return self._recorder

    def open(self, start: StartWork = WorkThread) -> None:
        """Start recording."""
        if self._recorder is not None:
            self._recorder.open(start)

    def close(self) -> None:
        """Close the file; returns when that is done."""
        if self._recorder is not None:
            self._recorder.close()

    def figures(self) -> Mapping[str, float]:
        """Give the figures for the house's monitoring; none without a recorder.

        Messages are counted, not bytes: a ten is written with a sign more than the other ranks.
        """
        if self._recorder is None:
            return {}
        status = self._recorder.status()
        return {
            "recording": float(status.state == "recording"),
            "recorded_messages": status.messages,
            "recording_dropped": status.dropped,
        }


def recorder_handle(
    config: TableConfig,
    rules: RuleSet,
    mode: str,
    *,
    journal: RecordedJournal,
    clock: Clock,
    post: ReportSink,
) -> RecorderHandle:
    """Make the recorder of a table; its warnings go to `post`.

    The journal as it is now becomes the history of the first segment; what it writes later is recorded.
    """
    if not (mode == "live" if config.recording.enabled is None else config.recording.enabled):
        return RecorderHandle()
    session = recording_session(config, rules, mode, clock)
    session = session._replace(journal_id=journal_id(next(journal.read(), None)))
    segments = SessionWriter(
        segment_store(config, journal.disk),
        session,
        recorded_sources(config),
        segment_limits(config.recording),
        history_of(config.journal.file, journal.head().seq),
    )
    recorder = Recorder(segments, clock, lambda error: post(recorder_warning(error, clock)))
    journal.on_written = recorder.wrote
    return RecorderHandle(recorder)


def history_of(journal: Path, last: int) -> Iterator[bytes]:
    """The entries of a journal up to `last`, encoded; its file is opened with the first."""
    reader = JournalReader(journal)
    try:
        for entry in takewhile(lambda entry: entry.seq <= last, reader.read()):
            if isinstance(entry, Entry):
                yield entry_codec.encode(entry)
    finally:
        reader.close()


def past_pictures(config: TableConfig, cameras: Sequence[str]) -> RecordedPictures:
    """Find what these cameras showed at a moment, in the table's recordings."""
    return RecordedPictures(recordings_folder(config), cameras)


def recordings_folder(config: TableConfig) -> Path:
    """Where a table's recordings are."""
    return config.recording.folder or config.journal.undated.with_suffix(".recordings")


def segment_store(config: TableConfig, disk: SideDisk = MACHINE_DISK) -> SegmentStore:
    """Find the folder of a table's recordings, and how much it may hold."""
    section = config.recording
    folder = recordings_folder(config)
    keep = RetentionPolicy(
        ring_us=section.keep_minutes * 60 * 10**6,
        pinned_us=section.pinned_days * DAY_US,
        budget_bytes=section.disk_budget_mb << 20,
        reserve_bytes=section.reserve_mb << 20,
    )
    return SegmentStore(folder, keep, disk)


def segment_limits(section: RecordingSection) -> SegmentLimits:
    """Tell when a segment ends."""
    size = min(SEGMENT_BYTES_MAX, (section.disk_budget_mb << 20) // SHARE)
    return SegmentLimits(section.segment_minutes * 60 * 10**9, size)


def recorder_warning(error: RecordingError, clock: Clock) -> Report:
    """Tell the pit that something is not recorded; the table goes on."""
    params = tuple((key, value) for key, value in error.params.items() if key != "path")
    return Report(NAME, clock.mono_ns(), (), (Trouble(error.code, params, hold=False),))

"""A recording played once more: its bytes through the drivers, its facts through the engine."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from controller.config import TableConfig
from controller.devices.cameras.setup import contradiction_detector
from controller.feed.replay import Played
from controller.journal.entry import body_of
from controller.ports import Report
from controller.recording import entry_codec
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.history.checkpoint import CHECKPOINT, decode, ledger_of
from controller.replay.history.reconstruct import device_of
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.journal_replayer import JournalReplayer
from controller.replay.live.replayed_devices import ReplayDevices, ReplayedCamera
from controller.runtime.contradictions import FrameObservation
from controller.runtime.inbox import DeviceItem
from controller.runtime.ledger import Ledger, naming_of
from controller.runtime.redaction import secret_rounds
from controller.runtime.restore import restore

COMPARED: Final = "compared"


class NextMessage(NamedTuple):
    """A message of the recording that comes next; `t` is seconds since it began."""

    t: float
    recorded: Recorded


class RecordingReplayer:
    """Plays one recording once. `differences` is complete when `play` has come to its end."""

    def __init__(
        self,
        recording: Recording,
        config: TableConfig | None = None,
        before: Callable[[NextMessage], None] = lambda _: None,
        item: Callable[[DeviceItem], None] = lambda _: None,
    ) -> None:
        """Prepare a replay. `config` replaces the recorded settings; `before` is called before each message.

        `before` may wait. `item` gets all reports of the replayed drivers and cameras, from their threads.

        Raises `JournalError` when the recorded history is no journal, `RecordingError` for an unreadable
        checkpoint of a round.
        """
        self._recording = recording
        self._before = before
        self._item = item
        self._found: list[ReplayDifference] = []
        self.counts: Final[Counter[str]] = Counter()
        """Messages by kind, and under COMPARED the entries that were made anew."""
        self._turned: set[int | None] = set()
        self.seconds = 0.0
        """How long what was played took."""
        self._devices = ReplayDevices(recording, config, self._receive)
        cameras = self._devices.cameras()
        self._journal = JournalReplayer(table_before(recording), self.played_lines(), cameras)
        used = self._devices.config
        self._detector = None if used is None else contradiction_detector(used)
        self._follow_moves(0)

    @property
    def differences(self) -> list[ReplayDifference]:
        """The differences, in order of time."""
        return sorted([*self._found, *self._journal.differences], key=lambda difference: difference.t)

    def played_lines(self) -> set[str]:
        """Return the shoes and chip sources whose bytes are replayed."""
        return self._devices.shoes() | self._devices.chip_sources()

    def unread(self) -> set[str]:
        """Return the devices whose bytes are not compared.

        No driver of this version reads them, or the table was opened before houses had profiles.
        """
        by_rules = self.played_lines() if self._journal.before_profiles else set()
        return self._devices.unread_chips() | by_rules

    def table_cameras(self) -> dict[str, ReplayedCamera]:
        """The cameras over the layout that have shown something so far, by name."""
        return self._devices.table_cameras()

    @property
    def at_table(self) -> bool:
        """Whether the recording is that of a table, or of devices alone."""
        return self._journal.ledger is not None

    @property
    def secret(self) -> frozenset[int]:
        """The rounds whose face-down card was never turned: their cards must not be shown."""
        ledger = self._journal.ledger
        return frozenset() if ledger is None else secret_rounds(ledger.state, ledger.unturned) - self._turned

    def play(self) -> Iterator[Played]:
        """Play the recording; yield what a replay of a feed yields."""
        first_ns: int | None = None
        last_ns = 0
        try:
            for recorded in self._recording:
                last_ns = recorded.mono_ns
                first_ns = last_ns if first_ns is None else first_ns
                self.seconds = (last_ns - first_ns) / 1e9
                self._before(NextMessage(self.seconds, recorded))
                self.counts[recorded.kind] += 1
                yield from self._take(recorded, self.seconds)
            yield from self._journal.end(last_ns, self.seconds)
        finally:
            self._devices.close()
            self.counts[COMPARED] = self._journal.compared

    def _take(self, recorded: Recorded, t: float) -> Iterator[Played]:
        self._journal.pass_time(recorded.mono_ns, t)
        if recorded.kind != "fact":
            self._found += self._devices.take(recorded, t)
            return
        entry = entry_codec.decode(recorded.data, str(self._recording.path))
        body = body_of(entry)
        if entry.kind == "fact" and body.get("obs") == "reveal":
            self._turned.add(entry.round_id)
        # What follows from time alone was reported before its entry.
        self._devices.let_pass(recorded.mono_ns, device_of(entry) or "")
        yield from self._journal.take(entry, recorded.mono_ns, t)
        self._devices.follow(entry, recorded.mono_ns)
        if entry.kind == "ordered":
            self._devices.order(body["device"], body["order"])
        elif entry.kind == "named":
            self._devices.name_card(naming_of(body), entry.actor)
        self._follow_moves(recorded.mono_ns)

    def _receive(self, item: DeviceItem) -> None:
        """Take a report of a driver or a camera, from its thread, which is waited for.

        The observations of a camera that deals are taken as recorded.
        """
        self._item(item)
        if isinstance(item, Report):
            self._journal.receive(item)
        elif (
            isinstance(item, FrameObservation)
            and self._detector is not None
            and self._journal.ledger is not None
        ):
            self._journal.receive(self._detector.report(item, self._journal.ledger))

    def _follow_moves(self, mono_ns: int) -> None:
        if self._detector is not None and self._journal.ledger is not None:
            self._detector.follow(self._journal.ledger, mono_ns)


def table_before(recording: Recording) -> Ledger | None:
    """Return the table at the beginning of the recording; None when the recording itself opens it.

    Raises `JournalError` when the recorded history is no journal, `RecordingError` for an unreadable
    checkpoint of a round.
    """
    start = recording.attachments.get(CHECKPOINT)
    if start is not None:
        return ledger_of(decode(start, str(recording.path)))
    return restore(recording.history)

"""The reports of recorded devices: the evidence before each moment of a table, and devices without a table.

`RecordingReplayer` plays the recording again with the live table's drivers, trackers and outlines. Played
twice, it shows what the devices report otherwise under other settings of the table.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from os import SEEK_END
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import DeviceSeen, Observation, declared
from controller.config.model import TableConfig
from controller.devices.cameras.snapshots import TrackedCamera, card_length
from controller.domain import RuleSet
from controller.engine.state import new_table
from controller.feed.codec import to_json
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.feed_table import TableStep
from controller.outputs import MCAP
from controller.ports import Report
from controller.recording.format import WITHOUT_TABLE, RecordingError, decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.devices import ReplayDevices, ReplayedCamera, rules_of
from controller.replay.journal_feed import FIRST_LINE, SteadyTime, started_at
from controller.replay.recording_replayer import RecordingReplayer
from controller.runtime.contradictions import CameraSight
from controller.runtime.inbox import DeviceItem

FRESH_NS: Final = 2_000_000_000
"""An older picture is not shown, as on the live screens: it may be another round's."""


class Moment(NamedTuple):
    """A requested moment; the flags say what must be hidden in it."""

    mono_ns: int
    hides_dealer: bool
    hides_bytes: bool


class SeenMoment(NamedTuple):
    """All that reached the table since the moment before; `hidden`: bytes are kept back.

    `cameras` are their pictures with the time when each was taken; `received` are the bytes of lines, each
    with the driver's reports of them.
    """

    cameras: tuple[tuple[int, CameraSight], ...]
    received: tuple[tuple[Recorded, tuple[Report, ...]], ...]
    hidden: bool


def recorded_times(path: Path, started_at: str) -> tuple[Callable[[float], int | None], dict[str, list[int]]]:
    """Read the times of a recording, nanoseconds of its own clock; `started_at` is that of its feed.

    Return the moment of the journal entry (of devices alone: the message) behind a feed line at `t` seconds,
    None for an entry before the recording; and the pictures' times of each camera, in order. Raises
    `RecordingError`.
    """
    pictures: dict[str, list[int]] = {}
    entries: dict[int, int] = {}
    with Recording(path) as recording:
        time = SteadyTime()
        stamps = [time.at(entry.at_utc_us) for entry in recording.history]
        alone = recording.session.mode == WITHOUT_TABLE
        if alone:
            stamps.append(recording.session.start_utc_us)
        for recorded in recording:
            if alone:
                entries.setdefault(recorded.utc_ns // 1000, recorded.mono_ns)
            if recorded.kind == "jpeg":
                pictures.setdefault(recorded.source, []).append(recorded.mono_ns)
            elif recorded.kind == "fact":
                stamp = time.at(decode_entry(recorded.data, str(path)).at_utc_us)
                stamps.append(stamp)
                entries.setdefault(stamp, recorded.mono_ns)
    # The header counts milliseconds, lines count from the very microsecond.
    began_ms = datetime.fromisoformat(started_at).timestamp() * 1000
    began = next((one for one in stamps if abs(one / 1000 - began_ms) <= 1), round(began_ms * 1000))
    return lambda t: entries.get(began + round(t * 1e6)), pictures


def seen_moments(
    path: Path,
    moments: Sequence[Moment],
    stops: Callable[[], bool] = lambda: False,
    config: TableConfig | None = None,
) -> Iterator[SeenMoment]:
    """Play a recording; yield the evidence of each moment, in order, until `stops` returns true.

    `config` replaces the recorded settings. The moments are in order of time, and all those in which
    something has to be hidden are among them: a picture and bytes are held to the moments around them.
    Raises `RecordingError` and `JournalError`.
    """
    with Recording(path) as recording:
        watched = _WatchedMoment(moments)
        replayer = RecordingReplayer(recording, config, watched.before, watched.receive)
        watched.cameras, watched.lines = replayer.devices.table_cameras, replayer.played_lines
        for _ in replayer.play():
            yield from watched.taken()
            if stops():
                return
        watched.end()
        yield from watched.taken()


class _WatchedMoment:
    """The evidence since the last moment, and the results of the moments so far."""

    def __init__(self, moments: Sequence[Moment]) -> None:
        self._moments = moments
        self._times = [one.mono_ns for one in moments]
        self._at = 0
        self._received: list[tuple[Recorded, tuple[Report, ...]]] = []
        self._found: list[SeenMoment] = []
        self._kept: dict[tuple[str, int, bool], CameraSight | None] = {}
        self.cameras: Callable[[], dict[str, ReplayedCamera]] = dict
        self.lines: Callable[[], set[str]] = set

    def before(self, _t: float, recorded: Recorded) -> None:
        """Close the moments that lie before this message."""
        while self._at < len(self._times) and self._times[self._at] < recorded.mono_ns:
            self._close()
        # Not of other lines: a peek device's report is secret.
        if recorded.kind == "rx" and recorded.source in self.lines():
            self._received.append((recorded, ()))

    def receive(self, item: DeviceItem) -> None:
        """Add a driver's report to the last bytes."""
        recorded, reports = self._received[-1] if self._received else (None, ())
        if isinstance(item, Report) and recorded is not None and recorded.source == item.source:
            self._received[-1] = (recorded, (*reports, item))

    def end(self) -> None:
        """Close the remaining moments."""
        while self._at < len(self._times):
            self._close()

    def taken(self) -> Iterator[SeenMoment]:
        """Return the results since the last call."""
        found, self._found = self._found, []
        return iter(found)

    def _close(self) -> None:
        at = self._at
        self._at += 1
        received, self._received = tuple(self._received), []
        # The moments beside it as well: a chunk may begin the next message, or repeat one.
        hidden = any(one.hides_bytes for one in self._moments[max(at - 1, 0) : at + 2])
        seen = (self._sight(name, camera, at) for name, camera in self.cameras().items())
        cameras = tuple(one for one in seen if one is not None)
        self._found.append(SeenMoment(cameras, () if hidden else received, hidden))

    def _sight(self, name: str, camera: ReplayedCamera, at: int) -> tuple[int, CameraSight] | None:
        last = camera.tracker.last
        if last is None or not 0 <= self._times[at] - last.mono_ns <= FRESH_NS:
            return None
        before = bisect_right(self._times, last.mono_ns) - 1
        hides = before < 0 or any(one.hides_dealer for one in self._moments[before : at + 1])
        key = (name, last.mono_ns, hides)
        if key not in self._kept:
            self._kept = {one: kept for one, kept in self._kept.items() if one[0] != name}
            tracked = TrackedCamera(name, camera.box_at, camera.tracker)
            self._kept[key] = tracked.sight(last, hides_dealer=hides, card_px=card_length(last))
        sight = self._kept[key]
        return None if sight is None else (last.mono_ns, sight)


_UNCLEAR = "?"
_FACE_DOWN = "down"


class ReadDifference(NamedTuple):
    """A device's differing report at one of the moments, which `moment` counts from 0.

    `box` is the card's place (0: the dealer), None outside the boxes and for a serial line. `expected` is the
    reading by the recording's own settings, `actual` that by the others, None without one.
    """

    moment: int
    source: str
    box: int | None
    expected: str | None
    actual: str | None


def compare_settings(path: Path, moments: Sequence[Moment], config: TableConfig) -> Iterator[ReadDifference]:
    """Play a recording twice, side by side; yield the differing readings at the moments of `seen_moments`.

    A lasting difference is yielded once. Raises `RecordingError` and `JournalError`.
    """
    stood: set[ReadDifference] = set()
    both = zip(seen_moments(path, moments), seen_moments(path, moments, config=config), strict=False)
    for moment, (own, other) in enumerate(both):
        lies = set(_cards(own, other, hides_dealer=moments[moment].hides_dealer))
        yield from (one._replace(moment=moment) for one in sorted(lies - stood, key=str))
        yield from (one._replace(moment=moment) for one in _lines(own, other))
        stood = lies


def _cards(own: SeenMoment, other: SeenMoment, *, hides_dealer: bool) -> Iterator[ReadDifference]:
    """Cards that one of the two names and the other one does not, by camera and box; of moment 0."""
    expected, actual = _named(own.cameras), _named(other.cameras)
    for source, box in sorted({*expected, *actual}, key=str):
        # Other settings may not know where the dealer's cards lie.
        if hides_dealer and not box:
            continue
        one, two = expected.get((source, box), Counter()), actual.get((source, box), Counter())
        gone, come = sorted((one - two).elements()), sorted((two - one).elements())
        for at in range(max(len(gone), len(come))):
            pair = (names[at] if at < len(names) else None for names in (gone, come))
            yield ReadDifference(0, source, box, *pair)


def _named(cameras: Sequence[tuple[int, CameraSight]]) -> dict[tuple[str, int | None], Counter[str]]:
    found: dict[tuple[str, int | None], Counter[str]] = {}
    for _, sight in cameras:
        for card in sight.cards:
            named = _FACE_DOWN if card.look == "down" else card.card or _UNCLEAR
            found.setdefault((sight.camera, card.box), Counter())[named] += 1
    return found


def _lines(own: SeenMoment, other: SeenMoment) -> Iterator[ReadDifference]:
    """Yield the drivers' differing reports of the same bytes; as moment 0."""
    for (recorded, one), (_, two) in zip(own.received, other.received, strict=False):
        expected, actual = _report_text(one), _report_text(two)
        if expected != actual:
            yield ReadDifference(0, recorded.source, None, expected, actual)


def _report_text(reports: Sequence[Report]) -> str | None:
    """Return a driver's reports as one line."""
    known = [
        f"{declared(obs).name} {' '.join(str(value) for key, value in to_json(obs).items() if key != 'obs')}"
        for report in reports
        for obs in report.observations
    ]
    return ", ".join([*known, *(one.code for report in reports for one in report.troubles)]) or None


_FRESH_S: Final = 3600
"""So long after it was last written a recording may still hold a card that lies face down: a round that the
pit has to rule on takes its time. A choice of caution, not measured."""


def require_turned(path: Path, now_utc_us: int, *, face_down: bool) -> None:
    """Refuse a recent recording of devices alone: a card in it may still be face down at a table.

    Its age is its modification time: a copy counts from its making. With `face_down`, a person's statement, a
    closed recording is admitted; an unfinished one never is. Raises `RecordingError` RECORDING_FRESH, or the
    reason why it cannot be read.
    """
    with Recording(path) as recording:
        alone = recording.session.mode == WITHOUT_TABLE
        if not alone or rules_of(recording).hole_card == "none":
            return
    if now_utc_us / 1e6 - path.stat().st_mtime > _FRESH_S:
        return
    with path.open("rb") as stream:
        stream.seek(-len(MCAP), SEEK_END)
        closed = stream.read() == MCAP
    if not (closed and face_down):
        raise RecordingError("RECORDING_FRESH", path=str(path))


def devices_alone(
    recording: Recording, most: int | None = None
) -> tuple[FeedHeader, RuleSet, tuple[TableStep, ...]]:
    """Read the bytes and pictures once more with the live table's drivers; the first `most` messages alone.

    Return the header, the rules, and the reports as steps, each with the empty table that it left unchanged.

    Pictures of a camera over the layout name no card by themselves and are not read: each is a line that
    says that its camera was there. Raises `RecordingError` RECORDING_SETTINGS where the rules or a device's
    settings cannot be read.
    """
    session, rules = recording.session, rules_of(recording)
    table = new_table(rules)
    lines = [TableStep(line, table, table, ()) for line in _reported_lines(recording, most)]
    header = FeedHeader(session.table, rules.name, {}, session.currency, started_at(session.start_utc_us))
    return header, rules, tuple(lines)


def _reported_lines(recording: Recording, most: int | None) -> list[FeedLine]:
    """Return the drivers' reports; each message waits for the driver's thread."""
    lines: list[FeedLine] = []
    t = 0.0

    def add(obs: Observation) -> None:
        lines.append(FeedLine(FIRST_LINE + len(lines), t, obs))

    def take(item: DeviceItem) -> None:
        for obs in item.observations if isinstance(item, Report) else ():
            add(obs)

    devices = ReplayDevices(recording, None, take)
    try:
        for recorded in islice(recording, most):
            t = (recorded.utc_ns // 1000 - recording.session.start_utc_us) / 1e6
            if recorded.kind == "jpeg" and recorded.source in devices.cameras():
                add(DeviceSeen(recorded.source, "live"))
            else:
                devices.take(recorded, t)
        # Closing the drivers is not recorded: their reports of it have no line.
        return lines[:]
    finally:
        devices.close()

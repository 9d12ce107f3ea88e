"""Recordings of devices without a table (`stand17 record`) as lines of a feed, without decisions."""

from itertools import islice
from os import SEEK_END
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import DeviceSeen, Observation
from controller.domain import RuleSet
from controller.engine.state import new_table
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.feed_table import TableStep
from controller.outputs import MCAP
from controller.ports import Report
from controller.recording.format import WITHOUT_TABLE, RecordingError
from controller.recording.recording_reader import Recording
from controller.replay.history.feed_export import FIRST_LINE, started_at
from controller.replay.live.replayed_devices import ReplayDevices, rules_of
from controller.runtime.inbox import DeviceItem

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


class DevicesAlone(NamedTuple):
    """The reports of a recording, each with the empty table that it left unchanged."""

    header: FeedHeader
    rules: RuleSet
    steps: tuple[TableStep, ...]


def devices_alone(recording: Recording, most: int | None = None) -> DevicesAlone:
    """Read the bytes and pictures once more with the live table's drivers; the first `most` messages alone.

    Pictures of a camera over the layout name no card by themselves and are not read: each is a line that
    says that its camera was there. Raises `RecordingError` RECORDING_SETTINGS where the rules or a device's
    settings cannot be read.
    """
    session, rules = recording.session, rules_of(recording)
    table = new_table(rules)
    lines = [TableStep(line, table, table, ()) for line in _lines(recording, most)]
    header = FeedHeader(session.table, rules.name, {}, session.currency, started_at(session.start_utc_us))
    return DevicesAlone(header, rules, tuple(lines))


def _lines(recording: Recording, most: int | None) -> list[FeedLine]:
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

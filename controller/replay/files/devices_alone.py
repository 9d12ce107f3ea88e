"""What devices sent while no table ran (`stand17 record`), as the lines of a feed: nothing was decided."""

from typing import NamedTuple

from controller.domain.rules import RuleSet
from controller.engine.state import new_table
from controller.feed.header import FeedHeader
from controller.feed.reading import FeedLine
from controller.feed.table_step import TableStep
from controller.ports import Report
from controller.recording.reader import Recording
from controller.replay.history.feed_export import FIRST_LINE, started_at
from controller.replay.live.devices import ReplayDevices, rules_of
from controller.runtime.door.items import DeviceItem


class DevicesAlone(NamedTuple):
    """What was reported, each line with the empty table that it left as it was."""

    header: FeedHeader
    rules: RuleSet
    steps: tuple[TableStep, ...]


def devices_alone(recording: Recording) -> DevicesAlone:
    """Read the bytes and pictures once more with the live table's drivers, up to the last whole message.

    Pictures of a camera over the layout name no card by themselves: they give no line, and are not read.
    Raises `RecordingError` RECORDING_SETTINGS where the rules or a device's settings cannot be read.
    """
    session, rules = recording.session, rules_of(recording)
    table = new_table(rules)
    lines = [TableStep(line, table, table, ()) for line in _lines(recording)]
    header = FeedHeader(session.table, rules.name, {}, session.currency, started_at(session.start_utc_us))
    return DevicesAlone(header, rules, tuple(lines))


def _lines(recording: Recording) -> list[FeedLine]:
    """What the drivers report; they speak from their own threads, which each message is waited for in."""
    lines: list[FeedLine] = []
    t = 0.0

    def take(item: DeviceItem) -> None:
        if isinstance(item, Report):
            for obs in item.observations:
                lines.append(FeedLine(FIRST_LINE + len(lines), t, obs))

    devices = ReplayDevices(recording, None, take)
    try:
        for recorded in recording:
            t = (recorded.utc_ns // 1000 - recording.session.start_utc_us) / 1e6
            if recorded.kind != "jpeg" or recorded.source not in devices.cameras():
                devices.take(recorded, t)
        # Closing the drivers is no part of the recording: what they say of it is in none of the lines.
        return lines[:]
    finally:
        devices.close()

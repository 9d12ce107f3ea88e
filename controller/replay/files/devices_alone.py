"""What devices sent while no table ran (`stand17 record`), as the lines of a feed: nothing was decided."""

from datetime import UTC, datetime
from typing import Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from controller.domain.rules import RuleSet
from controller.engine.state import new_table
from controller.feed.header import FeedHeader
from controller.feed.reading import FeedLine
from controller.feed.table_step import TableStep
from controller.ports import Report
from controller.recording.errors import RecordingError
from controller.recording.format import RecordedSession
from controller.recording.reader import Recorded, Recording
from controller.replay.history.feed_export import FIRST_LINE
from controller.replay.live.devices import ReplayDevices
from controller.runtime.door.items import DeviceItem

_RULES: Final = TypeAdapter(RuleSet)


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
    session = recording.session
    try:
        rules = _RULES.validate_json(session.rules)
    except ValidationError as error:
        raise RecordingError("RECORDING_SETTINGS", path=str(recording.path), name="rules") from error
    table = new_table(rules)
    lines = [TableStep(line, table, table, ()) for line in _lines(recording)]
    started = datetime.fromtimestamp(session.start_utc_us / 1e6, UTC).isoformat(timespec="milliseconds")
    header = FeedHeader(session.table, rules.name, {}, session.currency, started.replace("+00:00", "Z"))
    return DevicesAlone(header, rules, tuple(lines))


def seconds_of(session: RecordedSession, recorded: Recorded) -> float:
    """When a message came, in seconds since the recording began, to the microsecond."""
    return (recorded.utc_ns // 1000 - session.start_utc_us) / 1e6


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
            t = seconds_of(recording.session, recorded)
            if recorded.kind != "jpeg" or recorded.source not in devices.cameras():
                devices.take(recorded, t)
        # Closing the drivers is no part of the recording: what they say of it is in none of the lines.
        return lines[:]
    finally:
        devices.close()

"""A recorded chip source: its bytes through the live table's driver once more."""

from controller.config.inputs import ChipsSection
from controller.devices.inputs.chip_source import ChipListener
from controller.devices.inputs.opening import input_driver
from controller.domain.rules import RuleSet
from controller.ports import ReportSink
from controller.recording.recording_reader import Recorded
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.lifecycle_marks import apply_mark, mark_of
from drivers.replay import ReplayClock, ReplayLine


class ReplayedChips:
    """A chip source's driver on a recorded line; `rules` are those of the recorded table."""

    def __init__(self, section: ChipsSection, rules: RuleSet, start: Recorded, post: ReportSink) -> None:
        """Begin at the first thing that was recorded of it."""
        clock = ReplayClock(start.mono_ns, start.utc_ns // 1000)
        self._line = ReplayLine(clock)
        listener = ChipListener(section, clock, post, lambda: rules)
        self._driver = input_driver(
            section,
            clock,
            lambda _, event, mono_ns: listener.receive(event, mono_ns),
            connect=self._line.connect,
        )
        self._driver.open()

    def take(self, recorded: Recorded, t: float) -> list[ReplayDifference]:
        """See `ReplayedDevice.take`."""
        if recorded.kind == "mark":
            followed = apply_mark(self._line, recorded.mono_ns, mark_of(recorded))
        else:
            # A recording may begin with an open line.
            is_open = self._line.is_open or self._line.opens(recorded.mono_ns)
            followed = is_open and self._line.receives(recorded.mono_ns, recorded.data)
        return [] if followed else [ReplayDifference(t, "NOT_TAKEN", recorded.source)]

    def close(self) -> None:
        """See `ReplayedDevice.close`."""
        self._line.end()
        self._driver.close()

"""Keypads, pedals, peek device and rack counter: built from the configuration, heard on the table's loop."""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from controller.config.inputs import InputSection, KeysSection, PeekSection
from controller.config.model import TableConfig
from controller.domain.observations import DeviceSeen, Presence
from controller.ports import Clock, ObservationSource, Report, Tap, Trouble
from controller.runtime.inbox import Inbox
from controller.runtime.rack import RackWatch
from controller.runtime.table import Table
from controller.web.keypad import KeyDesk
from drivers.keys import NUMBER_PAD, KeyEvent, Keypad, KeyPressed, KeysLost
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line import LineConfig
from drivers.text_line import (
    LineRefused,
    LinesLost,
    Peeked,
    RackCounted,
    TextDevice,
    TextEvent,
    to_observations,
)

WAITING_MAX: Final = 64
"""Presses and reports that may wait; a table that cannot keep up loses the newest and says so."""

InputEvent = KeyEvent | TextEvent | DeviceChanged
Hear = Callable[[InputSection, InputEvent, int], None]

_KIND: Final = {"KeysSection": "keys", "PeekSection": "peek", "RackSection": "rack"}
_SEEN: Final[dict[str, Presence]] = {"live": "live", "stale": "stale"}


class Heard(NamedTuple):
    """What a device said, and when its last byte came."""

    section: InputSection
    event: InputEvent
    mono_ns: int


def driver_of(
    section: InputSection, clock: Clock, hear: Hear, tap: Tap | None = None, life: LifePolicy | None = None
) -> ObservationSource:
    """Build the driver of one small device; nothing is opened yet."""
    life = life or LifePolicy()

    def post(event: InputEvent, mono_ns: int) -> None:
        hear(section, event, mono_ns)

    if isinstance(section, KeysSection) and section.kind == "input":
        return Keypad(section.name, section.port, section.keys or NUMBER_PAD, post, clock, life=life, tap=tap)
    config = LineConfig(section.name, section.port, section.baud, life, _KIND[type(section).__name__])
    return TextDevice(config, post, clock, tap=tap)


class InputDesk:
    """Hears the devices from their threads and passes on what they mean. Made on the table's loop."""

    def __init__(self, config: TableConfig, clock: Clock, keys: KeyDesk, table: Table) -> None:
        """`keys` is the way of a key into this table."""
        self._config = config
        self._clock = clock
        self._keys = keys
        self._hub = table.hub
        self._post = table.post
        self._inbox: Inbox[Heard] = Inbox(WAITING_MAX)
        self._seen: dict[str, str] = {}
        rack = config.rack
        self._rack = RackWatch(rack.name, rack.tolerance, rack.settle_ms) if rack else None

    def hear(self, section: InputSection, event: InputEvent, mono_ns: int) -> None:
        """Take an event from a device's thread."""
        self._inbox.post(Heard(section, event, mono_ns))

    def tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """Give what has to run beside the table, by name; nothing for a table without such devices."""
        if not self._config.inputs:
            return {}
        tasks = {"inputs": self._listen(), "keys": self._keys.follow(self._clock.mono_ns)}
        return tasks if self._rack is None else {**tasks, "rack": self._compare(self._rack)}

    async def _listen(self) -> None:
        """Pass on what the devices say, in order, until cancelled."""
        while True:
            items, lost = await self._inbox.take()
            for item in items:
                await self._take(item)
            if lost:
                name = items[-1].section.name
                self._warn(name, Trouble("KEYS_LOST", (("name", name),), hold=False))

    async def _compare(self, rack: RackWatch) -> None:
        """Compare the rack at every change of the table, and at its every tick."""
        async for _, snapshot in self._hub.subscribe():
            trouble = rack.judge(snapshot, self._clock.mono_ns())
            if trouble is not None:
                self._warn(rack.name, trouble)

    async def _take(self, item: Heard) -> None:
        section, event, mono_ns = item
        match event:
            case KeyPressed(word) if isinstance(section, KeysSection):
                await self._keys.press(section.name, word, mono_ns)
            case Peeked() if isinstance(section, PeekSection):
                self._post(Report(section.name, mono_ns, to_observations(event)))
            case RackCounted(cards) if self._rack is not None and section.name == self._rack.name:
                self._rack.counted(cards, mono_ns)
            case DeviceChanged():
                self._changed(section, event, mono_ns)
            case _:
                self._doubt(section, event)

    def _doubt(self, section: InputSection, event: InputEvent) -> None:
        """Warn of what was lost, and of words that this device has no business to say.

        A damaged line is only counted: the jump of its counter tells when it was more than noise.
        """
        name = ("name", section.name)
        match event:
            case KeysLost():
                self._warn(section.name, Trouble("KEYS_LOST", (name,), hold=False))
            case LinesLost():
                self._warn(section.name, Trouble("INPUT_LINES_LOST", (name,), hold=False))
            case LineRefused(code) if code != "WORD":
                pass
            case _:
                self._warn(section.name, Trouble("INPUT_NOT_UNDERSTOOD", (name,), hold=False))

    def _changed(self, section: InputSection, event: DeviceChanged, mono_ns: int) -> None:
        """Tell when a device comes and goes. One that is not required only warns."""
        if event.state == "fault":
            given_up = (("name", section.name), ("port", event.port), ("reason", event.reason))
            self._warn(section.name, Trouble("DEVICE_FAULT", given_up, hold=section.required))
        if self._rack is not None and section.name == self._rack.name and event.state != "live":
            self._rack.forget()
        seen = _SEEN.get(event.state, "lost")
        if self._seen.get(section.name) == seen:
            return
        self._seen[section.name] = seen
        if section.required:
            self._post(Report(section.name, mono_ns, (DeviceSeen(section.name, seen),)))
        elif seen != "live" and event.state != "fault":
            code = "DEVICE_STALE" if seen == "stale" else "DEVICE_LOST"
            self._warn(section.name, Trouble(code, (("name", section.name),), hold=False))

    def _warn(self, source: str, trouble: Trouble) -> None:
        self._post(Report(source, self._clock.mono_ns(), (), (trouble,)))

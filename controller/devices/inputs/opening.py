"""Keypads, pedals and other small devices: their events in, presses and reports for the table out."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final, NamedTuple

from controller.config.inputs import ChipsSection, InputSection, KeysSection, PeekSection
from controller.config.model import TableConfig
from controller.devices.inputs.chip_source import ChipListener
from controller.devices.inputs.doubts import doubt_of
from controller.devices.presence import PresenceReporter
from controller.ports import Clock, Report, ReportSink, Tap, Trouble
from controller.runtime.api import DeviceKind, Hub
from controller.runtime.door.inbox import Inbox
from drivers.device_driver import DeviceDriver
from drivers.keys import NUMBER_PAD, InputStream, KeyEvent, Keypad, KeyPressed
from drivers.lifecycle import DeviceChanged, LifePolicy
from drivers.line import Connect, LineConfig, LineDriver, SerialStream
from drivers.text_line import Peeked, TextEvent, TextLines, to_observations

WAITING_MAX: Final = 64
"""Presses and reports that may wait; a table that cannot keep up loses the newest and says so."""

InputEvent = KeyEvent | TextEvent | DeviceChanged
InputListener = Callable[[InputSection, InputEvent, int], None]

Press = Callable[[str, str, int], Awaitable[object]]
"""Does what a key means: device, word of the key, and when it went down (monotonic ns)."""

_KIND: Final[Mapping[type[InputSection], DeviceKind]] = {
    KeysSection: "keys",
    PeekSection: "peek",
    ChipsSection: "chips",
}


class InputReport(NamedTuple):
    """What a device said, and when its last byte came."""

    section: InputSection
    event: InputEvent
    mono_ns: int


def input_driver(
    section: InputSection,
    clock: Clock,
    receive: InputListener,
    tap: Tap | None = None,
    life: LifePolicy | None = None,
    *,
    connect: Connect | None = None,
) -> DeviceDriver:
    """Build the driver of one small device; nothing is opened yet. `connect` may open a recorded line."""
    life = life or LifePolicy()

    def post(event: InputEvent, mono_ns: int) -> None:
        receive(section, event, mono_ns)

    if isinstance(section, KeysSection) and section.kind == "input":
        keys, opened = section.keys or NUMBER_PAD, connect or InputStream
        return Keypad(section.name, section.port, keys, post, clock, life=life, connect=opened, tap=tap)
    connect = connect or SerialStream
    config = LineConfig(section.name, section.port, section.baud, life, _KIND[type(section)])
    return LineDriver(config, TextLines(), post, clock, connect=connect, tap=tap)


class InputHandler:
    """Hears the devices from their threads and passes on what they mean. Made on the table's loop."""

    def __init__(self, config: TableConfig, clock: Clock, hub: Hub, post: ReportSink, press: Press) -> None:
        """`post` is the table's inbox, `press` does what a key means."""
        self._config = config
        self._clock = clock
        self._hub = hub
        self._post = post
        self._press = press
        self._inbox: Inbox[InputReport] = Inbox(WAITING_MAX)
        self._presence: dict[str, PresenceReporter] = {}
        self._chips = {
            section.name: ChipListener(section, clock, post, lambda: hub.latest().rules)
            for section in config.chips
        }

    def receive(self, section: InputSection, event: InputEvent, mono_ns: int) -> None:
        """Take an event from a device's thread."""
        self._inbox.post(InputReport(section, event, mono_ns))

    def tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """Give what has to run beside the table, by name; nothing for a table without such devices."""
        if not self._config.inputs:
            return {}
        return {"inputs": self._listen()}

    async def _listen(self) -> None:
        """Pass on what the devices say, in order, until cancelled."""
        while True:
            items, lost = await self._inbox.take()
            for item in items:
                await self._take(item)
            if lost:
                name = items[-1].section.name
                self._warn(name, Trouble("KEYS_LOST", (("name", name),), hold=False))

    async def _take(self, item: InputReport) -> None:
        section, event, mono_ns = item
        if section.name in self._chips:
            self._chips[section.name].receive(event, mono_ns)
            return
        match event:
            case KeyPressed(word) if isinstance(section, KeysSection):
                await self._press(section.name, word, mono_ns)
            case Peeked() if isinstance(section, PeekSection):
                self._post(Report(section.name, mono_ns, to_observations(event)))
            case DeviceChanged():
                self._changed(section, event, mono_ns)
            case _:
                self._doubt(section, event)

    def _doubt(self, section: InputSection, event: InputEvent) -> None:
        """Warn of what was lost, and of words that this device has no business to say."""
        trouble = doubt_of(section.name, event)
        if trouble is not None:
            self._warn(section.name, trouble)

    def _changed(self, section: InputSection, event: DeviceChanged, mono_ns: int) -> None:
        """Tell when a device comes and goes."""
        known = self._presence.get(section.name)
        if known is None:
            known = PresenceReporter(
                section.name, self._clock, self._post, required=section.required, port=event.port
            )
            self._presence[section.name] = known
        known.changed(event.state, event.reason, mono_ns)

    def _warn(self, source: str, trouble: Trouble) -> None:
        self._post(Report(source, self._clock.mono_ns(), (), (trouble,)))

"""Devices that come and go, and the small ones: keypads, pedals, peek devices, chip sources."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final

from controller.acts.catalogue import ChipReading, DeviceSeen
from controller.config import ChipsSection, InputSection, KeysSection, PeekSection, TableConfig
from controller.domain import DeviceError, RuleSet
from controller.policy.holds import ABSENCE
from controller.ports import (
    Clock,
    DeviceKind,
    DeviceState,
    FrameSource,
    Health,
    ObservationSource,
    Orderable,
    Report,
    ReportSink,
    Tap,
    Trouble,
    presence_of,
)
from controller.runtime.api import Hub, TableSnapshot
from controller.runtime.inbox import Inbox
from drivers.device_driver import DeviceChanged, DeviceDriver, LifePolicy
from drivers.inputs import (
    NUMBER_PAD,
    ChipsSeen,
    InputStream,
    KeyEvent,
    Keypad,
    KeyPressed,
    KeysLost,
    LineRefused,
    LinesLost,
    Peeked,
    TextEvent,
    TextLines,
    to_observations,
)
from drivers.line import Connect, LineDriver, SerialStream

_GIVEN_UP: Final = "DEVICE_FAULT"
"""A device that kept breaking: it is tried again once somebody has acknowledged it."""


class PresenceReporter:
    """Tells the table when one device comes and goes; that it is being opened is no news.

    The loss of a `required` device holds the table, of any other one it is a warning.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        post: ReportSink,
        *,
        required: bool,
        port: str | None = None,
    ) -> None:
        """`port`, where given, and the reason are named when the device is given up."""
        self._name = name
        self._clock = clock
        self._post = post
        self._required = required
        self._port = port
        self._reported: str | None = None

    def changed(self, state: DeviceState, reason: str, mono_ns: int | None = None) -> None:
        """Take a new state of the driver, of the moment `mono_ns` (now when left out).

        Called from the device's thread, or wherever its events come in.
        """
        if state == "opening":
            return
        presence = presence_of(state)
        troubles: tuple[Trouble, ...] = (self._given_up(reason),) if state == "fault" else ()
        # A fault is reported for a lost device too: it needs a person.
        if presence == self._reported and not troubles:
            return
        news = presence != self._reported
        self._reported = presence
        seen: tuple[DeviceSeen, ...] = ()
        if self._required:
            seen = (DeviceSeen(self._name, presence),)
        elif news and presence != "live":
            troubles += (Trouble(ABSENCE[presence], (("name", self._name),), hold=False),)
        if seen or troubles:
            moment_ns = self._clock.mono_ns() if mono_ns is None else mono_ns
            self._post(Report(self._name, moment_ns, seen, troubles))

    def _given_up(self, reason: str) -> Trouble:
        where = () if self._port is None else (("port", self._port), ("reason", reason))
        return Trouble(_GIVEN_UP, (("name", self._name), *where), hold=self._required)


class DeviceRegistry:
    """The opened devices of a table; asked for their health before and after they are opened."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sources: list[ObservationSource | FrameSource] = []
        self._spare: set[str] = set()

    def add(self, source: ObservationSource | FrameSource, *, required: bool = True) -> None:
        """Open a device and keep it; the table continues without a device that is not `required`."""
        self._sources.append(source)
        if not required:
            self._spare.add(source.health().name)
        source.open()

    def health(self) -> tuple[Health, ...]:
        """Tell how each device is."""
        return tuple(source.health() for source in self._sources)

    def lost(self) -> Health | None:
        """Return the first missing device that the table needs."""
        needed = (health for health in self.health() if health.name not in self._spare)
        return next((health for health in needed if health.state not in {"live", "stale"}), None)

    def acknowledge(self, name: str) -> None:
        """Let a device that was given up be tried again."""
        for source in self._sources:
            if source.health().name == name:
                source.acknowledge()

    def order(self, name: str, order: str) -> bool:
        """Have a device do something; see `Orderable.order`."""
        for source in self._sources:
            if isinstance(source, Orderable) and source.health().name == name:
                return source.order(order)
        raise DeviceError("ORDER_NOT_POSSIBLE", name=name, order=order)

    def close(self) -> None:
        """Close every device; waits for their threads."""
        for source in self._sources:
            source.close()


async def retry_acknowledged(hub: Hub, acknowledge: Callable[[str], None]) -> None:
    """Follow the table until cancelled; each step of a person on such an alert has the device tried anew."""
    before: dict[int, tuple[str, str]] = {}
    async for _, now in hub.subscribe():
        present = _alerts(now)
        for alert, (name, status) in before.items():
            if present.get(alert) != (name, status):
                acknowledge(name)
        before = present


def _alerts(now: TableSnapshot) -> dict[int, tuple[str, str]]:
    """Find the open alerts of devices that were given up: which device, and how far people have come."""
    return {
        alert.alert: (str(dict(alert.params).get("name", "")), alert.status)
        for alert in now.alerts
        if alert.code == _GIVEN_UP
    }


def doubt_of(name: str, event: object) -> Trouble | None:
    """A warning for the pit; None for a damaged line, which is only counted.

    The jump of the device's counter tells when a damaged line was more than noise.
    """
    params = (("name", name),)
    match event:
        case KeysLost():
            return Trouble("KEYS_LOST", params, hold=False)
        case LinesLost():
            return Trouble("INPUT_LINES_LOST", params, hold=False)
        case LineRefused(code) if code != "WORD":
            return None
        case _:
            return Trouble("INPUT_NOT_UNDERSTOOD", params, hold=False)


class ChipListener:
    """Takes the events of one chip source, live or recorded, and reports them to the table.

    It remembers which stakes it has reported, and as what.
    """

    def __init__(
        self, section: ChipsSection, clock: Clock, post: ReportSink, rules: Callable[[], RuleSet]
    ) -> None:
        """`post` is the table's inbox; `rules` are asked for at each event."""
        self._name, self._certain = section.name, section.certain
        self._post, self._rules = post, rules
        self._reported: dict[tuple[int, int], int | None] = {}
        required, port = section.required, section.port
        self._presence = PresenceReporter(section.name, clock, post, required=required, port=port)

    def receive(self, event: object, mono_ns: int) -> None:
        """Take an event of the source's driver, of the moment `mono_ns`."""
        match event:
            case ChipsSeen():
                report = self._report(event, mono_ns)
            case DeviceChanged(state=state):
                report = None if state == "live" else self._forgotten(mono_ns)
            case _:
                doubt = doubt_of(self._name, event)
                report = None if doubt is None else Report(self._name, mono_ns, (), (doubt,))
        if report is not None:
            self._post(report)
        if isinstance(event, DeviceChanged):
            self._presence.changed(event.state, event.reason, mono_ns)

    def _report(self, seen: ChipsSeen, mono_ns: int) -> Report | None:
        """Return the report of a reading; None for an unchanged stake. The rules define the circles.

        An uncertain reading has no amount, and a warning: a person counts by eye.
        """
        rules, place = self._rules(), (seen.box, seen.seat)
        if seen.box > rules.boxes or (seen.seat and 0 <= rules.back_bets < seen.seat):
            params = (("name", self._name), ("box", seen.box), ("seat", seen.seat))
            return Report(self._name, mono_ns, (), (Trouble("CHIPS_OUT_OF_PLACE", params, hold=False),))
        amount = seen.amount if seen.p >= self._certain else None
        if seen.kind == "stake":
            if place in self._reported and self._reported[place] == amount:
                return None
            self._reported[place] = amount
        reading = ChipReading(seen.kind, *place, amount, seen.p)
        return Report(self._name, mono_ns, (reading,), () if amount is not None else (self._unsure(seen),))

    def _forgotten(self, mono_ns: int) -> Report | None:
        """Report, after the source is lost or silent, that its stakes are no longer known."""
        known = [place for place, amount in self._reported.items() if amount is not None]
        self._reported.clear()
        readings = tuple(ChipReading("stake", *place, None) for place in known)
        return Report(self._name, mono_ns, readings) if readings else None

    def _unsure(self, seen: ChipsSeen) -> Trouble:
        return Trouble("CHIPS_UNSURE", (("name", self._name), ("box", seen.box)), hold=False)


WAITING_MAX: Final = 64
"""Presses and reports that may wait; a table that cannot keep up loses the newest and says so."""

InputEvent = KeyEvent | TextEvent | DeviceChanged

InputListener = Callable[[InputSection, InputEvent, int], None]

_Event = tuple[InputSection, InputEvent, int]
"""A device, its event, and the time of the last byte (monotonic ns)."""

Press = Callable[[str, str, int], Awaitable[object]]
"""Does what a key means: device, word of the key, and when it went down (monotonic ns)."""

_KIND: Final[Mapping[type[InputSection], DeviceKind]] = {
    KeysSection: "keys",
    PeekSection: "peek",
    ChipsSection: "chips",
}


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
    return LineDriver(
        section.name,
        section.port,
        TextLines(),
        post,
        clock,
        connect=connect,
        baud=section.baud,
        life=life,
        kind=_KIND[type(section)],
        tap=tap,
    )


class InputHandler:
    """Takes the devices' events from their threads and reports their meaning. Made on the table's loop."""

    def __init__(self, config: TableConfig, clock: Clock, hub: Hub, post: ReportSink, press: Press) -> None:
        """Prepare the handler; `post` is the table's inbox, `press` executes a key."""
        self._config = config
        self._clock = clock
        self._hub = hub
        self._post = post
        self._press = press
        self._inbox: Inbox[_Event] = Inbox(WAITING_MAX)
        self._presence: dict[str, PresenceReporter] = {}
        self._chips = {
            section.name: ChipListener(section, clock, post, lambda: hub.latest().rules)
            for section in config.chips
        }

    def receive(self, section: InputSection, event: InputEvent, mono_ns: int) -> None:
        """Take an event from a device's thread."""
        self._inbox.post((section, event, mono_ns))

    def tasks(self) -> dict[str, Coroutine[Any, Any, None]]:
        """Return the tasks to run beside the table, by name; none without such devices."""
        if not self._config.inputs:
            return {}
        return {"inputs": self._listen()}

    async def _listen(self) -> None:
        """Report the devices' events, in order, until cancelled."""
        while True:
            items, lost = await self._inbox.take()
            for item in items:
                await self._take(item)
            if lost:
                name = items[-1][0].name
                self._warn(name, Trouble("KEYS_LOST", (("name", name),), hold=False))

    async def _take(self, item: _Event) -> None:
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
                # Lost messages, and words that do not belong to this device.
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

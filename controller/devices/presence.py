"""Devices that come and go: live, stale or lost; all of them opened, asked, tried again and closed."""

from collections.abc import Callable
from typing import Final

from controller.acts.catalogue import DeviceSeen
from controller.domain import DeviceError
from controller.policy.holds import ABSENCE
from controller.ports import (
    Clock,
    DeviceState,
    FrameSource,
    Health,
    ObservationSource,
    Orderable,
    Report,
    ReportSink,
    Trouble,
    presence_of,
)
from controller.runtime.api import Hub, TableSnapshot

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

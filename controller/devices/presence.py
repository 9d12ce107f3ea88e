"""Devices that come and go: states of their drivers in, live, stale or lost for the table out."""

from typing import Final

from controller.acts.catalogue import DeviceSeen
from controller.policy.state.holds import ABSENCE
from controller.ports import Clock, DeviceState, Report, ReportSink, Trouble, presence_of

GIVEN_UP: Final = "DEVICE_FAULT"
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
        # A fault is reported also of a device that counts as lost already: it waits for somebody.
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
        return Trouble(GIVEN_UP, (("name", self._name), *where), hold=self._required)

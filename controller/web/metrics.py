"""Figures for the house's monitoring. Nothing here depends on a card that lies face down."""

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from controller.runtime.api import TableSnapshot
from controller.screens.disclosure import open_alerts
from controller.web.table_times import TableTimes

ExtraFigures = Callable[[], Mapping[str, float]]
"""What another part of the program measures, by name; nothing in it may depend on a card."""


class Metrics:
    """Counts the screens' requests and shows the snapshot's figures; one registry per table."""

    def __init__(self, times: TableTimes | None = None) -> None:
        """Begin at zero; `times` are measured by the table's door, None when another program has it."""
        self._times = times
        self._figures: dict[str, Gauge] = {}
        self._registry = CollectorRegistry()
        self._seq = Gauge("stand17_journal_seq", "Newest journal entry shown", registry=self._registry)
        self._round = Gauge("stand17_round", "Number of the round on the table", registry=self._registry)
        self._holds = Gauge("stand17_holds", "Reasons why the table waits", registry=self._registry)
        self._alerts = Gauge("stand17_alerts", "Alerts not resolved", ["severity"], registry=self._registry)
        self._unconfirmed = Gauge(
            "stand17_payouts_not_confirmed", "Payouts that nobody has confirmed", registry=self._registry
        )
        self._devices = Gauge(
            "stand17_device_live", "1 = live, 0 = stale or lost", ["name"], registry=self._registry
        )
        self.screens = Gauge("stand17_screens", "Screens connected", registry=self._registry)
        self.commands = Counter("stand17_commands", "Commands by answer", ["answer"], registry=self._registry)

    def render(self, snapshot: TableSnapshot, figures: Mapping[str, float]) -> bytes:
        """The exposition text for this snapshot and the figures of other parts."""
        self._seq.set(snapshot.seq)
        self._round.set(snapshot.state.book.number)
        self._holds.set(len(snapshot.holds))
        self._unconfirmed.set(len(snapshot.unconfirmed))
        for severity in ("info", "warning", "critical"):
            count = sum(alert.severity == severity for alert in open_alerts(snapshot))
            self._alerts.labels(severity).set(count)
        for device in snapshot.devices:
            self._devices.labels(device.name).set(device.state == "live")
        for name, value in figures.items():
            self._figure(name).set(value)
        times = b"" if self._times is None else generate_latest(self._times.registry)
        return generate_latest(self._registry) + times

    def sent(self, seq: int) -> None:
        """Count a view that a screen has been sent."""
        if self._times is not None:
            self._times.sent(seq)

    def _figure(self, name: str) -> Gauge:
        known = self._figures.get(name)
        if known is None:
            known = Gauge(f"stand17_{name}", "Measured by another part", registry=self._registry)
            self._figures[name] = known
        return known

"""Puts the parts of a table together and runs them until told to stop."""

import asyncio
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.config import TableConfig
from controller.domain.errors import DeviceError
from controller.i18n import catalogue
from controller.journal.store import Journal
from controller.main.cameras import Eyes, camera_news, onlooker_of
from controller.main.dealing import MakeSource, source_of
from controller.main.devices import open_reader, web_settings
from controller.main.faults import heed
from controller.main.inputs import InputDesk, driver_of
from controller.main.notify import ServiceManager
from controller.main.recording import RecordedJournal, Tape, tape_of
from controller.main.server import PageServer, address_of, listen
from controller.main.sight import Sight
from controller.main.spots import Sights, Watching
from controller.main.teller import logger, tell
from controller.ports import FrameSource, Health, ObservationSource, Orderable, SystemClock
from controller.rules import load_rules
from controller.runtime.api import Mode
from controller.runtime.ledger import Ledger
from controller.runtime.restore import Identity, start
from controller.runtime.supervisor import run_all
from controller.runtime.table import Limits, Table
from controller.runtime.watch import WatchPlan, watch
from controller.web.app import create_app
from controller.web.desk import Desk
from controller.web.keypad import KeyDesk

TICK_S: Final = 1.0

Task = Callable[[Table, asyncio.Event], Coroutine[Any, Any, None]]
"""Something else that runs beside the table, such as the people of a simulation; may set the event."""


class Setting(NamedTuple):
    """A table to run: its configuration, and what a simulation adds.

    `folder` is where relative rule files lie. `ports` is how many ports are tried upwards from the
    configured one. `told` hears the address as soon as the page can be opened. `cards` builds the source of
    cards in place of the configured one.
    """

    config: TableConfig
    folder: Path
    told: Callable[[str], None]
    eyes: tuple[Eyes, ...] = ()
    mode: Mode = "live"
    tasks: tuple[Task, ...] = ()
    ports: int = 1
    cards: MakeSource | None = None


async def run_table(setting: Setting) -> None:
    """Run a table until SIGINT or SIGTERM.

    Raises `TableError` for everything that a user can mend: a port that is taken, a missing model, an
    unknown rule set, a shoe that is not there, a journal that cannot be used. A device that is lost later
    holds the table; when it is still lost at the end, that is raised too. A part that dies raises its own
    error.
    """
    config = setting.config
    rules = load_rules(config.table.rules, config.table.rule_overrides, setting.folder)
    # Each camera has a reader of its own: one serves one thread.
    readers = tuple(open_reader(config.models.folder, eyes.layout) for eyes in setting.eyes)
    cards = setting.cards or source_of(config)
    listening = listen(config.web.host, config.web.port, setting.ports)
    clock = SystemClock()
    journal = RecordedJournal.open(config.journal.file, clock)
    try:
        ledger = start(
            journal,
            Identity(config.table.name, rules, config.table.currency),
            setting.mode,
            version("stand17"),
        )
        devices, sights = Devices(), sights_of(setting.eyes, readers, clock)
        table = _table(setting, journal, ledger, devices, sights)
        tape = tape_of(config, rules, setting.mode, journal=journal, clock=clock, post=table.post)
        await _run(setting, Parts(table, devices, tape, readers, sights, cards, listening))
    finally:
        journal.close()
        listening.close()


class Devices:
    """The opened devices of a table; asked for their health before and after they are opened."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sources: list[ObservationSource | FrameSource] = []
        self._spare: set[str] = set()

    def add(self, source: ObservationSource | FrameSource, *, required: bool = True) -> None:
        """Open a device and keep it; without one that is not `required` the table goes on."""
        self._sources.append(source)
        if not required:
            self._spare.add(source.health().name)
        source.open()

    def health(self) -> tuple[Health, ...]:
        """Tell how each device is."""
        return tuple(source.health() for source in self._sources)

    def lost(self) -> Health | None:
        """Tell the first device that is not there, of those that the table needs."""
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


class Parts(NamedTuple):
    """What a table is put together from.

    `readers` are those of its cameras, in order; `cards` builds what sees the cards that are dealt.
    """

    table: Table
    devices: Devices
    tape: Tape
    readers: tuple[Sight, ...]
    sights: Sights
    cards: MakeSource
    listening: socket.socket


def sights_of(eyes: tuple[Eyes, ...], readers: tuple[Sight, ...], clock: SystemClock) -> Sights:
    """Join each camera with what it sees and where."""
    pairs = zip(eyes, readers, strict=True)
    return Sights(clock, tuple(Watching(eye.section.name, eye.box_at, sight) for eye, sight in pairs))


def _table(setting: Setting, journal: Journal, ledger: Ledger, devices: Devices, sights: Sights) -> Table:
    config = setting.config
    return Table(
        journal,
        ledger,
        SystemClock(),
        mode=setting.mode,
        health=devices.health,
        limits=Limits(journal_slow_ms=config.journal.slow_ms),
        onlooker=onlooker_of(config),
        order=devices.order,
        named=sights.name_card,
    )


async def _run(setting: Setting, parts: Parts) -> None:
    """Open the devices, serve the page, and keep everything running."""
    table, devices, tape, readers, sights, _, listening = parts
    config, clock = setting.config, SystemClock()
    desk, settings = Desk(time.monotonic), web_settings(config)
    app = create_app(table, table.hub, catalogue, settings, desk, figures=tape.figures, spots=sights)
    server = PageServer(app)
    work = {"table": table.run(), "ages": table.tick(TICK_S), "page": server.run_on(listening)}
    stop = _stop_signal()
    work["log"] = tell(table.hub, logger())
    work |= {f"beside {number}": task(table, stop) for number, task in enumerate(setting.tasks)}
    inputs = InputDesk(config, clock, KeyDesk(table, desk, settings), table)
    work |= inputs.tasks()
    tape.open()
    for small in config.inputs:
        devices.add(driver_of(small, clock, inputs.hear, tape.tap), required=small.required)
    devices.add(parts.cards(clock, secrets.token_hex(3), table.post, tape.tap))
    for eyes, read in zip(setting.eyes, readers, strict=True):
        section = eyes.section
        camera = eyes.make(clock, camera_news(section, clock, table.post), tape.tap)
        devices.add(camera, required=section.required)
        work[f"camera {section.name}"] = watch(camera, read, _plan(eyes), table.post)
    work["faults"] = heed(table.hub, devices.acknowledge)
    manager = ServiceManager(os.environ)
    work["watchdog"] = manager.beat(table.pulse)
    setting.told(address_of(listening))
    manager.ready()
    try:
        await run_all(work, stop)
    finally:
        manager.stopping()
        lost = devices.lost()
        await asyncio.to_thread(devices.close)
        await asyncio.to_thread(tape.close)
    if lost is not None and setting.mode == "live":
        raise DeviceError("ENDED_WITHOUT_DEVICE", name=lost.name, port=lost.port)


def _plan(eyes: Eyes) -> WatchPlan:
    section = eyes.section
    return WatchPlan(section.name, eyes.box_at, section.read_every_ms, section.certain)


def _stop_signal() -> asyncio.Event:
    """Make the event that SIGINT and SIGTERM set."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop

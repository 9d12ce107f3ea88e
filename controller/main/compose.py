"""Puts the parts of a table together and runs them until told to stop."""

import asyncio
import os
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, FastAPI

from controller.config import TableConfig
from controller.devices.cameras.follower import FrameFollower, follow_frames
from controller.devices.cameras.setup import (
    CameraSetup,
    camera_plan,
    camera_presence,
    require_boxes,
    witness_plan,
)
from controller.devices.cameras.snapshots import (
    CameraSnapshots,
    TrackedCamera,
    deck_profiles,
    tracked_cameras,
)
from controller.devices.cameras.tracker import FollowedCamera
from controller.devices.inputs import DeviceRegistry, InputHandler, input_driver, retry_acknowledged
from controller.devices.kept import recorder_handle, recordings_folder
from controller.devices.shoes import CardSourceFactory, card_source
from controller.domain import DeviceError, JournalError
from controller.journal.head_file import TableKey
from controller.journal.heads import SignedHead
from controller.main.archived_history import kept_histories
from controller.main.beside import AlertCommand, ServiceManager, TableCopy, require_continued
from controller.main.doctor import before_opening
from controller.main.linked_table import TableFloor
from controller.main.pit_page import FloorTables, FoundJournal
from controller.main.program import log_slow_parts, program_start
from controller.main.record import (
    DayChange,
    NextDay,
    OpenedJournal,
    TableRecord,
    begin_record,
    end_day_before,
    file_at_start,
    identity_of,
    open_journal,
    table_door,
)
from controller.main.server import PageServer, address_of, listen
from controller.main.trust import (
    TablePeople,
    access_to,
    bring_first,
    follow_brought,
    live_people,
    page_tls,
    places,
    require_people,
    require_protected,
    table_key,
)
from controller.people.access import Access
from controller.ports import SystemClock
from controller.recording.recording_reader import RecordedPictures
from controller.runtime.api import Mode
from controller.runtime.door import TableTask
from controller.runtime.felt_witness import ShoeLines
from controller.runtime.inbox import run_all, stop_on_signals
from controller.runtime.restore import Identity, ProgramStart
from controller.runtime.snapshot import log_snapshots, logger
from controller.runtime.staff_notes import StaffNotes
from controller.screens.commands import DrawsCard
from controller.screens.felt import ScreenSettings, chip_kinds
from controller.screens.table_screens import TableScreens
from controller.screens.words import FaultBoard
from controller.web.app import add_routes, create_app
from controller.web.parts import WebParts, web_settings

_TICK_S: Final = 1.0

PEOPLE_S: Final = 1.0

Work = Coroutine[Any, Any, None]

SideTask = Callable[[TableTask, asyncio.Event], Work]
"""Something else that runs beside the table, such as the people of a simulation; may set the stop event."""


class TableSetup(NamedTuple):
    """A table to run: its configuration, and the additions of a simulation.

    `folder` is the folder of relative rule files. `ports` is the number of ports to try upwards from the
    configured one. `told` receives the address as soon as the page can be opened. `cards` builds the source
    of cards in place of the configured one; `people` replace those of the configured file. `routes` are
    additional pages, `beside` the journals of other tables for the pit's page.
    """

    config: TableConfig
    folder: Path
    told: Callable[[str], None]
    cameras: tuple[CameraSetup, ...] = ()
    mode: Mode = "live"
    tasks: tuple[SideTask, ...] = ()
    ports: int = 1
    cards: CardSourceFactory | None = None
    draw: DrawsCard | None = None
    people: TablePeople | None = None
    faults: FaultBoard | None = None
    routes: tuple[APIRouter, ...] = ()
    beside: tuple[Path, ...] = ()


async def run_table(setup: TableSetup) -> None:
    """Run a table until SIGINT or SIGTERM.

    Raises `TableError` for every fault that a user can correct: a used port, a missing model, an unknown rule
    set, a missing shoe, an unusable journal. A device that is lost later holds the table; when it is still
    lost at the end, that is raised too. A part that dies raises its own error.
    """
    log_slow_parts(setup.mode)
    clock = SystemClock()
    setup = setup._replace(config=setup.config.with_journal(file_at_start(setup.config, clock)))
    config = setup.config
    people = setup.people or live_people(config.people, config.journal.file)
    bring_first(people)
    require_protected(config.web, has_people=bool(people.book.register().working))
    tls = page_tls(config.web, clock.utc_us())
    known = program_start(config, setup.mode)
    if setup.mode == "live":
        before_opening(config)
    identity = identity_of(config, setup.folder)
    require_boxes(config)
    dealing = frozenset(section.name for section in config.dealing_cameras)
    cameras = tracked_cameras(setup.cameras, config.models.folder, clock, dealing)
    cards = setup.cards or card_source(config)
    require_people(people, setup.mode)
    listening = listen(config.web.host, config.web.port, setup.ports)
    try:
        key = table_key(config)
        end_day_before(config, key, clock, setup.mode)
        recorded = (("key", key.public), *known.recorded, *config.witnesses.recorded)
        known = known._replace(recorded=recorded, decks=deck_profiles(cameras))
        lasting = LastingParts(
            people, cameras, cards, listening, key, known, stop_on_signals(), ServiceManager(os.environ), tls
        )
        day: DayEnd | None = None
        while True:
            day = await _run_day(setup, lasting, identity, day)
            if day is None:
                return
            setup = setup._replace(config=day.next.config, told=lambda _address: None)
    finally:
        listening.close()


class DayEnd(NamedTuple):
    """The end of a gaming day that another one follows: its last signed head, the signed-in people."""

    next: NextDay
    head: SignedHead | None
    access: Access
    notes: StaffNotes


class LastingParts(NamedTuple):
    """The parts that outlive a day's journal; `cameras` as in the setup."""

    people: TablePeople
    cameras: tuple[TrackedCamera, ...]
    cards: CardSourceFactory | None
    listening: socket.socket
    key: TableKey
    known: ProgramStart
    stop: asyncio.Event
    manager: ServiceManager
    tls: ssl.SSLContext | None = None


async def _run_day(
    setup: TableSetup, lasting: LastingParts, identity: Identity, before: DayEnd | None
) -> DayEnd | None:
    """Run the table on one journal; return the end of its day, None when the program ends."""
    config, clock = setup.config, SystemClock()
    require_continued(config)
    journal = open_journal(config, clock, lasting.key)
    try:
        opened = OpenedJournal(journal, lasting.key, lasting.known)
        head = None if before is None else before.head
        record = begin_record(config, opened, identity, setup.mode, clock, before=head)
        day = DayChange(config, setup.folder, setup.mode, opened, clock)
        table = _TableOfDay(setup, lasting, record, day, before)
        await table.run()
        if day.next is None:
            return None
        return DayEnd(day.next, record.heads.last, table.access, table.notes)
    finally:
        journal.close()


class _TableOfDay:
    """The parts of a table on one journal."""

    def __init__(
        self,
        setup: TableSetup,
        lasting: LastingParts,
        record: TableRecord,
        day: DayChange,
        before: DayEnd | None,
    ) -> None:
        """Put the table together on its record; nothing runs yet."""
        clock, config, ledger = SystemClock(), setup.config, record.ledger
        self._setup, self._lasting, self._record, self._ended = setup, lasting, record, day.ended
        self._devices, self._snapshots = DeviceRegistry(), CameraSnapshots(clock, lasting.cameras)
        door = table_door(
            config,
            record,
            clock,
            mode=setup.mode,
            health=self._devices.health,
            send_order=self._devices.order,
            card_named=self._snapshots.name_card,
        )
        self._table = table = TableTask(door, day)
        if before is None:
            self.notes = StaffNotes(table)
            self.access = access_to(lasting.people, self.notes.note, clock, ledger)
        else:
            self.notes, self.access = before.notes, before.access
            self.notes.table = table
        record.heads.open(places(config, record.heads.key.public), table.post, ledger.state.book.number)
        self._recorder = recorder_handle(
            config, ledger.opening.rules, setup.mode, journal=record.journal, clock=clock, post=table.post
        )
        self._copy = TableCopy(config, table.post, clock, record.heads.doubt)
        self._floor = TableFloor(config, record.heads.key, table.post, clock, record.failures)
        self._lines = ShoeLines()
        if before is not None:
            table.take_over(before.next.left)

    async def run(self) -> None:
        """Run all parts until the stop signal or the day's end, then close them."""
        on_alert = self._setup.config.on_alert
        alerts = None if on_alert is None else AlertCommand(on_alert, logger())
        stop, manager = self._lasting.stop, self._lasting.manager
        work = self._open()
        if alerts is not None:
            work["on_alert"] = alerts.follow(self._table.hub, SystemClock().utc_us, _TICK_S)
        work |= {f"beside {number}": task(self._table, stop) for number, task in enumerate(self._setup.tasks)}
        work["watchdog"] = manager.beat(self._table.pulse)
        self._setup.told(
            address_of(self._lasting.listening, "http" if self._lasting.tls is None else "https")
        )
        manager.ready()
        try:
            await run_all(work, stop, self._ended)
        finally:
            if not self._ended.is_set():
                manager.stopping()
            # Asked before they are closed: of closed devices none is there.
            lost = self._devices.lost()
            unwritten = await self._close()
        if unwritten:
            raise JournalError("REPORTS_LOST", count=unwritten)
        if lost is not None and self._setup.mode == "live" and not self._ended.is_set():
            raise DeviceError("ENDED_WITHOUT_DEVICE", name=lost.name, port=lost.port)

    async def _close(self) -> int:
        """Close the parts in the order of their data flow; return the number of lost reports."""
        await asyncio.to_thread(self._devices.close)
        # After the devices, which deliver reports until they are closed.
        self._record.journal.end_soon()
        unwritten = self._table.close()
        if unwritten:
            self._record.journal.lose()
        # All entries are on disk now: the last head covers the whole journal.
        number = self._table.hub.latest().state.book.number
        await asyncio.to_thread(self._record.heads.close, number)
        await asyncio.to_thread(self._copy.close, self._table.ledger)
        await asyncio.to_thread(self._floor.close, self._table.ledger)
        await asyncio.to_thread(self._recorder.close)
        return unwritten

    def _open(self) -> dict[str, Work]:
        """Open recorder and devices; return the tasks to run, by name."""
        config, clock, table = self._setup.config, SystemClock(), self._table
        people, screens = self._lasting.people, self._screens()
        inputs = InputHandler(config, clock, table.hub, table.post, screens.keypads.press)
        beside = FloorTables(
            lambda: map(FoundJournal, self._setup.beside),
            clock,
            kept=kept_histories() if self._setup.beside else None,
        )
        work = {
            "table": table.run(),
            "ages": table.tick(_TICK_S),
            # The next day's page is served on the same port.
            "page": PageServer(self._app(screens, beside), self._lasting.tls).run_on(
                self._lasting.listening.dup()
            ),
        }
        work |= {
            "log": log_snapshots(table.hub, logger()),
            "copy": self._copy.follow(table.hub),
            **inputs.tasks(),
        }
        if config.floor is not None:
            work["floor"] = self._floor.follow(table.hub, screens, people.book)
        work["people"] = self.notes.follow(people.book, self._record.ledger.people_noted, PEOPLE_S)
        work["people brought"] = follow_brought(people.brought, table.post, clock, PEOPLE_S)
        if self._setup.beside:
            work["beside"] = beside.follow()
        if config.inputs:
            work["keys"] = screens.keypads.follow(clock.mono_ns)
        work["faults"] = retry_acknowledged(table.hub, self._devices.acknowledge)
        return work | self._open_devices(inputs)

    def _open_devices(self, inputs: InputHandler) -> dict[str, Work]:
        """Open recorder and devices; return the tasks that follow the cameras."""
        config, clock, tap = self._setup.config, SystemClock(), self._recorder.tap
        # Before the first device: how a device was opened belongs to the recording.
        self._recorder.open()
        for small in config.inputs:
            self._devices.add(input_driver(small, clock, inputs.receive, tap), required=small.required)
        if self._lasting.cards is not None:
            post = self._lines.listening(self._table.post)
            for source in self._lasting.cards(clock, secrets.token_hex(3), post, tap):
                self._devices.add(source)
        both = zip(self._setup.cameras, self._lasting.cameras, strict=True)
        return {f"camera {tracked.name}": self._open_camera(one, tracked) for one, tracked in both}

    def _app(self, screens: TableScreens, beside: FloorTables) -> FastAPI:
        """The page's application, with the tables that are shown beside this one."""
        served = WebParts(
            screens,
            self.access,
            web_settings(self._setup.config.web),
            lambda: {**self._recorder.figures(), **self._record.failures.figures()},
            beside.tables,
            times=self._record.times,
        )
        app = create_app(served)
        for routes in self._setup.routes:
            add_routes(app, routes)
        return app

    def _screens(self) -> TableScreens:
        """Make the screens of the table, with the house's settings."""
        config, table = self._setup.config, self._table
        plan, web = witness_plan(config), config.web
        may_miss = frozenset[str]() if plan is None else plan.dealer_may_miss
        return TableScreens(
            table,
            table.hub,
            time.monotonic,
            ScreenSettings(
                chip_kinds(config.table.chips_minor), web.sound_percent, may_miss, web.break_after_min
            ),
            self._snapshots,
            draw=self._setup.draw,
            dealer=self.access.sessions.dealer_id,
            faults=self._setup.faults,
            signed=lambda: self._record.heads.last,
            past=RecordedPictures(recordings_folder(config), [one.name for one in self._lasting.cameras]),
            lines=self._lines,
            journal=config.journal.file,
        )

    def _open_camera(self, camera: CameraSetup, tracked: TrackedCamera) -> Work:
        """Open a camera over the table; return the task that follows its pictures."""
        section, clock, post = camera.section, SystemClock(), self._table.post
        source = camera.make(clock, camera_presence(section, clock, post).changed, self._recorder.tap)
        source = FollowedCamera(source, tracked.tracker)
        self._devices.add(source, required=section.required)
        follower = FrameFollower(tracked.tracker, camera_plan(section, tracked.box_at))
        return follow_frames(source, follower, clock, post)

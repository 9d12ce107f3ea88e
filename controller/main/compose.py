"""Puts the parts of a table together and runs them until told to stop."""

import asyncio
import os
import secrets
import socket
import time
from typing import Final

from fastapi import FastAPI

from controller.config import TableConfig
from controller.devices.cameras.followed_camera import FollowedCamera
from controller.devices.cameras.frame_follower import FrameFollower, follow_frames
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
from controller.devices.inputs.opening import InputHandler, input_driver
from controller.devices.kept.recorder import past_pictures, recorder_handle
from controller.devices.registry import DeviceRegistry
from controller.devices.retry import retry_acknowledged
from controller.devices.shoes.card_source import CardSourceFactory, card_source
from controller.domain.errors import DeviceError, JournalError
from controller.main.copying import TableCopy, require_continued
from controller.main.doctor import before_opening
from controller.main.linked.table import TableFloor
from controller.main.notify import ServiceManager
from controller.main.on_alert import AlertCommand
from controller.main.open_record import (
    OpenedJournal,
    begin_record,
    identity_of,
    open_journal,
    table_door,
)
from controller.main.pit.floor_tables import FloorTables, FoundJournal
from controller.main.server import PageServer, address_of, listen
from controller.main.signing import places, table_key
from controller.main.software import program_start
from controller.main.table_parts import TableParts, TableRecord, TableSetup, Work
from controller.main.table_people import (
    TablePeople,
    access_to,
    bring_first,
    follow_brought,
    live_people,
    require_people,
)
from controller.main.tls import page_tls, require_protected
from controller.main.version import log_slow_parts
from controller.people.access import Access
from controller.ports import SystemClock
from controller.runtime.door.supervisor import run_all, stop_on_signals
from controller.runtime.door.table_task import TableTask
from controller.runtime.snapshot.log_changes import log_changes, logger
from controller.runtime.staff_notes import StaffNotes
from controller.runtime.witness.shoe_lines import ShoeLines
from controller.screens.settings import ScreenSettings, screen_settings
from controller.screens.table_screens import TableScreens
from controller.web.app import add_routes, create_app
from controller.web.parts import WebParts
from controller.web.settings import web_settings

TICK_S: Final = 1.0
PEOPLE_S: Final = 1.0


async def run_table(setup: TableSetup) -> None:
    """Run a table until SIGINT or SIGTERM.

    Raises `TableError` for everything that a user can mend: a port that is taken, a missing model, an
    unknown rule set, a shoe that is not there, a journal that cannot be used. A device that is lost later
    holds the table; when it is still lost at the end, that is raised too. A part that dies raises its own
    error.
    """
    log_slow_parts()
    config, clock = setup.config, SystemClock()
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
    key = table_key(config)
    require_continued(config)
    journal = open_journal(config, clock, key)
    try:
        recorded = (("key", key.public), *known.recorded, *config.witnesses.recorded)
        known = known._replace(recorded=recorded, decks=deck_profiles(cameras))
        opened = OpenedJournal(journal, key, known)
        record = begin_record(config, opened, identity, setup.mode, clock)
        parts = _parts(setup, record, people, cameras, cards=cards, listening=listening)
        await _run(setup, parts._replace(tls=tls))
    finally:
        journal.close()
        listening.close()


def _parts(
    setup: TableSetup,
    record: TableRecord,
    people: TablePeople,
    cameras: tuple[TrackedCamera, ...],
    *,
    cards: CardSourceFactory | None,
    listening: socket.socket,
) -> TableParts:
    """Put the table together on its record; nothing runs yet."""
    clock, config, ledger = SystemClock(), setup.config, record.ledger
    devices, snapshots = DeviceRegistry(), CameraSnapshots(clock, cameras)
    door = table_door(
        config,
        record,
        clock,
        mode=setup.mode,
        health=devices.health,
        send_order=devices.order,
        card_named=snapshots.name_card,
    )
    table = TableTask(door)
    record.heads.open(places(config, record.heads.key.public), table.post, ledger.state.book.number)
    recorder = recorder_handle(
        config, ledger.opening.rules, setup.mode, journal=record.journal, clock=clock, post=table.post
    )
    copy = TableCopy(config, table.post, clock, record.heads.doubt)
    floor = TableFloor(config, record.heads.key, table.post, clock, record.failures)
    lines = ShoeLines()
    return TableParts(
        table, devices, recorder, cameras, snapshots, cards, listening, people, record, lines, copy, floor
    )


async def _run(setup: TableSetup, parts: TableParts) -> None:
    """Keep everything running until the stop signal, then close what was opened."""
    on_alert = setup.config.on_alert
    alerts = None if on_alert is None else AlertCommand(on_alert, logger())
    stop, manager = stop_on_signals(), ServiceManager(os.environ)
    work = _open(setup, parts)
    if alerts is not None:
        work["on_alert"] = alerts.follow(parts.table.hub, SystemClock().utc_us, TICK_S)
    work |= {f"beside {number}": task(parts.table, stop) for number, task in enumerate(setup.tasks)}
    work["watchdog"] = manager.beat(parts.table.pulse)
    setup.told(address_of(parts.listening, "http" if parts.tls is None else "https"))
    manager.ready()
    try:
        await run_all(work, stop)
    finally:
        manager.stopping()
        # Asked before they are closed: of closed devices none is there.
        lost = parts.devices.lost()
        unwritten = await _close(parts)
    if unwritten:
        raise JournalError("REPORTS_LOST", count=unwritten)
    if lost is not None and setup.mode == "live":
        raise DeviceError("ENDED_WITHOUT_DEVICE", name=lost.name, port=lost.port)


async def _close(parts: TableParts) -> int:
    """Close what was opened, in the order in which one hands over to the next; how many reports were lost."""
    await asyncio.to_thread(parts.devices.close)
    # After the devices: they hand over what they say until the last moment.
    parts.record.journal.end_soon()
    unwritten = parts.table.close()
    if unwritten:
        parts.record.journal.lose()
    # What is on disk now is all: the last head vouches for the whole journal.
    number = parts.table.hub.latest().state.book.number
    await asyncio.to_thread(parts.record.heads.close, number)
    await asyncio.to_thread(parts.copy.close, parts.table.ledger)
    await asyncio.to_thread(parts.floor.close, parts.table.ledger)
    await asyncio.to_thread(parts.recorder.close)
    return unwritten


def _open(setup: TableSetup, parts: TableParts) -> dict[str, Work]:
    """Open recorder and devices; what has to run from now on, by name."""
    config, clock, table, tap = setup.config, SystemClock(), parts.table, parts.recorder.tap
    notes = StaffNotes(table)
    access = access_to(parts.people, notes.note, clock, parts.record.ledger)
    screens = _screens(setup, parts, access)
    inputs = InputHandler(config, clock, table.hub, table.post, screens.keypads.press)
    beside = FloorTables(lambda: map(FoundJournal, setup.beside), clock)
    app = _app(setup, parts, screens, access, beside)
    work = {
        "table": table.run(),
        "ages": table.tick(TICK_S),
        "page": PageServer(app, parts.tls).run_on(parts.listening),
    }
    work |= {"log": log_changes(table.hub, logger()), "copy": parts.copy.follow(table.hub), **inputs.tasks()}
    if config.floor is not None:
        work["floor"] = parts.floor.follow(table.hub, screens, parts.people.book)
    work["people"] = notes.follow(parts.people.book, parts.record.ledger.people_noted, PEOPLE_S)
    work["people brought"] = follow_brought(parts.people.brought, table.post, clock, PEOPLE_S)
    if setup.beside:
        work["beside"] = beside.follow()
    if config.inputs:
        work["keys"] = screens.keypads.follow(clock.mono_ns)
    work["faults"] = retry_acknowledged(table.hub, parts.devices.acknowledge)
    # Before the first device: how a device was opened belongs to the recording.
    parts.recorder.open()
    for small in config.inputs:
        parts.devices.add(input_driver(small, clock, inputs.receive, tap), required=small.required)
    if parts.cards is not None:
        post = parts.lines.listening(table.post)
        for source in parts.cards(clock, secrets.token_hex(3), post, tap):
            parts.devices.add(source)
    for camera, tracked in zip(setup.cameras, parts.cameras, strict=True):
        work[f"camera {tracked.name}"] = _open_camera(camera, tracked, parts)
    return work


def _app(
    setup: TableSetup, parts: TableParts, screens: TableScreens, access: Access, beside: FloorTables
) -> FastAPI:
    """The page's application, with the tables that are shown beside this one."""
    served = WebParts(
        screens,
        access,
        web_settings(setup.config.web),
        lambda: {**parts.recorder.figures(), **parts.record.failures.figures()},
        beside.screens,
        times=parts.record.times,
    )
    app = create_app(served)
    for routes in setup.routes:
        add_routes(app, routes)
    return app


def _settings(config: TableConfig) -> ScreenSettings:
    """What the house has decided about the screens."""
    plan = witness_plan(config)
    may_miss = frozenset[str]() if plan is None else plan.dealer_may_miss
    return screen_settings(config.table.chips_minor, config.web.sound_percent, may_miss)


def _screens(setup: TableSetup, parts: TableParts, access: Access) -> TableScreens:
    """Make the screens of the table."""
    return TableScreens(
        parts.table,
        parts.table.hub,
        time.monotonic,
        _settings(setup.config),
        parts.snapshots,
        draw=setup.draw,
        dealer=access.sessions.dealer_id,
        faults=setup.faults,
        signed=lambda: parts.record.heads.last,
        past=past_pictures(setup.config, [tracked.name for tracked in parts.cameras]),
        lines=parts.lines,
        journal=setup.config.journal.file,
    )


def _open_camera(camera: CameraSetup, tracked: TrackedCamera, parts: TableParts) -> Work:
    """Open a camera over the table; what follows its pictures."""
    section, clock, post = camera.section, SystemClock(), parts.table.post
    source = camera.make(clock, camera_presence(section, clock, post).changed, parts.recorder.tap)
    source = FollowedCamera(source, tracked.tracker)
    parts.devices.add(source, required=section.required)
    follower = FrameFollower(tracked.tracker, camera_plan(section, tracked.box_at))
    return follow_frames(source, follower, clock, post)

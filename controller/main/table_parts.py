"""The parts of a running table: its setup, its record, its devices and screens."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter

from controller.config import TableConfig
from controller.devices.cameras.setup import CameraSetup
from controller.devices.cameras.snapshots import CameraSnapshots, TrackedCamera
from controller.devices.kept import RecordedJournal, RecorderHandle
from controller.devices.presence import DeviceRegistry
from controller.devices.shoes import CardSourceFactory
from controller.journal.head_file import TableKey
from controller.journal.keeping import HeadKeeping
from controller.main.copying import TableCopy
from controller.main.linked.table import TableFloor
from controller.main.notify import ServiceManager
from controller.main.table_people import TablePeople
from controller.people.access import Access
from controller.runtime.api import Mode
from controller.runtime.door import TableTask
from controller.runtime.felt_witness import ShoeLines
from controller.runtime.inbox import FailureLog
from controller.runtime.ledger import Ledger
from controller.runtime.restore import ProgramStart
from controller.runtime.staff_notes import StaffNotes
from controller.screens.commands import DrawsCard
from controller.screens.words import FaultBoard
from controller.web.parts import TableTimes

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


class TableRecord(NamedTuple):
    """The record of a table, and the state that it came up with."""

    journal: RecordedJournal
    ledger: Ledger
    heads: HeadKeeping
    failures: FailureLog
    times: TableTimes


class Staff(NamedTuple):
    """The signed-in people, and the recorder of their events."""

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


class TableParts(NamedTuple):
    """The parts of a table on one journal.

    `lines` are the shoe's last messages; `ended` is set when the next day's journal has begun.
    """

    lasting: LastingParts
    table: TableTask
    devices: DeviceRegistry
    recorder: RecorderHandle
    snapshots: CameraSnapshots
    record: TableRecord
    lines: ShoeLines
    copy: TableCopy
    floor: TableFloor
    ended: asyncio.Event
    staff: Staff

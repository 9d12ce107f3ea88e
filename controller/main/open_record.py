"""A table's record and its door, as `run` opens them: the journal, its key and heads.

Time is handed in, and nothing is started here: a table that is simulated whole opens by this way too.
"""

import secrets
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from controller.config import TableConfig
from controller.devices.cameras.setup import contradiction_detector, witness_plan
from controller.devices.kept import RecordedJournal
from controller.journal.head_file import TableKey
from controller.journal.heads import RandomBytes, SignedHead, head_before
from controller.main.signing import head_keeping, kept_files
from controller.main.table_parts import TableRecord
from controller.policy import House
from controller.ports import MACHINE_DISK, Clock, Health, SideDisk
from controller.rules import load_file, with_overrides
from controller.runtime.api import Mode, NameCard
from controller.runtime.decide import TableDevices
from controller.runtime.door import Listeners, TableDoor
from controller.runtime.inbox import FailureLog, TableLimits
from controller.runtime.restore import Identity, ProgramStart, restore, start
from controller.runtime.snapshot import logger
from controller.web.parts import TableTimes


class OpenedJournal(NamedTuple):
    """A journal with the key that signs it, and the facts about the starting program.

    `nonces` is the random source for sealing heads.
    """

    journal: RecordedJournal
    key: TableKey
    known: ProgramStart
    nonces: RandomBytes = secrets.token_bytes


def identity_of(config: TableConfig, folder: Path) -> Identity:
    """Return the identity of the configured table; raises as `load_file` and `with_overrides`.

    `folder` is the folder of relative rule files.
    """
    table = config.table
    file = load_file(table.rules, folder)
    rules = with_overrides(file.rules, table.rule_overrides)
    house = House(file.irregularities, table.options.settled, table.second_person.settled)
    # Only a journal that begins names another: a start reads no other day's heads.
    begins = not config.journal.file.exists()
    follows = head_before(config.journal.file, table.name) if begins else None
    return Identity(table.name, rules, table.currency, house, follows)


def open_journal(
    config: TableConfig, clock: Clock, key: TableKey, disk: SideDisk = MACHINE_DISK
) -> RecordedJournal:
    """Open the journal and compare it with its files; raises as `Journal.open`."""
    return RecordedJournal.open(config.journal.file, clock, key, kept_files(config), disk=disk)


def begin_record(
    config: TableConfig,
    opened: OpenedJournal,
    identity: Identity,
    mode: Mode,
    clock: Clock,
    *,
    before: SignedHead | None = None,
) -> TableRecord:
    """Restore or begin the journal, and record the start.

    `before`: this process has begun the journal as the day after one that ends with this head. Then its start
    is recorded already.
    """
    journal, key, known, nonces = opened
    ledger = restore(journal.read()) if before is not None else None
    if ledger is None:
        ledger = start(journal, identity, mode, version("stand17"), known)
    heads = head_keeping(config, journal, key, clock, nonces, before=before or identity.follows)
    return TableRecord(journal, ledger, heads, FailureLog(logger()), TableTimes(clock))


def table_door(
    config: TableConfig,
    record: TableRecord,
    clock: Clock,
    *,
    mode: Mode,
    health: Callable[[], tuple[Health, ...]],
    send_order: Callable[[str, str], bool] | None = None,
    card_named: Callable[[NameCard, str], None] = lambda _action, _who: None,
) -> TableDoor:
    """The door of a table on its record; see `TableDoor`."""
    locks = config.shoe.name if config.shoe is not None and config.shoe.lock_while_held else None
    return TableDoor(
        record.journal,
        record.ledger,
        clock,
        mode=mode,
        limits=TableLimits(journal_slow_ms=config.journal.slow_ms),
        devices=TableDevices(health, send_order, card_named, locks),
        detector=contradiction_detector(config),
        witnesses=witness_plan(config),
        listeners=Listeners(record.failures, record.heads.sign, record.times.finished),
    )

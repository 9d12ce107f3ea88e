"""Work beside a table: the service manager, the journal's copy, the house's command for alerts.

The command gets one JSON object on standard input. It names the table, the kind and the time, never a card,
an amount, a shoe or a person: it may end on a private telephone. The table never waits for the command.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

import structlog

from controller.config import OnAlertSection, TableConfig
from controller.domain import ConfigError
from controller.i18n import catalogue, text
from controller.journal.copying import CopyPlace, JournalCopier, continued_by, copy_file
from controller.ports import MACHINE_DISK, Clock, ReportSink, SideDisk, StartWork, WorkThread
from controller.runtime.api import Hub, TableSnapshot
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot import SnapshotHub, is_released, released_of

BEATS: Final = 3
"""Signs of life in each of the manager's watchdog intervals."""


class ServiceManager:
    """The datagram socket that systemd names in NOTIFY_SOCKET; silent where there is none."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read NOTIFY_SOCKET (a path, or @name for an abstract one) and WATCHDOG_USEC (microseconds)."""
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        interval = environment.get("WATCHDOG_USEC", "")
        self._watchdog_s = int(interval) / 1e6 if interval.isdigit() else 0.0

    def ready(self) -> None:
        """The page can be opened and the devices are being opened."""
        self._send(b"READY=1")

    def stopping(self) -> None:
        """Report that nothing new is taken."""
        self._send(b"STOPPING=1")

    async def beat(self, alive: Callable[[], Awaitable[None]]) -> None:
        """Give a sign of life after each return of `alive`, until cancelled.

        `alive` has to go the way of a real command through the table: a loop that turns is no proof that
        something can still be written down.
        """
        while True:
            if self._watchdog_s:
                await alive()
                self._send(b"WATCHDOG=1")
            await asyncio.sleep(self._watchdog_s / BEATS or 3600)

    def _send(self, message: bytes) -> None:
        """Send one datagram; a missing manager is ignored."""
        if not self._address:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.setblocking(False)
            line.sendto(message, self._address)


def require_continued(config: TableConfig) -> None:
    """Compare the journal with its copy, where that can be reached, before anything is written.

    Raises `JournalError` NOT_CONTINUED, COPY_UNREADABLE.
    """
    folder, journal = config.journal.copy_folder, config.journal.file.resolve()
    if folder is not None:
        continued_by(copy_file(folder, journal), journal)


class TableCopy:
    """The copy of a table that may have none."""

    def __init__(
        self,
        config: TableConfig,
        post: ReportSink,
        clock: Clock,
        doubt: Callable[[], None],
        disk: SideDisk = MACHINE_DISK,
    ) -> None:
        """Prepare the copy; `post` and `doubt` as in `JournalCopier`."""
        folder = config.journal.copy_folder
        self._copier = None
        if folder is not None:
            place = CopyPlace(folder, config.journal.file.resolve(), disk)
            self._copier = JournalCopier(place, post, clock, doubt)

    async def follow(self, hub: SnapshotHub, start: StartWork = WorkThread) -> None:
        """Have everything copied that may be, until cancelled."""
        if self._copier is not None:
            self._copier.open(start)
        async for seq in released_of(hub):
            self._release(seq)

    def close(self, ledger: Ledger) -> None:
        """Copy the end with its last signed head, then stop."""
        if is_released(ledger.state, ledger.waiting_count):
            self._release(ledger.seq)
        if self._copier is not None:
            self._copier.close()

    def _release(self, seq: int) -> None:
        if self._copier is not None:
            self._copier.release(seq)


DISCREET: Final = frozenset(
    ("SHUFFLE_SUSPECT", "COMPOSITION_SUSPECT", "SHOE_INCOMPLETE", "COUNT_DUE", "FLOAT_DIFFERS")
)
"""Kinds that no guest may know of: they tell of repeated orders, missing cards or the house's float."""

_LIMIT_S: Final = 10.0
"""A command that runs longer is killed with everything that it started."""

RETRY_US: Final = 60_000_000

SECOND_US: Final = 1_000_000

NEVER: Final = 1 << 62
"""When to run the command again after a success, in microseconds."""


class Unanswered(NamedTuple):
    """A hold or alert that waits for a person since `since_utc_us`."""

    since_utc_us: int
    code: str
    kind: Literal["hold", "alert"]


def unanswered(now: TableSnapshot) -> frozenset[Unanswered]:
    """All holds, and the open alerts without a hold of the same kind."""
    holds = {Unanswered(hold.since_utc_us, hold.code, "hold") for hold in now.holds}
    held = {hold.code for hold in now.holds}
    alerts = {
        Unanswered(alert.at_utc_us, alert.code, "alert")
        for alert in now.alerts
        if alert.status == "open" and alert.code not in held
    }
    return frozenset(holds | alerts)


def message(table: str, one: Unanswered, at_utc_us: int, language: str) -> bytes:
    """The object for the command. A discreet kind has no code, and its text says that the pit decides."""
    key = f"fault_name.{one.code}"
    named = one.code not in DISCREET and key in catalogue("en")
    waited_s = (at_utc_us - one.since_utc_us) // SECOND_US
    words: dict[str, str | int] = {
        "table": table,
        "kind": text(key if named else "on_alert.pit_decides", {}, language),
        "seconds": waited_s,
    }
    since = datetime.fromtimestamp(one.since_utc_us // SECOND_US, UTC)
    fields = {
        "table": table,
        "kind": one.kind,
        "code": one.code if named else None,
        "since": since.isoformat().replace("+00:00", "Z"),
        "waited_s": waited_s,
        "text": text("on_alert.waits", words, language),
    }
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def require_command(section: OnAlertSection) -> None:
    """Raises `ConfigError` ON_ALERT_COMMAND where there is no such program."""
    if shutil.which(section.command[0]) is None:
        raise ConfigError("ON_ALERT_COMMAND", command=section.command[0])


class AlertCommand:
    """The command, and which holds and alerts it has been told of."""

    def __init__(self, section: OnAlertSection, log: structlog.typing.FilteringBoundLogger) -> None:
        """Raises as `require_command`."""
        require_command(section)
        self._section, self._log = section, log
        self._next: dict[Unanswered, int] = {}
        """When the command is run for each, in microseconds."""

    async def follow(self, hub: Hub, utc_us: Callable[[], int], every_s: float) -> None:
        """Look every so many seconds, until cancelled. A command that fails is run again after a minute."""
        while True:
            now, at = hub.latest(), utc_us()
            waiting = unanswered(now)
            self._next = {known: due for known, due in self._next.items() if known in waiting}
            for one in sorted(waiting):
                if self._is_due(one, at):
                    self._next[one] = NEVER
                    told = message(now.table, one, at, self._section.language)
                    # The thread is never joined: the table and its shutdown do not wait for the command.
                    threading.Thread(target=self._run, args=(one, told, at), daemon=True).start()
            await asyncio.sleep(every_s)

    def _is_due(self, one: Unanswered, at_utc_us: int) -> bool:
        section = self._section
        wanted = not section.codes or one.code in section.codes
        waited = one.since_utc_us + section.after_s * SECOND_US <= at_utc_us
        return wanted and waited and self._next.get(one, 0) <= at_utc_us

    def _run(self, one: Unanswered, told: bytes, at_utc_us: int) -> None:
        reason = run_command(self._section.command, told)
        if reason:
            self._log.warning("on_alert_failed", code=one.code, reason=reason)
            self._next[one] = at_utc_us + RETRY_US


def run_command(command: tuple[str, ...], told: bytes, limit_s: float = _LIMIT_S) -> str:
    """Run the command with these bytes on standard input; why it failed, "" where it did not."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return error.strerror or str(error)
    try:
        process.communicate(told, limit_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"longer than {limit_s:g} s"
    return f"exit status {process.returncode}" if process.returncode else ""

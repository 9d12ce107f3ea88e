"""All checks of a table, and those that a table runs before it opens."""

import ctypes
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from controller.config import TableConfig
from controller.domain import ConfigError, JournalError
from controller.journal.files import BESIDE
from controller.journal.kept_by_http import HttpPlace
from controller.journal.store import require_place
from controller.main.doctor import table_trouble
from controller.main.doctor.findings import CheckResult, advice, looked
from controller.main.on_alert import require_command
from controller.main.signing import key_file
from controller.main.table_people import people_file
from controller.ports import Clock
from controller.runtime.snapshot.log_changes import logger


def examine(config: TableConfig, folder: Path, clock: Clock, seconds: float) -> list[CheckResult]:
    """Look at everything; each device is listened to for so many seconds at most (0: at none).

    `folder` is where relative rule files lie. Nothing is written.
    """
    found = [
        *looked("rules", partial(table_trouble.rules, config, folder)),
        *looked("program", partial(table_trouble.program, config)),
        *looked("reader", partial(table_trouble.reader, config)),
        *looked("people", partial(table_trouble.people, config)),
        *looked("page", partial(table_trouble.page, config, clock.utc_us())),
        *looked("port", partial(table_trouble.port, config)),
        *_of_the_place(config),
    ]
    if seconds > 0:
        found += looked("devices", partial(table_trouble.devices, config, clock, seconds))
    return found


def before_opening(config: TableConfig) -> None:
    """Look at what the start of a table does not refuse by itself; what is only advice goes to the log.

    A people's file that others could read is closed to them, once that is said: its PINs may be known.
    Raises `ConfigError` DOCTOR_REFUSES with the first problem in words. What the start refuses in its own
    words is left to it.
    """
    for finding in _of_the_place(config):
        if finding.level == "problem" and finding.is_ours:
            raise ConfigError("DOCTOR_REFUSES", reason=finding.words("en"))
        if finding.level == "advice":
            logger().warning("doctor", check=finding.check, code=finding.code, text=finding.words("en"))
    people_file(config.people, config.journal.file).close_to_others()


def _of_the_place(config: TableConfig) -> list[CheckResult]:
    return [
        *looked("settings", partial(settings, config)),
        *looked("clock", partial(clock, config)),
        *looked("disk", partial(disk, config)),
        *looked("files", partial(files, config)),
        *looked("signing", partial(signing, config)),
        *looked("camera", partial(table_trouble.cameras, config)),
    ]


MEGABYTE: Final = 1 << 20

ROOM_MB_MIN: Final = 100
"""A day's journal with its evidence; below it nothing should begin."""

OTHERS: Final = 0o077
"""Rights of group and others, of which private files have none."""

_UNSYNCHRONISED: Final = 5
_TIMEX_BYTES: Final = 512
"""More than the kernel's record has on any architecture."""


def settings(config: TableConfig) -> Iterator[CheckResult]:
    """Which settings of the file mean nothing any more, and what replaces them; raises `require_command`."""
    if config.on_alert is not None:
        require_command(config.on_alert)
    for code in config.retired:
        yield advice("settings", code)


def clock(_: TableConfig) -> Iterator[CheckResult]:
    """Whether the kernel's clock follows another one; where the kernel does not tell, nothing is said."""
    record = ctypes.create_string_buffer(_TIMEX_BYTES)
    if ctypes.CDLL(None).adjtimex(record) == _UNSYNCHRONISED:
        yield advice("clock", "CLOCK_UNSYNCHRONISED")


def disk(config: TableConfig) -> Iterator[CheckResult]:
    """Whether the journal can be written, and has room; raises `JournalError`."""
    folder = require_place(config.journal.file).parent
    if not os.access(folder, os.W_OK):
        raise JournalError("JOURNAL_CANNOT_OPEN", path=str(folder), reason=os.strerror(13))
    free_mb = shutil.disk_usage(folder).free // MEGABYTE
    if free_mb < ROOM_MB_MIN:
        named: dict[str, str | int] = {"path": str(folder), "free_mb": free_mb, "least_mb": ROOM_MB_MIN}
        yield CheckResult("disk", "problem", "doctor.DISK_FULL", named, str(folder))
        return
    recording = config.recording
    wanted_mb = recording.reserve_mb + recording.disk_budget_mb - _held_mb(config)
    if recording.enabled is not False and free_mb < wanted_mb:
        yield advice(
            "disk", "DISK_SMALL", str(folder), path=str(folder), free_mb=free_mb, wanted_mb=wanted_mb
        )


def files(config: TableConfig) -> Iterator[CheckResult]:
    """Whether anybody else may read what is the table's alone, and whether the table may write it."""
    journal = config.journal.file
    own = [Path(f"{journal}{ending}") for ending in BESIDE]
    own += [people_file(config.people, journal).path, key_file(config)]
    if config.web.metrics_token_file is not None:
        own.append(config.web.metrics_token_file)
    for path in own:
        if not path.exists():
            continue
        if path.stat().st_mode & OTHERS:
            yield advice("files", "FILE_OPEN_TO_OTHERS", str(path), path=str(path))
        is_ours = path.stat().st_uid == path.parent.stat().st_uid
        if not (is_ours and os.access(path, os.R_OK | os.W_OK)):
            yield advice("files", "FILE_NOT_OURS", str(path), path=str(path))


def signing(config: TableConfig) -> Iterator[CheckResult]:
    """Whether a witness signs for the heads that leave by HTTP; a receiver of another kind is allowed."""
    url, key = config.signing.keep_url, config.signing.witness_key
    if url is not None and key is None:
        place = HttpPlace(url).name
        yield advice("signing", "RECEIVER_UNSIGNED", place, place=place)


def _held_mb(config: TableConfig) -> int:
    """What the recordings take already."""
    folder = config.recording.folder or config.journal.undated.with_suffix(".recordings")
    return sum(path.stat().st_size for path in folder.glob("*") if path.is_file()) // MEGABYTE

"""All checks of a table, and those that a table runs before it opens."""

from functools import partial
from pathlib import Path

from controller.config import TableConfig
from controller.domain.errors import ConfigError
from controller.main.doctor import machine, table_trouble
from controller.main.doctor.findings import CheckResult, looked
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
        *looked("clock", partial(machine.clock, config)),
        *looked("disk", partial(machine.disk, config)),
        *looked("files", partial(machine.files, config)),
        *looked("camera", partial(table_trouble.cameras, config)),
    ]

"""The check of the program's own files at the start of a table."""

from typing import Final

from controller.config import TableConfig
from controller.domain import ConfigError
from controller.journal.head_file import public_key
from controller.ports import Trouble
from controller.runtime.api import Mode
from controller.runtime.restore import ProgramStart
from controller.runtime.snapshot import logger
from controller.software import SoftwareReport, check_software, root_of_this_program

_NAMES_MAX: Final = 3
"""Files that a hold names; `stand17 verify --software` names all."""


def program_start(config: TableConfig, mode: Mode) -> ProgramStart:
    """Check the program's files; return their record for `started`, and the holds of the table.

    A simulation opens with any files. Raises `ConfigError` SOFTWARE_UNRELEASED or RELEASE_KEY_MISSING for a
    live table with unsigned files, `JournalError` KEY_UNREADABLE.
    """
    section = config.software
    public = public_key(section.release_key) if section.release_key else ""
    report = check_software(root_of_this_program(), public)
    if mode == "live" and not section.allow_unreleased:
        _require_vouched(report)
    holds = tuple(holds_for(report))
    for hold in holds:
        logger().warning("software", code=hold.code, **dict(hold.params))
    recorded = (("release", report.state), ("commit", report.commit), ("software_sha256", report.digest))
    return ProgramStart(recorded, holds if mode == "live" else ())


def _require_vouched(report: SoftwareReport) -> None:
    """Raise `ConfigError` where there is no manifest, or no key to check it with."""
    if report.state == "unreleased":
        raise ConfigError("SOFTWARE_UNRELEASED")
    if report.state == "unvouched":
        raise ConfigError("RELEASE_KEY_MISSING")


def holds_for(report: SoftwareReport) -> list[Trouble]:
    """Return the holds that must be lifted before a round is dealt with this program."""
    holds = [Trouble("SOFTWARE_FORGED")] if report.state == "forged" else []
    if report.differences:
        names = [one.path for one in report.differences]
        shown = ", ".join(names[:_NAMES_MAX]) + (", …" if len(names) > _NAMES_MAX else "")
        holds.append(Trouble("SOFTWARE_DIFFERS", (("count", len(names)), ("names", shown))))
    return holds

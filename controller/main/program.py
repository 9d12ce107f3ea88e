"""The running program: its version, its compiled parts, the check of its own files at a table's start."""

from importlib.metadata import version
from typing import Any, Final

from controller.config import TableConfig
from controller.domain import ConfigError
from controller.i18n import text
from controller.journal.head_file import public_key
from controller.ports import Trouble
from controller.runtime.api import Mode
from controller.runtime.compiled import engine_is_compiled
from controller.runtime.restore import ProgramStart
from controller.runtime.snapshot import logger
from controller.software import SoftwareReport, check_software, root_of_this_program
from vision.native import compiled_file


def installed() -> dict[str, Any]:
    """The same as `version_lines`, for programs.

    `release` is that of `verify --software`; `digest` is one hash of all files, `altered` the number of files
    that differ from the release; `commit` is "" when unknown.
    """
    report = check_software(root_of_this_program())
    return {
        "version": version("stand17"),
        "engine_compiled": engine_is_compiled(),
        "reader_compiled": compiled_file() is not None,
        "release": report.state,
        "commit": report.commit,
        "digest": report.digest,
        "altered": len(report.differences),
    }


def version_lines() -> list[str]:
    """The version; then a line each for engine, card reader, and which release it is.

    `stand17 verify --software --key` checks the signature of the files.
    """
    found, file = installed(), compiled_file()
    engine = text("version.engine_compiled" if found["engine_compiled"] else "version.engine_source")
    reader = text("version.reader_compiled", {"file": file}) if file else text("version.reader_source")
    release = "altered" if found["altered"] else "manifest"
    if found["release"] == "unreleased":
        release = "unreleased"
    known = {"commit": found["commit"] or "-", "sha256": found["digest"], "count": found["altered"]}
    return [f"stand17 {found['version']}", engine, reader, text(f"version.{release}", known)]


def log_slow_parts(mode: Mode) -> None:
    """Log each part that runs from its sources, with the consequence.

    A demo deals no faster with a compiled engine: its log does not mention it.
    """
    slow = {
        "engine": mode == "live" and not engine_is_compiled(),
        "reader": compiled_file() is None,
    }
    for part in (name for name, is_slow in slow.items() if is_slow):
        sentence = f"{text(f'version.{part}_source')} {text('version.compiled_wheel')}"
        logger().info("not compiled", part=part, text=sentence)


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

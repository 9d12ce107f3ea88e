"""The running version, and its compiled parts."""

from importlib.metadata import version
from typing import NamedTuple

from controller.i18n import text
from controller.runtime.api import Mode
from controller.runtime.compiled import engine_is_compiled
from controller.runtime.snapshot import logger
from controller.software import ReleaseState, check_software, root_of_this_program
from vision.native import compiled_file


class InstalledProgram(NamedTuple):
    """The installed program.

    `release` is that of `verify --software`; `digest` is one hash of all files, `altered` the number of files
    that differ from the release; `commit` is "" when unknown.
    """

    version: str
    engine_compiled: bool
    reader_compiled: bool
    release: ReleaseState
    commit: str
    digest: str
    altered: int


def installed() -> InstalledProgram:
    """The same as `version_lines`, for programs."""
    report = check_software(root_of_this_program())
    return InstalledProgram(
        version("stand17"),
        engine_is_compiled(),
        compiled_file() is not None,
        report.state,
        report.commit,
        report.digest,
        len(report.differences),
    )


def version_lines() -> list[str]:
    """The version; then a line each for engine, card reader, and which release it is."""
    file = compiled_file()
    engine = text("version.engine_compiled" if engine_is_compiled() else "version.engine_source")
    reader = text("version.reader_compiled", {"file": file}) if file else text("version.reader_source")
    return [f"stand17 {version('stand17')}", engine, reader, _release_line()]


def _release_line() -> str:
    """Return the line about the program's files; `stand17 verify --software --key` checks their signature."""
    report = check_software(root_of_this_program())
    kept = "version.altered" if report.differences else "version.manifest"
    known: dict[str, str | int] = {
        "commit": report.commit or "-",
        "sha256": report.digest,
        "count": len(report.differences),
    }
    return text("version.unreleased" if report.state == "unreleased" else kept, known)


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

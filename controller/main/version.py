"""Which version runs, and which of its parts are compiled."""

from importlib.metadata import version
from typing import NamedTuple

from controller.i18n import text
from controller.runtime.compiled import engine_is_compiled
from controller.runtime.snapshot.log_changes import logger
from controller.software import ReleaseState, check_software, root_of_this_program
from vision.native import compiled_file


class InstalledProgram(NamedTuple):
    """What is installed.

    `release` is that of `verify --software`; `digest` is one hash of all files, `altered` how many of them
    are not as they were released; `commit` is "" where it is not known.
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
    """Which files these are. Who has signed them is for `stand17 verify --software --key` to say."""
    report = check_software(root_of_this_program())
    kept = "version.altered" if report.differences else "version.manifest"
    known: dict[str, str | int] = {
        "commit": report.commit or "-",
        "sha256": report.digest,
        "count": len(report.differences),
    }
    return text("version.unreleased" if report.state == "unreleased" else kept, known)


def log_slow_parts() -> None:
    """Tell the log when something runs from its sources that could be compiled."""
    if engine_is_compiled() and compiled_file() is not None:
        return
    running, engine, reader, _ = version_lines()
    logger().info("not compiled", version=running, engine=engine, reader=reader, text=text("version.pure"))

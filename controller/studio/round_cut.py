"""Plays one round of a running table's journal: `python -m controller.studio.round_cut JOURNAL ROUND [case]`.

A process of its own: to play a shift takes seconds, and the table must not wait for its interpreter. To
standard output goes what a screen may show, one line of JSON each: the round, then every step of it; with
`case` the round as a test case, its feed and what is expected of it in a ZIP.
"""

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from controller.domain.errors import ConfigError, TableError
from controller.replay.cases.keep_case import keep_case
from controller.replay.files.table_file import read_table_file
from controller.runtime.redaction import is_secret
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile

PATIENCE_S: Final = 120.0
"""An eight-hour shift takes some seconds."""

LAST: Final = 0
"""Stands for the number of the last round that is over."""

CASE: Final = "case"

NICENESS: Final = 10
"""The table comes first."""


class RoundCut(NamedTuple):
    """A `StudioFileView` of one round and the `StepView` of each of its steps, as JSON text."""

    file: bytes
    steps: tuple[bytes, ...]


def round_cut(journal: Path, number: int) -> RoundCut | None:
    """A round, played by another process; None where the journal has none of this number that is over.

    The number `LAST` is that of the last one.
    """
    written = _run(str(journal), str(number))
    if written is None:
        return None
    file, *steps = written.splitlines()
    return RoundCut(file, tuple(steps))


def round_case(journal: Path, number: int) -> bytes | None:
    """A round as a test case, a ZIP; None where `round_cut` has none, and of a card that was never turned."""
    return _run(str(journal), str(number), CASE)


def _run(*words: str) -> bytes | None:
    command = (sys.executable, "-P", "-m", "controller.studio.round_cut", *words)
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def main() -> None:
    """Write the round that the command line names; exit status 2 without one."""
    journal, number, *case = sys.argv[1:]
    os.nice(NICENESS)
    try:
        told = read_table_file(journal)
        wanted = int(number)
        if wanted == LAST:
            over = StudioFile(told, at_table=told.at_table).rounds
            wanted = max(over, default=LAST)
        file = StudioFile(told, at_table=told.at_table, only=wanted, running=True)
        zipped = _case(file, wanted) if case and file.rounds else b""
    except TableError:
        sys.exit(2)
    if not file.rounds:
        sys.exit(2)
    if zipped:
        sys.stdout.buffer.write(zipped)
        return
    views = [file.view(number), *(step_view(file.told, step, at) for at, step in enumerate(file.steps))]
    sys.stdout.writelines(f"{view.model_dump_json()}\n" for view in views)


def _case(file: StudioFile, number: int) -> bytes:
    """The files of the case. Raises `ConfigError` of `keep_case`; WHAT_IF_SECRET of a card never turned."""
    if is_secret(file.rounds[number].state):
        raise ConfigError("WHAT_IF_SECRET")
    written = BytesIO()
    with TemporaryDirectory() as folder, ZipFile(written, "w", ZIP_DEFLATED) as archive:
        kept = keep_case(
            file.told, file.rounds[number], Path(folder), f"round_{number}", at_table=file.at_table
        )
        rounds = StudioFile(read_table_file(str(kept.feed)), at_table=file.at_table).rounds.values()
        if any(is_secret(one.state) for one in rounds):
            raise ConfigError("WHAT_IF_SECRET")
        for one in (kept.feed, kept.expect):
            archive.write(one, one.name)
    return written.getvalue()


if __name__ == "__main__":
    main()

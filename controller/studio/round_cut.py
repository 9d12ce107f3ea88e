"""Plays one round of a running table's journal: `python -m controller.studio.round_cut JOURNAL ROUND`.

A process of its own: to play a shift takes seconds, and the table must not wait for its interpreter. To
standard output goes what a screen may show, one line of JSON each: the round, then every step of it.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import TableError
from controller.replay.files.table_file import open_told
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile

PATIENCE_S: Final = 120.0
"""An eight-hour shift takes some seconds."""

LAST: Final = 0
"""Stands for the number of the last round that is over."""

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
    words = (sys.executable, "-P", "-m", "controller.studio.round_cut", str(journal), str(number))
    try:
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        return None
    file, *steps = done.stdout.splitlines()
    return RoundCut(file, tuple(steps))


def main() -> None:
    """Write the round that the command line names; exit status 2 without one."""
    journal, number = sys.argv[1:]
    os.nice(NICENESS)
    try:
        told = open_told(journal)
        wanted = int(number)
        if wanted == LAST:
            over = StudioFile(told, at_table=told.at_table).rounds
            wanted = max(over, default=LAST)
        file = StudioFile(told, at_table=told.at_table, only=wanted, running=True)
    except TableError:
        sys.exit(2)
    if not file.rounds:
        sys.exit(2)
    views = [file.view(number), *(step_view(file.told, step, at) for at, step in enumerate(file.steps))]
    sys.stdout.writelines(f"{view.model_dump_json()}\n" for view in views)


if __name__ == "__main__":
    main()

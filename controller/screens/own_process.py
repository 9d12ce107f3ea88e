"""Work of seconds over journals, done by a process of its own: the table's comes first."""

import os
import subprocess
import sys
from typing import Final

PATIENCE_S: Final = 120.0
"""An eight-hour shift takes some seconds, a month of them half a minute."""
NICENESS: Final = 10


def answer_of(module: str, *words: str) -> bytes | None:
    """What a module writes that is run with these words; None where it ends otherwise than with 0."""
    command = (sys.executable, "-P", "-m", module, *words)
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def stand_back() -> None:
    """Let every other process go first."""
    os.nice(NICENESS)

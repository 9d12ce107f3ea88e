"""One writer at a time: a file that says so to other processes, for as long as it is open."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from controller.outputs.writing import PRIVATE


def lock(path: Path, opened: Callable[[Path, int, int], int] = os.open) -> int:
    """Open the file, which is made where it is not there, and lock it; closing the handle gives it back.

    `opened` opens it, as `os.open` does. Raises BlockingIOError at once where another process has it,
    another OSError where the disk says no.
    """
    handle = opened(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle

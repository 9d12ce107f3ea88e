"""Run work of seconds over journals in a process of its own, so that the table's work comes first."""

import os
import subprocess
import sys
from collections.abc import Callable
from threading import Timer
from typing import Final

PATIENCE_S: Final = 120.0
"""An eight-hour shift takes some seconds, a month of them half a minute."""
NICENESS: Final = 10


ANSWER: Final = b"answer\n"
"""The line between what a module says of its progress and its answer."""


def answer_of(
    module: str, *words: str, given: bytes = b"", progress: Callable[[int], None] | None = None
) -> bytes | None:
    """Run a module with these words; return its output, None for an exit status other than 0.

    Its standard input is `given`. With `progress` the module reports its progress (`say_progress`) before it
    answers.
    """
    command, pipe = (sys.executable, "-P", "-m", module, *words), subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None, "a pipe"
        assert child.stdout is not None, "a pipe"
        late = Timer(PATIENCE_S, child.kill)
        late.start()
        try:
            child.stdin.write(given)
            child.stdin.close()
            while progress is not None and (line := child.stdout.readline()) not in (b"", ANSWER):
                progress(int(line))
            answer = child.stdout.read()
        except OSError:
            # The process ended before it read its input.
            answer = b""
        finally:
            late.cancel()
    return answer if child.returncode == 0 else None


def say_progress(done: int) -> None:
    """Say how far this process is."""
    sys.stdout.buffer.write(b"%d\n" % done)
    sys.stdout.buffer.flush()


def stand_back() -> None:
    """Let every other process go first."""
    os.nice(NICENESS)

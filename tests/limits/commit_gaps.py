"""Commits to a journal in a thread, and how long another thread of the same process had to wait meanwhile.

`python -m tests.limits.commit_gaps JOURNAL FLAG`: makes the file FLAG, which slows the disk down, for one
commit; prints milliseconds of that commit, of the longest wait, and of the longest wait of as many seconds
without a commit, which is the machine's own.
"""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.ports import SystemClock

STEP_S = 0.005


def main(journal_file: Path, flag: Path) -> None:
    journal = Journal.open(journal_file, SystemClock())
    entries = [NewEntry("held", b'{"code":"FROZEN","params":{}}', "pit:p7") for _ in range(3)]
    journal.append(entries)
    flag.touch()
    writer = threading.Thread(target=journal.append, args=(entries,))
    begun = time.monotonic()
    writer.start()
    longest = longest_wait(writer.is_alive)
    took = time.monotonic() - begun
    flag.unlink()
    end = time.monotonic() + took
    idle = longest_wait(lambda: time.monotonic() < end)
    print(*(round(seconds * 1000) for seconds in (took, longest, idle)))  # noqa: T201 - the test reads it
    journal.close()


def longest_wait(going_on: Callable[[], bool]) -> float:
    """The longest time that this thread got no turn, in seconds."""
    longest, last = 0.0, time.monotonic()
    while going_on():
        time.sleep(STEP_S)
        now = time.monotonic()
        longest, last = max(longest, now - last - STEP_S), now
    return longest


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

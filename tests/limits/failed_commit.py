"""A bet on a disk whose sync fails, answered, and then the end of the process without another word.

`python -m tests.limits.failed_commit FOLDER FLAG`: makes the file FLAG, from which on the disk fails; prints
the answer.
"""

import os
import sys
from pathlib import Path

from controller.acts.catalogue import Bet
from controller.runtime.api import Observe, Resume
from tests.runtime.reopening_kit import Day


def main(folder: Path, flag: Path) -> None:
    running = Day(folder).start()
    running.ask("pit", Resume())
    running.ask("pit", Observe(Bet(1, 0, 1000)))
    flag.touch()
    print(running.ask("pit", Observe(Bet(2, 0, 1000))), flush=True)  # noqa: T201 - the test reads it
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

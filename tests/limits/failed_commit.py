"""A bet on a disk whose sync fails, answered, and then the end of the process without another word.

`python -m tests.limits.failed_commit JOURNAL FLAG`: makes the file FLAG, from which on the disk fails; prints
the answer.
"""

import asyncio
import os
import sys
from pathlib import Path

from controller.domain.observations import Bet
from controller.runtime.api import Observe
from tests.runtime.runtime_kit import Bench


async def main(journal_file: Path, flag: Path) -> None:
    async with Bench(journal_file) as bench:
        await bench.say(Bet(1, 0, 1000))
        flag.touch()
        print(await bench.ask(Observe(Bet(2, 0, 1000))), flush=True)  # noqa: T201 - the test reads it
        os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))

"""The files of a journal belong to the account of the table alone: they hold cards that lie face down.

Not even a hash of theirs may be read by others: where all but one card is known, 52 guesses find it.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.ports.side_disk import MACHINE_DISK, PRIVATE, SideDisk

__all__ = ["BESIDE", "PRIVATE", "create_private", "keep_private"]

_CHECKPOINT: Final = (".checkpoint", ".checkpoint-wal", ".checkpoint-shm", ".checkpoint.aside")
BESIDE: Final = ("", "-wal", "-shm", ".head", ".mark", ".signed", ".reserve", *_CHECKPOINT)
"""What a journal's files add to its name."""


def create_private(journal: Path, disk: SideDisk = MACHINE_DISK) -> None:
    """Create the file where there is none; SQLite gives its write-ahead log the same rights.

    A folder that cannot be written is left for SQLite to name.
    """
    with suppress(OSError):
        os.close(disk.open(journal, os.O_RDWR | os.O_CREAT | os.O_EXCL))


def keep_private(journal: Path) -> None:
    """Take the rights of others from files that an earlier program, or somebody else, has left.

    Only the owner can; where the file is another account's, that account answers for it.
    """
    for ending in BESIDE:
        with suppress(OSError):
            Path(f"{journal}{ending}").chmod(PRIVATE)

"""Opens files that another account may have laid there: regular files only, without waiting.

A pipe would be waited for, a device may have no end, and a link may lead to a file of the table's own.
"""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.outputs.writing import PRIVATE

_FLAGS: Final = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITES: Final = os.O_WRONLY | os.O_RDWR

NOT_REGULAR: Final = "not a regular file"
IS_LINK: Final = "a link, and its target may be any file"
"""What an error says where the system's own words would mislead."""


def open_regular(
    path: Path,
    flags: int = os.O_RDONLY,
    mode: int = PRIVATE,
    *,
    links: bool = False,
    opened: Callable[[Path, int, int], int] = os.open,
) -> int:
    """Open a file as `os.open` does, by `opened`; the caller closes the handle.

    With `links` a symbolic link is followed: a file that the configuration names and the table only reads,
    such as a certificate. Raises OSError: of a pipe, a device, a folder, a link; to be written also of a file
    with a second name.
    """
    empties = flags & os.O_TRUNC
    follow = 0 if links else os.O_NOFOLLOW
    try:
        handle = opened(path, (flags & ~os.O_TRUNC) | _FLAGS | follow, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, IS_LINK, str(path)) from error
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, NOT_REGULAR, str(path)) from error
        raise
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
        if flags & _WRITES and found.st_nlink > 1:
            raise OSError(errno.EMLINK, IS_LINK, str(path))
        if empties:
            os.ftruncate(handle, 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_regular(path: Path, most: int = -1, *, links: bool = False) -> bytes:
    """Read a file, at most so many bytes of it; raises as `open_regular`."""
    with os.fdopen(open_regular(path, links=links), "rb") as file:
        return file.read(most)

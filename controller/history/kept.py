"""Cached results in the account's cache folder: histories of journals, house edges.

The cache is no evidence. A file that is missing, damaged or of another version is computed again.
"""

import hashlib
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

from controller.history.history import UNFIT, History
from controller.journal.head_file import Head

_DIGEST_BYTES: Final = 32
UNUSED_S: Final = 40 * 86_400
"""A history of a full day has one megabyte; a month of days is looked at again and again."""


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/stand17`, else `~/.cache/stand17`. Raises `RuntimeError` without a home folder."""
    folder = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(folder) / "stand17"


def keep(path: Path, data: bytes) -> None:
    """Write a file whole, for this account alone. Without a place for it nothing is kept."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(data)
                file.close()
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                raise


class KeptHistory(NamedTuple):
    """A history up to the entry `end` of its journal."""

    history: History
    end: Head


class KeptHistories:
    """Histories of journals by the hash of their first entry, as redacted as their rows are."""

    def __init__(self, program: str, folder: Path | None = None) -> None:
        """`program` names the version that made a history: another one begins anew."""
        self._program: Final = program
        with suppress(RuntimeError):
            folder = folder or cache_folder() / "histories"
        self._folder: Final = folder
        if folder is not None:
            _forget(folder)

    def find(self, first: bytes) -> KeptHistory | None:
        """Return the history of the journal that begins with this hash; None without a whole one."""
        if self._folder is None:
            return None
        try:
            path = self._path(self._folder, first)
            data = path.read_bytes()
            path.touch()
            if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
                return None
            program, seq, end, image = data[_DIGEST_BYTES:].split(b"\n", 3)
            if program.decode() != self._program:
                return None
            history = History.of_image(zlib.decompress(image))
            return KeptHistory(history, Head(int(seq), bytes.fromhex(end.decode())))
        except (*UNFIT, OSError, zlib.error):
            return None

    def keeping(self, first: bytes, found: KeptHistory) -> Callable[[], None] | None:
        """Return the function that stores the present history in place of an earlier one."""
        if self._folder is None:
            return None
        head = f"{self._program}\n{found.end.seq}\n{found.end.hash.hex()}\n".encode()
        data = head + zlib.compress(found.history.image(), 1)
        return partial(keep, self._path(self._folder, first), hashlib.sha256(data).digest() + data)

    @staticmethod
    def _path(folder: Path, first: bytes) -> Path:
        return folder / f"{first.hex()}.history"


def _forget(folder: Path) -> None:
    """Remove files that were unused for `UNUSED_S` before the newest one."""
    with suppress(OSError):
        used = {path: path.stat().st_mtime for path in folder.iterdir()}
        for path, at_s in used.items():
            if at_s < max(used.values()) - UNUSED_S:
                path.unlink()

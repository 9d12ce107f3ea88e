"""The files beside a journal on the seeded disk: what a program writes there, as long as it runs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from controller.ports import PRIVATE, Clock, SideDisk
from tests.whole.disk import NOTES, REFUSED, SeededDisk, SyncLied, Write, code_of

KEPT: Final = "kept"
"""The folder in which signed heads and the journal's copy are kept."""

RECORDINGS: Final = ".recordings"
ROOM: Final = 1 << 40
"""Bytes free: a full disk is a fault of its own."""


def kind_of(path: Path) -> str:
    """What kind of file this is: head, signed, reserve, kept, copy or recordings."""
    if path.parent.suffix == RECORDINGS:
        return RECORDINGS[1:]
    return KEPT if path.suffix == ".signed" and path.parent.name == KEPT else path.suffix[1:]


class SideFiles(SideDisk):
    """The side disk of one program on the seeded disk; does nothing once the program has ended."""

    def __init__(self, disk: SeededDisk, clock: Clock) -> None:
        """`clock` says when a file was written last."""
        self._disk, self._clock, self._session = disk, clock, disk.sessions

    def open(self, path: Path, flags: int, mode: int = PRIVATE) -> int:
        if self._is_off:
            return os.memfd_create(path.name)
        is_new = not path.exists()
        handle = os.open(path, flags | os.O_CLOEXEC, mode)
        if is_new:
            self._disk.named(str(path))
        return handle

    def write(self, path: Path, handle: int, data: bytes, offset: int) -> None:
        """Write; a failing write leaves a part. A write inside a reserved length is not refused."""
        if self._is_off:
            return
        with path.open("rb") as file:
            length = file.seek(0, os.SEEK_END)
            file.seek(offset)
            before = file.read(len(data))
        try:
            if not (self._disk.armed == "full" and offset + len(data) <= length):
                self._operation("write", path)
        except OSError:
            data = data[: len(data) // 2] if offset == length else b""
            raise
        finally:
            if not self._is_off:
                os.pwrite(handle, data, offset)
                os.utime(handle, ns=(self._clock.utc_us() * 1000,) * 2)
                self._disk.wrote(str(path), Write(offset, before, data, length), NOTES)

    def shorten(self, path: Path, handle: int, length: int) -> None:
        """Shorten; a cut of power does not undo it."""
        if not self._is_off and path.stat().st_size > length:
            os.ftruncate(handle, length)

    def sync(self, path: Path, handle: int) -> None:  # noqa: ARG002
        if not self._is_off and self._operation("sync", path):
            self._disk.synced(str(path))

    def keep_name(self, path: Path) -> None:
        if not self._is_off and self._operation("sync", path):
            self._disk.keep_names(path.parent)

    def reserve(self, path: Path, handle: int, length: int) -> None:
        if not self._is_off and self._operation("write", path):
            os.posix_fallocate(handle, 0, length)

    def place(self, draft: Path, path: Path, move: Callable[[Path, Path], None]) -> None:
        if not self._is_off and self._operation("write", path):
            move(draft, path)
            self._disk.named(str(path), str(draft))

    def remove(self, path: Path) -> None:
        if not self._is_off:
            path.unlink()
            self._disk.removed(str(path))

    def room(self, folder: Path) -> int:  # noqa: ARG002
        return ROOM

    @property
    def _is_off(self) -> bool:
        """Also what a program that is gone had still in its hands goes nowhere."""
        return self._disk.off or self._disk.sessions != self._session

    def _operation(self, kind: Literal["write", "sync"], path: Path) -> bool:
        """Let what is due happen; False for a sync that has done nothing."""
        if not self._disk.fails_beside:
            return True
        try:
            self._disk.operation(kind, kind_of(path))
        except SyncLied:
            return False
        except REFUSED as error:
            code = code_of(error)
            raise OSError(code, os.strerror(code)) from error
        return True

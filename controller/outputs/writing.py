"""The one way in which a command writes a file: under another name first, then put in its place.

An existing file is replaced only where the command was called with `--force`. An input of the same command,
evidence, and what a link points to are never replaced. Standard output, pipes and devices are no files.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from controller.domain.errors import ConfigError
from controller.outputs.evidence import is_evidence

PRIVATE: Final = 0o600
"""For its owner alone: the default, since feeds and reports may hold face-down cards."""

PUBLIC: Final = 0o666
"""As the process's umask has it."""

_HANDLE: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_NAME_MAX: Final = 200
"""Characters of a name that its draft keeps: file systems take 255 bytes."""

_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""How file systems without hard links refuse one (FAT on a stick)."""


class Outputs(NamedTuple):
    """What one command may write: never onto its `inputs`, onto other files only with `force`."""

    inputs: tuple[Path, ...] = ()
    force: bool = False

    def require_free(self, *paths: Path | None) -> None:
        """Look at everything that is to be written before anything is.

        Raises `ConfigError` OUTPUT_TWICE, OUTPUT_IS_INPUT, OUTPUT_IS_EVIDENCE, OUTPUT_IS_LINK,
        OUTPUT_EXISTS or FILE_NOT_WRITTEN; a stream and None are always free.
        """
        files = [path for path in paths if path is not None and not is_stream(path)]
        for number, path in enumerate(files):
            if any(_is_same(path, other) for other in files[:number]):
                raise ConfigError("OUTPUT_TWICE", path=str(path))
            self._require_free(path)

    def _require_free(self, path: Path) -> None:
        if any(_is_same(path, given) for given in self.inputs):
            raise ConfigError("OUTPUT_IS_INPUT", path=str(path))
        if is_evidence(path):
            raise ConfigError("OUTPUT_IS_EVIDENCE", path=str(path))
        if path.is_symlink():
            raise ConfigError("OUTPUT_IS_LINK", path=str(path))
        if path.is_dir() or path.is_block_device():
            raise not_written(path, OSError(errno.EISDIR, os.strerror(errno.EISDIR)))
        if path.exists() and not self.force:
            raise ConfigError("OUTPUT_EXISTS", path=str(path))

    def write(self, path: Path, data: bytes, mode: int = PRIVATE) -> None:
        """Write a file whole or not at all; raises as `require_free`."""
        with self.open(path, mode) as stream:
            stream.write(data)

    @contextmanager
    def open(self, path: Path, mode: int = PRIVATE) -> Iterator[IO[bytes]]:
        """A file to write into, in its place once the block has ended without an error.

        Raises as `require_free`, where the disk refuses it as FILE_NOT_WRITTEN. The block's own errors pass.
        """
        self.require_free(path)
        try:
            if is_stream(path):
                with _stream(path) as stream:
                    yield stream
                return
            with _draft(path, mode) as (draft, stream):
                yield stream
                _settle(stream)
                place(draft, path, force=self.force)
                _sync_folder(path.parent)
        except FileExistsError as error:
            # It came while this was written.
            raise ConfigError("OUTPUT_EXISTS", path=str(path)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise not_written(path, error) from error


FRESH: Final = Outputs()
"""Only files that are not there yet, of a command that reads none."""


def is_stream(path: Path) -> bool:
    """Whether this is no file: standard output, an open handle, a pipe, a device."""
    if str(path) in _STANDARD or _HANDLE.fullmatch(str(path)):
        return True
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(kind) or stat.S_ISCHR(kind)


def place(draft: Path, path: Path, *, force: bool = False) -> None:
    """Give a finished file its name; without `force` only one that nobody has.

    Raises `OSError`, `FileExistsError` where the name is taken.
    """
    if force:
        draft.replace(path)
    else:
        _link(draft, path)
        draft.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Have a new name on the disk, where the folder can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _link(draft: Path, path: Path) -> None:
    """Take a name that nobody has, in one step where the file system can."""
    try:
        os.link(draft, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        draft.rename(path)


def not_written(path: Path, error: OSError) -> ConfigError:
    """The error FILE_NOT_WRITTEN with what the system says."""
    return ConfigError("FILE_NOT_WRITTEN", path=str(path), reason=error.strerror or str(error))


@contextmanager
def _draft(path: Path, mode: int) -> Iterator[tuple[Path, IO[bytes]]]:
    """A file beside the one that is meant; gone at the end unless it was put in its place."""
    draft = path.with_name(f".{path.name[:_NAME_MAX]}.{os.getpid()}.new")
    # Left by a process that was killed, and had this one's number.
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield draft, stream
    finally:
        draft.unlink(missing_ok=True)


def _settle(stream: IO[bytes]) -> None:
    """Have it on the disk, so that a power cut leaves the whole file or none."""
    if not stream.closed:
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def _stream(path: Path) -> Iterator[IO[bytes]]:
    """An open handle once more, never the file behind it: opened by name it would be emptied."""
    number = _STANDARD.get(str(path))
    handle = _HANDLE.fullmatch(str(path))
    if handle is not None:
        number = int(handle[1])
    if number in (1, 2):
        standard = sys.stdout if number == 1 else sys.stderr
        standard.flush()
        yield standard.buffer
        standard.buffer.flush()
        return
    opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC) if number is None else os.dup(number)
    with os.fdopen(opened, "wb") as stream:
        yield stream


def _is_same(path: Path, other: Path) -> bool:
    """Whether two names mean one file, also by links, or one that is not there yet."""
    try:
        return path.samefile(other)
    except OSError:
        return path.resolve() == other.resolve()

"""Files that a command writes or opens. Imports the domain alone.

A file is written under another name first, then renamed. An existing file is replaced only with `--force`.
Evidence (journals with the files beside them, recordings, keys, kept heads), an input of the same command,
and the target of a link are never replaced. Standard output, pipes and devices are no files.

A file from another account is opened by `open_regular`: a pipe would block, a device may have no end, and a
link may lead to a file of the table's own.
"""

import csv
import errno
import fcntl
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Protocol

from controller.domain import ConfigError

PRIVATE: Final = 0o600
"""For its owner alone: the default, since feeds and reports may hold face-down cards."""


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


_FLAGS: Final = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITES: Final = os.O_WRONLY | os.O_RDWR

NOT_REGULAR: Final = "not a regular file"
_IS_LINK: Final = "a link, and its target may be any file"
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
            raise OSError(errno.ELOOP, _IS_LINK, str(path)) from error
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, NOT_REGULAR, str(path)) from error
        raise
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
        if flags & _WRITES and found.st_nlink > 1:
            raise OSError(errno.EMLINK, _IS_LINK, str(path))
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


FILES_MAX: Final = 1000
"""Beside one file: whoever needs more wants another mount, or another deck."""


def anew_beside(path: Path) -> Iterator[Path]:
    """Return the existing numbered files beside this one, in order."""
    return takewhile(Path.exists, (_anew(path, number) for number in count(1)))


def next_beside(path: Path) -> Path | None:
    """Return the first free numbered name beside this file; None when there are `FILES_MAX`."""
    free = (_anew(path, number) for number in range(1, FILES_MAX + 1))
    return next((one for one in free if not one.exists()), None)


def _anew(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.anew-{number}{path.suffix}")


_FORMULA: Final = re.compile("[=+\\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
_AS_TEXT: Final = "'"
"""In front of a cell that a spreadsheet would compute."""


class _Writes(Protocol):
    def write(self, text: str, /) -> object: ...


class CsvWriter:
    """Writes rows as `csv.writer` does."""

    def __init__(self, stream: _Writes) -> None:
        """Prepare the writer."""
        self._writer = csv.writer(stream)

    def row(self, cells: Iterable[Any]) -> None:
        """Write a row."""
        self._writer.writerow([_cell(cell) for cell in cells])

    def rows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for cells in rows:
            self.row(cells)


def _cell(value: object) -> object:
    is_formula = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"{_AS_TEXT}{value}" if is_formula else value


PUBLIC: Final = 0o666
"""As the process's umask has it."""

_HANDLE: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_NAME_MAX: Final = 200
"""Characters of a name that its draft keeps: file systems take 255 bytes."""

_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""How file systems without hard links refuse one (FAT on a stick)."""


class Outputs(NamedTuple):
    """The permitted outputs of one command: never its `inputs`, existing files only with `force`."""

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
            if any(_is_same(path, given) for given in self.inputs):
                raise ConfigError("OUTPUT_IS_INPUT", path=str(path))
            if _is_evidence(path):
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
                # On the disk first: a power cut leaves the whole file or none.
                if not stream.closed:
                    stream.flush()
                    os.fsync(stream.fileno())
                place(draft, path, force=self.force)
                # Not every folder can be synced.
                with suppress(OSError):
                    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
                    try:
                        os.fsync(handle)
                    finally:
                        os.close(handle)
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
    """Rename a finished file; without `force` only to a free name.

    Raises `OSError`, `FileExistsError` for a used name.
    """
    if force:
        draft.replace(path)
    else:
        # In one step if the file system can.
        try:
            os.link(draft, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
            draft.rename(path)
        draft.unlink(missing_ok=True)


def not_written(path: Path, error: OSError) -> ConfigError:
    """Return the error FILE_NOT_WRITTEN with the system's reason."""
    return ConfigError("FILE_NOT_WRITTEN", path=str(path), reason=error.strerror or str(error))


@contextmanager
def _draft(path: Path, mode: int) -> Iterator[tuple[Path, IO[bytes]]]:
    """Yield a file beside the intended one; it is removed at the end unless it was renamed."""
    draft = path.with_name(f".{path.name[:_NAME_MAX]}.{os.getpid()}.new")
    # Left by a process that was killed, and had this one's number.
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield draft, stream
    finally:
        draft.unlink(missing_ok=True)


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
    """Whether two names mean one file, also by links, or one that does not exist yet."""
    try:
        return path.samefile(other)
    except OSError:
        return path.resolve() == other.resolve()


SQLITE: Final = b"SQLite format 3\0"
MCAP: Final = b"\x89MCAP0\r\n"
"""How a journal and a recording begin."""

_NAMES: Final = (
    ".journal",
    ".mcap",
    ".mcap.partial",
    ".pins.jsonl",
    ".key",
    ".pem",
    ".signed",
    ".head",
    ".mark",
    ".copy",
)
"""A file with such a name stays, whatever is left of its content: damaged evidence is evidence."""

_BESIDE: Final = (
    "-wal",
    "-shm",
    "-journal",
    ".head",
    ".mark",
    ".signed",
    ".reserve",
)
"""What SQLite and this program read beside a journal: also one that is not there yet would change it."""

_CONTENT: Final = re.compile(
    rb"SQLite format 3\0|\x89MCAP0\r\n"
    # Keys as PEM, not certificates; the note of a head; a public key alone.
    rb"|\s*-----BEGIN (?!CERTIFICATE)|\d{20} [0-9a-f]{64}\n|[0-9a-f]{64}\s*$"
    # Signed heads, kept ones too.
    rb'|\{(?=[^\n]*"signature":)(?=[^\n]*"code":)(?=[^\n]*"seq":)'
    # A copy of a journal.
    rb'|\{"seq":\d+,"kind":"'
)
_LOOK_BYTES: Final = 4096


def _is_evidence(path: Path) -> bool:
    """Whether this file, by its name or its content, must stay; True also for an unreadable one.

    The name alone counts for a missing file beside an existing journal.
    """
    ending = next((end for end in _BESIDE if path.name.endswith(end)), "")
    if ending and path.with_name(path.name.removesuffix(ending) or "-").is_file():
        return True
    if not path.is_file():
        return False
    if path.name.endswith(_NAMES):
        return True
    try:
        with path.open("rb") as stream:
            return _CONTENT.match(stream.read(_LOOK_BYTES)) is not None
    except OSError:
        return True

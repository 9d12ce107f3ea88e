"""The pictures of a folder, read one after the other in the background; the one that is looked at first."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.domain.errors import ConfigError, TableError
from vision.geometry import Image
from vision.pictures import load_picture
from vision.reading import Reading

ENDINGS: Final = frozenset((".jpg", ".jpeg", ".png"))
"""Of files that may be pictures; others are passed over in silence."""

Read = Callable[[Image], Reading]


class ReadPicture(NamedTuple):
    """A picture's size in pixels and what the reader says of it."""

    width: int
    height: int
    reading: Reading


def pictures_below(folder: Path) -> tuple[Path, ...]:
    """The pictures of a folder and those below it, in the order of their paths.

    Raises ConfigError LABEL_NO_PICTURES where there is none.
    """
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    if not found:
        raise ConfigError("LABEL_NO_PICTURES", path=str(folder))
    return tuple(found)


class ReadPictures:
    """What the reader says of each picture, as far as it has come."""

    def __init__(self, paths: Sequence[Path], read: Read) -> None:
        """Begin to read. From here on nobody else may use the reader: its networks belong to one thread."""
        self.paths: Final = tuple(paths)
        self._reader = read
        self._read: dict[int, ReadPicture | TableError] = {}
        self._wanted: int | None = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._work, name="labelled pictures", daemon=True)
        self._thread.start()

    def get(self, number: int) -> ReadPicture | TableError | None:
        """A picture as it was read, why it cannot be, or None while it has not been; then it is the next."""
        found = self._read.get(number)
        if found is None:
            self._wanted = number
        return found

    def peek(self, number: int) -> ReadPicture | TableError | None:
        """As `get`, for who only counts."""
        return self._read.get(number)

    def close(self) -> None:
        """Let the reading end with the picture that it is at."""
        self._ends.set()
        self._thread.join()

    def _work(self) -> None:
        waiting = dict.fromkeys(range(len(self.paths)))
        while waiting and not self._ends.is_set():
            wanted = self._wanted
            number = wanted if wanted in waiting else next(iter(waiting))
            del waiting[number]
            self._read[number] = _look(self._reader, self.paths[number])


def _look(read: Read, path: Path) -> ReadPicture | TableError:
    try:
        image = load_picture(path)
        return ReadPicture(image.shape[1], image.shape[0], read(image))
    except TableError as error:
        return error

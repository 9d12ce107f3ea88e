"""The bounded hand-over from the devices' threads to the recorder's."""

import threading
from collections import Counter, deque
from typing import Final, NamedTuple

from controller.recording.format import MessageKind

BYTES_MAX: Final = 64 << 20
"""About ten seconds of pictures at 1080p and 30 a second; a disk that rests longer costs pictures."""

ITEMS_MAX: Final = 50_000
PICTURE_SHARE: Final = 0.75
"""Pictures fill no more than this, so that there is still room for bytes, keys and facts."""


class QueuedMessage(NamedTuple):
    """A message on its way to the file; see `controller.recording.format`."""

    kind: MessageKind
    source: str
    mono_ns: int
    data: bytes


class RecordingQueue:
    """First in, first out. Full means dropped and counted by kind; nobody who puts ever waits."""

    def __init__(self, bytes_max: int = BYTES_MAX, items_max: int = ITEMS_MAX) -> None:
        """`bytes_max` limits the data that waits, `items_max` the number of messages."""
        self._bytes_max = bytes_max
        self._picture_bytes_max = int(bytes_max * PICTURE_SHARE)
        self._items_max = items_max
        self._lock = threading.Lock()
        self._items: deque[QueuedMessage] = deque()
        self._bytes = 0
        self._dropped: Counter[MessageKind] = Counter()

    def put(self, item: QueuedMessage) -> bool:
        """Add from any thread; False, and counted, where there is no room."""
        size = len(item.data)
        with self._lock:
            most = self._picture_bytes_max if item.kind == "jpeg" else self._bytes_max
            if self._bytes + size > most or len(self._items) >= self._items_max:
                self._dropped[item.kind] += 1
                return False
            self._bytes += size
            self._items.append(item)
        return True

    def take(self) -> deque[QueuedMessage]:
        """Take everything that waits."""
        with self._lock:
            items, self._items = self._items, deque()
            self._bytes = 0
        return items

    def drop(self, kind: MessageKind) -> None:
        """Count a message that was taken and could not be written."""
        with self._lock:
            self._dropped[kind] += 1

    def dropped(self) -> dict[MessageKind, int]:
        """Tell how many messages were dropped since the start, by kind."""
        with self._lock:
            return dict(self._dropped)

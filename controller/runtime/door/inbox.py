"""The one bounded queue through which everything reaches the table."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")


class Inbox(Generic[ItemT]):
    """First in, first out, for one reader. Full means refused and counted, never dropped in silence."""

    def __init__(self, limit: int) -> None:
        """Make it for the running loop; `limit` items may wait."""
        self._loop = asyncio.get_running_loop()
        self._limit = limit
        self._items: deque[ItemT] = deque()
        self._filled = asyncio.Event()
        self._overflowed = 0

    def put(self, item: ItemT) -> bool:
        """Add an item; False, and counted, when there is no room. Only from the loop's own thread."""
        self._filled.set()
        if len(self._items) >= self._limit:
            self._overflowed += 1
            return False
        self._items.append(item)
        return True

    def wake(self) -> None:
        """Let `take` return, with nothing where nothing waits. Only from the loop's own thread."""
        self._filled.set()

    def post(self, item: ItemT) -> None:
        """Add an item from any thread; an overflow shows in the next `take`."""
        self._loop.call_soon_threadsafe(self.put, item)

    async def take(self) -> tuple[list[ItemT], int]:
        """Wait for items; return all of them, with the number dropped since."""
        await self._filled.wait()
        return self.take_now()

    def take_now(self) -> tuple[list[ItemT], int]:
        """Take all that wait now; as `take`. Only from the loop's own thread."""
        self._filled.clear()
        items, overflowed = list(self._items), self._overflowed
        self._items.clear()
        self._overflowed = 0
        return items, overflowed

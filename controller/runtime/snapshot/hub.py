"""The newest snapshot, for any number of readers, none of which delays the table."""

import asyncio
from collections.abc import AsyncGenerator

from controller.runtime.api import TableSnapshot


class SnapshotHub:
    """Holds one snapshot and wakes its readers; see `controller.runtime.api.Hub`."""

    def __init__(self, first: TableSnapshot) -> None:
        """Begin with the state that the table came up with."""
        self._latest = first
        self._version = 0
        self._replaced = asyncio.Event()

    def latest(self) -> TableSnapshot:
        """Return the snapshot that a screen shows now."""
        return self._latest

    def publish(self, snapshot: TableSnapshot) -> None:
        """Publish a snapshot whose journal entries are on disk."""
        assert snapshot.seq >= self._latest.seq, "the table never goes back"
        self._latest = snapshot
        self._version += 1
        self._replaced.set()
        self._replaced = asyncio.Event()

    async def subscribe(self) -> AsyncGenerator[tuple[int, TableSnapshot], None]:
        """Yield the latest at once, then each newer one; a slow reader skips to the newest."""
        seen = -1
        while True:
            while self._version == seen:
                await self._replaced.wait()
            seen = self._version
            yield self._latest.seq, self._latest

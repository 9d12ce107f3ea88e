"""The newest view for every screen: the runtime's snapshot and what only screens know, drawn up once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

from controller.runtime.api import Hub, TableSnapshot
from controller.screens.screen_state import ScreenState
from controller.screens.view import TableView


class RenderedView(NamedTuple):
    """A view as it goes out: `version` counts sheets of this process, `body` is the view as JSON text."""

    version: int
    seq: int
    body: str


class ViewBroadcaster:
    """Turns snapshots into sheets; latest wins, and a slow screen holds nobody up."""

    def __init__(
        self, hub: Hub, screen: ScreenState, build: Callable[[TableSnapshot, ScreenState], TableView]
    ) -> None:
        """Begin with the snapshot that the hub holds."""
        self._hub = hub
        self._screen = screen
        self._build = build
        self._changed = asyncio.Condition()
        self._waits = False
        self._rendered = self._draw(hub.latest(), 1)

    def latest(self) -> RenderedView:
        """Return the rendered that a screen shows now."""
        return self._rendered

    async def run(self) -> None:
        """Follow the hub until cancelled."""
        async for _, snapshot in self._hub.subscribe():
            await self._put(snapshot)

    async def refresh(self) -> None:
        """Draw anew after something that only screens know has changed."""
        await self._put(self._hub.latest())

    async def look_again(self, period_s: float) -> None:
        """While a pad waits for a camera's picture, look for it again and again; only a change is sent."""
        while True:
            await asyncio.sleep(period_s)
            snapshot = self._hub.latest()
            if self._waits and self._draw(snapshot, 0).body != self._rendered.body:
                await self._put(snapshot)

    async def newer(self, version: int) -> RenderedView:
        """Wait for a rendered newer than `version`; at once where there is one."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._rendered.version > version)
            return self._rendered

    async def sheets(self) -> AsyncIterator[RenderedView]:
        """Yield the latest rendered at once, then each newer one, skipping what came in between."""
        version = 0
        while True:
            rendered = await self.newer(version)
            version = rendered.version
            yield rendered

    async def _put(self, snapshot: TableSnapshot) -> None:
        async with self._changed:
            self._screen.follow(snapshot)
            self._rendered = self._draw(snapshot, self._rendered.version + 1)
            self._changed.notify_all()

    def _draw(self, snapshot: TableSnapshot, version: int) -> RenderedView:
        view = self._build(snapshot, self._screen)
        pads = [prompt.pad for prompt in view.prompts if prompt.pad is not None]
        self._waits = any(pad.watched and pad.picture is None for pad in pads)
        return RenderedView(version, snapshot.seq, view.model_dump_json())

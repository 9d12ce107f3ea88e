"""The newest view for every screen: one view is built per change of the table."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from controller.runtime.api import Hub, TableSnapshot
from controller.screens.screen_state import ScreenState
from controller.screens.view_builder import ViewBuilder
from controller.screens.wire import RenderedView, render

TURN: Final = 0.382
"""The part of the screens that goes to the queue's end with each view: the golden section spreads them."""


class ViewBroadcaster:
    """Builds the view on request after a change; all screens share it.

    A slow screen skips views and delays no other. Used on the table's loop.
    """

    def __init__(self, hub: Hub, screen: ScreenState, builder: ViewBuilder) -> None:
        """Begin with the snapshot that the hub holds."""
        self._hub = hub
        self._screen = screen
        self._builder = builder
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._built_from: tuple[TableSnapshot, int] | None = None
        self._rendered: RenderedView | None = None

    def latest(self) -> RenderedView:
        """Return the view of now."""
        snapshot = self._hub.latest()
        self._screen.follow(snapshot)
        self._builder.follow(snapshot)
        if self._rendered is None or self._is_old(snapshot):
            self._rendered = render(self._builder.build(snapshot, self._screen), self._rendered)
            self._built_from = snapshot, self._screen.version
        return self._rendered

    def wake(self) -> None:
        """Wake all screens that wait for a newer view."""
        waiting, self._waiting = tuple(self._waiting), {}
        # Screens queue in the order served, or the last one would always be last.
        first = int(len(waiting) * TURN)
        for screen in (*waiting[first:], *waiting[:first]):
            if not screen.done():
                screen.set_result(None)

    async def run(self) -> None:
        """Follow the hub until cancelled."""
        async for _, snapshot in self._hub.subscribe():
            # Every snapshot, even without a viewer: late chips have to be detected.
            self._screen.follow(snapshot)
            self._builder.follow(snapshot)
            self.wake()

    async def await_pictures(self, period_s: float) -> None:
        """While a pad waits for a camera's picture, look for it every `period_s` seconds, until cancelled."""
        while True:
            await asyncio.sleep(period_s)
            if self._waits_for_picture() and self._builder.has_picture(self._hub.latest(), self._screen):
                self._screen.touch()
                self.wake()

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view newer than `version`; at once where there is one."""
        while (rendered := self.latest()).version <= version:
            # A future for each of them: an event's own waiting takes twice the time, for 500 screens at once.
            wakened = asyncio.get_running_loop().create_future()
            self._waiting[wakened] = None
            try:
                await wakened
            finally:
                self._waiting.pop(wakened, None)
        return rendered

    async def views(self) -> AsyncIterator[RenderedView]:
        """Yield the latest view at once, then each newer one, without those in between."""
        version = 0
        while True:
            rendered = await self.newer(version)
            version = rendered.version
            yield rendered

    def _is_old(self, snapshot: TableSnapshot) -> bool:
        if self._built_from is None:
            return True
        return self._built_from[0] is not snapshot or self._built_from[1] != self._screen.version

    def _waits_for_picture(self) -> bool:
        prompts = () if self._rendered is None else self._rendered.view.prompts
        pads = [prompt.pad for prompt in prompts if prompt.pad is not None]
        return any(pad.watched and pad.picture is None for pad in pads)

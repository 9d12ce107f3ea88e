"""The views of a table that is played elsewhere: its own as long as it can be reached, else its journal's."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from controller.screens.shapes.view import TableView
from controller.screens.shapes.words import ViewModel
from controller.screens.wire import RenderedView, Views, render

LOOK_S: Final = 0.5
"""Time between two looks whether the table can be reached again."""


class LinkedView(ViewModel):
    """A view as the table itself has it; `version` counts there, and begins anew with the table."""

    version: int
    view: TableView


class LinkedViews:
    """The newer of both; the table is asked only while somebody looks."""

    def __init__(self, local: Views, ask: Callable[[int], Awaitable[LinkedView | None]]) -> None:
        """`ask` gives a view newer than a version, or after a moment the same; None out of reach."""
        self._local, self._ask = local, ask
        self._asked = self._seen = 0
        self._rendered: RenderedView | None = None
        self._wanted, self._replaced = asyncio.Event(), asyncio.Event()

    def latest(self) -> RenderedView:
        """See `Views.latest`."""
        self._wanted.set()
        local, shown = self._local.latest().view, self._rendered
        return self._show(local) if shown is None or local.seq > shown.seq else shown

    async def newer(self, version: int) -> RenderedView:
        """See `Views.newer`."""
        while (found := self.latest()).version <= version:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._replaced.wait()
        return found

    def wake(self) -> None:
        """See `Views.wake`."""
        self._local.wake()

    async def run(self) -> None:
        """Follow the table until cancelled, as long as somebody has looked since the last question."""
        await asyncio.gather(self._local.run(), self._follow())

    async def await_pictures(self, period_s: float) -> None:
        """See `Views.await_pictures`."""
        await self._local.await_pictures(period_s)

    async def _follow(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            found = await self._ask(self._asked)
            if found is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        self._seen = (await self._local.newer(self._seen)).version
                continue
            self._asked, shown = found.version, self._rendered
            if shown is None or (found.view.seq >= shown.seq and found.view != shown.view):
                self._show(found.view)

    def _show(self, view: TableView) -> RenderedView:
        """Show it to everybody who waits."""
        shown = self._rendered = render(view, self._rendered)
        self._replaced.set()
        self._replaced = asyncio.Event()
        return shown

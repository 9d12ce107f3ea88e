"""The views of a table that is played elsewhere: its own as long as it can be reached, else its journal's."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from controller.screens.desk import Views
from controller.screens.rendered_view import RenderedView, render
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.view import TableView

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
        self._turn = asyncio.Lock()
        self._rendered: RenderedView | None = None

    def latest(self) -> RenderedView:
        """See `Views.latest`."""
        local, shown = self._local.latest().view, self._rendered
        if shown is None or local.seq > shown.seq:
            shown = self._rendered = render(local, shown)
        return shown

    async def newer(self, version: int) -> RenderedView:
        """See `Views.newer`."""
        while (found := self.latest()).version <= version:
            async with self._turn:
                if self.latest().version <= version:
                    await self._look()
        return found

    def wake(self) -> None:
        """See `Views.wake`."""
        self._local.wake()

    async def run(self) -> None:
        """See `Views.run`."""
        await self._local.run()

    async def await_pictures(self, period_s: float) -> None:
        """See `Views.await_pictures`."""
        await self._local.await_pictures(period_s)

    async def _look(self) -> None:
        """Wait for something new of either, but not for long."""
        found = await self._ask(self._asked)
        if found is not None:
            self._asked, shown = found.version, self.latest()
            if found.view.seq >= shown.seq and found.view != shown.view:
                self._rendered = render(found.view, shown)
            return
        with suppress(TimeoutError):
            self._seen = (await asyncio.wait_for(self._local.newer(self._seen), LOOK_S)).version

"""One socket a screen: hello, a snapshot, then each newer state, and a heartbeat in between."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.screens.view_broadcaster import RenderedView, ViewBroadcaster

BEHIND_S: Final = 5.0
"""A screen that takes longer than this to take a message is closed and starts afresh."""


async def serve(socket: WebSocket, broadcaster: ViewBroadcaster, heartbeat_ms: int) -> None:
    """Keep one accepted socket supplied until it goes or falls behind."""
    line = _Line(socket)
    await line.send(json.dumps({"type": "hello", "heartbeat_ms": heartbeat_ms}))
    await _first_of(_listen(socket, broadcaster, line), _supply(broadcaster, line, heartbeat_ms / 1000))


class _Line:
    """The way to one screen; one message at a time, and none waits for ever."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._turn = asyncio.Lock()

    async def send(self, text: str) -> None:
        async with self._turn:
            await asyncio.wait_for(self._socket.send_text(text), BEHIND_S)

    async def send_sheet(self, kind: str, rendered: RenderedView) -> None:
        """The view is JSON text already; it is not written a second time for each screen."""
        await self.send(f'{{"type":"{kind}","seq":{rendered.seq},"view":{rendered.body}}}')


async def _listen(socket: WebSocket, broadcaster: ViewBroadcaster, line: _Line) -> None:
    """Whatever a screen says means: I want the whole table again."""
    while True:
        await socket.receive_text()
        await line.send_sheet("snapshot", broadcaster.latest())


async def _supply(broadcaster: ViewBroadcaster, line: _Line, period_s: float) -> None:
    rendered = broadcaster.latest()
    await line.send_sheet("snapshot", rendered)
    while True:
        try:
            rendered = await asyncio.wait_for(broadcaster.newer(rendered.version), period_s)
        except TimeoutError:
            await line.send(json.dumps({"type": "beat", "seq": broadcaster.latest().seq}))
        else:
            await line.send_sheet("state", rendered)


async def _first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Run until one of them ends; a screen that has gone or is too slow is an end like any other."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ended:
        gone = (WebSocketDisconnect, TimeoutError, RuntimeError, asyncio.CancelledError)
        if isinstance(end, BaseException) and not isinstance(end, gone):
            raise end

"""One socket per screen: hello, a snapshot, then each newer state, with heartbeats between them."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Literal

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.screens.wire import RenderedView, Views
from controller.web.bodies import Beat, Hello
from controller.web.reading import SocketReader

_BEHIND_S: Final = 5.0
"""A screen that takes longer than this to take a message is closed and starts afresh."""

_BEAT_S_MIN: Final = 0.02
"""Time between two looks whether a beat is due, at least."""

SIGNED_OUT: Final = 4401
"""Close code of a socket whose person has signed out, or was signed out."""

AGAIN_S: Final = 0.1
"""Time between two whole tables for one screen; meanwhile nothing more is taken from it."""


async def serve(
    socket: WebSocket,
    broadcaster: Views,
    heartbeat_ms: int,
    reader: SocketReader,
    gone_out: Callable[[int], None],
    *,
    changes: bool,
) -> None:
    """Serve one accepted socket until it disconnects, falls behind, or its reader is signed out.

    `gone_out` receives the last entry's number of each sent view. With `changes` the screen gets the changes
    instead of the whole view.
    """
    line = _SocketLine(socket)
    await line.send(Hello(heartbeat_ms=heartbeat_ms).model_dump_json())
    await _first_of(
        _listen(socket, broadcaster, line),
        _supply(broadcaster, line, gone_out, changes=changes),
        _beat(broadcaster, line, heartbeat_ms / 1000),
        reader.until_out(),
    )
    if not reader.reads():
        with suppress(RuntimeError):
            await socket.close(SIGNED_OUT)


class _SocketLine:
    """The socket of one screen: one message at a time."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._turn = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._at_s = self._loop.time()

    async def send(self, text: str) -> None:
        async with self._turn:
            self._at_s = self._loop.time()
            await self._socket.send_text(text)

    async def send_view(self, kind: Literal["snapshot", "state"], rendered: RenderedView) -> None:
        """Send a `ViewMessage`. Its view is JSON text already: it is written once for all screens."""
        await self.send(f'{{"type":"{kind}","seq":{rendered.seq},"view":{rendered.body}}}')

    async def send_changes(self, rendered: RenderedView, since: int) -> None:
        """Send a `ChangesMessage` to a screen that has the view of version `since`, or a newer one."""
        await self.send(f'{{"type":"changes","seq":{rendered.seq},{rendered.changes(since)}}}')

    @property
    def is_busy(self) -> bool:
        """Whether a message is being sent."""
        return self._turn.locked()

    def since_s(self) -> float:
        """The seconds since the last message began."""
        return self._loop.time() - self._at_s


async def _listen(socket: WebSocket, broadcaster: Views, line: _SocketLine) -> None:
    """Answer each message of a screen with the whole table, at most every `AGAIN_S`."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        await line.send_view("snapshot", broadcaster.latest())
        await asyncio.sleep(AGAIN_S)


async def _supply(
    broadcaster: Views, line: _SocketLine, gone_out: Callable[[int], None], *, changes: bool
) -> None:
    sent = broadcaster.latest()
    await line.send_view("snapshot", sent)
    while True:
        newer = await broadcaster.newer(sent.version)
        await (line.send_changes(newer, sent.version) if changes else line.send_view("state", newer))
        sent = newer
        gone_out(sent.seq)


async def _beat(broadcaster: Views, line: _SocketLine, period_s: float) -> None:
    """Send a beat when nothing was sent for a period; ends when the screen falls behind.

    Beside the messages: a timer for each of them took a third of the time of sending it.
    """
    while True:
        await asyncio.sleep(max(period_s - line.since_s(), _BEAT_S_MIN))
        if line.is_busy:
            if line.since_s() > _BEHIND_S:
                return
        elif line.since_s() >= period_s:
            async with asyncio.timeout(_BEHIND_S):
                await line.send(Beat(seq=broadcaster.latest().seq).model_dump_json())


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

"""One socket a screen: hello, a snapshot, then each newer state, and a heartbeat in between."""

import asyncio
import contextlib
import json
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.web.board import Board, Sheet

BEHIND_S: Final = 5.0
"""A screen that takes longer than this to take a message is closed and starts afresh."""


async def serve(socket: WebSocket, board: Board, heartbeat_ms: int) -> None:
    """Keep one accepted socket supplied until it goes."""
    wanted = asyncio.Event()
    reader = asyncio.create_task(_read(socket, wanted))
    try:
        await _send(socket, {"type": "hello", "heartbeat_ms": heartbeat_ms})
        await _supply(socket, board, wanted, heartbeat_ms / 1000, reader)
    except (WebSocketDisconnect, TimeoutError, RuntimeError):
        return
    finally:
        reader.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
            await reader


async def _supply(
    socket: WebSocket, board: Board, wanted: asyncio.Event, period_s: float, reader: "asyncio.Task[None]"
) -> None:
    sheet = board.latest()
    await _send_sheet(socket, "snapshot", sheet)
    while not reader.done():
        newer = await _newer(board, sheet.version, period_s)
        if wanted.is_set():
            wanted.clear()
            sheet = board.latest()
            await _send_sheet(socket, "snapshot", sheet)
        elif newer is None:
            await _send(socket, {"type": "beat", "seq": board.latest().seq})
        else:
            sheet = newer
            await _send_sheet(socket, "state", sheet)


async def _newer(board: Board, version: int, period_s: float) -> Sheet | None:
    try:
        return await asyncio.wait_for(board.newer(version), period_s)
    except TimeoutError:
        return None


async def _read(socket: WebSocket, wanted: asyncio.Event) -> None:
    """Whatever a screen says means: I want the whole table again."""
    while True:
        await socket.receive_text()
        wanted.set()


async def _send_sheet(socket: WebSocket, kind: str, sheet: Sheet) -> None:
    """The view is JSON text already; it is not parsed and written a second time for each screen."""
    text = f'{{"type":"{kind}","seq":{sheet.seq},"view":{sheet.body}}}'
    await asyncio.wait_for(socket.send_text(text), BEHIND_S)


async def _send(socket: WebSocket, message: dict[str, object]) -> None:
    await asyncio.wait_for(socket.send_text(json.dumps(message)), BEHIND_S)

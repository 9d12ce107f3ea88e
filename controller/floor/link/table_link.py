"""A table's end of the floor's network: a thread with a loop of its own, for which the table never waits.

The table sets its state and the released part of its journal; the newest values replace the older ones.
Without a server the thread keeps trying, without any effect on the table.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, NamedTuple

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from controller.floor.link.connection import PING_S, Changed, Failed, ServerAccess, first_of, stay_connected
from controller.floor.link.entries_out import EntriesOut
from controller.floor.link.subjects import ASKED, commands_of, state_of, views_of
from controller.floor.sealed import asked_as, sealed
from controller.journal.head_file import TableKey
from controller.ports import StartWork, Turns, Work, WorkThread

BEAT_S: Final = 1.0
"""What a table shows is said again after this, so that the pit sees that it is there."""

CLOSING_S: Final = 2.0
"""How long the end of a journal may take to the archive when the program ends."""

_ASKED_MAX: Final = 16
"""Questions of the pit that a table works on at once; what is above it is refused."""

Answering = Callable[[bytes], Awaitable[bytes]]
"""Answers what the pit asks; on the link's loop. Never raises."""


class Answers(NamedTuple):
    """The handlers of commands and of requests for the view."""

    command: Answering
    view: Answering


class TableLink:
    """One table on the floor's network; every method except `close` returns at once."""

    def __init__(
        self,
        access: ServerAccess,
        key: TableKey,
        entries: EntriesOut,
        answers: Answers,
        *,
        run: str,
        changed: Changed,
        failed: Failed,
    ) -> None:
        """Prepare the link; `key` signs states and answers; `run` is a new word at each start.

        `changed` and `failed` are called on the link's thread.
        """
        self._access, self._key, self._entries, self._answers = access, key, entries, answers
        self._changed, self._failed = changed, failed
        self._run_id, self._count = run, 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._state, self._news, self._over = b"", asyncio.Event(), asyncio.Event()
        self._connected = False
        self._work: Work | None = None

    def open(self, start: StartWork = WorkThread) -> None:
        """Start."""
        self._loop = loop = asyncio.new_event_loop()
        self._work = start("floor", self._turns(loop))

    def show(self, state: bytes) -> None:
        """Replace the state that the pit sees; from any thread."""
        self._state = state
        self._call(self._news.set)

    def release(self, seq: int) -> None:
        """Have the entries up to this one sent; from any thread."""
        self._call(lambda: self._entries.release(seq))

    def close(self) -> None:
        """Send the released entries, if there is a server and within a time limit; then stop."""
        self._call(self._over.set)
        if self._work is not None:
            self._work.join(CLOSING_S + PING_S)

    def _call(self, act: Callable[[], None]) -> None:
        """Have the link's thread do something, unless it has ended."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(act)

    def _turns(self, loop: asyncio.AbstractEventLoop) -> Turns:
        """Run the loop in a single turn, which lasts as long as the link."""
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._run())
        yield from ()

    async def _run(self) -> None:
        serving = stay_connected(self._access, self._serve, self._tell, self._failed)
        await first_of(serving, self._until_over())

    async def _until_over(self) -> None:
        """Until the program ends, and then for a moment more."""
        await self._over.wait()
        if self._connected:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_S):
                    await self._entries.sent_all()

    def _tell(self, reason: str) -> None:
        self._connected = not reason
        self._changed(reason)

    async def _serve(self, client: Client) -> None:
        asked = asyncio.Semaphore(_ASKED_MAX)
        for subject, answer in (
            (commands_of(self._key.public), self._answers.command),
            (views_of(self._key.public), self._view),
        ):
            await client.subscribe(subject, cb=_answering(answer, asked, self._key))
        await first_of(self._show(client), self._entries.send(client))

    async def _view(self, question: bytes) -> bytes:
        """The view; to the empty question, which state of which run was the last, at once."""
        return await self._answers.view(question) if question else self._last.encode()

    @property
    def _last(self) -> str:
        return f"{self._run_id} {self._count}"

    async def _show(self, client: Client) -> None:
        """Publish a changed state, and the state at each beat, under the next number."""
        while True:
            self._news.clear()
            if self._state:
                self._count += 1
                shown = f"{self._last}\n".encode() + self._state
                await client.publish(state_of(self._key.public), sealed("state", shown, self._key))
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()


def _answering(
    answer: Answering, asked: asyncio.Semaphore, key: TableKey
) -> Callable[[Msg], Awaitable[None]]:
    """Answer each question in a task of its own: a view may wait, a stop of the table must not."""
    running: set[asyncio.Task[None]] = set()

    async def work(message: Msg) -> None:
        async with asked:
            found = await answer(message.data)
            belongs = asked_as((message.headers or {}).get(ASKED, ""), message.data)
            found = sealed("answer", found, key, belongs)
            # The requester may have disconnected.
            with suppress(NatsError):
                await message.respond(found)

    async def take(message: Msg) -> None:
        if message.reply and not asked.locked():
            task = asyncio.create_task(work(message))
            running.add(task)
            task.add_done_callback(running.discard)

    return take

"""A table's end of the floor's network: a thread with a loop of its own, for which the table never waits.

The table sets its state and the released part of its journal; the newest values replace the older ones.
Without a server the thread keeps trying, without any effect on the table. Entries go to the archive one run
at a time, from the archive's position. A broker's acknowledgement proves only that a stream exists;
unconfirmed entries are sent again.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from itertools import count
from typing import Any, Final, NamedTuple

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import Header

from controller.config import FloorSection
from controller.domain import JournalError
from controller.floor.messages import (
    ASKED,
    JOURNAL,
    NAME,
    OwnJournal,
    Receipt,
    asked_as,
    days_back,
    opened,
    receipt_of,
    run_of,
    sealed,
    subject_of,
)
from controller.journal.head_file import TableKey
from controller.journal.keeping import KeptDiffers, reason_of
from controller.outputs import read_regular
from controller.ports import StartWork, Turns, Work, WorkThread, end_all

AGAIN_S: Final = 1.0
"""Rest before the next server is tried."""

_CONNECT_S: Final = 5.0
_PING_S: Final = 2
"""A connection whose other end is gone without a word is given up after three of these."""

_UNREACHABLE: Final = (OSError, NatsError, TimeoutError, ValueError)
"""How a server can be out of reach, or not be what the configuration says."""


class ServerAccess(NamedTuple):
    """The access to the floor's servers; `name` is the name of this client."""

    section: FloorSection
    name: str

    def tls(self) -> ssl.SSLContext | None:
        """Read anew for each connection: certificates are renewed. Raises OSError."""
        known = self.section
        if known.authority is None and known.certificate is None:
            return None
        context = ssl.create_default_context(cafile=known.authority)
        if known.certificate is not None:
            context.load_cert_chain(known.certificate, known.key)
        return context

    def password(self) -> str | None:
        """Return the password of the user; None without one. Raises OSError."""
        file = self.section.password_file
        return None if file is None else read_regular(file, links=True).decode("utf-8").strip()


class _TlsClient(Client):
    """A client that sends its password to no server without TLS; the library alone would obey the server."""

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        if initial_connection and not info.get("tls_required"):
            raise NatsError("nats: the server does not offer TLS")
        await super()._process_info(info, initial_connection)


Serving = Callable[[Client], Coroutine[Any, Any, None]]
Changed = Callable[[str], None]
"""Gets "" once there is a connection, and why there is none any more."""

Failed = Callable[[Exception], None]
"""Gets what can only be a mistake of this program."""


async def stay_connected(
    access: ServerAccess, serve: Serving, changed: Changed, failed: Failed, again_s: float = AGAIN_S
) -> None:
    """Connect, serve, and reconnect when the connection or the service ends; until cancelled."""
    servers = access.section.servers
    for number in count():
        changed(await _served(access, servers[number % len(servers)], serve, changed, failed))
        await asyncio.sleep(again_s)


async def _served(access: ServerAccess, server: str, serve: Serving, changed: Changed, failed: Failed) -> str:
    """Serve one connection to its end; why it ended."""
    gone, client = asyncio.Event(), _TlsClient() if server.startswith("tls:") else Client()

    async def end() -> None:
        gone.set()

    try:
        await _connect(client, access, server, end)
        changed("")
        await first_of(serve(client), gone.wait())
        return str(client.last_error or "")
    except _UNREACHABLE as error:
        return reason_of(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    except Exception as error:
        failed(error)
        return type(error).__name__
    finally:
        await _close(client)


async def _connect(
    client: Client, access: ServerAccess, server: str, end: Callable[[], Awaitable[None]]
) -> None:
    async def ignore(_: Exception) -> None:
        """Ignore the error: the client reports it when the connection ends."""

    async with asyncio.timeout(_CONNECT_S):
        await client.connect(
            servers=server,
            name=access.name,
            # The client's own reconnection gives up on a server after two refusals.
            allow_reconnect=False,
            connect_timeout=int(_CONNECT_S),
            disconnected_cb=end,
            closed_cb=end,
            error_cb=ignore,
            ping_interval=_PING_S,
            tls=access.tls(),
            user=access.section.user or None,
            password=access.password(),
            inbox_prefix=access.section.inbox,
        )


async def _close(client: Client) -> None:
    """Close without waiting for a server that is gone."""
    try:
        async with asyncio.timeout(_PING_S):
            await client.close()
    except _UNREACHABLE:
        return


async def first_of(*works: Coroutine[Any, Any, object]) -> None:
    """Run all of them until one ends, and end the others; raises the error that it ended with."""
    running = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_all(running)
        await asyncio.gather(*running, return_exceptions=True)
    for one in done:
        one.result()


ANSWER_S: Final = 2.0
"""How long a broker may take to acknowledge, and an archive to answer."""

RETRY_S: Final = 2.0
"""Rest before the archive is asked again that was not there, or that has not taken what was sent."""

_RETRY_MAX_S: Final = 60.0
"""The longest rest: it doubles each time."""

_HEADERS_MAX: Final = 4096
"""Bytes of a message that are no lines."""


class LineTooLong(Exception):
    """A line of the journal is longer than a message of this server may be."""


class EntriesOut:
    """Sends the entries of a table's journals that the archive lacks. Used on the link's loop."""

    def __init__(
        self,
        key: TableKey,
        journal: OwnJournal,
        new_id: Callable[[], str],
        stopped: Callable[[str], None],
        archives: Collection[str] = (),
    ) -> None:
        """Prepare the sending; `archives` are the public keys of valid receipts, none for any key.

        `stopped` gets FLOOR_DIFFERS when the archive has another history: then nothing more is sent. It gets
        FLOOR_LINE_TOO_LONG, after which the next connection is tried, and FLOOR_REFUSES while the sending
        goes on. `new_id` names an attempt: a broker drops a known name as a repetition.
        """
        self._key, self._journal, self._new_id = key, journal, new_id
        self._archives = frozenset(archives)
        self._stopped, self._named = stopped, set[str]()
        self._released = 0
        self._news, self._came, self._all_there = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._attempt = ""
        self._receipt: Receipt | None = None

    def release(self, seq: int) -> None:
        """Have the present journal sent up to this entry, with the heads that cover it."""
        self._released = seq
        self._all_there.clear()
        self._news.set()

    async def sent_all(self) -> None:
        """Return when the archive has all released entries."""
        await self._all_there.wait()

    async def send(self, client: Client) -> None:
        """Send the missing entries, then each new one, while the connection lasts."""
        await client.subscribe(subject_of("receipt", self._key.public), cb=self._take)
        try:
            for older in await self._unfinished(client):
                await self._bring(client, older, await self._position(client, older), older.end)
            receipt = await self._position(client, self._journal)
            while True:
                self._news.clear()
                receipt = await self._bring(client, self._journal, receipt, self._released)
                if not self._news.is_set():
                    self._all_there.set()
                await self._news.wait()
        except KeptDiffers:
            self._name("FLOOR_DIFFERS")
        except LineTooLong:
            self._name("FLOOR_LINE_TOO_LONG")
        # No more entries are sent; the table's states and requests continue.
        await asyncio.Event().wait()

    def _name(self, code: str) -> None:
        if code not in self._named:
            self._named.add(code)
            self._stopped(code)

    async def _unfinished(self, client: Client) -> list[OwnJournal]:
        """The journals of days before that the archive has not whole, oldest first."""
        found: list[OwnJournal] = []
        for older in days_back(self._journal):
            if not _lacking(older, await self._position(client, older), older.end):
                break
            found.insert(0, older)
        return found

    async def _bring(self, client: Client, journal: OwnJournal, receipt: Receipt, end: int) -> Receipt:
        """Send a journal run by run up to an entry; return the archive's position."""
        rest_s = RETRY_S
        while lines := _lacking(journal, receipt, end):
            run = b""
            for line in lines:
                if len(run) + len(line) > client.max_payload - _HEADERS_MAX:
                    break
                run += line
            if not run:
                raise LineTooLong
            found = await self._sent(client, journal, run)
            if found == receipt:
                # It may lie before an archive that does not keep up: runs sent twice would hold it up more.
                await asyncio.sleep(rest_s)
                found, rest_s = await self._position(client, journal), min(2 * rest_s, _RETRY_MAX_S)
                if found == receipt:
                    self._name("FLOOR_REFUSES")
            else:
                rest_s = RETRY_S
            receipt = found
        return receipt

    async def _sent(self, client: Client, journal: OwnJournal, run: bytes) -> Receipt:
        """Send a run; return its receipt, or the archive's position when none came."""
        found = await self._published(client, journal, run)
        return await self._position(client, journal) if found is None else found

    async def _position(self, client: Client, journal: OwnJournal) -> Receipt:
        """Ask the archive for its position, by a run without lines, until it answers.

        A question uses the stream like a run does, so that no table can take the others' share.
        """
        while (found := await self._published(client, journal, b"")) is None:
            await asyncio.sleep(RETRY_S)
        return found

    async def _published(self, client: Client, journal: OwnJournal, run: bytes) -> Receipt | None:
        """Return the receipt for these lines; None when none came."""
        self._came.clear()
        self._receipt, self._attempt = None, self._new_id()
        headers = {Header.MSG_ID: self._attempt, JOURNAL: journal.id, NAME: journal.path.stem}
        data = sealed("run", run, self._key, run_of(self._attempt, journal.id, journal.path.stem))
        subject = subject_of("entries", self._key.public)
        try:
            await client.jetstream().publish(subject, data, timeout=ANSWER_S, headers=headers)
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_S):
                    await self._came.wait()
        except NatsError:
            # The entry may have arrived: ask the archive.
            await asyncio.sleep(RETRY_S)
        found = self._receipt
        if found is None or found.journal != journal.id:
            return None
        journal.require_same(found)
        return found

    async def _take(self, message: Msg) -> None:
        """Keep a receipt for this attempt, from an archive that counts."""
        sent = opened("receipt", message.data, self._attempt)
        if sent is None or (self._archives and sent.key not in self._archives):
            return
        found = receipt_of(sent.body)
        if found is not None:
            self._receipt = found
            self._came.set()


def _lacking(journal: OwnJournal, receipt: Receipt, released: int) -> list[bytes]:
    try:
        return journal.lacking(receipt, released)[0]
    except JournalError as error:
        raise OSError(str(error)) from error


BEAT_S: Final = 1.0
"""What a table shows is said again after this, so that the pit sees that it is there."""

CLOSING_S: Final = 2.0
"""How long the end of a journal may take to the archive when the program ends."""

_ASKED_MAX: Final = 16
"""Questions of the pit that a table works on at once; what is above it is refused."""

_Answering = Callable[[bytes], Awaitable[bytes]]
"""Answers what the pit asks; on the link's loop. Never raises."""


class TableLink:
    """One table on the floor's network; every method except `close` returns at once."""

    def __init__(
        self,
        access: ServerAccess,
        key: TableKey,
        entries: EntriesOut,
        *,
        command: _Answering,
        view: _Answering,
        run: str,
        changed: Changed,
        failed: Failed,
    ) -> None:
        """Prepare the link; `key` signs states and answers; `run` is a new word at each start.

        `command` and `view` answer commands and requests for the view. `changed` and `failed` are called on
        the link's thread.
        """
        self._access, self._key, self._entries = access, key, entries
        self._command, self._answer_view = command, view
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
            self._work.join(CLOSING_S + _PING_S)

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
            (subject_of("command", self._key.public), self._command),
            (subject_of("view", self._key.public), self._view),
        ):
            await client.subscribe(subject, cb=_answering(answer, asked, self._key))
        await first_of(self._show(client), self._entries.send(client))

    async def _view(self, question: bytes) -> bytes:
        """The view; to the empty question, which state of which run was the last, at once."""
        return await self._answer_view(question) if question else self._last.encode()

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
                await client.publish(subject_of("state", self._key.public), sealed("state", shown, self._key))
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()


def _answering(
    answer: _Answering, asked: asyncio.Semaphore, key: TableKey
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

"""The pit's and the archive's ends of the floor's network.

The pit accepts signed states that were never shown before. A state has the word of the table's run and a
number that grows within it. The table itself is asked about an unknown word; its answer names its last state
and is valid for this question alone. So a recorded state is refused on any day without a clock.

The archive stores the runs of the stream in order and then confirms them. Confirmed entries are on the disk.
The stream is read from its beginning at each start and truncated behind the stored runs: only the archive
itself knows its position.
"""

import asyncio
import json
import secrets
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NothingCame
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, Header, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from controller.domain import ConfigError, TableError
from controller.floor.archive import Brought
from controller.floor.intake import Intake, SentRun
from controller.floor.messages import (
    ASKED,
    ENTRIES,
    JOURNAL,
    NAME,
    STATES,
    STREAM,
    asked_as,
    key_of,
    opened,
    subject_of,
)
from controller.floor.table_link import Changed, Failed, ServerAccess, stay_connected

_LastOf = Callable[[str], Awaitable[tuple[str, ...]]]
"""Asks the table with this key for run and number of its last state; a state of each machine that answers.

Raises `TableError` where none does.
"""


KNOWN_MAX: Final = 1000
"""Tables whose last state is known; one that was forgotten is asked anew."""


_STATES_EACH: Final = 30
"""States of one table that are looked at in a second; a table shows itself ten times."""


class _State(NamedTuple):
    run: str
    number: int
    shown: bytes


class ProvenStates:
    """Used on one loop."""

    def __init__(
        self,
        last_of: _LastOf,
        stated: Callable[[str, bytes], None],
        doubted: Callable[[str], None],
        twice: Callable[[str], None],
    ) -> None:
        """Prepare the check; `stated` gets a table's key and proved state.

        `doubted` gets the key of a doubtful state, `twice` a key under which two machines run.
        """
        self._last_of, self._stated, self._doubted, self._twice = last_of, stated, doubted, twice
        self._known: dict[str, _State] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._second, self._came = 0, Counter[str]()

    def take(self, key: str, data: bytes) -> None:
        """Check a state of the table with this key; states above its share are dropped."""
        second = int(asyncio.get_running_loop().time())
        if second != self._second:
            self._second = second
            self._came.clear()
        self._came[key] += 1
        if self._came[key] > _STATES_EACH:
            return
        found = opened("state", data)
        state = None if found is None or found.key != key else _state_in(found.body)
        known = self._known.get(key)
        if state is None or (known is not None and known.run == state.run and state.number <= known.number):
            self._doubted(key)
        elif known is not None and known.run == state.run:
            self._take(key, state)
        elif key not in self._asking:
            self._asking[key] = asyncio.create_task(self._ask(key, state))

    def _take(self, key: str, state: _State) -> None:
        self._know(key, state)
        self._stated(key, state.shown)

    def _know(self, key: str, state: _State) -> None:
        """Store the newest state of this table; the table silent for longest is dropped above the limit."""
        self._known.pop(key, None)
        self._known[key] = state
        if len(self._known) > KNOWN_MAX:
            del self._known[next(iter(self._known))]

    async def _ask(self, key: str, state: _State) -> None:
        """Accept another run when the table confirms it; otherwise keep the known state."""
        try:
            answers = [_state_in(one.encode()) for one in await self._last_of(key)]
            runs = {one.run: one for one in answers if one is not None}
            last = runs.get(state.run)
            if len(runs) > 1:
                self._twice(key)
            elif last is None:
                self._doubted(key)
            elif last.number <= state.number:
                self._take(key, state)
            else:
                # It has shown another state meanwhile; the next one counts.
                self._know(key, last)
        except TableError:
            # It shows itself again within a second, or it is not there.
            return
        finally:
            del self._asking[key]


def _state_in(body: bytes) -> _State | None:
    head, _, shown = body.partition(b"\n")
    run, _, number = head.decode(errors="replace").partition(" ")
    return _State(run, int(number), shown) if number.isascii() and number.isdecimal() else None


COMMAND_S: Final = 4.0
"""How long a table may take to answer a command; the page sends it again, and it takes effect once."""

VIEW_S: Final = 3.0

_SECOND_S: Final = 0.5
"""How long another machine with a table's key has to answer after the first one."""


class PitLink:
    """The tables that show themselves on the network."""

    def __init__(
        self,
        stated: Callable[[str, bytes], None],
        changed: Changed,
        failed: Failed,
        doubted: Callable[[str], None] = lambda _key: None,
        twice: Callable[[str], None] = lambda _key: None,
        *,
        new_id: Callable[[], str] = secrets.token_hex,
    ) -> None:
        """Prepare the link; `stated` gets a table's key and state, `doubted` the key of a doubtful state.

        `twice` gets a key under which two machines run. `new_id` names a question; the other arguments as in
        `stay_connected`.
        """
        self._changed, self._failed, self._new_id = changed, failed, new_id
        self._states = ProvenStates(self._last_of, stated, doubted, twice)
        self._client: Client | None = None

    async def run(self, access: ServerAccess) -> None:
        """Stay connected, until cancelled."""
        await stay_connected(access, self._serve, self._changed, self._failed)

    async def ask(self, table: str, command: bytes) -> bytes:
        """Have a table do something. Raises `TableError` TABLE_NOT_REACHED, TABLE_UNANSWERED."""
        return await self._asked(table, subject_of("command", table), command, COMMAND_S)

    async def view(self, table: str, newer_than: int) -> bytes:
        """Ask for a view newer than this version of the table's; raises as `ask`."""
        return await self._asked(table, subject_of("view", table), str(newer_than).encode(), VIEW_S)

    async def _last_of(self, table: str) -> tuple[str, ...]:
        """The last state of each machine with this key that answers in time."""
        if self._client is None:
            raise TableError("TABLE_NOT_REACHED")
        number, inbox, found = self._new_id(), self._client.new_inbox(), list[str]()
        answers = await self._client.subscribe(inbox)
        try:
            await self._client.publish(subject_of("view", table), b"", reply=inbox, headers={ASKED: number})
            rest_s = VIEW_S
            while True:
                answer = await answers.next_msg(timeout=rest_s)
                said = opened("answer", answer.data, asked_as(number, b""))
                if said is not None and said.key == table:
                    found.append(said.body.decode(errors="replace"))
                    rest_s = _SECOND_S
        except NatsError as error:
            if not found:
                raise TableError("TABLE_UNANSWERED") from error
        finally:
            await answers.unsubscribe()
        return tuple(found)

    async def _asked(self, table: str, subject: str, data: bytes, within_s: float) -> bytes:
        """Ask once; an answer that the table has not signed for this question is none."""
        if self._client is None:
            raise TableError("TABLE_NOT_REACHED")
        number = self._new_id()
        try:
            answer = await self._client.request(subject, data, timeout=within_s, headers={ASKED: number})
        except NoRespondersError as error:
            raise TableError("TABLE_NOT_REACHED") from error
        except NatsError as error:
            # It may have been taken all the same.
            raise TableError("TABLE_UNANSWERED") from error
        found = opened("answer", answer.data, asked_as(number, data))
        if found is None or found.key != table:
            raise TableError("TABLE_UNANSWERED")
        return found.body

    async def _serve(self, client: Client) -> None:
        async def take(message: Msg) -> None:
            self._states.take(key_of(message.subject), message.data)

        await client.subscribe(STATES, cb=take)
        self._client = client
        try:
            await asyncio.Event().wait()
        finally:
            self._client = None


MB: Final = 1_000_000
LOOK_S: Final = 2.0
"""After so long without a run it is asked whether stream and consumer are still there."""

_RUNS_EACH: Final = 8
"""Runs of one table that the stream holds: more of them are refused, and a flood delays nobody else.

A table sends one run, and the next with its receipt.
"""

_SHORTEN_S: Final = 1.0
"""The stream is shortened after so long, or after half a share: a table that comes back waits for no room."""

UNUSED_S: Final = 60.0
"""A consumer that nobody uses for so long goes."""

_MONITOR_S: Final = 5.0


class ArchiveIntake:
    """Stores the tables' runs in one archive."""

    def __init__(self, intake: Intake, took: Callable[[Brought], None], stream_mb: int) -> None:
        """Prepare a stream of at most `stream_mb`; runs above it wait at the tables.

        `took` gets the result of each run.
        """
        self._intake, self._took, self._bytes = intake, took, stream_mb * MB
        self._done = self._shortened = 0
        self._at_s = 0.0

    async def run(self, access: ServerAccess, changed: Callable[[str], None]) -> None:
        """Take runs for good, until cancelled. Raises `JournalError` where a finding cannot be kept."""
        await stay_connected(access, self._serve, changed, _raise)

    async def _serve(self, client: Client) -> None:
        stream = client.jetstream()
        # A stream that was deleted counts from 1 again.
        self._done = self._shortened = 0
        await _lay_stream(stream, self._bytes)
        runs = await stream.subscribe(
            ENTRIES,
            stream=STREAM,
            config=ConsumerConfig(ack_policy=AckPolicy.NONE),
            flow_control=True,
            idle_heartbeat=LOOK_S,
            inactive_threshold=UNUSED_S,
        )
        while True:
            try:
                await self._take(client, await runs.next_msg(timeout=LOOK_S))
            except NothingCame:
                # Raises where one of them was deleted: the intake then starts again from the beginning.
                await runs.consumer_info()
            # Stored runs leave the stream; where that fails they come once more, and are here already.
            now = asyncio.get_running_loop().time()
            waits = self._done - self._shortened
            if waits >= _RUNS_EACH // 2 or (waits and now > self._at_s + _SHORTEN_S):
                await stream.purge_stream(STREAM, seq=self._done + 1)
                self._shortened, self._at_s = self._done, now

    async def _take(self, client: Client, message: Msg) -> None:
        """Store a run, then send the table its receipt; a run without the table's signature gets none."""
        headers, table = message.headers or {}, key_of(message.subject)
        attempt = headers.get(Header.MSG_ID, "")
        run = SentRun(table, headers.get(JOURNAL, ""), headers.get(NAME, ""), attempt, message.data)
        brought = self._intake.take(run)
        self._done = message.metadata.sequence.stream
        if brought is not None:
            self._took(brought)
        if brought is None or brought.error is None or brought.error.code != "RUN_NOT_SIGNED":
            await client.publish(subject_of("receipt", table), self._intake.receipt(run.journal, attempt))


def _raise(error: Exception) -> None:
    """End the program: entries that the archive cannot store must not be confirmed."""
    raise error


async def _lay_stream(stream: JetStreamContext, size: int) -> None:
    """Make the stream, or give it the present limits. Where one is reached it refuses new runs."""
    config = StreamConfig(
        name=STREAM,
        subjects=[ENTRIES],
        max_bytes=size,
        max_msgs_per_subject=_RUNS_EACH,
        discard=DiscardPolicy.NEW,
        discard_new_per_subject=True,
        storage=StorageType.FILE,
    )
    try:
        await stream.update_stream(config)
    except NotFoundError:
        await stream.add_stream(config)


def require_synced(monitor: str) -> None:
    """Ask a server's monitoring address whether it is well, and syncs each message to the disk.

    Raises `ConfigError` FLOOR_NOT_SYNCED where it says otherwise, FLOOR_MONITOR where it does not answer, or
    is not well.
    """
    _asked(f"{monitor.rstrip('/')}/healthz")
    address = f"{monitor.rstrip('/')}/varz"
    if not _asked(address).get("jetstream", {}).get("config", {}).get("sync_always"):
        raise ConfigError("FLOOR_NOT_SYNCED", at=address)


def _asked(address: str) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(address, timeout=_MONITOR_S) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise ConfigError("FLOOR_MONITOR", at=address, reason=str(error)) from error

"""The archive's end of the floor's network: runs of the stream in order, each stored and then confirmed.

Confirmed entries are on the disk. The stream is read from its beginning at each start and truncated behind
the stored runs: only the archive itself knows its position.
"""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import TimeoutError as NothingCame
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, Header, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from controller.domain import ConfigError
from controller.floor.intake import Intake, SentRun
from controller.floor.journal_archive import Brought
from controller.floor.link.connection import ServerAccess, stay_connected
from controller.floor.link.subjects import ENTRIES, JOURNAL, NAME, STREAM, key_of, receipts_of

MB: Final = 1_000_000
LOOK_S: Final = 2.0
"""After so long without a run it is asked whether stream and consumer are still there."""

SHARE: Final = 8
"""Runs of one table that the stream holds: more of them are refused, and a flood delays nobody else.

A table sends one run, and the next with its receipt.
"""

_SHORTEN_S: Final = 1.0
"""The stream is shortened after so long, or after half a share: a table that comes back waits for no room."""

UNUSED_S: Final = 60.0
"""A consumer that nobody uses for so long goes."""

_MONITOR_S: Final = 5.0

Took = Callable[[Brought], None]
"""Gets what became of a run."""


class ArchiveIntake:
    """Stores the tables' runs in one archive."""

    def __init__(self, intake: Intake, took: Took, stream_mb: int) -> None:
        """Prepare a stream of at most `stream_mb`; runs above it wait at the tables."""
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
            await self._shorten(stream)

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
            await client.publish(receipts_of(table), self._intake.receipt(run.journal, attempt))

    async def _shorten(self, stream: JetStreamContext) -> None:
        """Forget the runs that are here; where that fails they come once more, and are here already."""
        now = asyncio.get_running_loop().time()
        waits = self._done - self._shortened
        if waits >= SHARE // 2 or (waits and now > self._at_s + _SHORTEN_S):
            await stream.purge_stream(STREAM, seq=self._done + 1)
            self._shortened, self._at_s = self._done, now


def _raise(error: Exception) -> None:
    """End the program: entries that the archive cannot store must not be confirmed."""
    raise error


async def _lay_stream(stream: JetStreamContext, size: int) -> None:
    """Make the stream, or give it the present limits. Where one is reached it refuses new runs."""
    config = StreamConfig(
        name=STREAM,
        subjects=[ENTRIES],
        max_bytes=size,
        max_msgs_per_subject=SHARE,
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

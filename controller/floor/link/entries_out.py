"""A table's entries on their way to the archive: one run at a time, from the archive's position.

A broker's acknowledgement proves only that a stream exists; unconfirmed entries are sent again.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import Header

from controller.domain import JournalError
from controller.floor.link.subjects import JOURNAL, NAME, entries_of, receipts_of
from controller.floor.outbox import OwnJournal, days_back
from controller.floor.receipts import Receipt, receipt_of
from controller.floor.sealed import opened, run_of, sealed
from controller.journal.head_file import TableKey
from controller.journal.keeping import KeptDiffers

ANSWER_S: Final = 2.0
"""How long a broker may take to acknowledge, and an archive to answer."""

RETRY_S: Final = 2.0
"""Rest before the archive is asked again that was not there, or that has not taken what was sent."""

_RETRY_MAX_S: Final = 60.0
"""The longest rest: it doubles each time."""

_HEADERS_MAX: Final = 4096
"""Bytes of a message that are no lines."""

_Stopped = Callable[[str], None]
"""Gets the code of why entries wait here that only somebody can change, once."""


class LineTooLong(Exception):
    """A line of the journal is longer than a message of this server may be."""


class EntriesOut:
    """Sends the entries of a table's journals that the archive lacks. Used on the link's loop."""

    def __init__(
        self,
        key: TableKey,
        journal: OwnJournal,
        new_id: Callable[[], str],
        stopped: _Stopped,
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
        await client.subscribe(receipts_of(self._key.public), cb=self._take)
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
            found = await self._sent(client, journal, _fitting(lines, client.max_payload))
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
        subject = entries_of(self._key.public)
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
        found = self._received(message.data, self._attempt)
        if found is not None:
            self._receipt = found
            self._came.set()

    def _received(self, data: bytes, attempt: str) -> Receipt | None:
        """A receipt for this attempt from an archive that counts."""
        found = opened("receipt", data, attempt)
        counts = found is not None and (not self._archives or found.key in self._archives)
        return receipt_of(found.body) if found is not None and counts else None


def _lacking(journal: OwnJournal, receipt: Receipt, released: int) -> list[bytes]:
    try:
        return journal.lacking(receipt, released)[0]
    except JournalError as error:
        raise OSError(str(error)) from error


def _fitting(lines: list[bytes], room: int) -> bytes:
    """Return as many lines as a message holds. Raises `LineTooLong` when not even one fits."""
    run = b""
    for line in lines:
        if len(run) + len(line) > room - _HEADERS_MAX:
            break
        run += line
    if not run:
        raise LineTooLong
    return run

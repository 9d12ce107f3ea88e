"""What of a table goes over the network: a journal with a key and the link, and no engine."""

import asyncio
import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.config import FloorSection
from controller.domain import TableError
from controller.floor.messages import OwnJournal, accepted
from controller.floor.table_link import EntriesOut, ServerAccess, TableLink
from controller.journal.entry import NewEntry
from controller.journal.head_file import TableKey
from controller.journal.heads import HeadSigner
from controller.journal.store import Journal
from controller.main.linked_table import PublishedState
from controller.ports import SystemClock
from controller.screens.tiles import Tile, unread_tile


class LightTable:
    """It answers each command with the number of its newest entry."""

    def __init__(self, folder: Path, section: dict[str, Any]) -> None:
        folder.mkdir(exist_ok=True)
        self.file = folder / f"{folder.name}.journal"
        self.key = TableKey.load_or_make(folder / "table.key", {})
        self.journal = Journal.open(self.file, SystemClock(), self.key)
        self.heads = HeadSigner(self.file, folder.name, self.key)
        floor = FloorSection.model_validate(section)
        self.named, self.away = list[str](), ""
        self.asked = list[bytes]()
        if not self.journal.head().seq:
            self.write(json.dumps({"table": folder.name}).encode(), kind="opened")
        self._own = OwnJournal(self.file)
        self.link = TableLink(
            ServerAccess(floor, folder.name),
            self.key,
            EntriesOut(self.key, self._own, secrets.token_hex, self.named.append, floor.archives),
            command=self._answer,
            view=self._answer,
            run=secrets.token_hex(),
            changed=self._changed,
            failed=lambda error: self.named.append(repr(error)),
        )
        self.link.open()
        self.link.release(self.journal.head().seq)

    @property
    def id(self) -> str:
        return self._own.id

    def write(self, body: bytes = b"{}", kind: str = "fact", entries: int = 1) -> None:
        self.journal.append([NewEntry(kind, body, "system")] * entries)

    def send(self) -> None:
        self.heads.sign(self.journal.head(), 1, SystemClock().utc_us(), "round")
        self.link.release(self.journal.head().seq)

    def show(self, **more: object) -> Tile:
        tile = unread_tile(self.file.stem, TableError("RECORD_CONTRADICTS")).model_copy(update=more)
        self.link.show(self.state(tile))
        return tile

    def state(self, tile: Tile) -> bytes:
        said = PublishedState(table=self.key.public, journal=self.id, seq=self.journal.head().seq, tile=tile)
        return said.model_dump_json().encode()

    def close(self) -> None:
        self.link.close()
        self.journal.close()

    def _changed(self, reason: str) -> None:
        self.away = reason

    async def _answer(self, question: bytes) -> bytes:
        self.asked.append(question)
        return accepted(self.journal.head().seq)


async def until(holds: Callable[[], object], within_s: float = 60) -> None:
    async with asyncio.timeout(within_s):
        while not holds():
            await asyncio.sleep(0.01)

"""An archive in a process of its own that dies where it is told to, and a network that stalls and breaks."""

import asyncio
import shlex
import socket
import struct
import subprocess
import sys
from pathlib import Path

from tests.floor.broker_kit import Broker, free_port

DYING = """
import os, sys
from controller.cli import main
from controller.floor.archive import ArchivedJournal
from controller.floor.postgresql import journals
from controller.floor.intake import Intake

point, left = sys.argv.pop(1), [int(sys.argv.pop(1))]

def die(counts=True):
    left[0] -= counts
    if left[0] <= 0:
        os.kill(os.getpid(), 9)

rows, append, receipt = journals.DatabaseJournals._rows, ArchivedJournal.append, Intake.receipt

def moved(self, query, values=()):
    die(query == journals._MOVE)
    return rows(self, query, values)

def appended(self, entries):
    append(self, entries)
    die()

def received(self, *words):
    die()
    return receipt(self, *words)

if point == "between COPY and commit":
    journals.DatabaseJournals._rows = moved
if point == "behind the folder's commit":
    ArchivedJournal.append = appended
if point == "between commit and receipt":
    Intake.receipt = received
main()
"""

POINTS = ("between COPY and commit", "behind the folder's commit", "between commit and receipt")


class Archiver:
    """`stand17 archive run` with a database; `start` and `kill` as often as wanted."""

    def __init__(self, server: str, folder: Path, database: str) -> None:
        self._words = ["archive", "run", "--server", server, "--into", str(folder), "--database", database]
        self._log = folder.with_suffix(".log")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, point: str = "-", count: int = 1, *, file_kb: int = 0) -> None:
        """`point` and `count`: where it kills itself. No file that it writes gets larger than `file_kb`."""
        words = [sys.executable, "-c", DYING, point, str(count), *self._words, "--stream-mb", "1"]
        limit = f"ulimit -f {2 * file_kb}; " if file_kb else ""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", f"{limit}exec {shlex.join(words)}"], stdout=log, stderr=log
            )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Proxy:
    """Between somebody and the broker: it can stall with its connections open, or reset them."""

    def __init__(self, broker: Broker) -> None:
        self.port, self._broker = free_port(), broker
        self.url = f"nats://127.0.0.1:{self.port}"
        self._goes = asyncio.Event()
        self._goes.set()
        self._writers = set[asyncio.StreamWriter]()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    def close(self) -> None:
        self._server.close()
        self.reset()

    def stall(self) -> None:
        self._goes.clear()

    def go_on(self) -> None:
        self._goes.set()

    def reset(self) -> None:
        """End all connections with a reset: what was on its way is lost."""
        for writer in tuple(self._writers):
            found = writer.get_extra_info("socket")
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._broker.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        self._writers -= {writer, back}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._goes.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.transport.abort()

"""A real server of a floor's network, on a free port and in a folder of its own, that can be killed."""

import asyncio
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import nats
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from controller.floor.messages import STREAM

SERVER = Path(sys.executable).with_name("nats-server")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _is_open(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Broker:
    """`start` and `kill` as often as wanted: port and store stay."""

    def __init__(self, folder: Path, sync: str = "always") -> None:
        self.port, self.monitor_port = free_port(), free_port()
        self.url, self.monitor = f"nats://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.monitor_port}"
        self._config = folder / "nats.conf"
        self.store = folder / "stream"
        self._lines = (
            f'listen: "127.0.0.1:{self.port}"\nhttp: "127.0.0.1:{self.monitor_port}"\n'
            f'jetstream {{ store_dir: "{self.store}", sync_interval: {sync} }}\n'
        )
        self.configure()
        self._process: subprocess.Popen[bytes] | None = None

    def configure(self, *more: str) -> None:
        """Give it these lines, too, at its next start."""
        self._config.write_text("\n".join((self._lines, *more, "")), encoding="utf-8")

    def start(self, file_kb: int = 0) -> None:
        """Start it where it does not run; no file of its gets larger than `file_kb`."""
        if self._process is not None:
            return
        log = self._config.with_suffix(".log").open("ab")
        limit = f"ulimit -f {2 * file_kb}; " if file_kb else ""
        words = ["sh", "-c", f'{limit}exec "{SERVER}" -c "{self._config}"']
        self._process = subprocess.Popen(words, stdout=log, stderr=log)
        log.close()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if _is_open(self.port):
                return
            time.sleep(0.01)
        raise AssertionError(self._config.with_suffix(".log").read_text())

    def become_well(self) -> None:
        """Wait until it says that it is well."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(OSError), urllib.request.urlopen(f"{self.monitor}/healthz"):
                return
            time.sleep(0.05)
        raise AssertionError(self._config.with_suffix(".log").read_text())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def empty(self) -> None:
        """Remove the stream: another house's archive begins."""
        asyncio.run(self._emptied())

    async def _emptied(self) -> None:
        client = await self.client()
        with suppress(NotFoundError):
            await client.jetstream().delete_stream(STREAM)
        await client.close()

    async def client(self) -> Client:
        return await nats.connect(self.url)

    def section(self, **more: Any) -> dict[str, Any]:
        return {"servers": [self.url]} | more

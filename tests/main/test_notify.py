"""The service manager hears that the table is up, alive and stopping, and nothing while it is stuck."""

import asyncio
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import CutCard
from controller.main.beside import BEATS, ServiceManager
from controller.ports import Report
from drivers.simulated import PtyShoe
from tests.forked_process import Forked
from tests.people_kit import people_file
from tests.runtime.runtime_kit import Bench

ROOT: Final = Path(__file__).parents[2]
CONFIG: Final = """
[table]
name = "BJ1"
rules = "spielbank"
[journal]
file = "table.journal"
[web]
port = 0
[shoe]
port = "{port}"
[software]
allow_unreleased = true
"""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The manager's end of the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.settimeout(30)
        yield line


def environment(line: socket.socket, watchdog_ms: int) -> dict[str, str]:
    return {"NOTIFY_SOCKET": line.getsockname(), "WATCHDOG_USEC": str(watchdog_ms * 1000)}


def test_a_whole_table_says_ready_alive_and_stopping(tmp_path: Path, manager: socket.socket) -> None:
    shoe = PtyShoe()
    (tmp_path / "table.toml").write_text(CONFIG.format(port=shoe.port), encoding="utf-8")
    people_file(tmp_path)
    running = Forked("run", tmp_path / "table.toml", changes=environment(manager, 300))
    try:
        assert manager.recv(64) == b"READY=1"
        assert [manager.recv(64) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        running.send_signal(signal.SIGTERM)
        said = manager.recv(64)
        while said == b"WATCHDOG=1":
            said = manager.recv(64)
        assert said == b"STOPPING=1"
        assert running.wait(20) == 0
    finally:
        running.kill()
        shoe.close()


def test_a_table_whose_disk_does_not_answer_gives_no_sign_of_life(
    tmp_path: Path, manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = threading.Event()

    def alive(within_s: float) -> bool:
        manager.settimeout(within_s)
        try:
            return manager.recv(64) == b"WATCHDOG=1"
        except TimeoutError:
            return False

    async def story() -> None:
        async with Bench(tmp_path / "table.journal") as bench:
            beating = asyncio.create_task(ServiceManager(environment(manager, 60)).beat(bench.table.pulse))
            assert await asyncio.to_thread(alive, 10)
            append = bench.journal.append
            monkeypatch.setattr(bench.journal, "append", lambda *new: disk.wait(20) and append(*new))
            bench.table.post(Report("shoe", 0, (CutCard(),)))
            while await asyncio.to_thread(alive, 0.4):
                pass
            assert not await asyncio.to_thread(alive, 0.4)
            disk.set()
            assert await asyncio.to_thread(alive, 10)
            assert bench.now.state.shoe.cut_seen
            beating.cancel()

    asyncio.run(story())


def test_without_a_manager_nothing_is_said_and_a_lost_one_stops_nobody(tmp_path: Path) -> None:
    ServiceManager({}).ready()
    ServiceManager({"NOTIFY_SOCKET": str(tmp_path / "nobody"), "WATCHDOG_USEC": "soon"}).ready()


def test_the_shipped_service_asks_for_what_the_program_says() -> None:
    unit = (ROOT / "hardware" / "systemd" / "stand17@.service").read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(\w+)=(.+)$", unit, re.MULTILINE))
    assert (settings["Type"], settings["NotifyAccess"], settings["Restart"]) == ("notify", "main", "always")
    assert int(settings["WatchdogSec"]) > BEATS

"""`stand17 bench screens`: from a state to a screen while hundreds of others look on and some send slowly."""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated, Any, Final, NamedTuple

import typer
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from controller.ports import SystemClock

SCREENS: Final = 500
SLOW: Final = 100
SECONDS: Final = 60.0
RUNS: Final = 3

CHANGES: Final = "?changes=true"
"""What the page asks its socket for."""

GOAL_P95_MS: Final = 50.0
SLOW_BYTE_S: Final = 0.5
"""Between two bytes of a sender that never gets its request's head together."""

WARM_S: Final = 20.0
"""Until every part of the demo has worked: its card reader takes most of its memory with the first cards."""

REST_S: Final = 10.0
"""After the crowd has gone, until memory is looked at."""

START_S: Final = 60.0


class Asked(NamedTuple):
    """How many others look on, how many send slowly, and for how long."""

    screens: int
    slow: int
    seconds: float


def screens(
    screens: Annotated[
        int, typer.Option(min=1, help="Screens that look on beside the one measured.")
    ] = SCREENS,
    slow: Annotated[int, typer.Option(min=0, help="Connections that send a byte now and then.")] = SLOW,
    seconds: Annotated[float, typer.Option(min=5, help="How long each run takes.")] = SECONDS,
    runs: Annotated[int, typer.Option(min=1, help="How many runs.")] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Deal the demo at the pace of people, and time each state from its snapshot to one screen.

    The screen that is measured has a process of its own, and so has the crowd: it costs no time of theirs.
    """
    asked = Asked(screens, slow, seconds)
    with tempfile.TemporaryDirectory(prefix="stand17-screens-") as folder, _demo(Path(folder)) as (page, pid):
        time.sleep(WARM_S)
        before_mb = memory_mb(pid)
        found = [measure(page, pid, asked) for _ in range(runs)]
        time.sleep(REST_S)
        after_mb = memory_mb(pid)
    report = {
        "type": "bench_screens",
        **asked._asdict(),
        "goal_p95_ms": GOAL_P95_MS,
        "p95_ms": median(run["p95_ms"] for run in found),
        "memory_before_mb": before_mb,
        "memory_after_mb": after_mb,
        "runs": found,
    }
    typer.echo(json.dumps(report) if as_json else "\n".join(f"{key}: {report[key]}" for key in report))


def measure(page: str, pid: int, asked: Asked) -> dict[str, float]:
    """Run once; milliseconds, states seen, and the most memory that the demo took meanwhile."""
    context = get_context("spawn")
    ready, ages = context.Event(), context.Queue()
    crowd = context.Process(target=_crowd, args=(page, asked, ready), daemon=True)
    screen = context.Process(target=_screen, args=(page, asked.seconds, ages), daemon=True)
    crowd.start()
    try:
        if not ready.wait(START_S):
            raise TimeoutError("the crowd did not get in")
        screen.start()
        most_mb, end = 0, time.monotonic() + asked.seconds
        while time.monotonic() < end:
            most_mb = max(most_mb, memory_mb(pid))
            time.sleep(1)
        took = sorted(ages.get(timeout=START_S))
    finally:
        crowd.terminate()
        crowd.join()
    return {
        "states": len(took),
        "p50_ms": round(median(took), 1),
        "p95_ms": round(quantiles(took, n=20)[-1], 1),
        "max_ms": round(took[-1], 1),
        "memory_mb": most_mb,
    }


def memory_mb(pid: int) -> int:
    """Give what a process holds in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) // 1024


@contextmanager
def _demo(folder: Path) -> Iterator[tuple[str, int]]:
    """Run a demo; where its page is, and its process."""
    program = (sys.executable, "-c", "from controller.cli import main; main()", "demo", "--headless")
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            (*program, "--port", "0", "--seed", "17", "--keep", str(folder / "demo")),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://(\S+)/", said)
            assert found is not None, said
            yield found[1], process.pid
        finally:
            process.terminate()


def _screen(page: str, seconds: float, ages: Any) -> None:
    """The screen that is measured: how old each state is when it has come, in milliseconds."""
    ages.put(asyncio.run(_ages(page, seconds)))


async def _ages(page: str, seconds: float) -> list[float]:
    clock, found = SystemClock(), []
    end = time.monotonic() + seconds
    async with connect(f"ws://{page}/ws{CHANGES}", max_size=None) as socket:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for message in socket:
                    now_us = clock.utc_us()
                    told = json.loads(message)
                    # A snapshot may be older than the screen, and what a device says has no entry.
                    if told["type"] == "changes" and "at_utc_us" in told["fields"]:
                        found.append((now_us - told["fields"]["at_utc_us"]) / 1000)
    assert time.monotonic() >= end - 1, "the screen was sent away"
    return found


def _crowd(page: str, asked: Asked, ready: Any) -> None:
    """Everybody else."""
    asyncio.run(_gather(page, asked, ready))


async def _gather(page: str, asked: Asked, ready: Any) -> None:
    connected = asyncio.Semaphore(0)
    host, _, port = page.rpartition(":")
    lookers = [asyncio.create_task(_look_on(page, connected)) for _ in range(asked.screens)]
    senders = [asyncio.create_task(_send_slowly(host, int(port))) for _ in range(asked.slow)]
    for _ in lookers:
        await connected.acquire()
    ready.set()
    await asyncio.gather(*lookers, *senders)


async def _look_on(page: str, connected: asyncio.Semaphore) -> None:
    """A screen that takes everything, and comes back when it was sent away."""
    told = False
    while True:
        with suppress(OSError, WebSocketException, TimeoutError):
            async with connect(f"ws://{page}/ws{CHANGES}", max_size=None) as socket:
                if not told:
                    told = True
                    connected.release()
                async for _ in socket:
                    pass
        await asyncio.sleep(1)


async def _send_slowly(host: str, port: int) -> None:
    """A sender whose request never ends; given up, it begins again."""
    while True:
        with suppress(OSError):
            _, line = await asyncio.open_connection(host, port)
            try:
                for byte in b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 10_000:
                    line.write(bytes((byte,)))
                    await line.drain()
                    await asyncio.sleep(SLOW_BYTE_S)
            finally:
                line.close()
        await asyncio.sleep(1)

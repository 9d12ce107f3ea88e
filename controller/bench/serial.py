"""`stand17 bench serial`: from a card's last byte on the line to its event at the table, both protocols."""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from subprocess import DEVNULL, Popen
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from controller.domain.observations import CardSeen
from controller.ports import Report, SystemClock
from controller.runtime.inbox import Inbox
from drivers.line import LineConfig
from drivers.shoe.adapter import ShoeAdapter
from drivers.shoe.angel_eye import AngelEye
from drivers.shoe.driver import SerialShoe
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.protocol import ShoeProtocol
from drivers.simulated import PtyLine
from drivers.simulated.angel_eye import card_bytes, report_frames
from drivers.simulated.open_shoe import FrameType, wire

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BAUD: Final = 4800
BYTE_S: Final = 10 / BAUD
"""Start bit, eight bits, stop bit."""

GOAL_MS: Final = 5.0
WAIT_S: Final = 10.0
BURST_S: Final = 0.02
SPIN: Final = "while True: pass"


class Sent(NamedTuple):
    """Bytes of one card: `told` ends with the byte that completes it, `after` follows it on the line."""

    told: bytes
    after: bytes = b""


class Contest(NamedTuple):
    """One protocol: how to read it, and what a shoe sends for card `number` (from 0)."""

    protocol: Callable[[], ShoeProtocol]
    card: Callable[[int], Sent]


def angel_card(number: int) -> Sent:
    """An Angel Eye sends each message three times; the first good copy counts."""
    copy = report_frames(ord("0") + number % 10, b"D" + card_bytes("7", "s", 0, 1), copies=1)
    return Sent(copy, copy * 2)


def open_card(number: int) -> Sent:
    """An open reader says that a card has left, then what it is; the first card comes behind its HELLO."""
    passage, first = number % 0xFFFF + 1, 2 * number + 1
    hello = _event(0, FrameType.HELLO, b"BENCH0000001", bytes(8), 0, 512) if number == 0 else b""
    left = _event(first, FrameType.EDGE, passage, 2, 80)
    named = _event(first + 1, FrameType.CARD, passage, 7, 4, 0xFF ^ 0x74, 255, 0, 0, 0)
    return Sent(hello + left + named)


def _event(seq: int, kind: FrameType, *fields: int | bytes) -> bytes:
    payload = wire.payload(kind, *fields)
    return wire.frame(kind, payload, flags=wire.SEQUENCED, boot=1, seq=seq % 0x10000, t_ms=seq)


CONTESTS: Final[dict[str, Contest]] = {
    "angel_eye": Contest(AngelEye, angel_card),
    "open": Contest(OpenShoe, open_card),
}


def serial(
    cards: Annotated[int, typer.Option(min=20, help="Cards of each protocol.")] = 200,
    busy: Annotated[bool, typer.Option(help="Measure on a busy machine too.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Time from a card's last byte at 4800 baud to its event in the table's inbox.

    Busy means: a spinning process, and in this process a thread that computes every other 20 ms.
    """
    report = {"type": "bench_serial", "baud": BAUD, "cards": cards, "goal_p99_ms": GOAL_MS}
    runs = [("quiet", False), ("busy", True)] if busy else [("quiet", False)]
    report["runs"] = [
        {"protocol": name, "machine": machine, **measure(contest, cards, load=load)}
        for machine, load in runs
        for name, contest in CONTESTS.items()
    ]
    typer.echo(json.dumps(report)) if as_json else show(report)


def measure(contest: Contest, cards: int, *, load: bool) -> dict[str, float]:
    """Send cards at the pace of the line; latencies in milliseconds."""
    with ExitStack() as stack:
        line = PtyLine()
        stack.callback(line.close)
        wire = stack.enter_context(sending(line, contest, cards))
        if load:
            stack.enter_context(loaded())
        took = sorted(asyncio.run(_run(line, contest, cards, wire)))
    return {
        "p50_ms": round(took[len(took) // 2], 3),
        "p99_ms": round(took[max(0, -(-len(took) * 99 // 100) - 1)], 3),
        "max_ms": round(took[-1], 3),
    }


async def _run(
    line: PtyLine, contest: Contest, cards: int, wire: "Connection[str, list[int]]"
) -> list[float]:
    """Run the real driver on a pseudo-terminal and give each card's way in milliseconds."""
    clock = SystemClock()
    inbox: Inbox[Report] = Inbox(1024)
    adapter = ShoeAdapter("shoe", "bench")
    config = LineConfig("shoe", line.port, BAUD)
    shoe = SerialShoe(
        config, contest.protocol(), lambda event, at: inbox.post(adapter.report(event, at)), clock
    )
    shoe.open()
    try:
        await _live(shoe)
        wire.send("begin")
        arrived = await asyncio.wait_for(_arrivals(inbox, cards), cards + WAIT_S)
        began = await asyncio.to_thread(wire.recv)
    finally:
        shoe.close()
    return [(end - start) / 1e6 for start, end in zip(began, arrived, strict=True)]


async def _live(shoe: SerialShoe) -> None:
    async with asyncio.timeout(WAIT_S):
        while shoe.health().state != "live":
            await asyncio.sleep(0.01)


async def _arrivals(inbox: Inbox[Report], cards: int) -> list[int]:
    """Note when the table's side takes each card."""
    arrived: list[int] = []
    while len(arrived) < cards:
        reports, _ = await inbox.take()
        now_ns = time.monotonic_ns()
        seen = [obs for report in reports for obs in report.observations if isinstance(obs, CardSeen)]
        arrived += [now_ns] * len(seen)
    return arrived


@contextmanager
def sending(line: PtyLine, contest: Contest, cards: int) -> Iterator["Connection[str, list[int]]"]:
    """Run the shoe's side in another process: it begins when told and gives the moments of the last bytes.

    In this process it would wait for its turn behind the driver that it measures.
    """
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_send, args=(line, contest, cards, there), daemon=True)
    process.start()
    try:
        yield here
    finally:
        process.terminate()
        process.join()


def _send(line: PtyLine, contest: Contest, cards: int, wire: "Connection[list[int], str]") -> None:
    """Write byte by byte at the line's pace; note the moment of each card's last byte."""
    wire.recv()
    began = []
    for number in range(cards):
        told, after = contest.card(number)
        _write(line, told[:-1])
        began.append(time.monotonic_ns())
        line.write(told[-1:])
        time.sleep(BYTE_S)
        _write(line, after)
        line.read(0)
    wire.send(began)


def _write(line: PtyLine, data: bytes) -> None:
    for byte in data:
        line.write(bytes((byte,)))
        time.sleep(BYTE_S)


@contextmanager
def loaded() -> Iterator[None]:
    """Keep the machine busy: another process on one core, and a computing thread in this one."""
    stop = threading.Event()
    thread = threading.Thread(target=_compute, args=(stop,), daemon=True)
    with Popen([sys.executable, "-c", SPIN], stdout=DEVNULL, stderr=DEVNULL) as other:
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            other.kill()


def _compute(stop: threading.Event) -> None:
    """Hold the interpreter as a card reader does between its calls into libraries."""
    while not stop.wait(BURST_S):
        until = time.monotonic() + BURST_S
        while time.monotonic() < until:
            sum(range(500))


def show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    grid = Table(title=f"Last byte to event, {report['cards']} cards each")
    for column in ("machine", "protocol", "p50 ms", "p99 ms", "max ms"):
        grid.add_column(column, justify="right" if "ms" in column else "left")
    for run in report["runs"]:
        figures = (f"{run[name]:.2f}" for name in ("p50_ms", "p99_ms", "max_ms"))
        grid.add_row(run["machine"], run["protocol"], *figures)
    console = Console()
    console.print(grid)
    console.print(f"Aimed at: p99 under {report['goal_p99_ms']:g} ms.")

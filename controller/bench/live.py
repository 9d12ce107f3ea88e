"""`stand17 bench live`: times from a device's report to the disk, and a commit beside a bare `fdatasync`.

A simulated shoe sends on a real line, at its pace and from a process of its own, and a real reader reads a
drawn camera's pictures. Both send their cards to a real table, whose journal on the disk is measured.
`python -m tests.bench.live_page` measures the rest of the way, to a page in Chromium.
"""

import asyncio
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from controller.acts.catalogue import Bet, Close, Observation, ShoeLoaded
from controller.devices.cameras.follower import FrameFollower
from controller.devices.cameras.setup import CameraPlan
from controller.devices.cameras.tracker import open_tracker
from controller.journal.copying import CopyPlace, JournalCopier
from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal
from controller.policy import House
from controller.ports import Frame, SystemClock
from controller.rules import load_file
from controller.runtime.api import Accepted, Command, CommandAnswer, Observe
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.felt_witness import WitnessPlan
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.restore import Identity, start
from drivers.shoe.angel_eye import AngelEye
from drivers.shoe.reader import SerialShoe, ShoeAdapter
from drivers.simulated import PtyLine, card_bytes, report_frames
from vision.calibration import CameraPart, CardsPart, Layout, Origin, PlanePart, Zone
from vision.geometry import Image
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, box_origin, render_frame, table_scene

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_BAUD: Final = 4800
BYTE_S: Final = 10 / _BAUD
"""Start bit, eight bits, stop bit."""


def copy_of(number: int) -> bytes:
    """The message of card `number` (from 0); a shoe sends it three times, the first good copy counts."""
    return report_frames(ord("0") + number % 10, b"D" + card_bytes("7", "s", 0, 1), copies=1)


@contextmanager
def sending(line: PtyLine, cards: int) -> Iterator["Connection[str, list[int]]"]:
    """Run the shoe's side in another process: it begins at a word and gives the moments of the last bytes.

    In this process it would wait for its turn behind the driver that it measures.
    """
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_send, args=(line, cards, there), daemon=True)
    process.start()
    try:
        yield here
    finally:
        process.terminate()
        process.join()


def _send(line: PtyLine, cards: int, wire: "Connection[list[int], str]") -> None:
    """Write byte by byte at the line's pace; note the moment of each card's last byte."""
    wire.recv()
    began = []
    for number in range(cards):
        copy = copy_of(number)
        _write(line, copy[:-1])
        began.append(time.monotonic_ns())
        line.write(copy[-1:])
        time.sleep(BYTE_S)
        _write(line, copy * 2)
        line.read(0)
    wire.send(began)


def _write(line: PtyLine, data: bytes) -> None:
    for byte in data:
        line.write(bytes((byte,)))
        time.sleep(BYTE_S)


WAIT_S: Final = 10.0
HOUSE: Final = "nl"
FRAME_S: Final = 1 / 30
NOISES: Final = 4
_GAP_S: Final = 1.0
"""So long the table rests before the next card is laid."""

_RING_BYTES: Final = 16 * 2**20
"""The bare writes go round in a file of this size that lies on disk already."""

MM_A_PX: Final = 0.9565217391304348
"""As in examples/layout.toml."""

BOXES: Final = (1, 4, 7)

DEAL: Final = ((1, "10h"), (4, "8c"), (7, "9s"), (0, "9d"), (1, "6s"), (4, "7d"), (7, "8h"))


class TimedJournal(Journal):
    """A journal that notes when each card was on disk."""

    cards_ns: list[int]

    def append(self, entries: Sequence[NewEntry], at_utc_us: int | None = None) -> tuple[Entry, ...]:
        """Write the entries in one transaction, and note when each card of them was on disk."""
        written = super().append(entries, at_utc_us)
        now_ns = time.monotonic_ns()
        noted = [one for one in entries if one.kind in {"fact", "waiting"} and b'"card"' in one.body]
        self.cards_ns += [now_ns for one in noted if json.loads(one.body).get("obs") == "card"]
        return written


_ENTRY: Final = NewEntry("note", json.dumps({"text": "x" * 200}).encode(), "system:bench")
"""What is committed beside bare writes."""


def measured(cards: int, rounds: int, commits: int, folder: Path | None) -> dict[str, Any]:
    """The figures of `stand17 bench live`; see the command's help."""
    with TemporaryDirectory(dir=folder) as name:
        place = Path(name)
        report: dict[str, Any] = {"type": "bench_live", "disk": str(folder or place.parent)}
        report["commit"] = _commit_times(place, commits)
        report["shoe_to_disk"] = figures(asyncio.run(_shoe(place / "shoe.journal", cards)))
        if rounds:
            taken = [ms for number in range(rounds) for ms in _camera(place, number)]
            report["card_at_rest_to_disk"] = figures(taken)
    return report


def dealt(seed: int) -> Iterator[tuple[int, list[Image]]]:
    """The empty table, then each card's box (0: the dealer) and the table with it."""
    laid: dict[int, list[TableCard]] = {}
    yield DEALER, _drawn(laid, seed)
    for box, card in DEAL:
        laid.setdefault(box, []).append(TableCard(card[:-1], card[-1]))
        yield box, _drawn(laid, seed)


def figures(took_ms: list[float]) -> dict[str, float]:
    """Return the count, median, 95th and 99th percentile and maximum in milliseconds."""
    cuts = quantiles(took_ms, n=100, method="inclusive")
    found = {"p50_ms": cuts[49], "p95_ms": cuts[94], "p99_ms": cuts[98], "max_ms": max(took_ms)}
    return {"count": len(took_ms), **{name: round(value, 2) for name, value in found.items()}}


def _commit_times(place: Path, commits: int) -> dict[str, Any]:
    """A commit of one entry and a bare write of as many bytes with `fdatasync`, by turns on one disk."""
    with closing(Journal.open(place / "commit.journal", SystemClock())) as journal:
        entry = _ENTRY
        journal.append([entry])
        before = _written_bytes()
        journal.append([entry])
        size = max(_written_bytes() - before, len(entry.body))
        ring = os.open(place / "bare", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.write(ring, bytes(_RING_BYTES))
            os.fsync(ring)
            taken = [
                (_timed_commit(journal, entry), _timed_write(ring, size, turn)) for turn in range(commits)
            ]
        finally:
            os.close(ring)
    own, bare = (figures(list(times)) for times in zip(*taken, strict=True))
    ratio = round(own["p50_ms"] / bare["p50_ms"], 2)
    copied = figures(list(_copied(place, commits)))
    return {"bytes": size, "journal": own, "with_copy": copied, "fdatasync": bare, "ratio_p50": ratio}


def _copied(place: Path, commits: int) -> Iterator[float]:
    """Milliseconds of each commit while a copy of the journal is written beside it, on the same disk."""
    clock, path = SystemClock(), place / "copied.journal"
    copies = place / "copies"
    copies.mkdir()
    with closing(Journal.open(path, clock)) as journal:
        copier = JournalCopier(CopyPlace(copies, path), lambda _: None, clock, lambda: None)
        copier.open()
        try:
            for _ in range(commits):
                yield _timed_commit(journal, _ENTRY)
                copier.release(journal.head().seq)
        finally:
            copier.close()


def _timed_commit(journal: Journal, entry: NewEntry) -> float:
    began = time.perf_counter()
    journal.append([entry])
    return (time.perf_counter() - began) * 1000


def _timed_write(ring: int, size: int, turn: int) -> float:
    data = os.urandom(size)
    began = time.perf_counter()
    os.pwrite(ring, data, turn * size % (_RING_BYTES - size))
    os.fdatasync(ring)
    return (time.perf_counter() - began) * 1000


def _written_bytes() -> int:
    """Return the bytes that this process has written so far."""
    counted = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(dict(line.split(": ") for line in counted)["wchar"])


def open_table(path: Path, plan: WitnessPlan | None = None) -> tuple[TimedJournal, TableDoor]:
    """Return a live table on a journal of its own."""
    clock = SystemClock()
    journal = TimedJournal.open(path, clock)
    journal.cards_ns = []
    file = load_file(HOUSE, Path())
    identity = Identity("bench", file.rules._replace(hit_on_21=False), "EUR", House(file.irregularities))
    ledger = start(journal, identity, "live", version("stand17"))
    return journal, TableDoor(journal, ledger, clock, mode="live", witnesses=plan)


async def _shoe(path: Path, cards: int) -> list[float]:
    """Milliseconds from the last byte of each card to its entry on disk."""
    journal, door = open_table(path)
    table, adapter = TableTask(door), ShoeAdapter("shoe", "bench")
    with closing(PtyLine()) as line, sending(line, cards) as wire, closing(journal):
        shoe = SerialShoe(
            "shoe",
            line.port,
            AngelEye(),
            lambda event, at: table.post(adapter.report(event, at)),
            SystemClock(),
        )
        running = asyncio.create_task(table.run())
        shoe.open()
        try:
            async with asyncio.timeout(cards + WAIT_S):
                while shoe.health().state != "live":
                    await asyncio.sleep(0.01)
                wire.send("begin")
                while len(journal.cards_ns) < cards:
                    await asyncio.sleep(0.05)
            began = await asyncio.to_thread(wire.recv)
        finally:
            shoe.close()
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
    return [(end - begin) / 1e6 for begin, end in zip(began, journal.cards_ns, strict=True)]


def _camera(place: Path, number: int) -> list[float]:
    """Milliseconds from the first picture of each card at rest to its entry on disk; 30 pictures a second."""
    journal, door = open_table(place / f"camera-{number}.journal", WitnessPlan("overhead"))
    tracker = open_tracker(None, drawn_layout(), deals=True)
    plan = CameraPlan("overhead", tracker.box_at, read_every_ms=300, certain=0.98)
    follower = FrameFollower(tracker, plan)
    lines: list[Observation] = [ShoeLoaded(1), *(Bet(box, 0, 1000) for box in BOXES), Close()]
    _enter(door, lines)
    frame_number, took = 0, []
    with closing(journal):
        for card, (_, pictures) in enumerate(dealt(number)):
            known, began_ns = len(journal.cards_ns), time.monotonic_ns()
            while _is_awaited(began_ns, arrived=not card or len(journal.cards_ns) > known):
                frame_number += 1
                now_ns = time.monotonic_ns()
                for item in follower.take(
                    Frame(pictures[frame_number % NOISES], now_ns, frame_number), now_ns
                ):
                    door.take(item)
                time.sleep(max(0.0, FRAME_S - (time.monotonic_ns() - now_ns) / 1e9))
            took += [(end - began_ns) / 1e6 for end in journal.cards_ns[known : known + 1] if card]
    return took


def _is_awaited(began_ns: int, *, arrived: bool) -> bool:
    """Whether to continue reading: a rest after each card, and a limit for a missing one."""
    passed_s = (time.monotonic_ns() - began_ns) / 1e9
    return passed_s < _GAP_S or (not arrived and passed_s < WAIT_S)


def drawn_layout() -> Layout:
    """The layout of the demo's camera: one pixel is a millimetre or nearly so."""
    mm = MM_A_PX

    def zone(number: int, left: float, top: float, right: float, foot: float) -> Zone:
        corners = ((left, top), (right, top), (right, foot), (left, foot))
        outline = tuple((x * mm, y * mm) for x, y in corners)
        return Zone(kind="box" if number else "dealer", box=number or None, outline_mm=outline)

    boxes = [zone(box, *_box_px(box)) for box in BOXES]
    return Layout(
        layout=1,
        camera=CameraPart(width=1920, height=1080),
        plane=PlanePart(homography=((mm, 0, 0), (0, mm, 0), (0, 0, 1))),
        cards=CardsPart(),
        zone=(*boxes, zone(DEALER, 600, 910, 1360, 1075)),
        origin=Origin(date="2026-11-23", method="hand", residual_px=0),
    )


def _box_px(box: int) -> tuple[float, float, float, float]:
    """Return the left, top, right and lower edge of a box of the drawn table, in pixels."""
    x, y = box_origin(box, 1)
    return x - 60, y - 90, x + 190, y + 90


def _enter(door: TableDoor, lines: Sequence[Observation]) -> None:
    """Enter the pit's lines before the first card."""
    for number, line in enumerate(lines):
        door.take(
            SubmittedCommand(
                Command(f"bench-{number}", "bench", "pit", None, Observe(line)), _require_accepted
            )
        )


def _require_accepted(answer: CommandAnswer) -> None:
    assert isinstance(answer, Accepted), answer


def _drawn(laid: dict[int, list[TableCard]], seed: int) -> list[Image]:
    """Return pictures of the present table, each with noise of its own."""
    hands = tuple(TableHand(box, 1, tuple(cards)) for box, cards in laid.items())
    scene = table_scene(DrawnTableView(hands, BOXES), seed)
    return [render_frame(scene, noise) for noise in range(NOISES)]

"""`stand17 bench history`: a journal of many years' entries opened, shown and verified."""

import asyncio
import json
import os
import resource
import tempfile
from collections.abc import Callable
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Annotated, Any, Final

import typer

from controller.bench.long_journal import make
from controller.journal.store import Journal
from controller.journal.table_key import TableKey
from controller.journal.verify import verify
from controller.ports import SystemClock
from controller.rules import load_rules
from controller.runtime.checkpoint.keeper import CheckpointKeeper
from controller.runtime.door import TableDoor
from controller.runtime.restore import Identity, ProgramStart, start
from controller.runtime.table import Table
from controller.runtime.unread import set_aside_in
from controller.runtime.verify_results import ResultVerifier
from controller.screens.table_screens import TableScreens
from vision.reader import CardReader

ENTRIES: Final = 1_000_000
ALERTS: Final = 23_000
STARTS: Final = 5
EARLY_ENTRIES: Final = 12_000
"""Some hundred rounds: the view then is compared with the view at the end."""

GOAL_OPEN_S: Final = 1.0
PROGRAM: Final = "bench"

Figures = dict[str, Any]


def history(
    entries: Annotated[int, typer.Option(min=1000, help="Entries of the journal.")] = ENTRIES,
    alerts: Annotated[int, typer.Option(min=0, help="Alerts among them that nobody resolves.")] = ALERTS,
    starts: Annotated[int, typer.Option(min=1, help="Starts from a checkpoint; the median counts.")] = STARTS,
    folder: Annotated[Path | None, typer.Option(help="A folder on the disk to measure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a journal as the table's own door writes it; then open it, draw its first page and verify it.

    Each start is a process of its own: with all entries to fold, then from the checkpoint. The view's bytes
    after the first hundred rounds and at the end say whether it grows with history.
    """
    with tempfile.TemporaryDirectory(prefix="stand17-history-", dir=folder) as scratch:
        report = measure(Path(scratch), entries, alerts, starts)
    typer.echo(json.dumps(report) if as_json else "\n".join(f"{key}: {report[key]}" for key in report))


def measure(folder: Path, entries: int, alerts: int, starts: int) -> Figures:
    """Make, open, show and verify; seconds, bytes and counts by name."""
    key, path = TableKey.load_or_make(folder / "table.key", {}), folder / "table.journal"
    early = folder / "early.journal"
    make(early, identity(), key, min(EARLY_ENTRIES, entries), alerts)
    began = perf_counter()
    make(path, identity(), key, entries, alerts)
    made_s = perf_counter() - began
    whole, *others = [started(path) for _ in range(1 + starts)]
    report = {
        "type": "bench_history",
        "entries": others[-1]["entries"],
        "alerts": others[-1]["alerts"],
        "file_mb": round(path.stat().st_size / 1e6),
        "checkpoint_mb": round(Path(f"{path}.checkpoint").stat().st_size / 1e6, 1),
        "make_s": round(made_s, 1),
        "goal_open_s": GOAL_OPEN_S,
        **{name: median(one[name] for one in others) for name in TIMES},
        "runs": [one["open_s"] for one in others],
        "whole": {name: whole[name] for name in TIMES},
        "view_bytes_after_300_rounds": started(early)["view_bytes"],
        "view_bytes": others[-1]["view_bytes"],
        "load": os.getloadavg()[0],
    }
    began = perf_counter()
    told = verify(path, ResultVerifier(set_aside_in(path)), lambda _: None)
    return {**report, "verify_s": round(perf_counter() - began, 1), "verified": told.ok}


TIMES: Final = (
    "imports_s",
    "models_s",
    "open_s",
    "open_cpu_s",
    "compared_s",
    "restored_s",
    "page_s",
    "process_s",
    "audit_first_ms",
    "audit_last_ms",
    "show_ms",
    "memory_mb",
)
"""What is told of each start. `open_s` goes from the journal's opening to the page drawn, and is made of
`compared_s`, `restored_s` (with the start's own entries) and `page_s`; `process_s` from the process's first
line, with its imports and the reader's networks."""


def identity() -> Identity:
    """Whose the journals are."""
    return Identity("T1", load_rules("nl", {}, Path()), "EUR")


def started(path: Path) -> Figures:
    """Start on a journal in a process of its own, and end cleanly."""
    context = get_context("spawn")
    told = context.Queue()
    process = context.Process(target=_start, args=(path, told, perf_counter()))
    process.start()
    found: Figures = told.get()
    process.join()
    return found


def _start(path: Path, told: Any, began: float) -> None:
    """One start: what the program does on its way to the first page, but for devices and sockets."""
    # What `stand17 run` is put together from, by name: it lies above this package, and is only timed.
    import_module("controller.main.compose")
    imported = perf_counter()
    CardReader.open()
    ready, cpu = perf_counter(), process_time()
    key = TableKey.load(path.with_name("table.key"))
    journal = Journal.open(path, SystemClock(), key, PROGRAM)
    compared = perf_counter()
    keeper = CheckpointKeeper(journal, path, key, PROGRAM)
    known = ProgramStart((("key", key.public),))
    ledger = start(journal, identity(), "live", PROGRAM, known, restored=keeper.restored)
    restored = perf_counter()
    door = TableDoor(journal, ledger, SystemClock(), mode="live")
    view = _view_of(door)
    shown, cpu = perf_counter(), process_time() - cpu
    figures = {
        "entries": ledger.seq,
        "alerts": len(ledger.alerts),
        "view_bytes": len(view),
        "imports_s": imported - began,
        "models_s": ready - imported,
        "open_s": shown - ready,
        "open_cpu_s": cpu,
        "compared_s": compared - ready,
        "restored_s": restored - compared,
        "page_s": shown - restored,
        "process_s": shown - began,
        **_pages(door),
    }
    keeper.open()
    keeper.close(door.ledger, journal.head())
    journal.close()
    figures["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told.put({name: round(value, 3) for name, value in figures.items()})


def _pages(door: TableDoor) -> dict[str, float]:
    """Draw the page once more as after a change; read the first and the last page of the audit trail."""
    return {
        "show_ms": _took_ms(lambda: _shown(door)),
        "audit_first_ms": _took_ms(lambda: door.audit(1, 500, door.secrets())),
        "audit_last_ms": _took_ms(lambda: door.audit(door.ledger.seq - 499, 500, door.secrets())),
    }


def _took_ms(act: Callable[[], object]) -> float:
    began = perf_counter()
    act()
    return (perf_counter() - began) * 1000


def _shown(door: TableDoor) -> str:
    door.show()
    return _view_of(door)


def _view_of(door: TableDoor) -> str:
    """Draw the page as a screen gets it."""

    async def draw() -> str:
        return TableScreens(Table(door), door.hub, perf_counter).broadcaster.latest().body

    return asyncio.run(draw())

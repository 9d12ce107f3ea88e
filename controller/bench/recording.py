"""`stand17 bench recording`: what the recorder costs, and what it does to the journal's commits."""

import json
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import Console

from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.ports import SystemClock
from controller.recording.errors import RecordingError
from controller.recording.format import RecordedSession, RecordedSource
from controller.recording.recorder import Recorder
from controller.recording.segment_store import RetentionPolicy, SegmentStore
from controller.recording.session_writer import SegmentLimits, SessionWriter

PICTURE_BYTES: Final = 200 << 10
PICTURES_PER_S: Final = 30
CHUNK_BYTES: Final = 16
"""A 4800-baud line brings 480 bytes a second, one chunk with each picture."""

COMMITS_PER_S: Final = 10
SEGMENT_NS: Final = 5 * 10**9
BUDGET_BYTES: Final = 512 << 20


class Cost(NamedTuple):
    """CPU seconds per second: of the recorder's thread, and of the taps in the devices' threads."""

    recorder: float
    taps: float


def recording(
    seconds: Annotated[float, typer.Option(min=2, help="How long to record.")] = 20,
    folder: Annotated[Path | None, typer.Option(help="A folder on the disk to measure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Record a camera (1080p, 30 pictures a second of 200 KiB) and a 4800-baud line; measure CPU and commits.

    Pictures are random bytes of that size: the recorder never looks into them. The journal commits ten
    times a second on the same disk, first without and then beside the recorder.
    """
    with tempfile.TemporaryDirectory(prefix="stand17-recording-", dir=folder) as scratch:
        report = measure(Path(scratch), seconds)
    if as_json:
        typer.echo(json.dumps({"type": "bench_recording", "seconds": seconds, **report}))
    else:
        show(report)


def measure(folder: Path, seconds: float) -> dict[str, Any]:
    """Every figure as plain JSON values."""
    alone = commits(folder / "alone.journal", seconds / 2)
    beside: list[float] = []
    with recorder_in(folder / "recordings") as recorder:
        writer = threading.Thread(target=lambda: beside.extend(commits(folder / "beside.journal", seconds)))
        writer.start()
        cost = feed(recorder, seconds)
        writer.join()
    status = recorder.status()
    return {
        "recorder_cpu": round(cost.recorder, 4),
        "taps_cpu": round(cost.taps, 4),
        "mb_per_s": round(status.bytes / seconds / 1e6, 2),
        "messages": status.messages,
        "dropped": status.dropped,
        "commit_ms_alone": spread(alone),
        "commit_ms_beside": spread(beside),
    }


@contextmanager
def recorder_in(folder: Path) -> Iterator[Recorder]:
    """Run a recorder as a live table does, with short segments so that rotation is measured too.

    Raises `RecordingError` afterwards for a disk that could not be recorded to.
    """
    clock = SystemClock()
    session = RecordedSession("BENCH", "EUR", "bench", "bench", clock.utc_us(), clock.mono_ns())
    sources = [
        RecordedSource("camera", ("jpeg", "mark"), {}),
        RecordedSource("shoe", ("rx", "tx", "mark"), {}),
    ]
    store = SegmentStore(
        folder, RetentionPolicy(ring_us=60 * 10**6, budget_bytes=BUDGET_BYTES, reserve_bytes=BUDGET_BYTES)
    )
    refused: list[RecordingError] = []
    recorder = Recorder(
        SessionWriter(store, session, sources, SegmentLimits(SEGMENT_NS)), clock, refused.append
    )
    recorder.open()
    try:
        yield recorder
    finally:
        recorder.close()
    # What was dropped is one of the figures.
    for error in refused:
        if error.code != "RECORDING_DROPS":
            raise error


def feed(recorder: Recorder, seconds: float) -> Cost:
    """Hand over pictures and bytes at their pace; the recorder's thread is asked for its own CPU time."""
    picture, chunk = random.Random(17).randbytes(PICTURE_BYTES), bytes(CHUNK_BYTES)
    cpu_s = thread_clock("recorder")
    began_s, began_cpu_s, taps_s = time.monotonic(), cpu_s(), 0.0
    for number in range(int(seconds * PICTURES_PER_S)):
        time.sleep(max(0.0, began_s + number / PICTURES_PER_S - time.monotonic()))
        before_s = time.thread_time()
        recorder("camera", "jpeg", time.monotonic_ns(), picture)
        recorder("shoe", "rx", time.monotonic_ns(), chunk)
        taps_s += time.thread_time() - before_s
    took_s = time.monotonic() - began_s
    return Cost((cpu_s() - began_cpu_s) / took_s, taps_s / took_s)


def thread_clock(name: str) -> Callable[[], float]:
    """Give a function that tells the CPU seconds of a running thread."""
    found = next(thread.ident for thread in threading.enumerate() if thread.name == name)
    assert found is not None, "it runs"
    clock_id = time.pthread_getcpuclockid(found)
    return lambda: time.clock_gettime(clock_id)


def commits(path: Path, seconds: float) -> list[float]:
    """Commit to a journal at a busy table's pace; the milliseconds of each commit."""
    entry = NewEntry("fact", b'{"obs":"card","rank":"10","suit":"s","by":"shoe"}', "device:bench", 1)
    journal, took = Journal.open(path, SystemClock()), []
    try:
        for _ in range(int(seconds * COMMITS_PER_S)):
            before_s = time.perf_counter()
            journal.append([entry])
            took.append((time.perf_counter() - before_s) * 1e3)
            time.sleep(1 / COMMITS_PER_S)
    finally:
        journal.close()
    return took


def spread(took_ms: list[float]) -> dict[str, float]:
    """Median, 99th percentile and worst."""
    cuts = quantiles(took_ms, n=100, method="inclusive")
    return {"median": round(cuts[49], 2), "p99": round(cuts[98], 2), "worst": round(max(took_ms), 2)}


def show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"Recording {report['mb_per_s']} MB/s: {report['recorder_cpu']:.1%} of a core in the recorder, "
        f"{report['taps_cpu']:.1%} in the devices' threads; {report['dropped']} of "
        f"{report['messages'] + report['dropped']} messages dropped"
    )
    for key, words in (("commit_ms_alone", "without the recorder"), ("commit_ms_beside", "beside it")):
        took = report[key]
        console.print(
            f"Journal commits {words}: median {took['median']} ms, p99 {took['p99']} ms, "
            f"worst {took['worst']} ms"
        )

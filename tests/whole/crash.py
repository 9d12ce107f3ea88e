"""Kills the demo at random moments and checks that each restart is in the exact state that was shown.

`python -m tests.whole.crash --kills N` prints a line of JSON for each kill; exit status 1 where one differs.
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, NamedTuple

import typer

from controller.cli.output import print_answer
from controller.journal.checking import verify
from controller.journal.store import JournalReader
from controller.runtime.ledger import Ledger
from controller.runtime.restore import ResultVerifier, restore
from controller.runtime.snapshot import snapshot_of
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.views import ViewBuilder

START_S: Final = 30.0
DEAL_S_MAX: Final = 2.5
"""A killed demo lived at most so long after it had opened its page."""

MOVING: Final = frozenset({"at_utc_us", "devices", "autoplay", "draw", "chips", "faults", "speed"})
"""Parts of a view that are not the table's state: time, ages, who plays and draws, the colours of chips, and
the faults and the speed of a demo."""

LYING: Final = ("round", "boxes", "dealer", "staked", "shoe_used", "cut_card", "waiting", "alerts")
"""What a restart must not change in any way; it adds its own hold."""

StateJson = dict[str, Any]


class Kill(NamedTuple):
    """One kill: after how long, at which entry, how long until the page was back, and what was wrong."""

    after_s: float
    seq: int
    back_s: float
    fault: str | None


def crash_loop(folder: Path, kills: int, seed: int, report: Callable[[Kill], None]) -> bool:
    """Kill and restart the demo `kills` times; True when every restart was exact and every journal whole."""
    chance = Random(seed)
    exact = True
    for _ in range(kills):
        kill = _kill_once(folder, chance.uniform(0.0, DEAL_S_MAX), seed)
        exact = exact and kill.fault is None
        report(kill)
    return exact


def _kill_once(folder: Path, after_s: float, seed: int) -> Kill:
    shown = _deal_and_kill(folder, after_s, seed)
    journal = folder / "demo.journal"
    before = _kept_parts(_drawn(_folded(journal, None)))
    began = time.monotonic()
    with _demo(folder, seed, "--manual") as address:
        back = _state(address)
        back_s = time.monotonic() - began
    faults = (
        _difference("shown before the kill", shown, _drawn(_folded(journal, shown["seq"]))),
        _difference("journal", before, _kept_parts(back)),
        _difference("shown after the restart", back, _drawn(_folded(journal, back["seq"]))),
        None if verify(journal, ResultVerifier(), lambda _: None).ok else "verify finds a misfit",
    )
    return Kill(after_s, shown["seq"], back_s, next((fault for fault in faults if fault), None))


def _deal_and_kill(folder: Path, after_s: float, seed: int) -> StateJson:
    """Let the demo deal as fast as it can, and return the last view that it showed anybody."""
    with _demo(folder, seed, "--speed", "0") as address:
        end = time.monotonic() + after_s
        shown = _state(address)
        while time.monotonic() < end:
            shown = _state(address)
    return shown


@contextmanager
def _demo(folder: Path, seed: int, *options: str) -> Iterator[str]:
    """Run the demo as a process of its own; leaving kills it without warning."""
    command = [sys.executable, "-c", "from controller.cli import main; main()", "demo", "--headless"]
    command += ["--port", "0", "--keep", str(folder), "--seed", str(seed), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield _address(process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    known = []
    for line in process.stdout:
        known.append(line)
        if "http://" in line:
            return "http://" + line.split("http://")[1].split("/")[0]
    raise RuntimeError("the demo did not start: " + "".join(known))


def _state(address: str) -> StateJson:
    """Ask for the state as a screen does, waiting for the server's first answer."""
    end = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(f"{address}/api/state", timeout=START_S) as answer:
                view: StateJson = json.load(answer)
                return view
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def _folded(journal: Path, seq: int | None) -> Ledger:
    """Fold the journal up to an entry, or all of it."""
    reader = JournalReader(journal)
    try:
        ledger = restore(takewhile(lambda entry: seq is None or entry.seq <= seq, reader.read()))
    finally:
        reader.close()
    assert ledger is not None, "the demo wrote no journal"
    return ledger


def _drawn(ledger: Ledger) -> StateJson:
    """Draw a ledger as the page would."""
    snapshot = snapshot_of(
        ledger, at_utc_us=0, mode="simulation", health=(), faults=(), kept=0, autoplay=None
    )
    view = ViewBuilder(ScreenSettings()).build(snapshot, ScreenState(time.monotonic))
    drawn: StateJson = view.model_dump(mode="json")
    return drawn


def _kept_parts(view: StateJson) -> StateJson:
    lying = {key: view[key] for key in LYING}
    # A restarted table is held, and a tap on a circle then does nothing but say so.
    return lying | {"boxes": [{**box, "press": None} for box in view["boxes"]]}


def _difference(where: str, one: StateJson, other: StateJson) -> str | None:
    """Name the first part in which two views differ."""
    for key in one:
        if key not in MOVING and one[key] != other.get(key):
            return f"{where}: {key} is {one[key]!r:.400}, the journal says {other.get(key)!r:.400}"
    return None


def main(
    kills: Annotated[int, typer.Option(min=1, help="How often.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the moments, the shoe and the guests.")] = 17,
) -> None:
    """Kill the demo with SIGKILL at random moments and compare each restart with what was shown."""
    with tempfile.TemporaryDirectory(prefix="stand17-crash-") as folder:
        exact = crash_loop(Path(folder), kills, seed, lambda kill: print_answer("kill", **kill._asdict()))
    raise typer.Exit(0 if exact else 1)


if __name__ == "__main__":
    typer.run(main)

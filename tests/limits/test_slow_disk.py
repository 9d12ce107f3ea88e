"""A disk that takes seconds to sync stops the commit and nothing else; what is not on it is not shown."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from websockets.sync.client import connect

from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.runtime.api import Accepted, Rejected, Resume
from tests.forked_process import ROOT
from tests.limits.run_kit import Running
from tests.runtime.reopening_kit import Day

SYNC_MS = 3000
STOPPED_MS = 2000
"""Whoever waits for the sync waits longer than this; a busy machine alone does not make anybody."""


@pytest.fixture(scope="module")
def slow_disk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process whose disk is slow while the file SLOW_FSYNC_WHILE exists."""
    folder = tmp_path_factory.mktemp("slow")
    source = Path(__file__).with_name("slow_fsync.c")
    made = folder / "slow_fsync.so"
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"], check=True)
    return {
        "LD_PRELOAD": str(made),
        "SLOW_FSYNC_MS": str(SYNC_MS),
        "SLOW_FSYNC_WHILE": str(folder / "slow"),
    }


def test_other_threads_go_on_beside_a_commit(tmp_path: Path, slow_disk: dict[str, str]) -> None:
    """As the threads of the devices do: a driver that gets no turn loses bytes."""
    program = [sys.executable, "-m", "tests.limits.commit_gaps", str(tmp_path / "t.journal")]
    told = subprocess.run(
        [*program, slow_disk["SLOW_FSYNC_WHILE"]],
        cwd=ROOT,
        env=slow_disk,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    commit_ms, longest_ms, _ = map(int, told.stdout.split())
    assert commit_ms >= SYNC_MS
    assert longest_ms < STOPPED_MS


def test_a_bet_that_was_refused_and_is_there_after_a_restart_is_told(
    tmp_path: Path, slow_disk: dict[str, str]
) -> None:
    """Its commit failed in the sync, behind the write: it lay in the write-ahead log."""
    program = [sys.executable, "-m", "tests.limits.failed_commit", str(tmp_path)]
    failing = {**slow_disk, "SLOW_FSYNC_MS": "0", "SLOW_FSYNC_FAILS": "1"}
    flag = slow_disk["SLOW_FSYNC_WHILE"]
    done = subprocess.run([*program, flag], cwd=ROOT, env=failing, capture_output=True, text=True, check=True)
    Path(flag).unlink()
    assert "TABLE_HELD" in done.stdout, done
    again = Day(tmp_path).start()
    bets = [seq for seq, body in bodies(tmp_path / "table.journal") if b'"obs":"bet"' in body]
    assert len(bets) == 2
    told = {hold.code: dict(hold.params) for hold in again.ledger.holds}
    assert told == {"ENTRIES_UNCONFIRMED": {"seq": bets[1], "last": bets[1]}, "RESTARTED": {}}
    assert isinstance(again.ask("dealer", Resume()), Rejected)
    assert isinstance(again.ask("pit", Resume()), Accepted)
    again.close()
    again = Day(tmp_path).start()
    assert again.holds == ["RESTARTED"]
    again.close()


def bodies(path: Path) -> list[tuple[int, bytes]]:
    reader = JournalReader(path)
    try:
        return [(entry.seq, entry.body) for entry in reader.read() if isinstance(entry, Entry)]
    finally:
        reader.close()


def test_page_and_heartbeat_go_on_beside_a_commit(tmp_path: Path, slow_disk: dict[str, str]) -> None:
    flag = Path(slow_disk["SLOW_FSYNC_WHILE"])
    with Running(tmp_path, slow_disk) as running, ThreadPoolExecutor(1) as people:
        before = running.state()
        with connect(f"ws://127.0.0.1:{running.port}/ws", additional_headers=running.looking) as screen:
            flag.touch()
            begun = time.monotonic()
            freeze = people.submit(running.command, {"do": "freeze", "note": ""})
            time.sleep(0.2)
            waits = [read_ms(running, before["seq"]) for _ in range(20)]
            assert not freeze.done(), "the answer waits for the disk"
            beats = 0
            while time.monotonic() - begun < SYNC_MS / 1000 - 0.5:
                screen.recv(timeout=STOPPED_MS / 1000)
                beats += 1
            status, answer = freeze.result(60)
            flag.unlink()
        assert (status, time.monotonic() - begun > SYNC_MS / 1000) == (200, True)
        assert running.state()["holds"][0]["text"]["code"] == "hold.FROZEN"
        assert running.state()["seq"] >= answer["seq"]
    assert max(waits) < STOPPED_MS
    assert beats >= 2


def read_ms(running: Running, seq: int) -> float:
    """How long the page took to answer; what is not on disk yet is not in it."""
    begun = time.monotonic()
    view = running.state()
    assert (view["seq"], view["holds"]) == (seq, [])
    return (time.monotonic() - begun) * 1000

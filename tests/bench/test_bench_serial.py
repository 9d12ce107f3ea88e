"""`stand17 bench serial` sends each card over a real line and times the way of every one."""

import json
import subprocess
import sys
from pathlib import Path

from controller.bench.serial import CONTESTS
from drivers.shoe.events import CardOut

ROOT = Path(__file__).parents[2]


def test_the_way_of_every_card_is_measured_for_both_protocols() -> None:
    start = "from controller.cli import main; main()"
    command = [sys.executable, "-c", start, "bench", "serial", "--cards", "20", "--no-busy", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    report = json.loads(done.stdout)
    assert [(run["protocol"], run["machine"]) for run in report["runs"]] == [
        ("angel_eye", "quiet"),
        ("open", "quiet"),
    ]
    for run in report["runs"]:
        assert 0 < run["p50_ms"] <= run["p99_ms"] <= run["max_ms"]


def test_the_last_byte_is_the_one_that_completes_the_card() -> None:
    for contest in CONTESTS.values():
        protocol = contest.protocol()
        for number in range(30):
            sent = contest.card(number)
            early = protocol.feed(sent.told[:-1])
            late = protocol.feed(sent.told[-1:])
            assert not any(isinstance(event, CardOut) for event in early)
            assert [event.rank for event in late if isinstance(event, CardOut)] == ["7"]
            assert not any(isinstance(event, CardOut) for event in protocol.feed(sent.after))

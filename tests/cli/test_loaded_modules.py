"""What a tester's command loads for a feed: no camera, no reader, no database, and few modules."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.replay_kit import FEEDS

HEAVY = ("cv2", "numpy", "onnxruntime", "apsw", "mcap", "fastapi", "drivers", "vision")
"""Pictures, networks, databases, recordings, pages, devices: a feed needs none of them."""

CALL = """
import json, sys
from controller.cli import main
try:
    main()
except SystemExit:
    pass
sys.stdout.flush()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
SHORT = [
    {"feed": 1, "table": "BJ1", "rules": "spielbank", "currency": "EUR"},
    {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
    *({"obs": "card", "rank": rank} for rank in ("10", "9", "9", "9")),
    {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
    {"obs": "reveal"},
]
OTHER = str(FEEDS / "de" / "every_outcome.feed.jsonl")


def loaded(*arguments: str) -> set[str]:
    """The modules that the program has loaded when this command ends."""
    told = subprocess.run(
        [sys.executable, "-c", CALL, *arguments], capture_output=True, text=True, check=True
    )
    assert told.stdout, told.stderr
    return set(json.loads(told.stderr.splitlines()[-1]))


@pytest.fixture
def short(tmp_path: Path) -> str:
    path = tmp_path / "short.feed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in SHORT))
    return str(path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay",),
        ("replay", "--json"),
        ("replay", "--table"),
        ("replay", "--table", "--rejoin", "--strict"),
        ("replay", "--jobs", "1"),
        ("replay", "--expect", OTHER.replace(".feed.", ".expect.")),
        ("show", "--round", "1"),
        ("diff", OTHER),
        ("diff", "--rules", "de"),
        ("shrink", "--when", "due[1]==20.00"),
        ("table", "-o", "-"),
        ("books",),
    ],
    ids=lambda words: " ".join(Path(word).name for word in words),
)
def test_a_command_on_a_feed_loads_no_camera_reader_or_database(
    arguments: tuple[str, ...], short: str
) -> None:
    known = loaded(arguments[0], short, *arguments[1:])
    # Columns, books and the money of a round are selected from a database in memory.
    allowed = {"apsw"} if arguments[0] in ("table", "books", "show", "diff", "shrink") else set()
    assert known.intersection(HEAVY) <= allowed


def test_a_short_replay_loads_at_most_450_modules(short: str) -> None:
    assert len(loaded("replay", short)) <= 450

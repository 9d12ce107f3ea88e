"""What a tester's command loads for a feed: no camera, no reader, no database, and few modules."""

import json
from pathlib import Path

import pytest

from tests.cli.called_kit import Called, called
from tests.replay.replay_kit import FEEDS

HEAVY = ("cv2", "numpy", "onnxruntime", "apsw", "mcap", "fastapi", "drivers", "vision")
"""Pictures, networks, databases, recordings, pages, devices: a feed needs none of them."""

SHORT = [
    {"feed": 1, "table": "BJ1", "rules": "spielbank", "currency": "EUR"},
    {"obs": "bet", "box": 1, "seat": 0, "stake": 1000},
    *({"obs": "card", "rank": rank} for rank in ("10", "9", "9", "9")),
    {"obs": "decision", "box": 1, "hand": 1, "action": "stand"},
    {"obs": "reveal"},
]
OTHER = str(FEEDS / "de" / "every_outcome.feed.jsonl")


COMMANDS = [
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
]
"""In this order in one interpreter: a database comes last, and a short replay first."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Called]:
    """How each of `COMMANDS` ended on a short feed."""
    folder = tmp_path_factory.mktemp("feed")
    short = folder / "short.feed.jsonl"
    short.write_text("".join(json.dumps(line) + "\n" for line in SHORT))
    found = called([(name, str(short), *more) for name, *more in COMMANDS], folder)
    return dict(zip(COMMANDS, found.values(), strict=True))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(Path(word).name for word in words))
def test_a_command_on_a_feed_loads_no_camera_reader_or_database(
    words: tuple[str, ...], ended: dict[tuple[str, ...], Called]
) -> None:
    assert ended[words].shown
    # Columns, books and the money of a round are selected from a database in memory.
    allowed = {"apsw"} if words[0] in ("table", "books", "show", "diff", "shrink") else set()
    assert ended[words].loaded.intersection(HEAVY) <= allowed


def test_a_short_replay_loads_at_most_450_modules(ended: dict[tuple[str, ...], Called]) -> None:
    assert len(ended["replay",].loaded) <= 450

"""Feeds that are played as a user plays them."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from controller.cli.application import build
from controller.domain import RANKS, SUITS, Card
from controller.rules import load_rules
from tests.forensics.written_feed import WrittenFeed

PACK = [Card(rank, suit) for suit in SUITS for rank in RANKS]
Lines = list[dict[str, Any]]


def header(house: str, **more: Any) -> dict[str, Any]:
    return {"feed": 1, "table": "BJ1", "rules": house, "started_at": "2026-11-20T19:00:00Z", **more}


def replayed(tmp_path: Path, lines: Lines, *options: str, status: int = 0) -> Lines:
    """What `stand17 replay --json` prints beside rounds."""
    printed = all_printed(tmp_path, lines, *options, status=status)
    return [line for line in printed if line["type"] not in ("round", "summary", "inferred")]


def all_printed(tmp_path: Path, lines: Lines, *options: str, status: int = 0) -> Lines:
    """Every line that `stand17 replay --json` prints."""
    path = tmp_path / "a.feed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = CliRunner().invoke(build("replay"), ["replay", "--json", *options, str(path)])
    assert result.exit_code == status, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def script_of(house: str, boxes: tuple[int, ...] = (1, 3, 4, 5, 6, 7)) -> WrittenFeed:
    return WrittenFeed(load_rules(house, {}, Path()), boxes)

"""`stand17 bench live` deals by a real line and under a drawn camera, and tells each figure."""

import json

from typer.testing import CliRunner

from controller.bench.live import copy_of
from controller.cli.bench import app
from drivers.shoe.angel_eye import AngelEye
from drivers.shoe.reader import CardOut


def test_it_tells_commits_shoe_and_camera_in_one_run() -> None:
    ran = CliRunner().invoke(app, ["live", "--cards", "20", "--rounds", "1", "--commits", "20", "--json"])
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.output)
    assert report["type"] == "bench_live"
    assert report["commit"]["bytes"] > 4096
    assert report["commit"]["journal"]["count"] == report["commit"]["fdatasync"]["count"] == 20
    assert report["shoe_to_disk"]["count"] == 20
    assert report["card_at_rest_to_disk"]["count"] == 7
    for part in ("shoe_to_disk", "card_at_rest_to_disk"):
        assert 0 < report[part]["p50_ms"] <= report[part]["p95_ms"] <= report[part]["max_ms"]


def test_the_last_byte_is_the_one_that_completes_the_card() -> None:
    protocol = AngelEye()
    for number in range(30):
        copy = copy_of(number)
        early, late = protocol.feed(copy[:-1]), protocol.feed(copy[-1:])
        assert not any(isinstance(event, CardOut) for event in early)
        assert [event.rank for event in late if isinstance(event, CardOut)] == ["7"]
        assert not any(isinstance(event, CardOut) for event in protocol.feed(copy * 2))

"""`stand17 bench live` deals by a real line and under a drawn camera, and tells each figure."""

import json

from typer.testing import CliRunner

from controller.cli.bench import app


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

"""`stand17 bench live --page`: from the shoe's line and from a card at rest to the page of a real table."""

import json

import pytest
from typer.testing import CliRunner

from controller.cli.measure.bench import app

pytestmark = [pytest.mark.browser, pytest.mark.night]


def test_both_ways_end_in_the_dom_of_the_page() -> None:
    words = ["live", "--cards", "20", "--rounds", "1", "--commits", "20", "--page", "--json"]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    report = json.loads(ran.output)
    assert (report["shoe_to_page"]["count"], report["card_at_rest_to_page"]["count"]) == (20, 7)
    for part in ("shoe_to_page", "card_at_rest_to_page"):
        assert 0 < report[part]["p50_ms"] <= report[part]["p95_ms"] <= report[part]["max_ms"]
    assert report["shoe_to_page"]["p50_ms"] < report["card_at_rest_to_page"]["p50_ms"]

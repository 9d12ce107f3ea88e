"""`python -m tests.bench.live_page`: from the shoe's line and from a card at rest to a real table's page."""

import pytest

from tests.bench.live_page import measured

pytestmark = [pytest.mark.browser, pytest.mark.night]


def test_both_ways_end_in_the_dom_of_the_page() -> None:
    report = measured(20, 1)
    assert (report["shoe_to_page"]["count"], report["card_at_rest_to_page"]["count"]) == (20, 7)
    for part in ("shoe_to_page", "card_at_rest_to_page"):
        assert 0 < report[part]["p50_ms"] <= report[part]["p95_ms"] <= report[part]["max_ms"]
    assert report["shoe_to_page"]["p50_ms"] < report["card_at_rest_to_page"]["p50_ms"]

"""Every requirement number of the five rule texts has a feed that shows it."""

import tomllib

import pytest
from feed_cases import FEEDS

LAST = {"NL": 31, "DE": 28, "SB": 28, "FR": 30, "IT": 27, "G": 6}
NUMBERS = [f"{text}-{number:02}" for text, last in LAST.items() for number in range(1, last + 1)]
MANIFEST = tomllib.loads((FEEDS / "requirements.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("number", NUMBERS)
def test_requirement_has_a_feed(number: str) -> None:
    entry = MANIFEST[number]
    assert entry["sees"], f"{number} does not say what a user sees"
    assert entry["cases"], f"no feed shows {number}"
    for case in entry["cases"]:
        feed = FEEDS / f"{case}.feed.jsonl"
        assert feed.exists(), f"{number} names {case}, which is not there"
        told = [feed.with_name(feed.name.replace(".feed.", f".{kind}.")) for kind in ("expect", "notices")]
        assert any(path.exists() for path in told), f"{case} expects nothing"


def test_manifest_names_no_unknown_requirement() -> None:
    assert set(MANIFEST) == set(NUMBERS)

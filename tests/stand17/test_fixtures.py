"""The plugin's fixtures: a house's own check of all its feeds in a few lines."""

from pathlib import Path

import pytest

FEEDS = Path(__file__).parents[1] / "feeds" / "de"
THREE_LINES = """
def test_no_blackjack_was_paid_otherwise_than_3_to_2(stand17_rounds):
    parts = [part for found in stand17_rounds for bet in found.bets for part in bet.parts]
    assert all(2 * (p.returned - p.stake) == 3 * p.stake for p in parts if p.outcome == "blackjack")
"""


@pytest.fixture
def house(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(test_house=THREE_LINES)
    folder = pytester.mkdir("feeds")
    for name in ("every_outcome", "ace_up_blackjack_ends_the_game"):
        (folder / f"{name}.feed.jsonl").write_bytes((FEEDS / f"{name}.feed.jsonl").read_bytes())
    return folder


@pytest.mark.usefixtures("house")
def test_a_check_of_three_lines_runs_on_each_feed_of_the_folder(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(
        "--stand17", "feeds", "test_house.py", "-v", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*every_outcome.feed.jsonl*PASSED*"])


def test_a_blackjack_that_was_paid_6_to_5_fails_the_check(pytester: pytest.Pytester, house: Path) -> None:
    feed = house / "every_outcome.feed.jsonl"
    header, rest = feed.read_text().split("\n", 1)
    ruled = header.replace('"rule_overrides": {}', '"rule_overrides": {"blackjack_pays": [6, 5]}')
    feed.write_text(f"{ruled}\n{rest}")
    result = pytester.runpytest_subprocess("--stand17", "feeds", "test_house.py", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)


def test_without_a_folder_the_check_is_skipped_and_says_what_to_name(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_house=THREE_LINES)
    result = pytester.runpytest_subprocess("test_house.py", "-rs", "-p", "no:cacheprovider")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*pytest --stand17 FOLDER*"])

"""Rulings go through the table's journal as they go through a feed: each told again comes out the same."""

from pathlib import Path
from typing import Final

import pytest

from controller.replay.journal_check import check_journal
from tests.replay.replay_kit import FEEDS, journal_of, lines_of, lines_of_feed

EARLY: Final = ("turning_taken_back_hides_the_card", "turning_was_mis_tapped")
"""Feeds that turn the face-down card while a hand may still act: a door holds, and takes no turning."""

RULINGS: Final = sorted((FEEDS / "rulings").glob("*.feed.jsonl"))


def test_each_feed_of_a_ruling_replays_from_its_journal(tmp_path: Path) -> None:
    assert len(RULINGS) > 30
    for feed in RULINGS:
        if feed.name.removesuffix(".feed.jsonl") in EARLY:
            continue
        told = check_journal(journal_of(feed, tmp_path / f"{feed.name}.journal"), lambda _: None)
        assert told.report.ok, feed
        assert lines_of(told.ledger.opening.rules, told.lines) == lines_of_feed(feed), feed


@pytest.mark.parametrize("name", EARLY)
def test_a_card_turned_too_early_holds_the_table_and_stays_unturned(name: str, tmp_path: Path) -> None:
    feed = FEEDS / "rulings" / f"{name}.feed.jsonl"
    told = check_journal(journal_of(feed, tmp_path / "t.journal"), lambda _: None)
    assert told.report.ok
    assert "HOLE_CARD_EXPOSED" in [alert.code for alert in told.ledger.alerts]
    assert {"obs": "amend", "code": "REVEAL_NOT_TOLD"}.items() <= lines_of(
        told.ledger.opening.rules, told.lines
    )[0].items()

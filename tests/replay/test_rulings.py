"""Rulings go through the table's journal as they go through a feed: each told again comes out the same."""

from pathlib import Path
from typing import Final

from controller.replay.journal_check import check_journal
from tests.replay.replay_kit import FEEDS, journal_of, lines_of, lines_of_feed

RULINGS: Final = [
    path
    for path in sorted((FEEDS / "rulings").glob("*.feed.jsonl"))
    # A table's door does not turn the face-down card while a hand may still act: it holds.
    if not path.name.startswith(("turning_taken_back_hides", "turning_was_mis_tapped"))
]


def test_each_feed_of_a_ruling_replays_from_its_journal(tmp_path: Path) -> None:
    assert len(RULINGS) > 30
    for feed in RULINGS:
        told = check_journal(journal_of(feed, tmp_path / f"{feed.name}.journal"), lambda _: None)
        assert told.report.ok, feed
        assert lines_of(told.ledger.opening.rules, told.lines) == lines_of_feed(feed), feed

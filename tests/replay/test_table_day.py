"""What was told of the shoe and the table between rounds goes along into journals and exported rounds."""

import json
from pathlib import Path
from typing import Final

from controller.engine.state import fresh_shoe
from controller.replay.journal_check import check_journal
from controller.replay.round_entries import decode, encode, find_round, journal_entries, ledger_of, shoe_of
from tests.replay.replay_kit import FEEDS, Json, call, journal_of, lines_of, lines_of_feed, objects

SHOE: Final = sorted((FEEDS / "shoe").glob("*.feed.jsonl"))
FIRST_EDITION_FIELDS: Final = 8


def exported(feed: str, number: int, folder: Path) -> tuple[Json, list[Json]]:
    """The header and the lines of one round, cut out of the journal of a feed."""
    journal = journal_of(FEEDS / "shoe" / f"{feed}.feed.jsonl", folder / "t.journal")
    result = call("export", str(number), "--journal", journal, "--out", folder / "round.mcap", "--beside")
    assert result.returncode == 0, result.stdout + result.stderr
    assert objects(call("replay", "--json", folder / "round.mcap"))
    played = folder / "round.feed.jsonl"
    assert call("replay", played, "--expect", folder / "round.expect.jsonl").returncode == 0
    header, *lines = [json.loads(line) for line in played.read_text(encoding="utf-8").splitlines()]
    return header, lines


def test_each_feed_of_a_shoe_replays_from_its_journal(tmp_path: Path) -> None:
    assert len(SHOE) > 30
    for feed in SHOE:
        told = check_journal(journal_of(feed, tmp_path / f"{feed.name}.journal"), lambda _: None)
        assert told.report.ok, feed
        assert lines_of(told.ledger.opening.rules, told.lines) == lines_of_feed(feed), feed


def test_round_is_exported_with_the_limits_it_was_played_under(tmp_path: Path) -> None:
    header, _ = exported("limits_from_the_next_round", 2, tmp_path)
    overrides = header["rule_overrides"]
    assert [overrides[name] for name in ("stake_min", "stake_max", "stake_step")] == [1000, 50000, 500]


def test_round_is_exported_with_the_shuffle_that_was_due(tmp_path: Path) -> None:
    _, lines = exported("shuffle_forgotten_after_no_more_bets", 2, tmp_path)
    told = [line["obs"] for line in lines]
    assert told.index("cut_card") < told.index("bet")


def test_table_comes_back_with_its_shoe_and_limits(tmp_path: Path) -> None:
    journal = journal_of(FEEDS / "shoe" / "limits_from_the_next_round.feed.jsonl", tmp_path / "t.journal")
    start = find_round(journal_entries(journal), 2).start
    book = ledger_of(decode(encode(start), "t")).state.book
    assert (book.rules.stake_min, book.shoe.loaded, book.shoe.number) == (1000, True, 1)


def test_round_recorded_before_shoes_had_a_life_opens(tmp_path: Path) -> None:
    journal = journal_of(FEEDS / "shoe" / "limits_from_the_next_round.feed.jsonl", tmp_path / "t.journal")
    start = find_round(journal_entries(journal), 1).start
    written = json.loads(encode(start))
    written["shoe"] = written["shoe"][:FIRST_EDITION_FIELDS]
    assert shoe_of(decode(json.dumps(written).encode(), "t")) == fresh_shoe(6)

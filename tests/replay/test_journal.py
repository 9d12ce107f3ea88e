"""A journal replayed is its feed replayed, down to the line; every entry is held to its bytes."""

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.entry import Entry
from controller.replay.journal_check import check_journal
from tests.replay.replay_kit import FEEDS, call, journal_of, lines_of, lines_of_feed, objects
from tests.runtime.test_verify_results import rewrite

EVERY = sorted(FEEDS.glob("*/*.feed.jsonl"))[::24]
LATE = FEEDS / "table" / "correction_after_the_end.feed.jsonl"
OPEN = FEEDS / "table" / "corrected_to_bust_and_back_and_left_open.feed.jsonl"


def test_facts_that_went_through_a_table_replay_as_their_feed(tmp_path: Path) -> None:
    assert len(EVERY) > 15
    for number, feed in enumerate(EVERY):
        told = check_journal(journal_of(feed, tmp_path / f"{number}.journal"), lambda _: None)
        assert told.report.ok, feed
        assert lines_of(told.ledger.opening.rules, told.lines) == lines_of_feed(feed), feed


RULES = re.compile(r"\S+ rules\b")
"""Who ruled, in the text of a replay."""


@pytest.mark.parametrize("feed", [LATE, OPEN], ids=lambda feed: feed.name)
def test_the_command_prints_for_a_journal_what_it_prints_for_its_feed(tmp_path: Path, feed: Path) -> None:
    journal = journal_of(feed, tmp_path / feed.name)
    one, other = (call("replay", "--json", "--strict", file) for file in (feed, journal))
    assert (one.stdout, one.returncode) == (other.stdout, other.returncode)
    words = call("replay", feed).stdout.splitlines()
    # A feed's header says where its rules are not its house's; a journal has only the rules as dealt.
    words = [line for line in words if not line.startswith(f"! {feed.name}: burn_cards is 0 here")]
    # Who ruled differs: the journal has its own device, the feed its own person.
    words = [RULES.sub("pit rules", line) for line in words]
    of_journal = call("replay", journal).stdout.splitlines()
    assert words == [RULES.sub("pit rules", line) for line in of_journal]
    expectation = tmp_path / "expect.jsonl"
    expectation.write_text(one.stdout.replace('"round":1', '"round":9'))
    assert call("replay", journal, "--expect", expectation).returncode == 1


def spaced(entry: Entry) -> Entry:
    """The same words with other spaces."""
    return entry._replace(body=json.dumps(json.loads(entry.body)).encode()) if entry.seq == 5 else entry


def paid_more(entry: Entry) -> Entry:
    return entry._replace(body=entry.body.replace(b'"returned":', b'"returned":1', 1))


def reordered(entry: Entry) -> Entry:
    """A settlement whose keys stand in another order: the same to a reader, other bytes."""
    if entry.kind != "settled":
        return entry
    turned = dict(reversed(json.loads(entry.body).items()))
    return entry._replace(body=json.dumps(turned, separators=(",", ":")).encode())


@pytest.mark.parametrize(
    ("change", "code"),
    [(spaced, "NOT_CANONICAL"), (reordered, "NOT_CANONICAL"), (paid_more, "EVIDENCE_DIFFERS")],
)
def test_what_was_written_otherwise_is_named(
    tmp_path: Path, change: Callable[[Entry], Entry], code: str
) -> None:
    journal = journal_of(LATE, tmp_path / "t.journal")
    rewrite(journal, change)
    result = call("replay", "--json", journal)
    assert result.returncode == 1
    (misfit,) = [line for line in objects(result) if line["type"] == "misfit"]
    assert (misfit["code"], misfit["feed"]) == (code, "t.journal")
    assert f"Entry {misfit['seq']} does not fit" in call("replay", journal).stdout


def test_a_cut_journal_and_another_database_are_exit_2(tmp_path: Path) -> None:
    journal = journal_of(LATE, tmp_path / "t.journal")
    broken = tmp_path / "cut.journal"
    broken.write_bytes(journal.read_bytes()[:5000])
    result = call("replay", broken, LATE)
    assert result.returncode == 2
    assert "cut.journal" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Round 1" in result.stdout


@pytest.mark.parametrize("feed", [LATE, OPEN], ids=lambda feed: feed.name)
def test_a_journal_written_as_a_feed_gives_the_same_rounds(tmp_path: Path, feed: Path) -> None:
    journal = journal_of(feed, tmp_path / "t.journal")
    out = tmp_path / "t.feed.jsonl"
    assert call("feed", journal, "--out", out).returncode == 0
    expectation = tmp_path / "t.expect.jsonl"
    assert call("replay", out, "--expect", expectation).returncode == 0
    assert lines_of_feed(out) == lines_of_feed(feed)
    assert call("feed", journal).stdout == out.read_text()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out, expectation)} == {0o600}
    expectation.write_text(expectation.read_text().replace('"returned": ', '"returned": 1'))
    assert call("replay", out, "--expect", expectation).returncode == 1


def test_what_is_neither_journal_nor_recording_is_a_sentence(tmp_path: Path) -> None:
    for source in (LATE, tmp_path, tmp_path / "nowhere"):
        result = call("feed", source)
        assert result.returncode == 2
        assert str(source) in result.stderr.replace("\n", "")
    journal = journal_of(LATE, tmp_path / "t.journal")
    result = call("feed", journal, "--out", tmp_path / "missing" / "a.feed.jsonl")
    assert result.returncode == 2
    assert "missing" in result.stderr

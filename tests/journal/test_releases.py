"""Journals that older programs wrote still say the same."""

import hashlib
import json
from pathlib import Path

import pytest

from controller.journal.checking import verify
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.runtime.restore import ResultVerifier, restore
from tests.replay.replay_kit import call

JOURNALS = Path(__file__).parents[1] / "journals"

RETURNED = {"schema_1": {(1, 0): 2000, (1, 1): 500, (4, 0): 0}}
"""What each bettor got back in the first round after the correction."""


RELEASED = sorted(JOURNALS.glob("release_*.journal"))


@pytest.mark.parametrize("name", sorted(path.stem for path in JOURNALS.glob("schema_*.journal")))
def test_an_old_journal_verifies_folds_and_stays_as_it_is(name: str) -> None:
    path = JOURNALS / f"{name}.journal"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    report = verify(path, ResultVerifier(), lambda _: None)
    assert report.misfit is None
    assert report.ok
    reader = JournalReader(path)
    entries = list(reader.read())
    ledger = restore(entries)
    reader.close()
    assert ledger is not None
    assert ledger.state.book.number == 2
    assert ledger.state.shoe.seen == 14
    settled = [
        json.loads(entry.body) for entry in entries if isinstance(entry, Entry) and entry.kind == "settled"
    ]
    returned = {(bet["box"], bet["seat"]): bet["returned"] for bet in settled[-1]["bets"]}
    assert returned == RETURNED[name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert not Path(f"{path}-wal").exists()


def test_every_schema_has_its_journal() -> None:
    assert {path.stem for path in JOURNALS.glob("schema_*.journal")} == set(RETURNED)


@pytest.mark.parametrize("journal", RELEASED, ids=lambda path: path.stem)
def test_a_released_journal_is_told_as_on_the_day_of_its_release(journal: Path) -> None:
    before = journal.read_bytes()
    told = call("replay", "--json", journal)
    assert told.returncode == 0
    assert told.stdout == journal.with_suffix(".replay.jsonl").read_text()
    assert call("verify", journal).returncode == 0
    assert journal.read_bytes() == before


def test_each_kept_telling_has_its_journal() -> None:
    tellings = {path.name.removesuffix(".replay.jsonl") for path in JOURNALS.glob("*.replay.jsonl")}
    assert tellings == {path.stem for path in RELEASED} != set()

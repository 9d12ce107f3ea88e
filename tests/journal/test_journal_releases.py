"""Journals that older programs wrote still say the same."""

import hashlib
import json
from pathlib import Path

import pytest

from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.journal.verify import verify
from controller.runtime.refold import Refolder
from controller.runtime.restore import restore

JOURNALS = Path(__file__).parents[1] / "journals"

RETURNED = {"schema_1": {(1, 0): 2000, (1, 1): 500, (4, 0): 0}}
"""What each bettor got back in the first round after the correction."""


@pytest.mark.parametrize("name", sorted(path.stem for path in JOURNALS.glob("*.journal")))
def test_an_old_journal_verifies_folds_and_stays_as_it_is(name: str) -> None:
    path = JOURNALS / f"{name}.journal"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    report = verify(path, Refolder(), lambda _: None)
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
    assert {path.stem for path in JOURNALS.glob("*.journal")} == set(RETURNED)

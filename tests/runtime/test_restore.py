"""Nothing is played on a record that was tampered with, or on somebody else's."""

import asyncio
import json
from pathlib import Path

import pytest

from controller.domain import ConfigError, JournalError
from controller.journal.entry import Entry, NewEntry
from controller.journal.store import Journal
from controller.ports import Health, SystemClock
from controller.rules import load_rules
from controller.runtime.restore import Identity, ProgramStart, start
from controller.runtime.snapshot import snapshot_of
from tests.runtime.runtime_kit import DEAL, IDENTITY, OPENING, Bench


def played(path: Path) -> None:
    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)

    asyncio.run(story())


def test_a_tampered_journal_is_not_played_on(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    path.write_bytes(path.read_bytes().replace(b'"rank":"9"', b'"rank":"8"'))
    journal = Journal.open(path, SystemClock())
    with pytest.raises(JournalError) as caught:
        start(journal, IDENTITY, "live", "test")
    journal.close()
    assert caught.value.code == "CHAIN_BROKEN"
    assert caught.value.params == {"seq": 6, "reason": "HASH"}


@pytest.mark.parametrize(
    "identity",
    [
        IDENTITY._replace(table="T2"),
        IDENTITY._replace(currency="CHF"),
        IDENTITY._replace(rules=load_rules("spielbank", {"stake_max": 50000}, Path())),
    ],
)
def test_a_journal_keeps_its_table_its_currency_and_its_rules(tmp_path: Path, identity: Identity) -> None:
    path = tmp_path / "t.journal"
    played(path)
    journal = Journal.open(path, SystemClock())
    before = journal.head()
    with pytest.raises(ConfigError) as caught:
        start(journal, identity, "live", "test")
    assert caught.value.code == "OTHER_TABLE"
    assert journal.head() == before
    journal.close()


def test_a_journal_that_begins_with_something_else_is_refused(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "t.journal", SystemClock())
    journal.append([NewEntry("fact", b'{"obs":"close"}', "dealer:d")])
    with pytest.raises(JournalError) as caught:
        start(journal, IDENTITY, "live", "test")
    journal.close()
    assert caught.value.code == "NOT_OPENED"


def test_each_start_names_the_deck_profiles_of_its_cameras(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    for decks in ({"above": "ab" * 32}, {}):
        journal = Journal.open(path, SystemClock())
        ledger = start(journal, IDENTITY, "live", "test", ProgramStart(decks=decks))
        started = [entry for entry in journal.read() if isinstance(entry, Entry) and entry.kind == "started"]
        journal.close()
        assert json.loads(started[-1].body).get("decks", {}) == decks
        health = [Health(name, "camera", "live", "", 5, "") for name in ("above", "beside")]
        shown = snapshot_of(ledger, at_utc_us=0, mode="live", health=health, faults=(), kept=0, autoplay=None)
        assert [device.deck for device in shown.devices] == [decks.get("above", ""), ""]


def test_a_restart_holds_and_a_second_one_does_not_hold_twice(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    played(path)
    for _ in range(2):
        journal = Journal.open(path, SystemClock())
        ledger = start(journal, IDENTITY, "live", "test")
        journal.close()
        assert [hold.code for hold in ledger.holds] == ["RESTARTED"]
        assert ledger.state.book.number == 1

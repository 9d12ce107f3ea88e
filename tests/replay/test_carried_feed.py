"""The feed of a day that has taken a shoe over from the day before."""

import json
from pathlib import Path

from typer.testing import CliRunner

from controller.cli.application import build
from controller.journal.entry import NewEntry
from controller.journal.store import Journal
from controller.runtime.carrying import carried_entries
from controller.runtime.draft import encoded
from controller.runtime.ledger import Ledger
from controller.runtime.restore import Identity, opened_entry
from tests.history.dealt_table import DealtTable
from tests.replay.replay_kit import HandClock


def _next_day(ledger: Ledger, folder: Path) -> Path:
    """A journal that takes this table over."""
    opening = ledger.opening
    path = folder / "T1-2026-11-29.journal"
    journal = Journal.open(path, HandClock())
    opened = opened_entry(Identity(opening.table, opening.rules, opening.currency, opening.house))
    taken = [
        NewEntry(one.kind, encoded(one.body), one.actor, 1) for one in carried_entries(ledger, "before", 2)
    ]
    journal.append([opened, *taken])
    journal.close()
    return path


def test_a_feed_begins_with_the_shoe_and_what_it_had_given(tmp_path: Path) -> None:
    before = DealtTable(tmp_path / "before.journal")
    before.round()
    before.close()
    path = _next_day(before.door.ledger, tmp_path)
    table = DealtTable(path, loads=False)
    table.resume()
    table.round()
    table.close()
    out = tmp_path / "day.feed.jsonl"
    done = CliRunner().invoke(build("feed"), ["feed", str(path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    _header, *lines = map(json.loads, out.read_text().splitlines())
    given = before.state.shoe
    assert lines[0] == {"t": 0.0, "obs": "shoe", "decks": given.decks}
    burned = [line for line in lines if line.get("to") == "burn"]
    assert len(burned) == given.seen == 4 + given.burn_due
    assert sorted(line["rank"] for line in burned) == ["10", "10", "8", "9"]
    played = CliRunner().invoke(build("replay"), ["replay", str(out)])
    assert played.exit_code == 0, played.output

"""A floor from plain folders: tiles and figures by the views, no engine, and no entry read twice."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from controller.floor.archive import ArchivedJournal
from controller.history.kept import KeptHistories
from controller.journal.entry import BadEntry, Entry
from controller.journal.store import JournalReader
from controller.main.archived_history import KEEP_EVERY, ArchivedHistory
from controller.main.pit_page import FloorTables, FoundJournal
from controller.ports import SystemClock
from controller.runtime import followed_table, restore
from controller.screens.tiles import Tile, floor_figures
from tests.floor.hostile_kit import of_table
from tests.history.history_kit import everything
from tests.history.money_shift import MoneyShift
from tests.main.copy_kit import entries

JOURNALS: Final = sorted((Path(__file__).parents[1] / "journals").glob("*.journal"))
RECORDED: Final = JOURNALS[-2]
TABLES: Final = 6
FIGURES: Final = ("table", "at_utc_us", "tone", "win", "expected", "beyond", "dealer", "round")
"""What a tile has from the same rows, whether its journal was folded or not."""


class Work:
    """Counts entries that are read behind a journal's first one, and entries that are folded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read = self.folded = 0
        read, follow = JournalReader.read, restore.follow

        def counted(reader: JournalReader, from_seq: int = 1) -> Iterator[Entry | BadEntry]:
            for entry in read(reader, from_seq):
                self.read += entry.seq > 1
                yield entry

        def folded(ledger: Any, entry: Entry) -> Any:
            self.folded += 1
            return follow(ledger, entry)

        monkeypatch.setattr(JournalReader, "read", counted)
        monkeypatch.setattr(followed_table, "follow", folded)


def journals(folder: Path) -> list[Path]:
    """One recorded evening at several tables."""
    folder.mkdir()
    made = [folder / f"BJ{number}.journal" for number in range(1, TABLES + 1)]
    for path in made:
        with closing(ArchivedJournal(path)) as journal:
            journal.append(of_table(entries(RECORDED), path.stem))
    return made


async def looked(folder: Path, kept: KeptHistories | None = None) -> FloorTables:
    found = [FoundJournal(path) for path in sorted(folder.glob("*.journal"))]
    floor = FloorTables(lambda: found, SystemClock(), kept=kept)
    await floor.look()
    return floor


def shown(folder: Path, kept: KeptHistories | None = None) -> tuple[dict[str, Tile], str]:
    """The tiles, and the figures of the floor."""

    async def ask() -> tuple[dict[str, Tile], str]:
        floor = await looked(folder, kept)
        tables = [(await one.tile(), await one.read()) for one in floor.tables.values()]
        return {tile.table: tile for tile, _ in tables}, floor_figures(tables).model_dump_json()

    return asyncio.run(ask())


def followed(path: Path, kept: KeptHistories) -> ArchivedHistory:
    archived = ArchivedHistory(path, kept)
    while (news := archived.read()) is not None:
        archived.take(news)
    if (keep := archived.to_keep()) is not None:
        keep()
    return archived


def test_after_a_restart_no_entry_of_an_unchanged_journal_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = journals(tmp_path / "came")
    count = len(entries(RECORDED)) - 1
    work = Work(monkeypatch)
    first = shown(tmp_path / "came", KeptHistories("one", tmp_path / "kept"))
    assert (work.read, work.folded) == (TABLES * count, 0)
    assert list(first[0]) == [path.stem for path in paths]
    assert all(tile.win.money for tile in first[0].values())
    assert shown(tmp_path / "came", KeptHistories("one", tmp_path / "kept")) == first
    assert (work.read, work.folded) == (TABLES * count, 0)
    # Another version of the program has other views.
    assert shown(tmp_path / "came", KeptHistories("two", tmp_path / "kept")) == first
    assert (work.read, work.folded) == (2 * TABLES * count, 0)


def test_a_kept_history_that_is_damaged_or_gone_is_worked_out_again(tmp_path: Path) -> None:
    journals(tmp_path / "came")
    kept = tmp_path / "kept"
    first = shown(tmp_path / "came", KeptHistories("one", kept))
    files = sorted(kept.iterdir())
    assert len(files) == TABLES
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    whole = files[0].read_bytes()
    for file, data in zip(
        files,
        (b"", whole[:40], whole[:-1], whole[:500] + b"?" + whole[501:], files[2].read_bytes()),
        strict=False,
    ):
        file.write_bytes(data)
    files[-1].unlink()
    assert shown(tmp_path / "came", KeptHistories("one", kept)) == first
    # A place that cannot be written holds nobody up.
    (tmp_path / "file").touch()
    assert shown(tmp_path / "came", KeptHistories("one", tmp_path / "file" / "kept")) == first


def test_a_journal_that_grows_goes_on_from_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, path = of_table(entries(RECORDED), "BJ1"), tmp_path / "BJ1.journal"
    wanted = everything(
        followed(_archived(tmp_path / "whole.journal", whole), _kept(tmp_path, "a")).shift.history
    )
    work = Work(monkeypatch)
    for end in (3, len(whole) // 3, len(whole) // 2, len(whole)):
        with closing(ArchivedJournal(path)) as journal:
            journal.append(whole[journal.end.seq : end])
        archived = followed(path, _kept(tmp_path, "b"))
    assert work.read == len(whole) - 1
    assert everything(archived.shift.history) == wanted
    assert len(whole) < KEEP_EVERY, "after its first look each program keeps what it has read"


def test_a_journal_that_was_put_back_or_exchanged_is_shown_as_it_lies_there(tmp_path: Path) -> None:
    whole, path = of_table(entries(RECORDED), "BJ1"), tmp_path / "BJ1.journal"
    archived = followed(_archived(path, whole), _kept(tmp_path, "a"))
    path.unlink()
    _archived(path, whole[:40])
    while (news := archived.read()) is not None:
        archived.take(news)
    alone = followed(path, _kept(tmp_path, "b"))
    assert everything(archived.shift.history) == everything(alone.shift.history)
    assert archived.end == alone.end == followed(path, _kept(tmp_path, "a")).end


def test_a_journal_that_is_rewritten_while_it_is_followed_stops_its_tile(tmp_path: Path) -> None:
    path = _archived(tmp_path / "BJ1.journal", of_table(entries(RECORDED), "BJ1"))

    async def ask() -> tuple[Tile, Tile]:
        floor = await looked(tmp_path)
        before = await floor.tables["BJ1"].tile()
        path.unlink()
        changed = [
            one if one.seq < 30 else one._replace(at_utc_us=one.at_utc_us + 1) for one in entries_before
        ]
        _archived(path, of_table(changed, "BJ1"))
        await floor.look()
        return before, await floor.tables["BJ1"].tile()

    entries_before = entries(path)
    before, after = asyncio.run(ask())
    assert (before.tone, after.tone, after.line.code) == ("act", "stop", "hold.RECORD_CONTRADICTS")
    assert after.line.params["reason"] == "ARCHIVE_REWRITTEN"


def test_an_entry_that_does_not_fit_ends_what_is_shown_and_the_tile_stops(tmp_path: Path) -> None:
    whole = of_table(entries(RECORDED), "BJ1")
    changed = [*whole[:30], whole[30]._replace(body=b"{}"), *whole[31:]]
    (tmp_path / "came").mkdir()
    _archived(tmp_path / "came" / "BJ1.journal", changed)

    async def ask() -> tuple[Tile, int]:
        floor = await looked(tmp_path / "came")
        return await floor.tables["BJ1"].tile(), floor.tables["BJ1"].archived.end.seq

    tile, seq = asyncio.run(ask())
    assert (tile.tone, tile.line.code, tile.line.params["reason"]) == (
        "stop",
        "hold.RECORD_CONTRADICTS",
        "CHAIN_BROKEN",
    )
    assert seq == 30


@pytest.mark.parametrize("seed", range(6))
def test_a_tile_has_the_figures_of_the_folded_table(seed: int, tmp_path: Path) -> None:
    MoneyShift(tmp_path / "t.journal", seed, 3)

    async def ask() -> tuple[Tile, Tile]:
        floor = await looked(tmp_path)
        (table,) = floor.tables.values()
        screens = await table.opened()
        while screens.broadcaster.latest().view.seq < table.archived.end.seq:
            await screens.broadcaster.newer(screens.broadcaster.latest().version)
        return await table.tile(), await screens.tile(elsewhere=True)

    own, folded = asyncio.run(ask())
    assert {name: getattr(own, name) for name in FIGURES} == {name: getattr(folded, name) for name in FIGURES}


def _archived(path: Path, whole: list[Entry]) -> Path:
    with closing(ArchivedJournal(path)) as journal:
        journal.append(whole)
    return path


def _kept(folder: Path, name: str) -> KeptHistories:
    return KeptHistories("one", folder / name)

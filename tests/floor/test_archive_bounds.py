"""What one member may take of the archive: files, findings, and the commands over all tables."""

import asyncio
import hashlib
import json
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from controller.cli.application import build
from controller.domain import JournalError
from controller.floor import archive
from controller.floor.archive import (
    FINDINGS_EACH,
    KEYS_MAX,
    Archive,
    ArchivedJournal,
    findings_in,
    journals_in,
)
from controller.floor.intake import Intake, SentRun
from controller.floor.messages import run_of, sealed
from controller.floor.postgresql import DatabaseKeeper
from controller.journal.copying import write_entry
from controller.journal.entry import GENESIS, Entry
from controller.journal.head_file import TableKey
from controller.journal.heads import NONCE_BYTES, SignedHead, _message
from controller.main.pit_page import FloorTables, FoundJournal
from controller.ports import SystemClock
from controller.screens.words import TEXT_MAX
from tests.floor.hostile_kit import Odd, chained, copy_of, kept_in, open_files, opened
from tests.main.copy_kit import entries
from tools.postgres import Postgres

MAIN: Final = "from controller.cli import main; main()"
JOURNAL: Final = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"


def _call(*words: str | Path) -> Result:
    return CliRunner().invoke(build(str(words[0])), [*map(str, words)])


def _limited(files: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in a process that may have so many files open."""
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", sys.executable, "-c", MAIN]
    return subprocess.run([*limited, *map(str, words)], capture_output=True, text=True, check=False)


@contextmanager
def _taking(folder: Path) -> Iterator[Intake]:
    with Archive(folder, SystemClock()) as archive:
        yield Intake(archive)


def _sent(
    key: TableKey, journal: list[Entry], name: str = "BJ1", first: str = "", heads: Sequence[SignedHead] = ()
) -> SentRun:
    attempt, first = secrets.token_hex(4), first or journal[0].hash.hex()
    data = b"".join(write_entry(entry) + b"\n" for entry in journal)
    data += b"".join(head.line(with_nonce=True).encode() for head in heads)
    return SentRun(key.public, first, name, attempt, sealed("run", data, key, run_of(attempt, first, name)))


def test_journals_without_number_need_no_more_open_files(tmp_path: Path) -> None:
    """340 journals ended the archive: 200 tables on their second day."""
    for number in range(150):
        copy_of(tmp_path / "came", f"t{number}", [opened(f"BJ{number}"), Odd("fact", b"{}")])
    words = ("archive", "follow", tmp_path / "came", "--into", tmp_path / "archive", "--once", "--json")
    done = _limited(256, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [kept_in(path) for path in journals_in(tmp_path / "archive")] == [2] * 150
    # What comes later for one that was closed meanwhile.
    for number in range(150):
        copy_of(
            tmp_path / "came", f"t{number}", [opened(f"BJ{number}"), Odd("fact", b"{}"), Odd("fact", b"[]")]
        )
    done = _limited(256, *words)
    assert {json.loads(line)["end"] for line in done.stdout.splitlines()} == {3}


def test_journals_of_one_key_are_kept_with_few_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "OPEN_MAX", 8)
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    days = [chained([opened("BJ1")._replace(at_utc_us=day), Odd("fact", b"{}")]) for day in range(40)]
    with _taking(tmp_path / "archive") as intake:
        for day in days:
            brought = intake.take(_sent(key, day))
            assert brought is not None
            assert brought.error is None
        journals = [path for path in open_files(tmp_path / "archive") if ".journal" in path]
        assert len(journals) <= 3 * 8
        assert [intake.position(day[0].hash.hex()).end.seq for day in days] == [2] * 40


def test_nothing_is_created_for_an_entry_that_is_not_what_it_says(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    (first,) = chained([opened("BJ1")])
    lies = [first._replace(body=b"{}"), first._replace(prev_hash=b"x" * 32), first._replace(hash=GENESIS)]
    with _taking(tmp_path / "archive") as intake:
        for number, lie in enumerate(lies):
            intake.take(_sent(key, [lie], f"BJ{number}"))
        intake.take(_sent(key, [first], first="0" * 64))
        assert journals_in(tmp_path / "archive") == ()
        intake.take(_sent(key, [first]))
    assert len(journals_in(tmp_path / "archive")) == 1


def test_a_source_that_goes_on_contradicting_adds_few_findings(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    with _taking(tmp_path / "archive") as intake:
        intake.take(_sent(key, chained([opened("BJ1")])))
        for number in range(3 * FINDINGS_EACH):
            brought = intake.take(_sent(key, chained([opened(f"{number}" * 50_000)])))
            assert brought is not None
            assert isinstance(brought.error, JournalError)
    found = list(findings_in(tmp_path / "archive"))
    assert [one.code for one in found] == ["ARCHIVE_FOREIGN"] * FINDINGS_EACH
    assert (tmp_path / "archive" / "findings.jsonl").stat().st_size < 1000 * FINDINGS_EACH


@pytest.mark.parametrize("changed", [{"number": 2**70}, {"seq": 2**70}, {"seq": -1}, {"round": True}])
def test_a_head_that_no_column_holds_is_none(tmp_path: Path, changed: dict[str, int]) -> None:
    """It ended the archive, or the database of the whole house."""
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    with _taking(tmp_path / "archive") as intake, Postgres() as server:
        journal = chained([opened("BJ1")])
        head = _head(key, journal[-1], **changed)
        brought = intake.take(_sent(key, journal, heads=(head,)))
        assert brought is not None
        assert brought.end == 1
        folder = tmp_path / "archive"
        with closing(DatabaseKeeper(folder, server.url, lambda *_: None)) as keeper:
            assert [one.error for one in keeper.keep()] == [None]


def test_heads_of_keys_without_number_are_no_longer_receipt(tmp_path: Path) -> None:
    """A receipt names the newest head of each key: it grew over what a message holds."""
    table = TableKey.load_or_make(tmp_path / "table.key", {})
    keys = [TableKey.load_or_make(tmp_path / f"{number}.key", {}) for number in range(2 * KEYS_MAX)]
    journal = chained([opened("BJ1")])
    with _taking(tmp_path / "archive") as intake:
        intake.take(_sent(table, journal, heads=[_head(key, journal[-1]) for key in keys]))
        assert len(intake.position(journal[0].hash.hex()).heads) == KEYS_MAX


def _head(key: TableKey, end: Entry, **changed: Any) -> SignedHead:
    """A genuine head of this key, with any number in it."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    code = hashlib.sha256(nonce + end.hash).hexdigest()
    head = SignedHead("BJ1", "BJ1.journal", 1, end.seq, 0, 0, "start", code, key.public, "", nonce.hex())
    head = head._replace(**changed)
    return head._replace(signature=key.sign(_message(head)).hex())


def _with_bad_ones(folder: Path) -> Path:
    """An archive with a table's whole day, and what a kill, a full disk or a stranger leaves beside it."""
    folder.mkdir()
    (folder / JOURNAL.name).write_bytes(JOURNAL.read_bytes())
    (folder / "BJ7-000000000000.journal").touch()
    (folder / "BJ8-000000000001.journal").write_bytes(b"no journal")
    (folder / "BJ9-000000000002.journal").write_bytes(JOURNAL.read_bytes()[:3000])
    return folder


BAD: Final = ["BJ7-000000000000.journal", "BJ8-000000000001.journal", "BJ9-000000000002.journal"]


def test_bad_journals_are_named_and_the_others_verified(tmp_path: Path) -> None:
    archive = _with_bad_ones(tmp_path / "archive")
    done = _call("archive", "verify", archive)
    assert done.exit_code == 1, done.exception
    assert f"{JOURNAL.name}" in done.stdout
    for name in BAD:
        assert [line for line in done.stderr.splitlines() if line.startswith(f"{name}: ")], done.stderr
    told = json.loads(_call("archive", "verify", archive, "--json").stdout)
    assert [row["journal"] for row in told["journals"]] == [JOURNAL.name]
    assert [one["journal"] for one in told["faults"]] == BAD


def test_bad_journals_are_named_and_the_others_reported(tmp_path: Path) -> None:
    archive = _with_bad_ones(tmp_path / "archive")
    done = _call("report", archive, "--json")
    assert done.exit_code == 1, done.exception
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["report"]["rounds"] for one in reports if "report" in one] == [6]
    for name in BAD:
        assert name in done.stderr, done.stderr


def _odd_days(folder: Path) -> dict[str, Entry]:
    """Journals of hostile tables, each with one odd entry: the file's name, and that entry."""
    real, made = entries(JOURNAL), dict[str, Entry]()
    changes: tuple[tuple[str, int, dict[str, Any]], ...] = (
        ("time", 0, {"at_utc_us": -(2**62)}),
        ("later", 0, {"at_utc_us": 2**63 - 1}),
        ("number", 1, {"body": b"5"}),
        ("empty", 1, {"body": b""}),
        ("deep", 1, {"body": b"[" * 100_000}),
        ("bytes", 2, {"body": b"\xff\x00"}),
        ("settled", 40, {"body": b'{"bets":{"a":1}}'}),
        ("trouble", 41, {"kind": "trouble", "body": b"{}"}),
        ("refused", 42, {"kind": "refused", "body": b"{}"}),
        ("held", 43, {"kind": "held", "body": b'{"code":"X","params":[1]}'}),
    )
    for number, (name, place, change) in enumerate(changes):
        begun = [real[0]._replace(at_utc_us=real[0].at_utc_us + number), *real[1:]]
        odd = [one._replace(**change) if at == place else one for at, one in enumerate(begun)]
        chain = chained([Odd(one.kind, one.body, one.at_utc_us, one.actor, one.round_id) for one in odd])
        with closing(ArchivedJournal(folder / f"{name}.journal")) as journal:
            journal.append(chain)
        made[f"{name}.journal"] = chain[place]
    return made


def test_an_archive_with_odd_journals_is_reported_to_its_last_table(tmp_path: Path) -> None:
    (tmp_path / JOURNAL.name).write_bytes(JOURNAL.read_bytes())
    odd = _odd_days(tmp_path)
    done = _call("report", tmp_path, "--json")
    assert done.exit_code == 1, done.exception
    *reports, last = [json.loads(line) for line in done.stdout.splitlines()]
    named = {line.partition(":")[0] for line in done.stderr.splitlines()}
    assert len(reports) == 1 + len(odd) - len(named)
    assert {row["journal"] for row in last["journals"]} == {JOURNAL.name, *odd}


def test_a_reason_of_any_length_in_a_journal_reaches_no_page(tmp_path: Path) -> None:
    """A fact's texts are bounded where it is read; those of holds and alerts were not."""
    real, long = entries(JOURNAL), "z" * 100_000
    told = [Odd(one.kind, one.body, one.at_utc_us, one.actor, one.round_id) for one in real]
    told.append(
        Odd("held", json.dumps({"code": "FROZEN", "params": {"note": long}}).encode(), actor="system")
    )
    with closing(ArchivedJournal(tmp_path / "long.journal")) as journal:
        journal.append(chained(told))

    async def story() -> str:
        floor = FloorTables(lambda: [FoundJournal(tmp_path / "long.journal")], SystemClock())
        await floor.look()
        assert floor.refused == {}
        (table,) = floor.tables.values()
        screens = await table.opened()
        while screens.broadcaster.latest().view.seq < len(told):
            await screens.broadcaster.newer(screens.broadcaster.latest().version)
        tile = await table.tile()
        return screens.broadcaster.latest().body + tile.model_dump_json()

    shown = asyncio.run(story())
    assert "z" * TEXT_MAX in shown
    assert "z" * (TEXT_MAX + 1) not in shown


def test_the_pit_follows_the_other_tables_beside_odd_journals(tmp_path: Path) -> None:
    (tmp_path / JOURNAL.name).write_bytes(JOURNAL.read_bytes())
    odd = _odd_days(tmp_path)

    async def story(name: str) -> None:
        floor = FloorTables(
            lambda: [FoundJournal(tmp_path / JOURNAL.name), FoundJournal(tmp_path / name)], SystemClock()
        )
        await floor.look()
        # The newer of the two is odd; each table that is shown has its tile.
        assert await floor.older(f"DEMO@{JOURNAL.stem}") is not None, name
        for table in floor.tables.values():
            await table.tile()
        assert floor.tables or [error.code for error in floor.refused.values()], name

    for name in odd:
        asyncio.run(story(name))

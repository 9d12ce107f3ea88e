"""PostgreSQL as a second keeper: the folder's rows, once and in their order, whatever dies in between."""

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner, Result

from controller.cli.application import build
from controller.floor import postgresql as keeper_module
from controller.floor.archive import Archive, Brought, findings_in, journals_in
from controller.floor.postgresql import DatabaseKeeper, keep_beside
from controller.journal.heads import heads_path
from controller.ports import SystemClock
from tests.forked_process import Forked
from tests.main.copy_kit import entries
from tools.postgres import Postgres

Evening = tuple[Path, Path, dict[str, int]]
EXAMPLE = Path(__file__).parents[2] / "examples" / "floor"


@pytest.fixture(scope="module")
def running() -> Iterator[Postgres]:
    with Postgres() as server:
        yield server


@pytest.fixture
def server(running: Postgres) -> Postgres:
    """The one server of all tests, with nothing in it."""
    _ask(running, "DROP SCHEMA IF EXISTS archive CASCADE")
    return running


@pytest.fixture
def came(evening: Evening, tmp_path: Path) -> Path:
    """A folder to which half of a table's copy has come."""
    folder = tmp_path / "came"
    folder.mkdir()
    data = evening[1].read_bytes()
    (folder / evening[1].name).write_bytes(data[: len(data) // 2])
    return folder


def _ask(server: Postgres, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url) as connection:
        cursor = connection.execute(query.encode())
        while cursor.nextset():
            pass
        return cursor.fetchall() if cursor.description is not None else []


def _call(*words: str | Path) -> Result:
    return CliRunner().invoke(build("archive"), ["archive", *map(str, words)])


def _words(server: Postgres, came: Path) -> list[str]:
    return ["follow", str(came), "--into", str(came.parent / "archive"), "--database", server.url, "--once"]


def _is_whole(server: Postgres, archive: Path) -> bool:
    answer = _call("verify", archive, "--database", server.url)
    assert answer.exit_code in {0, 1}, answer.exception
    return answer.exit_code == 0


def test_table_folder_and_database_have_the_same_rows(server: Postgres, came: Path, evening: Evening) -> None:
    archive, own = came.parent / "archive", evening[0] / "table.journal"
    assert _call(*_words(server, came)).exit_code == 0
    behind = _call("verify", archive, "--against", own, "--json")
    assert (behind.exit_code, json.loads(behind.stdout)["faults"][0]["code"]) == (1, "ARCHIVE_BEHIND")
    shutil.copy(own, came / "closed.journal")
    shutil.copy(heads_path(own), heads_path(came / "closed.journal"))
    assert _call(*_words(server, came)).exit_code == 0
    assert _call("verify", archive, "--against", own, "--database", server.url).exit_code == 0
    assert _ask(server, "SELECT * FROM archive.broken") == []
    again = came.parent / "again"
    assert _call("restore", again, "--database", server.url).exit_code == 0
    (name,) = (path.name for path in journals_in(archive))
    assert _call("export", again, name, "-o", came.parent / "out.journal").exit_code == 0
    assert _call("export", again, "table.journal", "-o", came.parent / "none.journal").exit_code != 0
    out = came.parent / "out.journal"
    assert entries(out) == entries(own)
    assert heads_path(out).read_bytes() == heads_path(own).read_bytes()
    assert CliRunner().invoke(build("verify"), ["verify", str(out)]).exit_code == 0


@pytest.mark.parametrize("held", ["journal", "head"])
def test_a_kill_before_and_after_the_commit_loses_and_doubles_nothing(
    server: Postgres, came: Path, evening: Evening, held: str
) -> None:
    """The rows are there and their head is not, or both are and nobody knows."""
    assert _call(*_words(server, came)).exit_code == 0
    (before,) = _ask(server, "SELECT seq FROM archive.journal")
    shutil.copy(evening[1], came)
    with psycopg.connect(server.url) as other:
        if held == "journal":
            other.execute("SELECT FROM archive.journal FOR UPDATE")
        else:
            other.execute("LOCK TABLE archive.head IN ACCESS EXCLUSIVE MODE")
        process = Forked("archive", *_words(server, came))
        deadline = time.monotonic() + 120
        while not _ask(server, "SELECT pid FROM pg_locks WHERE NOT granted"):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.wait()
    (after,) = _ask(server, "SELECT seq FROM archive.journal")
    assert (after == before) is (held == "journal")
    assert not _is_whole(server, came.parent / "archive")
    assert _call(*_words(server, came)).exit_code == 0
    assert _is_whole(server, came.parent / "archive")


def test_an_archive_on_a_loop_is_kept_beside_it(
    server: Postgres, came: Path, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, copy = came.parent / "archive", came / evening[1].name
    brought: list[Brought] = []
    # One that has been away has its turns: here an entry each.
    monkeypatch.setattr(keeper_module, "SLICE", 1)

    async def story(archive: Archive) -> None:
        beside = asyncio.create_task(
            keep_beside(archive, lambda find: DatabaseKeeper(folder, server.url, find), brought.append, 0.01)
        )
        for data in (copy.read_bytes(), evening[1].read_bytes()):
            copy.write_bytes(data)
            archive.bring(copy)
            async with asyncio.timeout(60):
                while not brought or brought[-1].end != len(entries(journals_in(folder)[0])):
                    await asyncio.sleep(0.01)
        beside.cancel()
        await asyncio.wait([beside])

    with Archive(folder, SystemClock()) as archive:
        asyncio.run(story(archive))
    assert [one.error for one in brought if one.error is not None] == []
    assert _is_whole(server, folder)


def test_a_server_that_is_away_or_put_back_gets_what_it_lacks(
    server: Postgres, came: Path, evening: Evening
) -> None:
    folder = came.parent / "archive"
    copy = came / evening[1].name
    with Archive(folder, SystemClock()) as archive, closing(_keeper(archive, folder, server)) as keeper:
        archive.bring(copy)
        assert [one.error for one in keeper.keep()] == [None]
        backup = server.kept()
        shutil.copy(evening[1], copy)
        assert archive.bring(copy).error is None
        # Its connection is from before: what it was about to write is written once more.
        assert [one.error and one.error.code for one in keeper.keep(archive.changed())] == ["DATABASE_AWAY"]
        assert [one.end for one in keeper.keep()] == [len(entries(journals_in(folder)[0]))]
        assert _is_whole(server, folder)
        server.put_back(backup)
        assert not _is_whole(server, folder)
        assert [one.error and one.error.code for one in keeper.keep()] == ["DATABASE_AWAY"]
        server.stop()
        assert [one.error and one.error.code for one in keeper.keep()] == ["DATABASE_AWAY"]
        server.start()
        assert [one.error for one in keeper.keep()] == [None]
    assert _is_whole(server, folder)
    assert list(findings_in(folder)) == []


def test_what_was_rewritten_is_found_and_left(server: Postgres, came: Path, evening: Evening) -> None:
    folder = came.parent / "archive"
    shutil.copy(evening[1], came)
    assert _call(*_words(server, came)).exit_code == 0
    with pytest.raises(psycopg.errors.CheckViolation):
        _ask(server, "UPDATE archive.entry SET body = 'x' WHERE seq = 3")
    hashed = "archive.hash_of(prev_hash, seq, kind, version, at_utc_us, round_id, actor, caused_by, 'x')"
    _ask(server, f"UPDATE archive.entry SET body = 'x', hash = {hashed} WHERE seq = 3")
    assert len(_ask(server, "SELECT * FROM archive.broken")) == 1
    answer = _call("verify", folder, "--database", server.url, "--json")
    assert json.loads(answer.stdout)["faults"][0]["params"]["seq"] == 3
    # Rewritten up to its head, so that it fits itself.
    _ask(server, "DELETE FROM archive.entry WHERE seq > 3")
    _ask(server, "UPDATE archive.journal SET seq = 3, hash = (SELECT hash FROM archive.entry WHERE seq = 3)")
    assert _ask(server, "SELECT * FROM archive.broken") == []
    for _ in range(2):
        assert _call(*_words(server, came)).exit_code == 1
    assert [(one.source, one.code) for one in findings_in(folder)] == [("database", "ARCHIVE_REWRITTEN")]
    assert _ask(server, "SELECT seq FROM archive.journal") == [(3,)]
    assert _call("restore", folder, "--database", server.url).exit_code == 1


@pytest.mark.parametrize(
    ("role", "refused"),
    [
        ("archiver", ("UPDATE archive.journal SET seq = 1", "DELETE FROM archive.entry")),
        ("auditor", ("DELETE FROM archive.head", "SELECT archive.move_head(1, 1, '', 2, '')")),
        ("pit", ("SELECT body FROM archive.entry", "SELECT line FROM archive.head")),
    ],
)
def test_nobody_there_may_do_more_than_his_part(
    server: Postgres, came: Path, role: str, refused: tuple[str, ...]
) -> None:
    assert _call(*_words(server, came)).exit_code == 0
    assert _ask(server, f'SET ROLE stand17_{role}; SELECT "table", entries FROM archive.table_day') != []
    for query in refused:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            _ask(server, f"SET ROLE stand17_{role}; {query}")


def test_an_example_s_logins_suffice_and_its_panels_run_as_the_pit(server: Postgres, came: Path) -> None:
    _ask(server, "DROP ROLE IF EXISTS stand17_archiver, stand17_pit, stand17_auditor")
    server.script(EXAMPLE / "postgres" / "logins.sql", ARCHIVE_PASSWORD="a", GRAFANA_PASSWORD="g")
    url = server.url.replace("/postgres?", "/floor?")
    words = [
        word.replace(server.url, url.replace("user=stand17", "user=archive")) for word in _words(server, came)
    ]
    assert _call(*words).exit_code == 0
    board = json.loads((EXAMPLE / "grafana" / "dashboards" / "floor.json").read_text(encoding="utf-8"))
    queries = [one["rawSql"] for panel in board["panels"] for one in panel["targets"] if "rawSql" in one]
    with psycopg.connect(url.replace("user=stand17", "user=grafana")) as grafana:
        rows = [grafana.execute(query).fetchall() for query in queries]
    assert [one[0][0] for one in rows if one and one[0][0] == "BJ1"], rows


def _keeper(archive: Archive, folder: Path, server: Postgres) -> DatabaseKeeper:
    return DatabaseKeeper(folder, server.url, archive.find, again_s=0)

"""The views of a house's database: an odd entry of one table changes no row of the others."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.floor.postgresql import MIGRATIONS
from tests.floor.hostile_kit import Odd, copy_of, opened
from tools.postgres import Postgres

VIEWS: Final = "SELECT table_name FROM information_schema.views WHERE table_schema = 'archive' ORDER BY 1"
DEEP: Final = b"[" * 100_000

NUMBERS: Final = (
    b"null",
    b'"400"',
    b"true",
    b"[]",
    b"{}",
    b"1.5",
    b"1e300",
    b"-1e99999",
    b"9223372036854775808",
)
BETS: Final = (b'{"a":1}', b"5", b"null", b'"x"', b"[5]", b'["x"]', b"[null]", b"[[]]", DEEP)
TIMES: Final = (-(2**62), 1 - 2**63, 2**63 - 1, -1, 253_402_300_800_000_000)
NAMES: Final = ("held", "resumed", "released", "trouble", "settled", "opened", "k\x00d", "\ud7ff\ue000")


def _settled(bets: bytes) -> bytes:
    return b'{"status":"settled","bets":' + bets + b"}"


GOOD: Final = _settled(b'[{"staked":400,"returned":1000},{"staked":200,"returned":0}]')


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with Postgres() as found:
        yield found


def _rows(server: Postgres, query: str, role: str = "stand17_auditor") -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url) as connection:
        connection.execute(f"SET ROLE {role}".encode())
        return connection.execute(query.encode()).fetchall()


def test_views_of_a_house_go_on_over_every_odd_entry_of_one_table(server: Postgres, tmp_path: Path) -> None:
    bodies = [b"", b"\xff\x00", b"5", b'"x"', b"[]", DEEP, b'{"code":{}}', b'{"status":[],"bets":[]}']
    bodies += map(_settled, BETS)
    for number in NUMBERS:
        for bet in (b'[{"staked":%b}]', b'[{"staked":400,"returned":1},{"staked":400,"returned":%b}]'):
            bodies.append(_settled(bet % number))
    odd = [Odd(kind, body) for kind in NAMES for body in bodies]
    odd += [Odd(kind, GOOD, at, "a\x00", 2**62) for kind in NAMES for at in TIMES]
    came = tmp_path / "came"
    copy_of(
        came, "good", [opened("BJ1"), Odd("settled", GOOD, round_id=1), Odd("held", b'{"code":"FROZEN"}')]
    )
    copy_of(came, "odd", [opened("BJ2"), *odd])
    for at in TIMES:
        copy_of(came, f"time{at}", [opened("BJ3")._replace(at_utc_us=at)])
    copy_of(came, "unopened", odd[:1])
    copy_of(came, os.fsdecode(b"\xff\x1b[2J"), [opened("BJ4")])
    words = ["archive", "follow", str(came), "--into", str(tmp_path / "archive"), "--once"]
    done = CliRunner().invoke(build("archive"), [*words, "--database", server.url])
    assert done.exit_code == 0, done.output
    names = [name for (name,) in _rows(server, VIEWS)]
    assert {"broken", "entry_decoded", "round", "stop", "table_day"} <= set(names)
    counts = {name: len(_rows(server, f"SELECT view::text FROM archive.{name} AS view")) for name in names}
    assert counts["broken"] == 0
    assert counts["table_day"] == 4 + len(TIMES)
    assert counts["entry_decoded"] == 3 + 1 + len(odd) + 2 + len(TIMES)
    # As first settled, and what an odd bet had is unknown: no sum of the others.
    money = 'SELECT staked, returned FROM archive.round WHERE "table" = '
    assert _rows(server, f"{money}'BJ1'", "stand17_pit") == [(600, 1000)]
    unknown = _rows(server, f"{money}'BJ2'", "stand17_pit")
    assert set(unknown) == {(None, None), (600, 1000), (800, None)}
    assert unknown.count((600, 1000)) == len(TIMES)
    assert _rows(
        server, "SELECT code, at IS NULL FROM archive.stop WHERE \"table\" = 'BJ1'", "stand17_pit"
    ) == [("FROZEN", False)]


def test_migrations_bring_a_database_of_the_first_version_to_safe_views(tmp_path: Path) -> None:
    """A house's database of today gets them at the next connection."""
    with Postgres() as older:
        with psycopg.connect(older.url) as connection:
            connection.execute(b"CREATE SCHEMA archive")
            connection.execute(
                b"CREATE TABLE archive.migration (version int PRIMARY KEY, name text, at timestamptz)"
            )
            connection.execute(MIGRATIONS[0].read_bytes())
            connection.execute(b"INSERT INTO archive.migration VALUES (1, 'first', now())")
        copy_of(tmp_path / "came", "odd", [opened("BJ2"), Odd("settled", _settled(b'{"a":1}'), -(2**62))])
        words = ["archive", "follow", str(tmp_path / "came"), "--into", str(tmp_path / "archive"), "--once"]
        done = CliRunner().invoke(build("archive"), [*words, "--database", older.url, "--json"])
        assert [json.loads(line)["entries"] for line in done.stdout.splitlines()] == [2, 2]
        assert _rows(older, "SELECT staked, returned, at FROM archive.round", "stand17_pit") == [
            (None, None, None)
        ]

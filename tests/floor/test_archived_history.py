"""The figures of a house's database: the rows of the table's own history, and no card."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.rows import dict_row
from typer.testing import CliRunner

from controller.cli.application import build
from controller.floor.postgresql import MIGRATIONS
from controller.history.tables import VIEWS as OF_TABLE
from controller.main.archived_history import INSIDE, VIEWS
from controller.replay.shift_file import open_shift
from tests.floor.hostile_kit import Odd, copy_of, opened
from tests.floor.test_archive_bounds import _odd_days
from tests.history.money_shift import MoneyShift, live_shift
from tools.postgres import Postgres

JOURNALS: Final = sorted((Path(__file__).parents[1] / "journals").glob("*.journal"))
ABOUT: Final = ("table", "journal", "begun")


@pytest.fixture
def server() -> Iterator[Postgres]:
    with Postgres() as found:
        yield found


def _archived(came: Path, server: Postgres) -> None:
    words = ["archive", "follow", str(came), "--into", str(came.parent / "archive"), "--once"]
    done = CliRunner().invoke(build("archive"), [*words, "--database", server.url])
    assert done.exit_code == 0, done.output


def _rows(server: Postgres, view: str, journal: str) -> list[dict[str, Any]]:
    """As the pit's role sees them."""
    with psycopg.connect(server.url, row_factory=dict_row) as connection:
        connection.execute(b"SET ROLE stand17_pit")
        query = f"SELECT * FROM archive.history_{view} WHERE journal LIKE %s"
        return connection.execute(query.encode(), (f"{journal}%",)).fetchall()


def test_page_report_and_database_have_the_same_rows(server: Postgres, tmp_path: Path) -> None:
    came = tmp_path / "came"
    came.mkdir()
    for path in JOURNALS:
        shutil.copy(path, came)
    _archived(came, server)
    rounds = 0
    for path in JOURNALS:
        history = open_shift(path).history
        for view in VIEWS:
            own = history.rows(f"SELECT * FROM {view}")
            wanted = [{name: value for name, value in row.items() if name not in INSIDE} for row in own]
            found = _rows(server, view, path.stem)
            assert [{name: row[name] for name in row if name not in ABOUT} for row in found] == wanted, view
            rounds += view == "round" and len(wanted)
    assert rounds > 6


def test_no_journal_takes_the_figures_of_the_others(server: Postgres, tmp_path: Path) -> None:
    came, journal = tmp_path / "came", JOURNALS[-2]
    came.mkdir()
    for path in JOURNALS:
        shutil.copy(path, came)
    _odd_days(came)
    odd = [Odd("settled", b"5", -(2**62), "pit:\x00", 2**63 - 1), Odd("refused", b"{}", 0, "x", -5)]
    odd += [Odd("held", json.dumps({"code": "\ud800\x00", "params": 5}).encode()), Odd("fact", b"[]")]
    copy_of(came, "hostile", [opened("BJ9"), *odd])
    _archived(came, server)
    assert len(_rows(server, "round", journal.stem)) == len(
        open_shift(journal).history.rows("SELECT 1 FROM round")
    )


def test_the_pit_s_role_reads_no_body(server: Postgres, tmp_path: Path) -> None:
    copy_of(tmp_path / "came", "BJ1", [opened("BJ1")])
    _archived(tmp_path / "came", server)
    for table in ("figure", "entry_decoded"):
        with psycopg.connect(server.url) as connection:
            connection.execute(b"SET ROLE stand17_pit")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM archive.{table}".encode())


VIEW: Final = re.compile(r"CREATE (?:OR REPLACE )?VIEW archive\.history_(\w+) AS\n(.*?)\nFROM ", re.DOTALL)
COLUMN: Final = re.compile(r"(archive\.whole|archive\.real_of)?\(?f\.fields (->>?) '(\w+)'\)? AS \"(\w+)\"")
TYPES: Final = {("archive.whole", "->"): int, ("archive.real_of", "->"): int | float, ("", "->>"): str}
NOT_ARCHIVED: Final = {"shadow", "open_alert", "device", "pause"}
"""Views for the table's own pages."""
DUE: Final = "add a migration in controller/floor/migrations that creates the view archive.history_{} anew"


def test_the_database_has_each_column_of_the_history_with_its_type(tmp_path: Path) -> None:
    written = "".join(path.read_text() for path in MIGRATIONS)
    declared = {
        view: {name: TYPES[form, arrow] for form, arrow, _, name in COLUMN.findall(columns)}
        for view, columns in VIEW.findall(written)
    }
    views = {*re.findall(r"CREATE VIEW (\w+)", OF_TABLE), "round", "stop", "movement"}
    assert views - NOT_ARCHIVED == set(VIEWS), "controller/main/archived_history.py names what is archived"
    assert declared.keys() == set(VIEWS), DUE.format("NAME")
    histories = [open_shift(path).history for path in JOURNALS]
    for seed in range(6):
        MoneyShift(tmp_path / f"{seed}.journal", seed, 4)
        histories.append(live_shift(tmp_path / f"{seed}.journal").history)
    seen = set[tuple[str, str]]()
    for history in histories:
        for view in VIEWS:
            for row in history.rows(f"SELECT * FROM {view}"):
                assert row.keys() - INSIDE == declared[view].keys(), DUE.format(view)
                for name in row.keys() - INSIDE:
                    assert row[name] is None or isinstance(row[name], declared[view][name]), (view, name)
                    seen |= {(view, name)} if row[name] is not None else set()
    assert ("ruling", "second") in seen

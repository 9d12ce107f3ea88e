"""`stand17 floor`: what a table gets, what the server then lets it say, and how the floor is listed."""

import asyncio
import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from typer.testing import CliRunner, Result

from controller.cli.application import build
from controller.config.floor import FloorSection
from controller.domain.errors import ConfigError, JournalError
from controller.floor.enrolment import SECTION, SERVER
from controller.floor.known_tables import KnownTables
from controller.floor.link.connection import ServerAccess
from controller.floor.link.subjects import STATES, commands_of, receipts_of, state_of
from controller.main.linked.access import floor_section
from tests.floor.broker_kit import SERVER as PROGRAM
from tests.floor.broker_kit import free_port

JOURNAL: Final = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"


def call(*words: object) -> Result:
    return CliRunner().invoke(build("floor"), ["floor", *map(str, words)])


def answer(*words: object) -> dict[str, Any]:
    done = call(*words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def config_of(folder: Path, name: str, **sections: str) -> Path:
    folder.mkdir(exist_ok=True)
    more = "".join(f"[{section}]\n{lines}\n" for section, lines in sections.items())
    path = folder / "table.toml"
    table = f'[table]\nname = "{name}"\nrules = "nl"\n[journal]\nfile = "{folder}/{name}.journal"\n'
    path.write_text(f'{table}[shoe]\nport = "/dev/null"\n{more}')
    return path


async def connected(section: FloorSection) -> Client:
    access = ServerAccess(section, "")
    return await nats.connect(section.servers[0], user=section.user, password=access.password())


async def heard_of(floor: Path, own: str, other: str) -> tuple[list[str], list[str]]:
    """What the pit hears of a table that speaks in two names, and what this table hears of two."""
    pit_hears, table_hears = list[str](), list[str]()
    table = await connected(floor_section((), floor / "tables" / "BJ1" / SECTION))
    pit = await connected(floor_section((), floor / "pit" / SECTION))

    async def to_pit(message: Any) -> None:
        pit_hears.append(message.subject)

    async def to_table(message: Any) -> None:
        table_hears.append(message.subject)

    await pit.subscribe(STATES, cb=to_pit)
    for key in (own, other):
        await table.subscribe(commands_of(key), cb=to_table)
    await pit.flush()
    await table.flush()
    for key in (other, own):
        await table.publish(state_of(key), b"{}")
        await pit.publish(commands_of(key), b"{}")
    # A table has no receipts to give.
    await table.publish(receipts_of(own), b"{}")
    await table.flush()
    await pit.flush()
    async with asyncio.timeout(20):
        while not (pit_hears and table_hears):
            await asyncio.sleep(0.01)
    for client in (table, pit):
        with suppress(NatsError):
            await client.close()
    return pit_hears, table_hears


def test_a_table_that_was_let_on_speaks_for_itself_alone(tmp_path: Path) -> None:
    url, floor = f"nats://127.0.0.1:{free_port()}", tmp_path / "floor"
    kept = ("--archive", tmp_path / "archive")
    made = [
        answer("enroll", config_of(tmp_path / name, name), "--server", url, "--into", floor, *kept)
        for name in ("BJ1", "BJ2")
    ]
    assert made[0]["commander"] == made[1]["commander"]
    section = floor_section((), floor / "tables" / "BJ1" / SECTION)
    assert KnownTables((tmp_path / "archive",)).table_of(made[0]["key"]) == "BJ1"
    assert section.commanders == (made[0]["commander"],)
    again = call("enroll", tmp_path / "BJ1" / "table.toml", "--server", url, "--into", floor, *kept)
    assert isinstance(again.exception, ConfigError)
    assert again.exception.code == "FLOOR_ENROLLED"
    spare = call("enroll", config_of(tmp_path / "spare", "BJ1"), "--server", url, "--into", tmp_path, *kept)
    assert isinstance(spare.exception, JournalError)
    assert spare.exception.code == "ARCHIVE_FOREIGN"
    assert not (tmp_path / "tables").exists()
    assert {path.stat().st_mode & 0o077 for path in floor.rglob("*")} == {0}
    server = subprocess.Popen([PROGRAM, "-c", floor / SERVER], stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        assert any("Server is ready" in line for line in server.stderr)
        pit_hears, table_hears = asyncio.run(heard_of(floor, made[0]["key"], made[1]["key"]))
    finally:
        server.kill()
        server.wait()
    assert pit_hears == [state_of(made[0]["key"])]
    assert table_hears == [commands_of(made[0]["key"])]


def test_the_floor_lists_its_people_and_its_tables(tmp_path: Path) -> None:
    journal = tmp_path / JOURNAL.name
    journal.write_bytes(JOURNAL.read_bytes())
    (known,) = answer("status", tmp_path)["tables"]
    assert (known["live"], known["lag"], known["journal"]) == (None, None, journal.name)
    config = config_of(tmp_path / "office", "office", people=f'publish = "{tmp_path}/people.signed"')
    words = ["people", "add", str(config), "A-01", "administrator"]
    assert CliRunner().invoke(build("people"), words, input="194736\n").exit_code == 0
    assert answer("users", config)["people"] == [{"id": "A-01", "role": "administrator", "disabled": False}]
    (tmp_path / "people.signed").unlink()
    assert call("users", config).exit_code == 1
    assert answer("users", config, "--publish")["same"] is True

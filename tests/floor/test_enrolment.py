"""`stand17 floor`: what a table gets, what the server then lets it say, and how the floor is listed."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from typer.testing import CliRunner, Result

from controller.cli.application import build
from controller.config import FloorSection
from controller.domain import ConfigError, JournalError
from controller.floor.archive import Archive
from controller.floor.intake import SECTION, SERVER, Intake, KnownTables
from controller.floor.messages import STATES, subject_of
from controller.floor.pit_link import ArchiveIntake, PitLink
from controller.floor.table_link import ServerAccess, stay_connected
from controller.main.linked_table import floor_section
from controller.ports import SystemClock
from tests.floor.archive_kit import ended, kept_of
from tests.floor.broker_kit import SERVER as PROGRAM
from tests.floor.broker_kit import free_port
from tests.floor.light_kit import LightTable, until
from tests.main.copy_kit import entries
from tests.tls_kit import Authority

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
    return await nats.connect(
        section.servers[0],
        user=section.user,
        password=access.password(),
        tls=access.tls(),
        inbox_prefix=section.inbox,
    )


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
        await table.subscribe(subject_of("command", key), cb=to_table)
    await pit.flush()
    await table.flush()
    for key in (other, own):
        await table.publish(subject_of("state", key), b"{}")
        await pit.publish(subject_of("command", key), b"{}")
    # A table has no receipts to give.
    await table.publish(subject_of("receipt", own), b"{}")
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
    with serving(floor):
        pit_hears, table_hears = asyncio.run(heard_of(floor, made[0]["key"], made[1]["key"]))
    assert pit_hears == [subject_of("state", made[0]["key"])]
    assert table_hears == [subject_of("command", made[0]["key"])]


@contextmanager
def serving(floor: Path) -> Iterator[None]:
    server = subprocess.Popen([PROGRAM, "-c", floor / SERVER], stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        assert any("Server is ready" in line for line in server.stderr)
        yield
    finally:
        server.kill()
        server.wait()


def test_no_member_hears_another_one_s_entries_or_answers(tmp_path: Path) -> None:
    """Under the house's own certificates; the pit asks, the archive takes, and a third table listens."""
    house, port, floor = Authority(tmp_path / "tls"), free_port(), tmp_path / "floor"
    own, archive = house.issue("floor", "IP:127.0.0.1"), tmp_path / "archive"
    where = ("--server", f"tls://127.0.0.1:{port}", "--into", floor, "--archive", archive)
    files = ("--certificate", own.certificate, "--key", own.key, "--authority", house.certificate)
    bare = call("enroll", config_of(tmp_path / "BJ1", "BJ1"), *where)
    assert isinstance(bare.exception, ConfigError)
    assert bare.exception.code == "FLOOR_CERTIFICATE"
    made = [answer("enroll", config_of(tmp_path / name, name), *where, *files) for name in ("BJ1", "BJ2")]
    heard, refused = list[str](), list[str]()

    async def hear(message: Any) -> None:
        heard.append(message.subject)

    async def refuse(error: Exception) -> None:
        refused.append(str(error))

    async def story() -> None:
        section = floor_section((), floor / "tables" / "BJ1" / SECTION)
        hostile = await connected(section)
        hostile._error_cb = refuse
        others = [f"_INBOX_{name}.>" for name in (made[1]["key"], "archive", "pit")]
        wanted = [
            "_INBOX.>",
            ">",
            "*.>",
            *others,
            subject_of("entries", "*"),
            subject_of("state", "*"),
            subject_of("receipt", made[1]["key"]),
        ]
        for subject in wanted:
            await hostile.subscribe(subject, cb=hear)
        await hostile.subscribe(f"{section.inbox}.>", cb=hear)
        await hostile.flush()
        kept = Archive(archive, SystemClock())
        access = ServerAccess(floor_section((), floor / "archive" / SECTION), "archive")
        running = asyncio.create_task(
            ArchiveIntake(Intake(kept), lambda _: None, 10).run(access, lambda _: None)
        )
        raw = floor_section((), floor / "tables" / "BJ2" / SECTION).model_dump()
        table = LightTable(tmp_path / "BJ2", raw)
        pit = PitLink(lambda *_: None, lambda _: None, lambda _: None)
        asking = asyncio.create_task(pit.run(ServerAccess(floor_section((), floor / "pit" / SECTION), "pit")))
        try:
            table.write(entries=3)
            table.send()
            await until(lambda: kept_of(archive, table.file) == entries(table.file))
            table.show()
            await until(lambda: pit._client is not None)
            assert b"seq" in await pit.ask(made[1]["key"], b"a question")
        finally:
            await ended(running)
            await ended(asking)
            await asyncio.to_thread(table.close)
            kept.close()
        # What the server lets through comes in its order.
        await hostile.flush()
        await hostile.close()
        assert len([one for one in refused if "permissions violation" in one.lower()]) == len(wanted)

    with serving(floor):
        asyncio.run(story())
    assert heard == []


def test_a_password_goes_to_no_server_without_tls(tmp_path: Path) -> None:
    """A server between says that it has no TLS: the client of the library gives it the password."""
    got = list[bytes]()
    password = tmp_path / "floor.password"
    password.write_text("five words of a house")

    async def imposter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id":"x","auth_required":true,"max_payload":1000,"headers":true}\r\n')
        while data := await reader.read(1000):
            got.append(data)
            writer.write(b"PONG\r\n")

    async def story() -> None:
        server = await asyncio.start_server(imposter, "127.0.0.1", 0)
        port, said = server.sockets[0].getsockname()[1], list[str]()
        section = FloorSection(servers=(f"tls://127.0.0.1:{port}",), user="u", password_file=password)

        async def nothing(_: Client) -> None:
            await asyncio.Event().wait()

        running = asyncio.create_task(
            stay_connected(ServerAccess(section, "x"), nothing, said.append, lambda _: None)
        )
        await until(lambda: said)
        await ended(running)
        server.close()
        assert "TLS" in said[0]

    asyncio.run(story())
    assert got == []


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

"""Somebody on the network who is no table, or another one: he shows, answers and archives nothing."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import Header

from controller.config import FloorSection
from controller.domain import TableError
from controller.floor.archive import Brought, findings_in
from controller.floor.intake import FILE, KEY
from controller.floor.messages import JOURNAL, NAME, Receipt, accepted, run_of, sealed, subject_of
from controller.floor.table_link import ServerAccess
from controller.journal.copying import Continued, lines_after
from controller.journal.head_file import Head, TableKey
from controller.main.linked_pit import LinkedFloor
from controller.screens.words import TEXT_MAX
from tests.floor.archive_kit import archiving, ended, kept_of
from tests.floor.broker_kit import Broker
from tests.floor.light_kit import LightTable, until
from tests.main.copy_kit import entries


@pytest.fixture
def table(broker: Broker, tmp_path: Path) -> Iterator[LightTable]:
    archive = tmp_path / "archive"
    archive.mkdir()
    trusted = TableKey.load_or_make(archive / KEY, {}).public
    with closing(LightTable(tmp_path / "BJ1", broker.section(archives=[trusted]))) as found:
        yield found


@pytest.fixture
def rogue(tmp_path: Path) -> TableKey:
    return TableKey.load_or_make(tmp_path / "rogue.key", {})


@asynccontextmanager
async def pit(broker: Broker, table: LightTable) -> AsyncIterator[LinkedFloor]:
    access = ServerAccess(FloorSection(servers=(broker.url,)), "pit")
    floor = LinkedFloor(access, None, lambda _: None, {table.key.public: "BJ1"}.get)
    running = asyncio.create_task(floor.run())
    try:
        yield floor
    finally:
        await ended(running)


def alerts(floor: LinkedFloor) -> dict[str, str]:
    return {name: one.line.code for name, one in floor.tiles().items() if name != "BJ1"}


def _is_dealt_by(floor: LinkedFloor, dealer: str) -> bool:
    return dealer_of(floor) == dealer


def dealer_of(floor: LinkedFloor) -> str:
    return floor.tiles()["BJ1"].dealer if "BJ1" in floor.tiles() else ""


def test_a_state_that_is_forged_or_was_shown_before_is_an_alert_and_no_state(
    broker: Broker, table: LightTable, rogue: TableKey
) -> None:
    recorded, own = list[Msg](), table.key.public

    async def record(message: Msg) -> None:
        recorded.append(message)

    async def story() -> None:
        client = await broker.client()
        await client.subscribe(subject_of("state", own), cb=record)
        async with pit(broker, table) as floor:
            for dealer in ("D-1", "D-2"):
                tile = table.show(dealer=dealer)
                await until(partial(_is_dealt_by, floor, dealer))
            assert alerts(floor) == {}
        lie = table.state(tile.model_copy(update={"dealer": "nobody"}))
        forged = [lie, recorded[0].data]
        forged += [sealed("state", b"run 999\n" + lie, key) for key in (rogue, table.key)]
        for data in forged:
            async with pit(broker, table) as floor:
                await until(lambda: dealer_of(floor))
                await client.publish(subject_of("state", own), data)
                await until(lambda: alerts(floor) == {f"BJ1 {own[:8]}": "alert.TABLE_NOT_PROVED"})
                assert dealer_of(floor) == "D-2"
        table.link.close()
        async with pit(broker, table) as later:
            # It is gone, and its last state was genuine.
            await client.publish(subject_of("state", own), recorded[-1].data)
            await asyncio.sleep(0.3)
            assert later.tiles() == {}
        await client.close()

    asyncio.run(story())


def test_a_table_of_another_name_is_not_believed(broker: Broker, table: LightTable, tmp_path: Path) -> None:
    async def story(other: LightTable) -> None:
        async with pit(broker, table) as floor:
            table.show()
            other.link.show(table.state(table.show(dealer="nobody")))
            other.show(table="BJ1")
            await until(lambda: alerts(floor) == {other.key.public[:8]: "alert.TABLE_NOT_KNOWN"})

    with closing(LightTable(tmp_path / "BJ2", broker.section())) as other:
        asyncio.run(story(other))


def test_a_text_of_any_length_reaches_no_page(broker: Broker, table: LightTable) -> None:
    """A dealer's name of 900 kB went to every page that was open."""

    async def story() -> None:
        async with pit(broker, table) as floor:
            table.show(dealer="D-1")
            await until(partial(_is_dealt_by, floor, "D-1"))
            table.show(dealer="x" * 20_000)
            await until(lambda: dealer_of(floor).startswith("x"))
            assert dealer_of(floor) == f"{'x' * TEXT_MAX}…"
            table.show(dealer="y" * 900_000)
            await until(lambda: alerts(floor) == {f"BJ1 {table.key.public[:8]}": "alert.TABLE_NOT_KNOWN"})
            assert dealer_of(floor).startswith("x")

    asyncio.run(story())


def test_an_answer_that_the_table_has_not_given_to_this_question_is_none(
    broker: Broker, table: LightTable, rogue: TableKey
) -> None:
    genuine = sealed("answer", accepted(7), table.key, "another question")

    async def story() -> None:
        client = await broker.client()
        async with pit(broker, table) as floor:
            table.show()
            await until(lambda: "BJ1" in floor.tiles())
            assert json.loads(await floor.link.ask(table.key.public, b"freeze")) == {"seq": 1}
            table.link.close()
            await _until_nobody_is_there(floor, table)
            for lie in (accepted(7), sealed("answer", accepted(7), rogue), genuine):
                served = await client.subscribe(subject_of("command", table.key.public), cb=_saying(lie))
                # The client asks for the pong before it has sent what waits.
                await client.flush()
                await client.flush()
                with pytest.raises(TableError, match="TABLE_UNANSWERED"):
                    await floor.link.ask(table.key.public, b"freeze")
                await served.unsubscribe()
        await client.close()

    asyncio.run(story())
    # The helper asks for views ("0") until the table is gone.
    assert [question for question in table.asked if question != b"0"] == [b"freeze"]


async def _until_nobody_is_there(floor: LinkedFloor, table: LightTable) -> None:
    """Until the server knows that the table has gone: what it answered before is its own word."""
    async with asyncio.timeout(60):
        while True:
            try:
                await floor.link.view(table.key.public, 0)
            except TableError as error:
                if error.code == "TABLE_NOT_REACHED":
                    return


def _saying(lie: bytes) -> Callable[[Msg], Awaitable[None]]:
    async def say(message: Msg) -> None:
        await message.respond(lie)

    return say


def test_entries_come_from_the_table_alone_whose_journal_it_is(
    broker: Broker, table: LightTable, rogue: TableKey, tmp_path: Path
) -> None:
    archive, took = tmp_path / "archive", list[Brought]()

    async def put(client: Client, subject: str, data: bytes, by: TableKey) -> None:
        attempt = secrets.token_hex(4)
        belongs = run_of(attempt, table.id, "BJ1")
        headers = {Header.MSG_ID: attempt, JOURNAL: table.id, NAME: "BJ1"}
        await client.publish(
            subject_of("entries", subject), sealed("run", data, by, belongs), headers=headers
        )

    async def story() -> None:
        client = await broker.client()
        async with archiving(broker, archive, took.append):
            await until(lambda: kept_of(archive, table.file) == entries(table.file))
            known = Continued(table.journal.head(), {})
            table.write(b'{"stake":1}', entries=3)
            lines = b"".join(lines_after(table.file, known, 4)[0])
            # True lines, and yet from somebody else: under the table's name, and under his own.
            await put(client, table.key.public, lines, rogue)
            await put(client, rogue.public, lines, rogue)
            await until(lambda: [one.error and one.error.code for one in took][-2:] == CODES)
            assert len(kept_of(archive, table.file)) == 1
            # What he says that the archive has stops nothing.
            lie = Receipt(table.id, Head(1, b"x" * 32), {}).encode()
            await client.publish(subject_of("receipt", table.key.public), sealed("receipt", lie, rogue, "1"))
            table.send()
            await until(lambda: kept_of(archive, table.file) == entries(table.file))
            # A spare machine's key is a line of the house.
            table.write(b'{"stake":2}')
            known = Continued(Head(4, entries(table.file)[3].hash), {})
            with (archive / FILE).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": rogue.public, "table": "BJ1"}) + "\n")
            await put(client, rogue.public, b"".join(lines_after(table.file, known, 5)[0]), rogue)
            await until(lambda: kept_of(archive, table.file) == entries(table.file))
        await client.close()

    asyncio.run(story())
    assert table.named == []
    assert [(one.source, one.code) for one in findings_in(archive)] == [(rogue.public, "ARCHIVE_FOREIGN")]


CODES = ["RUN_NOT_SIGNED", "ARCHIVE_FOREIGN"]


def test_an_entry_that_no_message_holds_is_an_alert_and_comes_when_one_does(
    tmp_path: Path,
) -> None:
    broker = Broker(tmp_path)
    broker.configure("max_payload: 8192")
    broker.start()
    table = LightTable(tmp_path / "BJ1", broker.section())

    async def story() -> None:
        async with archiving(broker, tmp_path / "archive", lambda _: None):
            table.write(b"x" * 9000)
            table.send()
            await until(lambda: table.named)
            broker.kill()
            broker.configure("max_payload: 65536")
            broker.start()
            await until(lambda: kept_of(tmp_path / "archive", table.file) == entries(table.file))

    try:
        asyncio.run(story())
    finally:
        table.close()
        broker.kill()
    assert table.named == ["FLOOR_LINE_TOO_LONG"]


def _tile_codes(floor: LinkedFloor) -> dict[str, str]:
    return {name: one.line.code for name, one in floor.tiles().items()}


def _with_key_of(folder: Path, key_of: LightTable) -> Path:
    """Another machine's folder with the key of this table."""
    folder.mkdir()
    (folder / "table.key").write_bytes((key_of.file.parent / "table.key").read_bytes())
    (folder / "table.key").chmod(0o600)
    return folder


@pytest.mark.parametrize("is_copied", [True, False], ids=["one key copied", "a key of its own"])
def test_two_machines_of_one_table_are_an_alert_and_no_command_goes_to_either(
    broker: Broker, table: LightTable, tmp_path: Path, *, is_copied: bool
) -> None:
    folder = tmp_path / "BJ1-spare"
    if is_copied:
        _with_key_of(folder, table)
    names = {table.key.public: "BJ1"}

    async def show(other: LightTable | None, until_s: asyncio.Event) -> None:
        """Both deal on, and show what they do."""
        number = 0
        while not until_s.is_set():
            number += 1
            table.show(dealer=f"D-{number}")
            if other is not None:
                other.show(table="BJ1", dealer=f"E-{number}")
            await asyncio.sleep(0.1)

    async def story() -> None:
        access = ServerAccess(FloorSection(servers=(broker.url,)), "pit")
        key = TableKey.load_or_make(tmp_path / "pit.key", {})
        floor = LinkedFloor(access, key, lambda _: None, names.get)
        running, over = asyncio.create_task(floor.run()), asyncio.Event()
        alone = asyncio.create_task(show(None, over))
        await until(lambda: "BJ1" in floor.tiles())
        over.set()
        await alone
        over = asyncio.Event()
        with closing(LightTable(folder, broker.section())) as other:
            names[other.key.public] = "BJ1"
            both = asyncio.create_task(show(other, over))
            await until(lambda: _tile_codes(floor).get("BJ1") == "alert.TABLE_TWICE")
            # It stays so, whoever has shown himself last.
            asked = len(table.asked), len(other.asked)
            for _ in range(20):
                assert _tile_codes(floor)["BJ1"] == "alert.TABLE_TWICE"
                with pytest.raises(TableError, match="TABLE_TWICE"):
                    floor.live("BJ1")
                await asyncio.sleep(0.05)
            assert (len(table.asked), len(other.asked)) == asked
            over.set()
            await both
            await asyncio.to_thread(other.link.close)
        over = asyncio.Event()
        alone = asyncio.create_task(show(None, over))
        await until(lambda: _tile_codes(floor).get("BJ1") not in {None, "alert.TABLE_TWICE"})
        assert floor.live("BJ1") is not None
        over.set()
        await alone
        await ended(running)

    asyncio.run(story())

"""How the floor's server is reached, by certificate and password, and what it is asked before it is used."""

import asyncio
import ssl
from contextlib import closing
from pathlib import Path

import nats
import pytest
from nats.errors import Error as NatsError
from typer.testing import CliRunner

from controller.cli.application import build
from controller.domain import ConfigError
from controller.floor.messages import subject_of
from controller.journal.head_file import TableKey
from tests.floor.archive_kit import archiving, kept_of
from tests.floor.broker_kit import Broker
from tests.floor.light_kit import LightTable, until
from tests.main.copy_kit import entries
from tests.tls_kit import Authority, Pem


def _may(key: str) -> str:
    """What docs/floor.md gives a table."""
    says = [subject_of("state", key), subject_of("entries", key)]
    takes = [subject_of("receipt", key), subject_of("command", key), subject_of("view", key), "_INBOX_bj1.>"]
    quoted = [", ".join(f'"{one}"' for one in names) for names in (says, takes)]
    return f"permissions: {{ publish: [{quoted[0]}], subscribe: [{quoted[1]}], allow_responses: true }}"


def _access(own: Pem, folder: Path) -> dict[str, object]:
    return {"authority": folder / "ca.crt", "certificate": own.certificate, "key": own.key}


def test_a_table_with_its_certificate_says_its_own_and_nothing_else(tmp_path: Path) -> None:
    tls = tmp_path / "tls"
    house = Authority(tls)
    server = house.issue("127.0.0.1", "IP:127.0.0.1")
    own, archive = house.issue("bj1"), house.issue("archive")
    stranger = Authority(tmp_path / "other", "Elsewhere").issue("bj1")
    folder = tmp_path / "BJ1"
    folder.mkdir()
    key = TableKey.load_or_make(folder / "table.key", {}).public
    broker = Broker(tmp_path)
    broker.url = broker.url.replace("nats:", "tls:")
    broker.configure(
        f'tls {{ cert_file: "{server.certificate}", key_file: "{server.key}"',
        f'  ca_file: "{tls / "ca.crt"}", verify_and_map: true }}',
        f'authorization {{ users: [ {{ user: "archive" }}, {{ user: "bj1", {_may(key)} }} ] }}',
    )
    broker.start()
    refused = list[str]()

    async def story(table: LightTable) -> None:
        async with archiving(broker, tmp_path / "archive", lambda _: None, **_access(archive, tls)):
            await until(lambda: kept_of(tmp_path / "archive", table.file) == entries(table.file))
            await _publish_elsewhere(broker, own, tls, refused)
            with pytest.raises((NatsError, OSError)):
                await nats.connect(broker.url, tls=_tls(stranger, tls), allow_reconnect=False)

    with closing(LightTable(folder, broker.section(inbox="_INBOX_bj1", **_access(own, tls)))) as table:
        asyncio.run(story(table))
    broker.kill()
    assert ["permissions violation" in one.lower() for one in refused] == [True]


async def _publish_elsewhere(broker: Broker, own: Pem, tls: Path, refused: list[str]) -> None:
    async def refuse(error: Exception) -> None:
        refused.append(str(error))

    client = await nats.connect(broker.url, tls=_tls(own, tls), error_cb=refuse)
    await client.publish(subject_of("state", "f" * 64), b"a lie")
    await client.flush()
    await until(lambda: refused)
    await client.close()


def _tls(own: Pem, tls: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=tls / "ca.crt")
    context.load_cert_chain(own.certificate, own.key)
    return context


def test_a_password_in_a_file_lets_in_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    broker, file = Broker(tmp_path), tmp_path / "password"
    broker.configure('authorization { users: [ { user: "floor", password: "five words of a house" } ] }')
    broker.start()
    file.write_text("a guess\n", encoding="utf-8")
    section = broker.section(user="floor", password_file=file)

    async def story(table: LightTable) -> None:
        await until(lambda: "authorization" in table.away.lower())
        file.write_text("five words of a house\n", encoding="utf-8")
        async with archiving(broker, tmp_path / "archive", lambda _: None, **section):
            await until(lambda: kept_of(tmp_path / "archive", table.file) == entries(table.file))

    with closing(LightTable(tmp_path / "BJ1", section)) as table:
        asyncio.run(story(table))
    broker.kill()


@pytest.mark.parametrize(("sync", "code"), [("2m", "FLOOR_NOT_SYNCED"), (None, "FLOOR_MONITOR")])
def test_an_archive_does_not_begin_on_a_server_that_may_lose_what_it_has_taken(
    tmp_path: Path, sync: str | None, code: str
) -> None:
    broker = Broker(tmp_path, sync or "always")
    if sync is not None:
        broker.start()
        broker.become_well()
    words = ["run", "--server", broker.url, "--into", str(tmp_path / "archive"), "--monitor", broker.monitor]
    try:
        answer = CliRunner().invoke(build("archive"), ["archive", *words])
    finally:
        broker.kill()
    assert isinstance(answer.exception, ConfigError)
    assert answer.exception.code == code

"""One member of the floor that sends as much as it can: the receipts of the others come all the same."""

import asyncio
import multiprocessing
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Final

import nats
import pytest
from nats.js.api import Header

from controller.floor.archive import Brought, findings_in
from controller.floor.messages import JOURNAL, NAME, run_of, sealed, subject_of
from controller.journal.copying import write_entry
from controller.journal.head_file import TableKey
from tests.floor.archive_kit import archiving, kept_of
from tests.floor.broker_kit import Broker
from tests.floor.hostile_kit import Odd, chained, opened
from tests.floor.light_kit import LightTable, until
from tests.main.copy_kit import entries

Said = tuple[str, bytes, dict[str, str]]

OTHERS: Final = 5
WITHIN_S: Final = 45.0
"""Five of five had no receipt in 60 s."""


async def _flood(url: str, said: list[Said], begun: Event) -> None:
    client = await nats.connect(url, pending_size=64_000_000)
    while True:
        for _ in range(max(1, 500_000 // sum(len(data) + 200 for _, data, _ in said))):
            for subject, data, headers in said:
                await client.publish(subject, data, headers=headers)
        await client.flush(timeout=60)
        begun.set()


def _flooding(url: str, said: list[Said], begun: Event) -> None:
    asyncio.run(_flood(url, said, begun))


@contextmanager
def flood(broker: Broker, said: list[Said]) -> Iterator[None]:
    spawn = multiprocessing.get_context("spawn")
    begun = spawn.Event()
    process = spawn.Process(target=_flooding, args=(broker.url, said, begun))
    process.start()
    try:
        assert begun.wait(60)
        yield
    finally:
        process.kill()
        process.join()


def _runs(key: TableKey, kind: str) -> list[Said]:
    """What a hostile table sends again and again."""
    journal = chained([opened("BJ0"), *[Odd("fact", b'{"x":"%b"}' % (b"y" * 1000))] * 200])
    first, attempts = journal[0].hash.hex(), [secrets.token_hex(4) for _ in range(500)]
    lines = b"".join(write_entry(entry) + b"\n" for entry in journal)
    headers, subject = {JOURNAL: first, NAME: "BJ0"}, subject_of("entries", key.public)
    match kind:
        case "small unsigned runs":
            return [(subject, b"x", headers)]
        case "large unsigned runs":
            return [(subject, lines + b"x" * 500_000, headers)]
        case "signed runs":
            return [
                (
                    subject,
                    sealed("run", lines, key, run_of(one, first, "BJ0")),
                    headers | {Header.MSG_ID: one},
                )
                for one in attempts
            ]
        case "runs of an endless header":
            return [(subject, b"x", {JOURNAL: '"' * 600_000, NAME: "BJ0"})]
        case _:
            return [
                (subject, sealed("run", b"", key, run_of(one, first, "BJ0")), headers | {Header.MSG_ID: one})
                for one in attempts
            ]


@pytest.mark.parametrize(
    "kind",
    ["small unsigned runs", "large unsigned runs", "signed runs", "runs of an endless header", "questions"],
)
def test_receipts_of_the_other_tables_come_in_time_under_a_flood(
    broker: Broker, tmp_path: Path, kind: str
) -> None:
    key = TableKey.load_or_make(tmp_path / "hostile.key", {})
    archive, took = tmp_path / "archive", list[Brought]()

    async def story(tables: list[LightTable]) -> None:
        async with archiving(broker, archive, took.append):
            await until(lambda: all(kept_of(archive, one.file) == entries(one.file) for one in tables))
            with flood(broker, _runs(key, kind)):
                await asyncio.sleep(2)
                for _ in range(3):
                    for one in tables:
                        one.write(b'{"stake":1}')
                        one.send()
                    async with asyncio.timeout(WITHIN_S):
                        await until(
                            lambda: all(kept_of(archive, one.file) == entries(one.file) for one in tables)
                        )

    with ExitStack() as opened_tables:
        tables = [
            opened_tables.enter_context(closing(LightTable(tmp_path / f"BJ{number}", broker.section())))
            for number in range(1, OTHERS + 1)
        ]
        asyncio.run(story(tables))
    assert list(findings_in(archive)) == []

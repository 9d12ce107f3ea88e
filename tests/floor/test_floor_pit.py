"""`stand17 pit --server`: tables of the network beside those of folders, live, and ruled on from there."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from controller.acts.catalogue import Bet, Close
from controller.journal.head_file import TableKey
from controller.runtime.api import Resume
from tests import people_kit
from tests.floor.archive_kit import archiving
from tests.floor.broker_kit import Broker
from tests.floor.floor_kit import run_linked
from tests.forked_process import Forked
from tests.main.copy_kit import cards, entries
from tests.main.live_kit import Live

THERE = "/pit/tables/BJ1/api"


class PitPage(Live):
    """The pit's page, as its browser asks for it."""

    def __init__(self, live: Live, address: str) -> None:
        super().__init__(live.table, address.removesuffix("pit/floor").rstrip("/"))

    async def sign_in(self, person: str) -> None:
        status, said = await self.post("/pit/api/session", {"actor": person, "pin": people_kit.PINS[person]})
        assert status == 200, said

    async def tile(self) -> dict[str, Any]:
        found = [one for one in await self.get("/pit/api/tables") if one["table"] == "BJ1"]
        return found[0] if found else {}

    async def tile_until(self, name: str, value: object) -> None:
        began = time.monotonic()
        while (await self.tile()).get(name) != value:
            assert time.monotonic() < began + 120, await self.get("/pit/api/tables")
            await asyncio.sleep(0.01)


@asynccontextmanager
async def pit(broker: Broker, folder: Path, live: Live, *words: str | Path) -> AsyncIterator[PitPage]:
    people, key = people_kit.people_file(folder), folder / "pit.key"
    more = ("--server", broker.url, "--people", people, "--key", key, "--port", "0")
    process = await asyncio.to_thread(Forked, "pit", *words, *more)
    try:
        page = PitPage(live, (await asyncio.to_thread(process.stdout.readline)).strip())
        await page.sign_in("S-02")
        yield page
    finally:
        process.terminate()
        assert await asyncio.to_thread(process.wait, 60) == 0


def test_the_pit_sees_a_table_at_once_and_stops_it_from_its_page(broker: Broker, tmp_path: Path) -> None:
    archive, journal = tmp_path / "archive", tmp_path / "table.journal"
    own = TableKey.load_or_make(tmp_path / "pit.key", {})

    async def story(live: Live) -> None:
        await live.ask(Resume())
        async with archiving(broker, archive, lambda _: None):
            await live.until(lambda: bool(list(archive.glob("*.journal"))))
            async with pit(broker, tmp_path, live, archive) as page:
                await page.tile_until("opens", value=True)
                for stake in (1000, 0, 2000):
                    await live.say(Bet(1, 0, stake))
                    await page.tile_until("seats", [("stake" if stake else "empty"), *["empty"] * 6])
                assert (await page.tile())["elsewhere"] is False
                await live.say(Close(), *cards("10", "9"))
                seen = await page.get(f"{THERE}/state")
                # Of these cards the archive knows nothing yet: the view is the table's own.
                async with asyncio.timeout(20):
                    while (seen := await page.get(f"{THERE}/state"))["seq"] < live.now.seq:
                        await asyncio.sleep(0.05)
                note = {"do": "freeze", "note": "count the float"}
                asked = {
                    "command_id": "from-the-pit",
                    "expected_seq": seen["seq"],
                    "role": "pit",
                    "act": note,
                }
                status, said = await page.post(f"{THERE}/commands", asked)
                assert (status, live.holds) == (200, ["FROZEN"]), said
                # Nothing is wrong with the round: it waits for a person, as the dealer's line says.
                await page.tile_until("tone", "push")
                message = {"obs": "message", "text": "wait for the float"}
                asked |= {"command_id": "also-from-there", "expected_seq": said["seq"]}
                asked["act"] = {"do": "observe", "obs": message}
                status, said = await page.post(f"{THERE}/commands", asked)
                assert status == 200, said
                asked |= {
                    "command_id": "lifted-from-there",
                    "act": {"do": "resume"},
                    "expected_seq": said["seq"],
                }
                assert (await page.post(f"{THERE}/commands", asked))[0] == 200
                assert live.holds == []
                broker.kill()
                asked |= {"command_id": "too-late-from-there", "act": note}
                status, said = await page.post(f"{THERE}/commands", asked)
                assert (status, said["code"]) == (409, "refused.TABLE_NOT_REACHED")

    run_linked(tmp_path, story, broker, commanders=(own.public,))
    assert [one.kind for one in entries(journal)].count("commanded") == 3

"""A whole live table as `stand17 run` puts it together, but for the page's people, who are the test."""

import asyncio
import json
import ssl
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from controller.acts.catalogue import Observation
from controller.config import BY_ONE, TableConfig
from controller.devices.cameras.setup import camera_setups
from controller.devices.shoes import CardSourceFactory
from controller.main.compose import TableSetup, run_table
from controller.main.trust import TablePeople
from controller.people.access import AccessSettings
from controller.runtime.api import Accepted, Action, Command, Observe, Rejected, Role, TableSnapshot
from controller.runtime.door import TableTask
from tests import people_kit

Story = Callable[["Live"], Awaitable[None]]


class Live:
    """The running table, and its page as a screen sees it."""

    def __init__(self, table: TableTask, page: str, trust: ssl.SSLContext | None = None) -> None:
        self.table = table
        self.page = page
        self._presses = 0
        self._cookies = ""
        self._trust = trust

    @property
    def now(self) -> TableSnapshot:
        return self.table.hub.latest()

    @property
    def holds(self) -> list[str]:
        return [hold.code for hold in self.now.holds]

    @property
    def alerts(self) -> list[str]:
        return [alert.code for alert in self.now.alerts]

    def device(self, name: str) -> str:
        return next(device.state for device in self.now.devices if device.name == name)

    async def ask(self, action: Action, *, role: Role = "pit") -> Accepted | Rejected:
        self._presses += 1
        command = Command(f"press-{self.now.seq}-{self._presses}", "p7", role, None, action)
        return await self.table.submit(command)

    async def say(self, *observations: Observation) -> None:
        """People's facts, each accepted."""
        for observation in observations:
            answer = await self.ask(Observe(observation))
            assert isinstance(answer, Accepted), (observation, answer)

    async def until(self, holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                while not holds():
                    await asyncio.sleep(0.003)
        except TimeoutError:
            raise AssertionError((self.holds, self.alerts, self.now.expected, self.now.devices)) from None

    @property
    def looking(self) -> dict[str, str]:
        """The header of the screen that this kit is."""
        return {"Cookie": self._cookies}

    async def sign_in(self, person: str) -> None:
        """Sign somebody in at the screen that this kit is from now on."""
        status, said = await self.post("/api/session", {"actor": person, "pin": people_kit.PINS[person]})
        assert status == 200, said

    async def get(self, path: str) -> Any:
        """What the page's server answers, as JSON."""
        return await asyncio.to_thread(self._get, path)

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Send JSON as a screen does; the status and the answer."""
        return await asyncio.to_thread(self._send, path, body)

    def _get(self, path: str) -> Any:
        request = urllib.request.Request(self.page + path, headers={"Cookie": self._cookies})
        with urllib.request.urlopen(request, timeout=60, context=self._trust) as answer:
            return json.load(answer)

    def _send(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "Cookie": self._cookies}
        request = urllib.request.Request(self.page + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self._trust) as answer:
                self._cookies = answer.headers.get("Set-Cookie", self._cookies).partition(";")[0]
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)


def play(
    folder: Path,
    story: Story,
    shoe: dict[str, Any] | None,
    trust: ssl.SSLContext | None = None,
    cards: CardSourceFactory | None = None,
    within_s: float = 110,
    **sections: Any,
) -> None:
    """Run a table on a new journal until the story is told; without a shoe the first camera deals.

    `trust` is what the screen knows the table's certificate by. `cards` takes the place of the configured
    source.
    """
    raw = {
        "table": {
            "name": "BJ1",
            "rules": sections.pop("rules", "spielbank"),
            "second_person": sections.pop("second_person", BY_ONE),
            **sections.pop("table", {}),
        },
        "journal": {"file": folder / "table.journal", "slow_ms": 5000},
        "web": {"port": 0},
        "software": {"allow_unreleased": True},
        **({} if shoe is None else {"shoe": shoe}),
        **sections,
    }
    pages: list[str] = []
    source = (sections["camera"][0] if shoe is None else shoe).get("name", "shoe")

    async def people(table: TableTask, stop: asyncio.Event) -> None:
        live = Live(table, pages[0].rstrip("/"), trust)
        await live.sign_in(people_kit.DEALER)
        await live.until(lambda: live.device(source) == "live")
        await story(live)
        stop.set()
        await asyncio.Event().wait()

    config = TableConfig.model_validate(raw)
    staff = TablePeople(people_kit.BOOK, AccessSettings())
    setting = TableSetup(
        config, folder, pages.append, camera_setups(config), cards=cards, tasks=(people,), people=staff
    )
    asyncio.run(asyncio.wait_for(run_table(setting), within_s))

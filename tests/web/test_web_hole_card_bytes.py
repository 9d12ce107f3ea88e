"""Two tables that differ in nothing but the hole card answer every role alike, byte for byte.

Over HTTP and over the socket that stays open, with refusals, logs and the names and sizes of files.
"""

import http.client
import json
import logging
import random
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from web_kit import Served
from websockets.sync.client import connect

from controller.acts.catalogue import Bet, CardSeen, Close
from controller.domain import RANKS, Rank
from controller.feed.codec import to_json
from controller.ports import Report
from controller.rules import load_rules
from controller.web.parts import WebSettings
from tests import people_kit
from tests.own_houses import HOLE_CARD_HOUSES
from tests.runtime.test_hole_card_property import SEEDS_ASKED, pair, rulings, seeds_of

READS: Final = ("/api/state", "/api/facts", "/metrics", "/api/session", "/api/pictures/none", "/nowhere")
ONE_OF_EACH: Final = tuple({role: person for person, role in people_kit.PEOPLE}.values())
AUDITOR: Final = next(one for one, role in people_kit.PEOPLE if role == "surveillance")
"""Reads every page."""
MOMENT_US: Final = 1_790_000_000_000_000
OF_THE_MOMENT: Final = (b"_created", b"/CreationDate", b"/ID")
"""In a line of the metrics or of a PDF that tells when it was made."""
VARIES: Final = frozenset(("date", "set-cookie"))


CALM: Final = WebSettings(heartbeat_ms=600_000)
SEEDS: Final = seeds_of(SEEDS_ASKED) or range(17, 18)


class StoppedClock:
    """Both tables live in the same moment."""

    def mono_ns(self) -> int:
        return 10**12

    def utc_us(self) -> int:
        return MOMENT_US


class Screen:
    """What one person's screen is answered, whole: status, headers in their order, body."""

    def __init__(self, served: Served, person: str, sockets: ExitStack) -> None:
        self._served = served
        self._headers = {"Cookie": served.sign_in(person), "Content-Type": "application/json"}
        self.told: list[object] = []
        headers = {"Cookie": self._headers["Cookie"]}
        # Without a bound: screens are read in turn, and the server closes one that reads nothing.
        line = connect(f"ws://{served.host}/ws", additional_headers=headers, max_queue=None)
        self._socket = sockets.enter_context(line)
        self._receive("snapshot")

    def _receive(self, kind: str) -> str:
        """The next message of this kind; states in between are as many as the machine is quick."""
        while True:
            text = str(self._socket.recv(timeout=60))
            if json.loads(text)["type"] == kind:
                return text

    def look(self) -> None:
        """What the socket shows now, and what it says to nonsense."""
        self._socket.send('{"role": "system", "obs": "reveal"}')
        self.told.append(self._receive("snapshot"))

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self._served.port, timeout=30)
        line.request(method, path, None if body is None else json.dumps(body), self._headers)
        answer = line.getresponse()
        lines = answer.read().splitlines()
        kept = [one for one in lines if not any(word in one for word in OF_THE_MOMENT)]
        # A counter tells when it was made, with more digits or fewer.
        varies = VARIES | {"content-length"} if path == "/metrics" else VARIES
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in varies]
        self.told.append((path, answer.status, headers, kept))
        line.close()


def pages(served: Served) -> list[str]:
    """Every address that answers, each part of it with a value that there is."""
    app: Any = served._server.config.app
    found = [path for path in dict.fromkeys(addresses(app.routes)) if path not in READS]
    assert {"/api/figures", "/api/ledger", "/api/rounds", "/api/audit", "/api/report/{form}"} <= {*found}
    forms = [path.replace("{form}", form) for path in found for form in ("page", "json", "csv", "pdf")]
    known = {"at": "0", "language": "en"}
    return [
        re.sub(r"{(\w+).*?}", lambda part: known.get(part[1], "1"), path) for path in dict.fromkeys(forms)
    ]


def addresses(routes: Iterable[Any]) -> Iterator[str]:
    """The path of each route that takes GET, those of included routers, too."""
    for route in routes:
        if "GET" in (getattr(route, "methods", None) or ()):
            yield route.path
        yield from addresses(route.original_router.routes if hasattr(route, "original_router") else ())


def story(folder: Path, house: str, up: Rank, hole: Rank, seed: int) -> list[object]:
    """Everything that is answered, for all roles in turn, while every ruling is tried."""
    served = Served(folder, rules=house, enforced=True, settings=CALM)
    served._clock = StoppedClock()  # type: ignore[assignment]  # the kit makes its own
    with served, ExitStack() as sockets:
        screens = [Screen(served, person, sockets) for person in ONE_OF_EACH]
        served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        order: list[Rank] = ["7", "8", up, "6", "5", hole]
        if load_rules(house, {}, Path()).hole_card == "first_down":
            order = ["7", "8", hole, "6", "5", up]
        for n, rank in enumerate(order):
            before = served.now.seq
            seen = CardSeen(rank, "s", by="shoe", id=f"shoe.{n}", p=0.9 + RANKS.index(rank) / 200)
            served._loop.call_soon_threadsafe(served._table.post, Report("shoe", 0, (seen,)))
            served.until(lambda: served.now.seq > before)  # noqa: B023 - awaited within the turn
        for number, ruling in enumerate(rulings(random.Random(seed))):
            obs = to_json(ruling)
            act = {"do": "observe", "obs": obs}
            for place, screen in enumerate(screens):
                role = ("dealer", "pit")[(number + place) % 2]
                command = {"command_id": f"{number}-{place}-command", "expected_seq": served.now.seq}
                screen.ask("POST", "/api/preview", {"obs": obs})
                screen.ask("POST", "/api/commands", {**command, "role": role, "act": act})
            for path in READS:
                screens[number % len(screens)].ask("GET", path)
            screens[number % len(screens)].look()
        for screen in screens:
            screen.look()
        for path in pages(served):
            screens[ONE_OF_EACH.index(AUDITOR)].ask("GET", path)
        statuses = {one[0]: one[1] for one in screens[ONE_OF_EACH.index(AUDITOR)].told if type(one) is tuple}
        assert {statuses[path] for path in ("/api/figures", "/api/ledger", "/api/report/pdf")} == {200}
    files = sorted((path.name, path.stat().st_size) for path in folder.iterdir())
    return [*(one for screen in screens for one in screen.told), *files]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "house",
    HOLE_CARD_HOUSES if SEEDS_ASKED else ["nl", pytest.param("de", marks=pytest.mark.night)],
)
def test_no_answer_to_anybody_tells_the_hole_card(
    tmp_path: Path, house: str, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(f"{house} {seed}")
    up = chance.choice(RANKS)
    stories = []
    for hole in pair(load_rules(house, {}, Path()), up, chance):
        (tmp_path / hole).mkdir()
        with caplog.at_level(logging.DEBUG):
            told = story(tmp_path / hole, house, up, hole, seed)
        logged = [
            one.getMessage() for one in caplog.records if one.name.startswith(("controller", "uvicorn"))
        ]
        caplog.clear()
        stories.append([*told, *logged])
    first, second = stories
    assert len(first) == len(second)
    for mine, its in zip(first, second, strict=True):
        assert mine == its

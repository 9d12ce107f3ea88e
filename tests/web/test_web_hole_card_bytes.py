"""Two tables that differ in nothing but the hole card answer every role alike, byte for byte."""

import http.client
import json
import random
from pathlib import Path
from typing import Any, Final

import pytest
from web_kit import Served

from controller.domain.cards import RANKS, Rank
from controller.domain.observations import Bet, CardSeen, Close
from controller.feed.codec import to_json
from controller.ports import Report
from controller.rules import load_rules
from tests import people_kit
from tests.runtime.test_hole_card_property import HOUSES, pair, rulings

READS: Final = ("/api/state", "/api/facts", "/metrics", "/api/session", "/api/pictures/none", "/nowhere")
ONE_OF_EACH: Final = tuple({role: person for person, role in people_kit.PEOPLE}.values())
MOMENT_US: Final = 1_790_000_000_000_000
VARIES: Final = frozenset(("date", "set-cookie"))


class StoppedClock:
    """Both tables live in the same moment."""

    def mono_ns(self) -> int:
        return 10**12

    def utc_us(self) -> int:
        return MOMENT_US


class Screen:
    """What one person's screen is answered, whole: status, headers in their order, body."""

    def __init__(self, served: Served, person: str) -> None:
        self._served = served
        self._headers = {"Cookie": served.sign_in(person), "Content-Type": "application/json"}
        self.told: list[object] = []

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self._served.port, timeout=30)
        line.request(method, path, None if body is None else json.dumps(body), self._headers)
        answer = line.getresponse()
        lines = answer.read().splitlines()
        kept = [one for one in lines if b"_created" not in one]
        # A counter tells when it was made, with more digits or fewer.
        varies = VARIES | {"content-length"} if path == "/metrics" else VARIES
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in varies]
        self.told.append((path, answer.status, headers, kept))
        line.close()


def story(folder: Path, house: str, up: Rank, hole: Rank, seed: int) -> list[object]:
    """Everything that is answered, for all roles in turn, while every ruling is tried."""
    served = Served(folder, rules=house, enforced=True)
    served._clock = StoppedClock()  # type: ignore[assignment]  # the kit makes its own
    with served:
        screens = [Screen(served, person) for person in ONE_OF_EACH]
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
    files = sorted(path.name for path in folder.iterdir())
    return [*(one for screen in screens for one in screen.told), *files]


@pytest.mark.parametrize("house", HOUSES[:2])
def test_no_answer_to_anybody_tells_the_hole_card(tmp_path: Path, house: str) -> None:
    chance = random.Random(f"{house} 17")
    up = chance.choice(RANKS)
    stories = []
    for hole in pair(load_rules(house, {}, Path()), up, chance):
        (tmp_path / hole).mkdir()
        stories.append(story(tmp_path / hole, house, up, hole, 17))
    first, second = stories
    assert len(first) == len(second)
    for mine, its in zip(first, second, strict=True):
        assert mine == its

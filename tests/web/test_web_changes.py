"""A screen that asks for changes has the whole table all the same, and is sent a fraction of it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from changes_kit import ChangesScreen
from web_kit import Served
from websockets.sync.client import connect

from controller.acts.catalogue import Bet, Close, Decision, Reveal

BOXES: Final = tuple(range(1, 8))
CARDS: Final = (
    "10h",
    "9d",
    "8s",
    "7c",
    "Jd",
    "9c",
    "8h",
    "6c",
    "8d",
    "9s",
    "10s",
    "Kd",
    "8c",
    "9h",
    "7s",
    "Qd",
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


@pytest.fixture
def screen(served: Served) -> Iterator[ChangesScreen]:
    with connect(f"ws://{served.host}/ws?changes=true", additional_headers=served.looking) as socket:
        yield ChangesScreen(socket)


def whole(served: Served) -> dict[str, object]:
    """The view as it is for who asks for all of it, without the ages of devices."""
    return still(served.state())


def still(view: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in view.items() if name not in {"devices", "at_utc_us"}}


def test_a_round_told_by_changes_is_the_round(served: Served, screen: ChangesScreen) -> None:
    steps: tuple[Callable[[], None], ...] = (
        partial(served.say, *(Bet(box, 0, 1000) for box in BOXES), Close()),
        *(partial(served.deal, card) for card in CARDS),
        *(partial(served.say, Decision(box, 1, "stand")) for box in BOXES),
        partial(served.say, Reveal()),
        partial(served.deal, "5h"),
    )
    for step in steps:
        step()
        assert still(screen.follow(served.now.seq)) == whole(served)


def test_what_has_not_changed_is_not_sent(served: Served, screen: ChangesScreen) -> None:
    served.say(*(Bet(box, 0, 1000) for box in BOXES), Close())
    served.deal(*CARDS[:-1])
    screen.follow(served.now.seq)
    screen.told.clear()
    served.deal("Qd")
    screen.follow(served.now.seq)
    hands = {box for message in screen.told for box, row in message["boxes"].items() if "hands" in row}
    assert hands == {"1"}, "box 1 is to act now, the others' cards lie as they lay"
    assert not any("chips" in message["fields"] for message in screen.told)


def test_whoever_asks_gets_the_whole_table_again(served: Served) -> None:
    with connect(f"ws://{served.host}/ws?changes=true", additional_headers=served.looking) as socket:
        screen = ChangesScreen(socket)
        screen.follow(served.now.seq)
        served.say(Bet(1, 0, 1000))
        screen.view = {}
        socket.send("{}")
        assert still(screen.follow(served.now.seq)) == whole(served)

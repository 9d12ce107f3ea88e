"""The demo's whole way of a card: what the drawn camera sees is held against what the shoe has said."""

import asyncio
import json
from pathlib import Path
from random import Random

import pytest

from controller.cli.demo import run_demo
from controller.devices.cameras.setup import CameraSetup
from controller.domain import Card
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.main.compose import TableSetup, run_table
from controller.runtime.api import AlertView, Autoplay, Command
from controller.runtime.door import TableTask
from controller.simulation.demo import DemoPlan, DrawnPictures, box_at, demo_config
from controller.simulation.felt import World
from controller.simulation.players import PlayPace, SimulatedPeople
from drivers.simulated import PtyShoe, SimulatedShoeCards

LOOKS_S = 4.0
"""Time for some pictures of a table at which nothing happens any more."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


class LyingShoe(PtyShoe):
    """Reads every card as the next higher rank."""

    def deal(self, rank: str | None, suit: str | None, target: int = 0, place: int = 1) -> bool:
        assert rank is not None
        return super().deal(RANKS[(RANKS.index(rank) + 1) % 13], suit, target, place)


def alerts_of(folder: Path, shoe: PtyShoe, *, cards: int) -> tuple[AlertView, ...]:
    """Play until camera and table disagree, or until so many cards lie and were looked at."""
    world = World(shoe, seed=3)
    plan = DemoPlan(folder, 3, 0, 2.0, "spielbank", 0, manual=False)
    found: list[AlertView] = []

    async def people(table: TableTask, stop: asyncio.Event) -> None:
        await SimulatedPeople(table, world, PlayPace(6.0, 0), seed=3).play(stop)

    async def observer(table: TableTask, stop: asyncio.Event) -> None:
        async for _, now in table.hub.subscribe():
            if now.alerts:
                break
            if now.state.shoe.seen >= cards:
                await table.submit(Command("", "test", "system", None, Autoplay(on=False)))
                await asyncio.sleep(LOOKS_S)
                break
        found.extend(table.hub.latest().alerts)
        stop.set()
        await asyncio.Event().wait()

    config = demo_config(plan, folder / "demo.journal", shoe.port)
    eyes = (CameraSetup(config.camera[0], DrawnPictures(world, 3, "camera").camera, box_at),)
    setting = TableSetup(
        config, Path(), lambda _: None, eyes, mode="simulation", tasks=(people, observer), ports=1
    )
    try:
        asyncio.run(asyncio.wait_for(run_table(setting), 600))
    finally:
        shoe.close()
    return tuple(found)


def test_a_shoe_that_misreads_is_contradicted_by_the_camera(tmp_path: Path) -> None:
    alerts = alerts_of(tmp_path, LyingShoe(), cards=500)
    assert {alert.code for alert in alerts} <= {"CAMERA_DISAGREES", "CAMERA_DISAGREES_DEALER"}
    assert alerts
    assert all(alert.severity == "critical" for alert in alerts)


def test_an_honest_shoe_is_never_contradicted(tmp_path: Path) -> None:
    assert alerts_of(tmp_path, PtyShoe(), cards=12) == ()


def test_a_resumed_demo_goes_on_with_the_cards_of_the_same_shoe(tmp_path: Path) -> None:
    for _ in range(2):
        plan = DemoPlan(tmp_path, 8, 0, 0.0, "spielbank", 1, manual=False)
        asyncio.run(asyncio.wait_for(run_demo(plan, lambda _: None), 600))
    reader = JournalReader(tmp_path / "demo.journal")
    bodies = [json.loads(entry.body) for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    out = [Card(body["rank"], body["suit"]) for body in bodies if body.get("obs") == "card"]
    shoe = SimulatedShoeCards(Random("8 1"), 6)
    assert len(out) > 20
    assert out == [next(shoe) for _ in out]
    assert [body["codes"] for body in bodies if "codes" in body] == [["RESTARTED"]]


def test_a_demo_whose_cards_a_camera_sees_deals_the_cards_of_the_shoe(tmp_path: Path) -> None:
    plan = DemoPlan(tmp_path, 17, 0, 0.0, "spielbank", 1, manual=False, mouth=True)
    asyncio.run(asyncio.wait_for(run_demo(plan, lambda _: None), 600))
    reader = JournalReader(tmp_path / "demo.journal")
    bodies = [json.loads(entry.body) for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    out = [Card(body["rank"], body["suit"]) for body in bodies if body.get("obs") == "card"]
    shoe = SimulatedShoeCards(Random("17 1"), 6)
    assert len(out) > 8
    assert out == [next(shoe) for _ in out]


@pytest.mark.parametrize(
    ("speed", "camera"), [(0.0, "simulated"), pytest.param(1.0, "overhead", marks=pytest.mark.night)]
)
def test_a_demo_with_a_camera_over_the_layout_takes_its_cards_from_there(
    speed: float, camera: str, tmp_path: Path
) -> None:
    """At the speed of hands the camera reads drawn pictures."""
    plan = DemoPlan(tmp_path, 17, 0, speed, "nl", 1, manual=False, source="camera")
    asyncio.run(asyncio.wait_for(run_demo(plan, lambda _: None), 600))
    reader = JournalReader(tmp_path / "demo.journal")
    entries = [entry for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    read = [(entry.actor, json.loads(entry.body)) for entry in entries]
    lying = [
        Card(body["rank"], body.get("suit"))
        for actor, body in read
        if body.get("obs") == "card" and actor == f"device:{camera}"
    ]
    named = [card for card in lying if card.rank is not None]
    assert len(named) > 8
    assert named == [card for card in SimulatedShoeCards(Random("17 1"), 1) if card in named]
    assert "device:shoe" not in {actor for actor, _ in read}
    assert not [entry for entry in entries if entry.kind == "held"]


def test_the_shoe_of_a_demo_is_locked_while_a_fault_waits_for_the_pit(tmp_path: Path) -> None:
    plan = DemoPlan(tmp_path, 17, 0, 0.0, "spielbank", 4, manual=False, faults=True)
    asyncio.run(asyncio.wait_for(run_demo(plan, lambda _: None), 600))
    reader = JournalReader(tmp_path / "demo.journal")
    entries = [entry for entry in reader.read() if isinstance(entry, Entry)]
    reader.close()
    read = [(entry.kind, json.loads(entry.body)) for entry in entries]
    answers = [(body["order"], body["code"]) for kind, body in read if kind == "answered"]
    assert answers[:2] == [("lock", ""), ("unlock", "")]
    assert {code for _, code in answers} == {""}
    assert len([1 for kind, _ in read if kind == "settled"]) >= 4

"""The demo by each source of cards: nothing holds, and each round pays what it was to pay."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.config import CardsFrom
from controller.rules import HOUSES
from controller.runtime.door import TableTask
from controller.simulation import players
from controller.simulation.demo import STACKED
from controller.simulation.felt import SilentShoe, World, cards_at_hands
from controller.simulation.moves import DRAWS, amounts
from controller.simulation.players import PlayPace, SimulatedPeople
from tests.simulation.fault_kit import ACTS_MAX, FaultTable

ROUNDS = 2


@pytest.mark.parametrize("source", ["shoe", "camera", "both"])
@pytest.mark.parametrize("house", HOUSES)
def test_rounds_are_paid_as_planned_and_nothing_holds(house: str, source: CardsFrom, tmp_path: Path) -> None:
    table = FaultTable(tmp_path, house, seed=11, source=source)
    paid: dict[int, tuple[object, object]] = {}
    for _ in range(ACTS_MAX):
        table.act()
        now = table.now
        assert not table.codes, (table.codes, now.holds, now.expected)
        planned = table.players.planned
        if now.expected.code == "SETTLED" and planned is not None:
            paid[now.state.book.number] = (amounts(now.state), planned)
        if now.state.book.number > ROUNDS:
            break
    table.close()
    assert list(paid) == [*range(1, ROUNDS + 1)]
    assert all(given == planned for given, planned in paid.values())
    assert table.refused == []


@pytest.mark.parametrize("source", ["camera", "both"])
def test_a_dealer_draws_no_second_card_while_a_slow_camera_has_not_seen_the_first(
    source: CardsFrom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = FaultTable(tmp_path, "nl", seed=11, source=source)
    while table.now.expected.code not in DRAWS:
        table.act()
    drawn: list[object] = []

    def deal(*asked: Any) -> object:
        drawn.append(World.deal(table.world, *asked))
        return drawn[-1]

    monkeypatch.setattr(table.world, "deal", deal)
    monkeypatch.setattr(players, "EFFECT_S", 0.01)
    people = SimulatedPeople(cast("TableTask", table.door), table.world, PlayPace(0, 0), seed=11)

    async def dealing() -> None:
        playing = asyncio.create_task(people.play(asyncio.Event()))
        await asyncio.sleep(0.5)
        playing.cancel()

    asyncio.run(dealing())
    table.close()
    assert len(drawn) == 1


def test_a_card_that_is_out_and_not_counted_yet_comes_out_of_the_shoe_once(tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "nl", seed=11, source="both")
    while table.now.expected.code not in DRAWS:
        table.act()
    world = table.world
    world.follow(table.now.state)
    first, following = world.ahead(2)
    assert (world.deal(), table.now.state.shoe.seen) == (first, 0)
    world.follow(table.now.state)
    table.close()
    assert world.ahead(1) == (following,)


def test_a_camera_at_a_mouth_that_nothing_reads_is_refused() -> None:
    asked = CliRunner().invoke(build("demo"), ["demo", "--headless", "--source", "camera", "--mouth"])
    assert asked.exit_code == 2
    assert "--source camera" in asked.output


def test_a_resumed_table_has_the_same_cards_on_the_layout_and_in_the_shoe(tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "nl", seed=11, source="camera")
    while table.now.expected.code != "PLAYER":
        table.act()
    again = World(SilentShoe(), 11, camera_deals=True)
    again.resume(1, table.now.state)
    table.close()
    assert [laid.face for laid in again.lying_cards().values()].count("down") == 1
    assert again.lying_cards() == table.world.lying_cards()
    assert again.ahead(5) == table.world.ahead(5)


def test_people_know_the_cards_from_before_a_restart_whatever_numbers_come_after_it(tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "nl", seed=11)
    while table.now.expected.code != "PLAYER":
        table.act()
    lying = [*cards_at_hands(table.now.state)]
    again = World(SilentShoe(), 11, stacked=STACKED)
    again.resume(1, table.now.state)
    for _ in lying:
        again.deal()
    table.close()
    assert [again.truth(seen) for seen in lying] == [table.world.truth(seen) for seen in lying]

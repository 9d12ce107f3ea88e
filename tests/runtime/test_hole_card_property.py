"""Two tables that differ in nothing but the hole card look alike, whatever is done, until it is turned.

`STAND17_HOLE_CARD_SEEDS=100:150` in the environment plays other pairs than the tests do: as many as one asks.
"""

import asyncio
import io
import logging
import os
import random
from pathlib import Path
from typing import Final, get_args

import pytest
import structlog

from controller.acts.catalogue import (
    AmendDecision,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bet,
    CardSeen,
    Close,
    Correct,
    Decision,
    End,
    Exposed,
    Insurance,
    InsuranceClosed,
    Move,
    Observation,
    Peek,
    Strike,
    Swap,
    Void,
)
from controller.acts.rulings import HandName
from controller.domain import RANKS, Rank, RuleSet
from controller.rules import load_rules
from controller.runtime.api import CallPit, Observe, Resume, Role
from controller.runtime.ledger import house_before_profiles
from controller.runtime.restore import Identity
from controller.runtime.snapshot import log_snapshots
from controller.web.parts import Metrics
from tests.own_houses import HOLE_CARD_HOUSES
from tests.runtime.runtime_kit import Bench


def seeds_of(asked: str) -> range | None:
    """The seeds that "100:150" names, None where nothing is asked."""
    first, _, end = asked.partition(":")
    return range(int(first), int(end)) if end else None


SEEDS_ASKED: Final = os.environ.get("STAND17_HOLE_CARD_SEEDS", "")
"""Seeds to play instead of the tests' own, as FIRST:END."""

SEEDS: Final = seeds_of(SEEDS_ASKED) or range(18)
"""Stories a house: each begins with another ruling, so that every kind of ruling comes up."""

TENS: Final = ("10", "J", "Q", "K")
BY: Final = ("p7", "test")
ROLES: Final[tuple[Role, ...]] = get_args(Role)


def rulings(chance: random.Random) -> list[Observation]:
    """One of every kind, each at a card or hand by chance."""
    card, box = chance.randint(1, 7), chance.randint(1, 2)
    rank = chance.choice(RANKS)
    return [
        Correct(card, None, rank, chance.choice((None, "h")), *BY),
        Strike(card, None, *BY),
        Strike(card, None, *BY, burn=True),
        Strike(card, None, *BY, struck_as="double_read"),
        Strike(card, None, *BY, struck_as="foreign"),
        Strike(card, None, *BY, struck_as="boxed"),
        Move(card, None, "box", box, 1, *BY),
        Move(card, None, "dealer", None, None, *BY),
        Swap(HandName(1, 1), HandName(2, 1), *BY),
        AmendStake(chance.randint(1, 3), 0, chance.choice((0, 2000)), *BY),
        AmendDecision(box, 1, 1, chance.choice((None, "stand", "double")), *BY),
        AmendPeek(chance.random() < 0.5, *BY),
        AmendReveal(*BY),
        Void(box, *BY),
        Void(None, *BY),
    ]


def acts(seed: int) -> list[tuple[Role, Observation]]:
    """What is told after the deal: every role by turns, rulings among play, the round's end among both."""
    chance = random.Random(seed)
    first = rulings(chance)[seed % len(rulings(chance))]
    found: list[tuple[Role, Observation]] = [("dealer", InsuranceClosed()), ("pit", first)]
    for _ in range(8):
        box = chance.randint(1, 2)
        play: list[Observation] = [
            Decision(box, 1, chance.choice(("hit", "stand", "double", "split"))),
            CardSeen(chance.choice(RANKS), None, by="pit", to="box", box=box),
            Insurance(box, 0, 500),
            Peek(False),
            Exposed("dealer"),
            End(),
        ]
        told = chance.choice([*play, *rulings(chance)])
        found.append((chance.choice(ROLES), told))
    return found


def pair(house: RuleSet, up: Rank, chance: random.Random) -> list[Rank]:
    """Two ranks of the hole card for which the rules prescribe the same course up to the turning."""
    if house.peek == "none" or up not in (*TENS, "A"):
        return chance.sample(RANKS, 2)
    out = TENS if up == "A" else ("A",)
    return chance.sample([rank for rank in RANKS if rank not in out], 2)


async def story(path: Path, house: RuleSet, up: Rank, hole: Rank, seed: int) -> list[str]:
    """Everything that leaves the table, for all of its roles, in order."""
    told: list[str] = []
    metrics, written = Metrics(), io.StringIO()
    log = structlog.wrap_logger(
        structlog.PrintLogger(written), processors=[structlog.processors.JSONRenderer()]
    )
    async with Bench(path, identity=Identity("T", house, "EUR", house_before_profiles(house.name))) as bench:
        follower = asyncio.create_task(log_snapshots(bench.table.hub, log))

        async def look() -> None:
            now = bench.now
            alerts = tuple(alert._replace(at_utc_us=0) for alert in now.alerts)
            holds = tuple(held._replace(since_utc_us=0) for held in now.holds)
            told.append(repr(now._replace(at_utc_us=0, alerts=alerts, holds=holds)))
            figures = metrics.render(now, {}).decode().splitlines()
            told.extend(figure for figure in figures if "_created" not in figure)
            for line in await bench.table.audit(1, 500):
                told.append(repr(line._replace(at_utc_us=0, hash=str(len(line.hash)))))

        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        order: list[Rank] = ["7", "8", up, "6", "5", hole]
        if house.hole_card == "first_down":
            order = ["7", "8", hole, "6", "5", up]
        for n, rank in enumerate(order):
            await bench.shoe(CardSeen(rank, "s", by="shoe", id=f"shoe.{n}", p=0.9 + RANKS.index(rank) / 200))
        if bench.now.holds:
            # Two 8s in one pack: the pit lets it stand, and the cards that waited are laid.
            told.append(repr(await bench.ask(Resume())))
        await look()
        for role, observation in acts(seed):
            told.append(repr(await bench.ask(Observe(observation), role=role)))
            await look()
        told.append(repr(await bench.ask(CallPit("look"))))
        told.append(repr(await bench.ask(Resume())))
        await look()
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
    return [*told, *written.getvalue().splitlines()]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", HOLE_CARD_HOUSES)
def test_nothing_tells_two_tables_apart_before_the_card_is_turned(
    tmp_path: Path, name: str, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance, house = random.Random(1000 + seed), load_rules(name, {}, Path())
    up = chance.choice(RANKS)
    stories = []
    for hole in pair(house, up, chance):
        (tmp_path / hole).mkdir()
        with caplog.at_level(logging.DEBUG):
            told = asyncio.run(story(tmp_path / hole / "t.journal", house, up, hole, seed))
        logged = [record.getMessage() for record in caplog.records if record.name != "asyncio"]
        caplog.clear()
        files = sorted((tmp_path / hole).iterdir())
        stories.append([*told, *logged, *(f"{file.name} {file.stat().st_size}" for file in files)])
    assert len(stories[0]) == len(stories[1])
    for one, other in zip(*stories, strict=True):
        at = next((n for n, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its), -1)
        assert one == other, (one[max(at - 300, 0) : at + 80], other[max(at - 80, 0) : at + 80])

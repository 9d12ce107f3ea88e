"""Rulings that take an unturned card away from its place: nothing that is shown tells which card it is."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import (
    AmendStake,
    Bet,
    CardSeen,
    Close,
    Correct,
    Decision,
    End,
    Move,
    Observation,
    Reveal,
    Strike,
    Swap,
    Void,
)
from controller.acts.rulings import HandName
from controller.domain import Rank, card_named
from controller.runtime.api import Accepted, CommandAnswer, Observe, Resume
from tests.runtime.runtime_kit import Bench

Ruled = Move | Strike | Swap | AmendStake | Correct | Void
TOLD: Final = ("p7", "test")
RULINGS: Final[dict[str, Ruled]] = {
    "move the face-down card to a box": Move(6, None, "box", 1, 1, *TOLD),
    "move a card before it to the dealer": Move(1, None, "dealer", None, None, *TOLD),
    "strike the face-down card": Strike(6, None, *TOLD),
    "burn the face-down card": Strike(6, None, *TOLD, burn=True),
    "strike a card before it as read twice": Strike(1, None, *TOLD, struck_as="double_read"),
    "strike a card before it as foreign": Strike(2, None, *TOLD, struck_as="foreign"),
    "swap two boxes": Swap(HandName(1, 1), HandName(2, 1), *TOLD),
    "take a box's bet away": AmendStake(2, 0, 0, *TOLD),
    "add a box": AmendStake(3, 0, 1000, *TOLD),
    "correct the up card": Correct(3, None, "8", "h", *TOLD),
    "name the face-down card": Correct(6, None, "4", "h", *TOLD),
    "void a box": Void(1, *TOLD),
    "void the round": Void(None, *TOLD),
}
"""Two boxes: cards 1, 2 and 4, 5 are theirs, 3 is the dealer's up card, 6 lies face down."""


def deal(hole: Rank) -> tuple[CardSeen, ...]:
    ranks = ("7", "8", "9", "6", "5", hole)
    return tuple(
        CardSeen(*card_named(rank, "c" if n == 5 else "d"), by="shoe") for n, rank in enumerate(ranks)
    )


async def shown(path: Path, hole: Rank, ruling: Observation, *, ended: bool) -> list[str]:
    """Everything that leaves the table after the ruling, without times."""
    async with Bench(path) as bench:
        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        await bench.shoe(*deal(hole))
        if ended:
            await bench.say(Void(None, *TOLD), End(), Bet(1, 0, 1000), Close())
        answer = await bench.ask(Observe(ruling))
        return [repr(answer), *await everything(bench)]


async def everything(bench: Bench) -> list[str]:
    now = bench.now
    alerts = tuple(alert._replace(at_utc_us=0) for alert in now.alerts)
    holds = tuple(held._replace(since_utc_us=0) for held in now.holds)
    told = [repr(now._replace(at_utc_us=0, alerts=alerts, holds=holds))]
    for line in await bench.table.audit(1, 500):
        # The chain begins with the time and the name of the program: it differs from run to run.
        told.append(repr(line._replace(at_utc_us=0, hash="")))
    return told


@pytest.mark.parametrize("ended", [False, True], ids=["now", "round ended"])
@pytest.mark.parametrize("name", RULINGS)
def test_no_ruling_tells_the_face_down_card(tmp_path: Path, name: str, ended: bool) -> None:
    ruling = RULINGS[name]._replace(round=1) if ended else RULINGS[name]
    stories = [
        asyncio.run(shown(tmp_path / f"{hole}.journal", hole, ruling, ended=ended))
        for hole in ("3", "7", "K", "A")
    ]
    assert all(story == stories[0] for story in stories[1:])


async def moved(path: Path) -> tuple[list[CommandAnswer], str]:
    """A card was read twice, so that the one taken for the hole card is a box's; then the pit names it."""
    async with Bench(path) as bench:
        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        await bench.shoe(*deal("K"))
        answers = [await bench.ask(Observe(RULINGS["strike a card before it as read twice"]))]
        waits = bench.now.state.boxes[1].hands[0].unread
        answers.append(await bench.ask(Observe(Correct(6, None, "4", "h", *TOLD))))
        return answers, f"{waits} {bench.now.state.boxes[1].hands[0].total}"


def test_a_moved_card_is_unread_until_somebody_names_it(tmp_path: Path) -> None:
    answers, hand = asyncio.run(moved(tmp_path / "t.journal"))
    assert all(isinstance(answer, Accepted) for answer in answers), answers
    assert hand == "1 13"


async def turned_early(path: Path, told: Reveal) -> list[str]:
    async with Bench(path) as bench:
        await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        await bench.shoe(*deal("K"))
        answer = await bench.ask(Observe(told), role="dealer")
        assert [held.code for held in bench.now.holds] == ["HOLE_CARD_EXPOSED"]
        assert bench.now.state.boxes[0].hands[0].status == "active"
        return [repr(answer), *await everything(bench)]


def test_a_guessed_rank_in_a_turning_gets_no_answer(tmp_path: Path) -> None:
    guesses = (Reveal(), Reveal("K"), Reveal("5"), Reveal("K", "h"), Reveal(None, "h"))
    stories = [asyncio.run(turned_early(tmp_path / f"{n}.journal", told)) for n, told in enumerate(guesses)]
    assert all(story == stories[0] for story in stories[1:])


def test_after_the_pit_has_ruled_the_hands_play_on_and_the_card_is_turned_in_time(tmp_path: Path) -> None:
    async def story() -> str:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
            await bench.shoe(*deal("K"))
            await bench.say(Reveal())
            await bench.ask(Resume())
            await bench.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
            return repr([seen.obs.rank for seen in bench.now.state.dealer.cards])

    assert asyncio.run(story()) == "['9', 'K']"

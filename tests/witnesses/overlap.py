"""Two simulated cameras over one layout, each with errors and numbers of its own, at a live table's door."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from controller.acts.catalogue import CardSeen, Correct
from controller.acts.round import Face
from controller.domain import RANKS, Card
from controller.feed.replay import Json, Played
from controller.runtime.felt_witness import FeltLook, WitnessPlan
from tests.witnesses.live_round import LiveRound, LiveTable
from tests.witnesses.simulated_felt import CameraErrors, SimulatedFelt

BOXES: Final = tuple((box, ("left", "right") if box < 4 else ("right", "left")) for box in range(8))
"""Which of the two owns each box; both see all of them."""

PLAN: Final = WitnessPlan("left", beside=("right",), boxes=BOXES)


class OverlapFelt(SimulatedFelt):
    """The felt as the camera on the left sees it, and beside it as the one on the right does."""

    def __init__(self, chance: Random, errors: CameraErrors) -> None:
        super().__init__(chance, errors)
        self.right = SimulatedFelt(Random(chance.random()), errors)
        self.right.follow_others(chance.randint(1, 40))
        self.misread = 0.0
        self.misreadings = 0

    def lay(self, n: int, card: Card, box: int, at_mm: tuple[float, float], turn: float, face: Face) -> None:
        cards = [card, card]
        if face == "up" and self.chance.random() < self.misread:
            self.misreadings += 1
            rank = self.chance.choice([rank for rank in RANKS if rank != card.rank])
            cards[self.chance.randrange(2)] = Card(rank, card.suit)
        super().lay(n, cards[0], box, at_mm, turn, face)
        self.right.now_ms = self.now_ms
        self.right.lay(n, cards[1], box, at_mm, turn, face)

    def move(self, n: int, at_mm: tuple[float, float]) -> None:
        super().move(n, at_mm)
        self.right.move(n, at_mm)

    def turn_up(self, n: int) -> None:
        super().turn_up(n)
        self.right.now_ms = self.now_ms
        self.right.turn_up(n)

    def take_away(self, numbers: list[int]) -> None:
        super().take_away(numbers)
        self.right.take_away(numbers)

    def looks(self) -> list[FeltLook]:
        """What each camera knows now; the picture of the second is half a tick older."""
        self.right.now_ms = self.now_ms - 80
        seen = [("right", self.right.view()), ("left", self.view())]
        return [FeltLook(name, view.t_ms * 1_000_000, view) for name, view in seen]


class OverlapTable(LiveTable):
    """A live table over whose layout two cameras deal."""

    def look(self, _look: Any) -> Iterator[Played]:
        """Bring what both know now; what the first alone knows is in it."""
        assert isinstance(self.clock.felt, OverlapFelt)
        for one in self.clock.felt.looks():
            self.door.take(one)
        self._tap()
        return iter(())


class OverlapRound(LiveRound):
    """A round that two cameras follow together."""

    def __init__(self, house: str, seed: int, path: Path, *, misread: float = 0.0, **told: Any) -> None:
        """`misread`: the share of cards that one of the two reads wrongly; the others as `LiveRound`."""
        super().__init__(house, seed, path.with_suffix(".one"), **told)
        errors = self.felt.errors
        self.overlap = self.felt = OverlapFelt(self.chance, errors)
        self.overlap.misread = misread
        plan = PLAN._replace(shoe="shoe" if self.with_shoe else "")
        self.live = OverlapTable(house, path, self.felt, plan)
        self.table = self.live  # type: ignore[assignment]  # the door of the live table in place of the replay's

    def answer(self, hold: Json) -> None:
        """As for one camera; and say what a card is that the two read differently."""
        differ = [one for one in self.live.run.holds if one.code == hold["code"] == "CAMERAS_DIFFER"]
        for one in differ:
            self.say(Correct(one.card, None, *self.cards[one.card], "dealer", "looked"))
        if hold["code"] == "CAMERAS_DIFFER":
            self.asked.append(hold["code"])
        else:
            super().answer(hold)

    def answer_card(self) -> bool:
        """Say what a card is that nobody could read; the table counts the cards as the truth does."""
        for fact in self.state.log:
            card = fact.obs
            if isinstance(card, CardSeen) and card.rank is None and card.face != "down":
                self.say(Correct(fact.n, None, *self.cards[fact.n], "dealer", "read"))
                return True
        return False

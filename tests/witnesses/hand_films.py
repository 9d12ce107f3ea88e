"""Rounds in which the dealer's hand stops with a card over boxes on its way: scripted, or by chance.

Each is played as observations of a camera (`SeenFilm`) or from drawn pixels (`DrawnFilm`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from controller.acts.catalogue import Bet, Close, Decision
from controller.acts.round.decision import Action
from controller.domain.cards import card_named
from controller.feed.json_report import Json
from tests.witnesses.drawn_felt import DrawnFelt, Stop
from tests.witnesses.drawn_rounds import DrawnRound
from tests.witnesses.simulated_round import SimulatedRound


class Script(NamedTuple):
    """What happens in a film: who bets, which cards come, what each hand does, where the hand stops.

    `stops` are the places by the number of the card in the round.
    """

    boxes: tuple[int, ...]
    cards: tuple[str, ...]
    actions: tuple[Action, ...]
    stops: Mapping[int, tuple[Stop, ...]]


STOOD: Final = Script((1, 2), ("10h", "10c", "9d", "9s", "2c", "10s", "8d"), ("stand", "hit", "stand"), {})
"""Box 1 stands on 19 and box 2 hits: its card passes box 1."""


class DrawnFilm(DrawnRound):
    """A scripted round from drawn pixels."""

    def __init__(self, script: Script, felt: dict[str, Any], house: str = "nl", seed: int = 0) -> None:
        super().__init__(house, seed, felt)
        self.script, self.actions = script, iter(script.actions)
        self.shoe = iter([card_named(name[:-1], name[-1]) for name in script.cards])
        self.beside = self.mirrored = False

    def bet(self) -> None:
        for box in self.script.boxes:
            self.tell(Bet(box, 0, 1000))
        self.tell(Close())

    def deal(self) -> None:
        self.drawn.stops = self.script.stops.get(self.truth.cards_seen + 1, ())
        super().deal()

    def decide(self) -> None:
        act = next(self.actions)
        at = self.truth.current
        assert at is not None
        box, hand = at[0].box, at[1]
        self.decided[box, hand.number, len(hand.cards)] = act
        self.step(Decision(box, hand.number, act))
        self.pass_time(600)

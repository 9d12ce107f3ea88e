"""Rounds played from given cards, written down as the lines of a feed: what incidents are retold with."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Decision,
    End,
    InsuranceClosed,
    Observation,
    Peek,
    Reveal,
    ShoeLoaded,
)
from controller.domain import Card, RuleSet
from controller.engine import TableState, new_table, step
from controller.engine.play import owed_at
from controller.engine.state import COMPLETE, INSURANCE, PEEK, PLAY, REVEAL
from controller.engine.watching import picked_up
from controller.feed.codec import to_json
from controller.forensics.order import CARDS

PACE_S: Final = 2.0
"""Seconds between two lines: slower than any two cards that stick together."""
STANDS_FROM: Final = 15
"""Every guest draws below this total and never doubles or splits: his cards say what he does."""


@dataclass
class WrittenFeed:
    """A table whose lines are kept as they are played.

    `shoe` are the cards still in it, the next one last; `rack` those that were picked up, in that order.
    """

    rules: RuleSet
    boxes: tuple[int, ...] = (1, 3)
    stake: int = 1000
    shoe: list[Card] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    state: TableState = field(init=False)
    rack: list[Card] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin at an empty table."""
        self.state = new_table(self.rules)

    def enter(self, observation: Observation, **more: Any) -> None:
        """Write a line, and play it."""
        at = {"t": round(PACE_S * (len(self.lines) + 1), 1)}
        self.lines.append({**at, **to_json(observation), **more})
        self.state = step(self.state, observation).state

    def write(self, line: dict[str, Any]) -> None:
        """Write a line that the plain engine has nothing to do with."""
        self.lines.append({"t": round(PACE_S * (len(self.lines) + 1), 1), **line})

    def load(self, cards: Iterable[Card], **more: Any) -> None:
        """Bring a shoe with these cards, the first one first."""
        self.shoe = [*cards][::-1]
        self.enter(ShoeLoaded(self.rules.decks), **more)
        for _ in range(self.state.shoe.burn_due):
            self.card()

    def card(self) -> None:
        """Deal the next card."""
        card = self.shoe.pop()
        self.enter(CardSeen(card.rank, card.suit))

    def rounds(self, count: int) -> None:
        """Play so many rounds."""
        for _ in range(count):
            self.round()

    def round(self) -> None:
        """Play one round from the bets to the cleared table."""
        self.play()
        self.clear()

    def play(self) -> None:
        """Play one round from the bets to its settlement."""
        self.bets()
        while self.state.phase != COMPLETE:
            self.next()

    def bets(self) -> None:
        """Lay the stakes."""
        for box in self.boxes:
            self.enter(Bet(box, 0, self.stake))

    def clear(self) -> None:
        """Clear the table: its cards go to the rack as the house picks them up."""
        self.rack += [CARDS[code] for code in picked_up(self.state) if code in CARDS]
        self.enter(End())

    def next(self) -> None:
        """Do what is due."""
        match self.state.phase:
            case phase if phase == INSURANCE:
                self.enter(InsuranceClosed())
            case phase if phase == PEEK:
                self.enter(Peek(False))
            case phase if phase == REVEAL:
                self.enter(Reveal())
            case phase if phase == PLAY:
                self._play()
            case _:
                self.card()

    def _play(self) -> None:
        """Let the guest to act draw or stand."""
        box, hand = (
            self.state.boxes[self.state.box_at],
            self.state.boxes[self.state.box_at].hands[self.state.hand_at],
        )
        if owed_at(box) >= 0:
            self.card()
        elif hand.total < STANDS_FROM:
            self.enter(Decision(box.box, hand.number, "hit"))
            self.card()
        else:
            self.enter(Decision(box.box, hand.number, "stand"))

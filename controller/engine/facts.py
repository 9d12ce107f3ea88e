"""Facts of a round: the observation, its place, its chips, and its fault."""

from dataclasses import dataclass
from typing import NamedTuple, final

from controller.acts.catalogue import Observation
from controller.domain import Money, Params
from controller.engine.constants import Phase, Place


class Stranded(NamedTuple):
    """Chips that one seat put up for a double or split at a hand.

    Each accepted double or split keeps them with its fact, so that a later correction does not change what
    was put up. Where a correction makes the act itself impossible, they lie on the box until a ruling.
    """

    seat: int
    hand: int
    amount: Money


class Made(NamedTuple):
    """The number of a decision of a hand, from 1. It is given once and stays with the fact that made it."""

    box: int
    hand: int
    nth: int


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """One accepted or set-aside observation.

    `n` numbers the cards of the round from 1; 0: not a card of the round. `at` marks a burned or struck card.
    While a round is folded again, `at` also pins every other card to its earlier place. `fault` is the reason
    for setting the fact aside. `ruled` marks a card placed, a stake entered, or a payout rounded by a
    supervisor. `phase` is the phase of arrival; None for a card that the fold places again. `chips` are the
    stakes that a double or split added at `box`. `made` are the decisions that the fact made or implied; the
    first ruling after it numbers them. `idle` marks a stand that was ignored on arrival.
    """

    n: int
    obs: Observation
    at: Place | None
    phase: Phase | None
    fault: str | None = None
    ruled: bool = False
    box: int = 0
    chips: tuple[Stranded, ...] = ()
    made: tuple[Made, ...] = ()
    idle: bool = False

    def __eq__(self, other: object) -> bool:
        """Compare all fields except the decision numbers, which only later rulings use."""
        if not isinstance(other, Fact):
            return False
        mine = (self.n, self.obs, self.at, self.phase, self.fault, self.ruled, self.box, self.chips)
        its = (other.n, other.obs, other.at, other.phase, other.fault, other.ruled, other.box, other.chips)
        return mine == its

    def __hash__(self) -> int:
        """Hash three of the compared fields."""
        return hash((self.n, self.obs, self.at))


class Fault(NamedTuple):
    """A fact that does not fit.

    `fact` is its index in the log; `box` is where it lay (0 dealer, -1 nowhere), so that a void of the
    box settles it.
    """

    code: str
    params: Params
    fact: int
    box: int

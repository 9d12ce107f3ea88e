"""Facts of a round as they are kept: what was observed, where it lay, what it put up, why it does not fit."""

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

    `n` numbers the cards of the round from 1 (0: not a card of the round). `at` marks a burned or struck
    card; while a round is folded again it also pins every other card to the place it had. `fault` is why
    the fact was set aside. `ruled` marks a card that a supervisor has placed, a stake that he has entered, or
    a payout by which he has rounded what cannot be paid. `phase` is that in which it came; None for a card
    that has to find its place, and so its phase, anew. `chips` are the stakes that a double or split put up
    at `box`. `made` are the decisions that it made, by itself or by what it implied, numbered when somebody
    first ruled after it. `idle` marks a stand that was ignored when it was reported.
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
        """Compare what happened: the numbers are notes for later rulings, and make no other round of it."""
        if not isinstance(other, Fact):
            return False
        mine = (self.n, self.obs, self.at, self.phase, self.fault, self.ruled, self.box, self.chips)
        its = (other.n, other.obs, other.at, other.phase, other.fault, other.ruled, other.box, other.chips)
        return mine == its

    def __hash__(self) -> int:
        """Follow what is compared."""
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

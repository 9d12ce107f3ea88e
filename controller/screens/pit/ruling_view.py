"""What a dialog of the pit draws: what people have entered for a round, and what a ruling would change."""

from typing import Literal

from controller.acts.money import PayoutKnown
from controller.acts.round import Action
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import HiddenCard, OpenCard, Words
from controller.screens.shapes.view import Outcome


class MoneyRow(ViewModel):
    """One bettor before and after a correction; `change` is what the bettor gets more (or less)."""

    box: int
    seat: int
    before: str
    after: str
    change: str


class HandRow(ViewModel):
    """One hand (or the dealer's, box 0) before and after a correction."""

    box: int
    hand: int
    before: tuple[HiddenCard | OpenCard, ...]
    total_before: str
    outcome_before: Outcome | None
    after: tuple[HiddenCard | OpenCard, ...]
    total_after: str
    outcome_after: Outcome | None


class StakeRow(ViewModel):
    """What lies there for one bettor, doubles, splits and insurance included, before and after."""

    box: int
    seat: int
    before: str
    after: str
    change: str


class Preview(ViewModel):
    """What a correction would do. `problem`: why it cannot be done or, with `disputes`, what then misfits."""

    seq: int
    problem: Words | None
    disputes: bool
    hands: tuple[HandRow, ...]
    stakes: tuple[StakeRow, ...]
    money: tuple[MoneyRow, ...]
    house_change: str


class DecisionRow(ViewModel):
    """The `nth` decision of a hand: entered, made by a card, or inferred; `action` None: ruled never made."""

    nth: int
    action: Action | None
    known: Literal["entered", "card", "inferred"]


class HandFacts(ViewModel):
    """What a hand decided, in order."""

    hand: int
    decisions: tuple[DecisionRow, ...]


class SeatFacts(ViewModel):
    """What was entered for one bettor; `due` once the round is settled, `paid` once it was entered.

    `how` that is known, where the round is not closed.
    """

    seat: int
    stake: str
    insurance: str
    even_money: bool
    due: str | None
    paid: str | None
    how: PayoutKnown | None = None


class BoxFacts(ViewModel):
    """What was entered for one box."""

    box: int
    seats: tuple[SeatFacts, ...]
    hands: tuple[HandFacts, ...]


class PlacedCard(ViewModel):
    """An open card and where it lies: box 0 is the dealer, -1 a card that fits nowhere."""

    box: int
    hand: int
    card: OpenCard


class RoundFacts(ViewModel):
    """What was entered for a round, and the cards of a closed one; `peek` is None where nobody has looked.

    The cards of the present round lie on the felt, where each can be tapped.
    """

    round: int
    closed: bool
    boxes: tuple[BoxFacts, ...]
    cards: tuple[PlacedCard, ...]
    insurance: bool
    peek: bool | None
    turned: bool


class RulingFacts(ViewModel):
    """What people have entered after entry `seq`, the present round first: what the pit can put right.

    Rounds from `first_round` on can be asked for.
    """

    seq: int
    first_round: int
    rounds: tuple[RoundFacts, ...]

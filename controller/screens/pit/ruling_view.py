"""What a dialog of the pit draws: what people have entered for a round, and what a ruling would change."""

from typing import Literal

from controller.acts.money import PayoutKnown
from controller.acts.round import Action
from controller.screens.shapes.view import BoxView, DealerView, Outcome
from controller.screens.shapes.words import HiddenCard, Money, OpenCard, ViewModel, Words


class MoneyRow(ViewModel):
    """What one bettor wins or loses by the round before and after a correction, stake taken off."""

    box: int
    seat: int
    before: Money
    after: Money
    change: Money


class Untouched(ViewModel):
    """The boxes whose bettors win and lose as before, and the sum of it."""

    boxes: tuple[int, ...]
    sum: Money


class HouseRow(ViewModel):
    """What the house wins before and after a correction: the round, the table's shift, all tables."""

    text: Words
    before: Money
    after: Money


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
    """What a correction would do. `problem`: why it cannot be done or, with `disputes`, what then misfits.

    `house` is empty where the round has no result before or after: then no money moves. `second`: the
    house's own list asks for a second person.
    """

    seq: int
    problem: Words | None
    disputes: bool = False
    hands: tuple[HandRow, ...] = ()
    stakes: tuple[StakeRow, ...] = ()
    money: tuple[MoneyRow, ...] = ()
    untouched: Untouched | None = None
    house: tuple[HouseRow, ...] = ()
    house_change: Money
    second: bool = False


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


class LaidRound(ViewModel):
    """A closed round as it lay on the felt; `aside` are cards that fit nowhere."""

    boxes: tuple[BoxView, ...]
    dealer: DealerView
    aside: tuple[OpenCard, ...]


class RoundFacts(ViewModel):
    """What was entered for a round; `laid` of a closed one; `peek` is None where nobody has looked.

    The present round lies on the felt of the view.
    """

    round: int
    closed: bool
    boxes: tuple[BoxFacts, ...]
    laid: LaidRound | None
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

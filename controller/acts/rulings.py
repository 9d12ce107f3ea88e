"""Rulings on a round: a card, a hand or an entry is corrected or void.

A ruling rewrites facts of its round; `controller.engine.rulings` lists which.
"""

from typing import Any, Literal, NamedTuple

from controller.acts.declaring import (
    ALWAYS,
    ANSWERS,
    PIT_ALONE,
    UNHELD,
    Act,
    Lifts,
    Line,
    Problem,
    Row,
    Second,
    Standing,
    Subject,
    answer_to,
    ruling,
)
from controller.acts.round import Action, Target, box_is_named
from controller.domain import Rank, Suit
from controller.irregularities import Way


def _card_is_named(ruled: Line) -> Problem | None:
    """A card is named by its number in the round or by its id."""
    return ("missing", "card") if ruled.get("card") is None and ruled.get("id") is None else None


def _on_card(ruled: "CardRuling", hold: Subject) -> bool:
    """The ruling names the hold's card, by number or by id."""
    if not hold.card:
        return False
    return ruled.card == hold.card if ruled.card is not None else ruled.id == hold.card_id


def _on_box(ruled: Any, hold: Subject) -> bool:
    return bool(ruled.box == hold.box)


def _on_hole_card(_: Any, hold: Subject) -> bool:
    return hold.of_hole


def _row_of_correct(correct: "Correct", standing: Standing) -> Act:
    """To name the rank of an open card that was not read, or to rule."""
    names = correct.card is not None and correct.rank is not None and correct.round is None
    return Act.NAME_RANK if names and standing.waits_for_rank(correct.card or 0) else Act.RULING


@ruling(
    "correct",
    {Act.RULING: PIT_ALONE, Act.NAME_RANK: Row(ANSWERS, ALWAYS)},
    written_unset="rank",
    check=_card_is_named,
    lifts=Lifts("correct", _on_card, at_once=False),
    answers=answer_to("CARD_UNREAD"),
    permit=_row_of_correct,
)
class Correct(NamedTuple):
    """A card gets its true name. `card` counts from 1 in the round, burned cards not counted.

    `rank` None: the name is no longer known, and the card is unread until the next correction.

    Example: `{"obs": "correct", "card": 3, "rank": "9", "by": "P-02", "reason": "MISREAD"}`
    """

    card: int | None
    id: str | None
    rank: Rank | None
    suit: Suit | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


StruckAs = Literal["extra", "double_read", "boxed", "defective", "foreign"]
"""Why a struck card does not belong to the round; a boxed card lay face up in the shoe."""


def _not_burned(strike: "Strike") -> "Strike":
    """A card is burned only where a line says so."""
    return strike._replace(burn=bool(strike.burn))


def _way_of_strike(strike: "Strike", _: tuple[Way, ...]) -> Way:
    return "burn" if strike.burn else "strike"


@ruling(
    "strike",
    renamed={"struck_as": "as"},
    check=_card_is_named,
    finish=_not_burned,
    lifts=Lifts(_way_of_strike, _on_card, at_once=False),
)
class Strike(NamedTuple):
    """A card does not belong to the round; `burn` marks it as burned, `struck_as` is its true name.

    Example: `{"obs": "strike", "card": 6, "burn": true, "by": "P-02", "reason": "CARD_EXPOSED"}`
    """

    card: int | None
    id: str | None
    by: str
    reason: str
    burn: bool = False
    round: int | None = None
    struck_as: StruckAs | None = None
    second: str | None = None


def _card_and_box(move: Line) -> Problem | None:
    return _card_is_named(move) or box_is_named(move)


@ruling("move", check=_card_and_box, lifts=Lifts("move", _on_card, at_once=False))
class Move(NamedTuple):
    """A card lies at another hand than the engine took it to; `to` is `box` or `dealer`.

    Example: `{"obs": "move", "card": 4, "to": "box", "box": 2, "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    card: int | None
    id: str | None
    to: Target
    box: int | None
    hand: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class HandName(NamedTuple):
    """A hand by its box and number."""

    box: int
    hand: int


def _on_hands(swap: "Swap", hold: Subject) -> bool:
    return hold.box in (swap.from_hand.box, swap.with_hand.box)


@ruling(
    "swap",
    renamed={"from_hand": "from", "with_hand": "with"},
    lifts=Lifts("swap", _on_hands, at_once=False),
)
class Swap(NamedTuple):
    """The cards of two hands had changed places; bets and decisions stay with the hands.

    Example: `{"obs": "swap", "from": {"box": 1, "hand": 1}, "with": {"box": 2, "hand": 1},
    "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    from_hand: HandName
    with_hand: HandName
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


def _second_of_void(void: "Void") -> Second:
    """A whole round takes two where the house says so; a box is like any other ruling."""
    return "void_round" if void.box is None else ""


def _way_of_void(void: "Void", _: tuple[Way, ...]) -> Way:
    return "void_round" if void.box is None else "void_box"


def _voids(void: "Void", hold: Subject) -> bool:
    return void.box is None or void.box == hold.box


@ruling(
    "void", second=_second_of_void, lifts=Lifts(_way_of_void, _voids, at_once=lambda void: void.box is None)
)
class Void(NamedTuple):
    """One box or, without `box`, the whole round is void: stakes go back, cards stay counted.

    Example: `{"obs": "void", "box": 2, "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    box: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


@ruling("amend", what="stake", lifts=Lifts("amend", _on_box, at_once=False))
class AmendStake(NamedTuple):
    """That much lay there when the bets closed; a stake of 0: none did.

    Example: `{"obs": "amend", "what": "stake", "box": 1, "seat": 0, "stake": 500, "by": "P-02",
    "reason": "DEALER_ERROR"}`
    """

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


def _row_of_decision(amend: "AmendDecision", standing: Standing) -> Act:
    """Return UNDO for the removal of the last entered decision, which a dealer may do, else RULING."""
    last = standing.was_last(amend.box, amend.hand, amend.nth, amend.round)
    return Act.UNDO if last and amend.action is None else Act.RULING


@ruling(
    "amend",
    {Act.RULING: PIT_ALONE, Act.UNDO: Row(UNHELD, ALWAYS)},
    what="decision",
    written_unset="action",
    lifts=Lifts("amend", _on_box, at_once=False),
    permit=_row_of_decision,
)
class AmendDecision(NamedTuple):
    """The `nth` decision of a hand, counted from 1, was in truth this one; `action` None: never made.

    Example: `{"obs": "amend", "what": "decision", "box": 1, "hand": 1, "nth": 1, "action": "stand",
    "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    box: int
    hand: int
    nth: int
    action: Action | None
    by: str
    reason: str
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None
    round: int | None = None
    second: str | None = None


@ruling("amend", what="insurance", lifts=Lifts("amend", _on_box, at_once=False))
class AmendInsurance(NamedTuple):
    """A bettor's insurance bet was in truth this one; a stake of 0: none.

    Example: `{"obs": "amend", "what": "insurance", "box": 1, "seat": 0, "stake": 0, "by": "P-02",
    "reason": "DEALER_ERROR"}`
    """

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


@ruling("amend", what="even_money", lifts=Lifts("amend", _on_box, at_once=False))
class AmendEvenMoney(NamedTuple):
    """A bettor did, or did not, take even money.

    Example: `{"obs": "amend", "what": "even_money", "box": 1, "seat": 0, "taken": true, "by": "P-02",
    "reason": "DEALER_ERROR"}`
    """

    box: int
    seat: int
    taken: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


@ruling("amend", what="peek", lifts=Lifts("amend", _on_hole_card, at_once=False))
class AmendPeek(NamedTuple):
    """The dealer's look at the face-down card was entered wrongly.

    Example: `{"obs": "amend", "what": "peek", "blackjack": true, "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    blackjack: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


@ruling("amend", what="reveal", lifts=Lifts("amend", _on_hole_card, at_once=False))
class AmendReveal(NamedTuple):
    """The face-down card was not turned, or not then.

    Example: `{"obs": "amend", "what": "reveal", "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    by: str
    reason: str
    round: int | None = None
    second: str | None = None


# Before the first card there is nothing that could hold over the bets' close.
@ruling(
    "amend",
    {Act.RULING: PIT_ALONE, Act.UNDO: Row(UNHELD, ALWAYS)},
    what="close",
    lifts=None,
    permit=lambda _, standing: Act.UNDO if standing.was_just_closed() else Act.RULING,
)
class AmendClose(NamedTuple):
    """The bets were not closed after all; possible until the first card. Not part of the shared format.

    Example: `{"obs": "amend", "what": "close", "by": "P-02", "reason": "DEALER_ERROR"}`
    """

    by: str
    reason: str
    second: str | None = None


CardRuling = Correct | Strike | Move
"""What a card was in truth."""
Amend = AmendStake | AmendDecision | AmendInsurance | AmendEvenMoney | AmendPeek | AmendReveal | AmendClose
"""What people entered wrongly about a round, put right."""
Refolding = CardRuling | Swap | Amend
"""Rulings that rewrite facts. A void is a fact of its own, which follows the others."""
Ruling = Refolding | Void
"""What somebody rules about a round: the round is folded anew with it."""

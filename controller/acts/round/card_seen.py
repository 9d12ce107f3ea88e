"""`card` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.checks import box_is_named
from controller.acts.declaring import Declared, Line, Problem
from controller.acts.permits import ALWAYS, NEVER, UNHELD, Act, Row
from controller.domain.cards import Rank, Suit

Target = Literal["box", "dealer", "burn"]

Face = Literal["up", "down"]

Pose = Literal["along", "across"]

TakenOut = Literal["struck", "burned"]
"""Whether a card that was taken out counts as one of this shoe (`burned`)."""


def _is_whole(card: Line) -> Problem | None:
    """A card that lies open has a rank."""
    if "rank" not in card and card.get("face") != "down":
        return "missing", "rank"
    return box_is_named(card)


def _to_its_box(card: "CardSeen") -> "CardSeen":
    """A card with a box goes to that box."""
    return card if card.box is None or card.to is not None else card._replace(to="box")


@Declared(
    "card",
    {
        Act.CARD: Row(ALWAYS, ALWAYS, ALWAYS),
        # A dealer's card goes through a reader; one that nobody could read he names by its rank.
        Act.CARD_AT_SCREEN: Row(NEVER, ALWAYS, system=UNHELD),
    },
    unnamed="shoe",
    in_count=True,
    written_unset="rank",
    check=_is_whole,
    finish=_to_its_box,
)
class CardSeen(NamedTuple):
    """One physical card. Without `to` the engine assigns it to the hand that it expects next.

    `out`: a ruling took it out while it waited to be laid; it keeps its number and lies nowhere.
    """

    rank: Rank | None
    suit: Suit | None = None
    by: str | None = None
    p: float | None = None
    to: Target | None = None
    box: int | None = None
    hand: int | None = None
    face: Face | None = None
    pose: Pose | None = None
    id: str | None = None
    out: TakenOut | None = None

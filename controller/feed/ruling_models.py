"""Rulings as JSON objects: `observation_models` for what somebody puts right in a round."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from controller.feed.observation_fields import (
    Action,
    Amount,
    BoxNumber,
    CardNumber,
    Flag,
    HandNumber,
    Nth,
    Rank,
    RoundNumber,
    SeatNumber,
    Seats,
    Stakes,
    StruckAs,
    Suit,
    Target,
    Text,
    exact,
)
from controller.validation import missing


@exact
class CorrectObservation(TypedDict):
    """See `Correct`. The card is named by its number in the round or by its id."""

    obs: Literal["correct"]
    card: NotRequired[CardNumber | None]
    id: NotRequired[Text | None]
    rank: Rank | None
    suit: NotRequired[Suit | None]
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


StrikeObservation = TypedDict(
    "StrikeObservation",
    {
        "obs": Literal["strike"],
        "card": NotRequired[CardNumber | None],
        "id": NotRequired[Text | None],
        "burn": NotRequired[Flag | None],
        "as": NotRequired[StruckAs | None],
        "by": NotRequired[Text | None],
        "reason": Text,
        "round": NotRequired[RoundNumber | None],
        "second": NotRequired[Text | None],
    },
)
"""See `Strike`. The card is named as in `CorrectObservation`; `burn` left out means no."""
exact(StrikeObservation)


@exact
class MoveObservation(TypedDict):
    """See `Move`. The card is named as in `CorrectObservation`."""

    obs: Literal["move"]
    card: NotRequired[CardNumber | None]
    id: NotRequired[Text | None]
    to: Target
    box: NotRequired[BoxNumber | None]
    hand: NotRequired[HandNumber | None]
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class VoidObservation(TypedDict):
    """See `Void`."""

    obs: Literal["void"]
    box: NotRequired[BoxNumber | None]
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendStakeObservation(TypedDict):
    """See `AmendStake`."""

    obs: Literal["amend"]
    what: Literal["stake"]
    box: BoxNumber
    seat: SeatNumber
    stake: Amount
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendDecisionObservation(TypedDict):
    """See `AmendDecision`."""

    obs: Literal["amend"]
    what: Literal["decision"]
    box: BoxNumber
    hand: HandNumber
    nth: Nth
    action: Action | None
    seats: NotRequired[Seats | None]
    stakes: NotRequired[Stakes | None]
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendInsuranceObservation(TypedDict):
    """See `AmendInsurance`."""

    obs: Literal["amend"]
    what: Literal["insurance"]
    box: BoxNumber
    seat: SeatNumber
    stake: Amount
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendEvenMoneyObservation(TypedDict):
    """See `AmendEvenMoney`."""

    obs: Literal["amend"]
    what: Literal["even_money"]
    box: BoxNumber
    seat: SeatNumber
    taken: Flag
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendPeekObservation(TypedDict):
    """See `AmendPeek`."""

    obs: Literal["amend"]
    what: Literal["peek"]
    blackjack: Flag
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendRevealObservation(TypedDict):
    """See `AmendReveal`."""

    obs: Literal["amend"]
    what: Literal["reveal"]
    by: NotRequired[Text | None]
    reason: Text
    round: NotRequired[RoundNumber | None]
    second: NotRequired[Text | None]


@exact
class AmendCloseObservation(TypedDict):
    """See `AmendClose`."""

    obs: Literal["amend"]
    what: Literal["close"]
    by: NotRequired[Text | None]
    reason: Text
    second: NotRequired[Text | None]


@exact
class HandPlace(TypedDict):
    """See `HandName`."""

    box: BoxNumber
    hand: HandNumber


SwapObservation = TypedDict(
    "SwapObservation",
    {
        "obs": Literal["swap"],
        "from": Annotated[HandPlace, Field(description="an object box, hand")],
        "with": Annotated[HandPlace, Field(description="an object box, hand")],
        "by": NotRequired[Text | None],
        "reason": Text,
        "round": NotRequired[RoundNumber | None],
        "second": NotRequired[Text | None],
    },
)
"""See `Swap`."""
exact(SwapObservation)


def correct_names_a_card(ruling: CorrectObservation) -> CorrectObservation:
    """A correction names its card by number or id."""
    _require_card(ruling.get("card"), ruling.get("id"))
    return ruling


def strike_names_a_card(ruling: StrikeObservation) -> StrikeObservation:
    """A strike names its card by number or id."""
    _require_card(ruling.get("card"), ruling.get("id"))
    return ruling


def move_names_card_and_place(ruling: MoveObservation) -> MoveObservation:
    """A move names its card, and a box where the card goes to one."""
    _require_card(ruling.get("card"), ruling.get("id"))
    if ruling["to"] == "box" and ruling.get("box") is None:
        raise missing("box")
    return ruling


def _require_card(number: int | None, name: str | None) -> None:
    if number is None and name is None:
        raise missing("card")


AnyAmendObservation = TypeAliasType(
    "AnyAmendObservation",
    Annotated[
        AmendStakeObservation
        | AmendDecisionObservation
        | AmendInsuranceObservation
        | AmendEvenMoneyObservation
        | AmendPeekObservation
        | AmendRevealObservation
        | AmendCloseObservation,
        Field(discriminator="what"),
    ],
)
"""Any amendment, told apart by `what`."""

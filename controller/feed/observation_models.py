"""Observations as JSON objects, one form for each `obs`: what feeds, journals and the wire say.

The description of a field is what a wrong value is answered with. A number is no text here, and `true` is no
number. Meanings: feed format, section 2, and `controller.domain.observations`.
"""

from typing import Annotated, Final, Literal, NotRequired

from pydantic import AfterValidator, ConfigDict, Field, with_config
from typing_extensions import TypeAliasType, TypedDict

from controller.domain.cards import RANKS, SUITS
from controller.validation import missing

AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that may be told; above it a digit was typed twice."""

Amount = Annotated[int, Field(ge=0, le=AMOUNT_LIMIT, description="an amount in minor units")]
BoxNumber = Annotated[int, Field(ge=1, le=99, description="a box number from 1")]
SeatNumber = Annotated[int, Field(ge=0, le=99, description="a seat number from 0")]
HandNumber = Annotated[int, Field(ge=1, le=99, description="a hand number from 1")]
CardNumber = Annotated[int, Field(ge=1, le=10_000, description="a card number from 1")]
RoundNumber = Annotated[int, Field(ge=1, le=10**9, description="a round number from 1")]
Text = Annotated[str, Field(min_length=1, max_length=200, description="a text of at most 200 characters")]
Flag = Annotated[bool, Field(description="true or false")]
Rank = Annotated[
    Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"],
    Field(description="a rank " + " ".join(RANKS)),
]
Suit = Annotated[Literal["c", "d", "h", "s"], Field(description="a suit " + " ".join(SUITS))]
Target = Annotated[Literal["box", "dealer", "burn"], Field(description="box | dealer | burn")]
Face = Annotated[Literal["up", "down"], Field(description="up | down")]
Pose = Annotated[Literal["along", "across"], Field(description="along | across")]
Action = Annotated[
    Literal["hit", "stand", "double", "split", "surrender"],
    Field(description="hit | stand | double | split | surrender"),
]
Probability = Annotated[
    Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)],
    Field(description="a probability 0..1"),
]
Seats = Annotated[list[SeatNumber], Field(description="a list of seat numbers")]
Stakes = Annotated[
    dict[Annotated[str, Field(pattern=r"^[0-9]{1,2}$")], Amount], Field(description="an object seat: amount")
]
Presence = Annotated[Literal["live", "stale", "lost"], Field(description="live | stale | lost")]

exact = with_config(ConfigDict(strict=True, extra="forbid"))
"""A field that is not known is an error, unless a feed is read."""


@exact
class ShoeObservation(TypedDict):
    """See `ShoeLoaded`."""

    obs: Literal["shoe"]
    decks: Annotated[int, Field(ge=1, le=60, description="1 to 60 packs")]
    cards: NotRequired[CardNumber | None]


@exact
class BetObservation(TypedDict):
    """See `Bet`."""

    obs: Literal["bet"]
    box: BoxNumber
    seat: SeatNumber
    stake: Amount


@exact
class CloseObservation(TypedDict):
    """See `Close`."""

    obs: Literal["close"]


@exact
class CardObservation(TypedDict):
    """See `CardSeen`. A rank, known or null, is written unless the card lies face down."""

    obs: Literal["card"]
    rank: NotRequired[Rank | None]
    suit: NotRequired[Suit | None]
    by: NotRequired[Text | None]
    p: NotRequired[Probability | None]
    to: NotRequired[Target | None]
    box: NotRequired[BoxNumber | None]
    hand: NotRequired[HandNumber | None]
    face: NotRequired[Face | None]
    pose: NotRequired[Pose | None]
    id: NotRequired[Text | None]


@exact
class DecisionObservation(TypedDict):
    """See `Decision`; the keys of `stakes` are seats."""

    obs: Literal["decision"]
    box: BoxNumber
    hand: HandNumber
    action: Action
    seats: NotRequired[Seats | None]
    stakes: NotRequired[Stakes | None]


@exact
class InsuranceObservation(TypedDict):
    """See `Insurance`."""

    obs: Literal["insurance"]
    box: BoxNumber
    seat: SeatNumber
    stake: Amount


@exact
class EvenMoneyObservation(TypedDict):
    """See `EvenMoney`."""

    obs: Literal["even_money"]
    box: BoxNumber
    seat: SeatNumber


@exact
class InsuranceClosedObservation(TypedDict):
    """See `InsuranceClosed`."""

    obs: Literal["insurance_closed"]


@exact
class PeekObservation(TypedDict):
    """See `Peek`."""

    obs: Literal["peek"]
    blackjack: Flag


@exact
class RevealObservation(TypedDict):
    """See `Reveal`."""

    obs: Literal["reveal"]
    rank: NotRequired[Rank | None]
    suit: NotRequired[Suit | None]


@exact
class CutCardObservation(TypedDict):
    """See `CutCard`."""

    obs: Literal["cut_card"]


@exact
class CorrectObservation(TypedDict):
    """See `Correct`. The card is named by its number in the round or by its id."""

    obs: Literal["correct"]
    card: NotRequired[CardNumber | None]
    id: NotRequired[Text | None]
    rank: Rank
    suit: NotRequired[Suit | None]
    by: Text
    reason: Text
    round: NotRequired[RoundNumber | None]


@exact
class StrikeObservation(TypedDict):
    """See `Strike`. The card is named as in `CorrectObservation`; `burn` left out means no."""

    obs: Literal["strike"]
    card: NotRequired[CardNumber | None]
    id: NotRequired[Text | None]
    burn: NotRequired[Flag | None]
    by: Text
    reason: Text
    round: NotRequired[RoundNumber | None]


@exact
class MoveObservation(TypedDict):
    """See `Move`. The card is named as in `CorrectObservation`."""

    obs: Literal["move"]
    card: NotRequired[CardNumber | None]
    id: NotRequired[Text | None]
    to: Target
    box: NotRequired[BoxNumber | None]
    hand: NotRequired[HandNumber | None]
    by: Text
    reason: Text
    round: NotRequired[RoundNumber | None]


@exact
class VoidObservation(TypedDict):
    """See `Void`."""

    obs: Literal["void"]
    box: NotRequired[BoxNumber | None]
    by: Text
    reason: Text
    round: NotRequired[RoundNumber | None]


@exact
class PaidObservation(TypedDict):
    """See `Paid`."""

    obs: Literal["paid"]
    box: BoxNumber
    seat: SeatNumber
    amount: Amount


@exact
class DeviceObservation(TypedDict):
    """See `DeviceSeen`."""

    obs: Literal["device"]
    name: Text
    state: Presence


@exact
class ChipsObservation(TypedDict):
    """See `Chips`."""

    obs: Literal["chips"]
    box: BoxNumber
    chips: Amount


@exact
class BankObservation(TypedDict):
    """See `Bank`."""

    obs: Literal["bank"]
    box: BoxNumber


@exact
class EndObservation(TypedDict):
    """See `End`."""

    obs: Literal["end"]


def _card_is_whole(card: CardObservation) -> CardObservation:
    if "rank" not in card and card.get("face") != "down":
        raise missing("rank")
    if card.get("to") == "box" and card.get("box") is None:
        raise missing("box")
    return card


def _correct_names_a_card(ruling: CorrectObservation) -> CorrectObservation:
    _require_card(ruling.get("card"), ruling.get("id"))
    return ruling


def _strike_names_a_card(ruling: StrikeObservation) -> StrikeObservation:
    _require_card(ruling.get("card"), ruling.get("id"))
    return ruling


def _move_names_card_and_place(ruling: MoveObservation) -> MoveObservation:
    _require_card(ruling.get("card"), ruling.get("id"))
    if ruling["to"] == "box" and ruling.get("box") is None:
        raise missing("box")
    return ruling


def _require_card(number: int | None, name: str | None) -> None:
    if number is None and name is None:
        raise missing("card")


AnyObservation = TypeAliasType(
    "AnyObservation",
    Annotated[
        ShoeObservation
        | BetObservation
        | CloseObservation
        | Annotated[CardObservation, AfterValidator(_card_is_whole)]
        | DecisionObservation
        | InsuranceObservation
        | EvenMoneyObservation
        | InsuranceClosedObservation
        | PeekObservation
        | RevealObservation
        | CutCardObservation
        | Annotated[CorrectObservation, AfterValidator(_correct_names_a_card)]
        | Annotated[StrikeObservation, AfterValidator(_strike_names_a_card)]
        | Annotated[MoveObservation, AfterValidator(_move_names_card_and_place)]
        | VoidObservation
        | PaidObservation
        | DeviceObservation
        | ChipsObservation
        | BankObservation
        | EndObservation,
        Field(discriminator="obs"),
    ],
)
"""Any observation, told apart by `obs`."""

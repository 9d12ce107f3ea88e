"""Observations as JSON objects, one form for each `obs`: what feeds, journals and the wire say.

Meanings: feed format, section 2, and `controller.domain.observations`.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypeAliasType, TypedDict

from controller.feed.observation_fields import (
    Action,
    Amount,
    BoxNumber,
    CardNumber,
    Face,
    Flag,
    HandNumber,
    PayoutKnown,
    Pose,
    Presence,
    Probability,
    Rank,
    ReadingKind,
    RoundNumber,
    SeatNumber,
    Seats,
    Stakes,
    Suit,
    TakenOut,
    Target,
    Text,
    Who,
    exact,
)
from controller.feed.ruling_models import (
    AnyAmendObservation,
    CorrectObservation,
    MoveObservation,
    StrikeObservation,
    SwapObservation,
    VoidObservation,
    correct_names_a_card,
    move_names_card_and_place,
    strike_names_a_card,
)
from controller.feed.table_models import (
    CountObservation,
    CreditObservation,
    DealerObservation,
    DropObservation,
    FillObservation,
    FreezeObservation,
    LimitsObservation,
    MessageObservation,
    NoteObservation,
    RestCardObservation,
    RestCountObservation,
    ResumeObservation,
    ShoeEndObservation,
    ShoeVoidObservation,
    ShuffleObservation,
    TableDayObservation,
    count_is_told,
    credit_is_told,
    fill_is_told,
    limits_leave_room,
)
from controller.validation import missing


@exact
class ShoeObservation(TypedDict):
    """See `ShoeLoaded`."""

    obs: Literal["shoe"]
    decks: Annotated[int, Field(ge=1, le=60, description="1 to 60 packs")]
    cards: NotRequired[CardNumber | None]
    set: NotRequired[Text | None]


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
    out: NotRequired[TakenOut | None]


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
class PaidObservation(TypedDict):
    """See `Paid`."""

    obs: Literal["paid"]
    box: BoxNumber
    seat: SeatNumber
    amount: Amount
    round: NotRequired[RoundNumber | None]
    how: NotRequired[PayoutKnown | None]


@exact
class ChipReadingObservation(TypedDict):
    """See `ChipReading`."""

    obs: Literal["chip_reading"]
    kind: ReadingKind
    box: BoxNumber
    seat: SeatNumber
    amount: Amount | None
    p: NotRequired[Probability | None]


@exact
class ExposedObservation(TypedDict):
    """See `Exposed`."""

    obs: Literal["exposed"]
    who: Who


@exact
class LeaveObservation(TypedDict):
    """See `Leave`."""

    obs: Literal["leave"]
    box: BoxNumber
    seat: SeatNumber


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
        | Annotated[CorrectObservation, AfterValidator(correct_names_a_card)]
        | Annotated[StrikeObservation, AfterValidator(strike_names_a_card)]
        | Annotated[MoveObservation, AfterValidator(move_names_card_and_place)]
        | VoidObservation
        | AnyAmendObservation
        | SwapObservation
        | PaidObservation
        | ChipReadingObservation
        | ExposedObservation
        | LeaveObservation
        | ShuffleObservation
        | ShoeEndObservation
        | RestCountObservation
        | RestCardObservation
        | ShoeVoidObservation
        | Annotated[LimitsObservation, AfterValidator(limits_leave_room)]
        | TableDayObservation
        | DealerObservation
        | Annotated[CountObservation, AfterValidator(count_is_told)]
        | Annotated[FillObservation, AfterValidator(fill_is_told)]
        | Annotated[CreditObservation, AfterValidator(credit_is_told)]
        | DropObservation
        | ResumeObservation
        | NoteObservation
        | FreezeObservation
        | MessageObservation
        | DeviceObservation
        | ChipsObservation
        | BankObservation
        | EndObservation,
        Field(discriminator="obs"),
    ],
)
"""Any observation, told apart by `obs`."""

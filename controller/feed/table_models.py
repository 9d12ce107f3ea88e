"""Table events as JSON objects: `observation_models` for the shoe, the table's day and its float."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from controller.feed.observation_fields import (
    Amount,
    CardNames,
    Codes,
    CountOccasion,
    DayState,
    DealerStep,
    DropKind,
    Flag,
    Pieces,
    Rank,
    Remark,
    RestStep,
    RoundNumber,
    SeatNumber,
    Shuffled,
    Suit,
    Text,
    exact,
)
from controller.validation import missing, wrong


@exact
class ShuffleObservation(TypedDict):
    """See `ShoeShuffled`."""

    obs: Literal["shuffle"]
    cards: Shuffled


@exact
class ShoeEndObservation(TypedDict):
    """See `ShoeEnded`."""

    obs: Literal["shoe_end"]
    cards: NotRequired[CardNames | None]


@exact
class RestCountObservation(TypedDict):
    """See `RestCounting`."""

    obs: Literal["rest_count"]
    state: RestStep


@exact
class RestCardObservation(TypedDict):
    """See `RestCard`."""

    obs: Literal["rest_card"]
    rank: Rank | None
    suit: NotRequired[Suit | None]
    out: NotRequired[Flag | None]


@exact
class ShoeVoidObservation(TypedDict):
    """See `ShoeVoided`."""

    obs: Literal["shoe_void"]
    by: NotRequired[Text | None]
    reason: Text
    second: NotRequired[Text | None]


@exact
class LimitsObservation(TypedDict):
    """See `Limits`."""

    obs: Literal["limits"]
    stake_min: Amount
    stake_max: Amount
    stake_step: Amount
    by: NotRequired[Text | None]


@exact
class TableDayObservation(TypedDict):
    """See `TableDay`."""

    obs: Literal["table"]
    state: DayState
    by: NotRequired[Text | None]


@exact
class DealerObservation(TypedDict):
    """See `DealerSeated`."""

    obs: Literal["dealer"]
    id: Text
    at: DealerStep


@exact
class CountObservation(TypedDict):
    """See `FloatCounted`."""

    obs: Literal["count"]
    at: CountOccasion
    amount: NotRequired[Amount | None]
    chips: NotRequired[Pieces | None]
    by: NotRequired[Text | None]
    second: NotRequired[Text | None]


@exact
class FillObservation(TypedDict):
    """See `Fill`."""

    obs: Literal["fill"]
    slip: Text
    amount: NotRequired[Amount | None]
    chips: NotRequired[Pieces | None]
    by: NotRequired[Text | None]
    second: NotRequired[Text | None]


@exact
class CreditObservation(TypedDict):
    """See `Credit`."""

    obs: Literal["credit"]
    slip: Text
    amount: NotRequired[Amount | None]
    chips: NotRequired[Pieces | None]
    by: NotRequired[Text | None]
    second: NotRequired[Text | None]


@exact
class DropObservation(TypedDict):
    """See `Drop`."""

    obs: Literal["drop"]
    amount: Amount
    seat: NotRequired[SeatNumber | None]
    kind: NotRequired[DropKind | None]


@exact
class ResumeObservation(TypedDict):
    """See `HoldsLifted`."""

    obs: Literal["resume"]
    codes: NotRequired[Codes | None]
    by: NotRequired[Text | None]
    reason: Text
    second: NotRequired[Text | None]


@exact
class NoteObservation(TypedDict):
    """See `Note`."""

    obs: Literal["note"]
    text: Remark
    round: NotRequired[RoundNumber | None]
    by: NotRequired[Text | None]


@exact
class FreezeObservation(TypedDict):
    """See `Freeze`."""

    obs: Literal["freeze"]
    by: NotRequired[Text | None]
    reason: Text


@exact
class MessageObservation(TypedDict):
    """See `Message`."""

    obs: Literal["message"]
    text: Remark
    by: NotRequired[Text | None]


def count_is_told(count: CountObservation) -> CountObservation:
    """A count has a sum, pieces, or both that agree."""
    _require_chips(count.get("amount"), count.get("chips"))
    return count


def fill_is_told(fill: FillObservation) -> FillObservation:
    """A fill has a sum, pieces, or both that agree."""
    _require_chips(fill.get("amount"), fill.get("chips"))
    return fill


def credit_is_told(credit: CreditObservation) -> CreditObservation:
    """A credit has a sum, pieces, or both that agree."""
    _require_chips(credit.get("amount"), credit.get("chips"))
    return credit


def _require_chips(amount: int | None, pieces: Mapping[str, int] | None) -> None:
    """A sum or pieces; where both are told they have to agree."""
    if amount is None and pieces is None:
        raise missing("amount")
    if amount is None or pieces is None:
        return
    if amount != sum(int(value) * number for value, number in pieces.items()):
        raise wrong("amount")


def limits_leave_room(limits: LimitsObservation) -> LimitsObservation:
    """The least stake is not above the highest one."""
    if 0 < limits["stake_max"] < limits["stake_min"]:
        raise wrong("stake_max")
    return limits

"""The acts of people at a screen as JSON: one form per act, selected by `do`."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator, with_config
from typing_extensions import TypeAliasType, TypedDict

from controller.domain import unfit_place
from controller.feed.codec import BoxNumber, CardNumber, RoundNumber, SeatNumber, Text
from controller.feed.wire import AnyObservation
from controller.validation import not_plain

_NUMBER_MAX: Final = 2**53
"""Largest number of an entry or round that every page can say exactly."""

RULINGS_MAX: Final = 20
"""Most rulings on one round that are previewed and applied together."""

EntryNumber = Annotated[int, Field(strict=True, ge=0, le=_NUMBER_MAX)]
Pixel = Annotated[int, Field(ge=-100_000, le=100_000)]
DeviceName = Annotated[str, Field(min_length=1, max_length=40)]

CARD: Final = "^(A|[2-9]|10|J|Q|K)[cdhs]$"
"""Rank and suit."""


class WireModel(BaseModel):
    """A message of a screen: immutable; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_plain_texts(cls, data: object) -> object:
        """Refuse text in any field that cannot be shown, logged and stored."""
        place = unfit_place(data)
        if place is not None:
            raise not_plain(place)
        return data


class ObserveAct(WireModel):
    """A fact of the table; `obs` is an observation of the feed format (without `t`)."""

    do: Literal["observe"] = "observe"
    obs: AnyObservation


class ObserveAllAct(WireModel):
    """Rulings on one round, applied together in this order."""

    do: Literal["observe_all"] = "observe_all"
    obs: Annotated[tuple[AnyObservation, ...], Field(min_length=2, max_length=RULINGS_MAX)]


class ChipAct(WireModel):
    """A chip added to (or with `off` removed from) a bettor's stake; `chip` is its value, such as "2.50"."""

    do: Literal["chip"] = "chip"
    box: BoxNumber
    seat: SeatNumber
    chip: str = Field(min_length=1, max_length=20)
    off: bool = False


class AmountAct(WireModel):
    """A typed `amount` of a bettor in units, such as "22.50"."""

    box: BoxNumber
    seat: SeatNumber
    amount: str = Field(min_length=1, max_length=20)


class ClearAct(WireModel):
    """Take every chip of a box off again, the holder's and those behind."""

    do: Literal["clear"] = "clear"
    box: BoxNumber


class StakeAct(AmountAct):
    """The whole stake of a bettor; "0" takes it away."""

    do: Literal["stake"] = "stake"


class InsureAct(AmountAct):
    """An insurance, where the house takes less than half; "0" declines."""

    do: Literal["insure"] = "insure"


class GivenAct(AmountAct):
    """The amount that the dealer gave a bettor on top of the stakes."""

    do: Literal["given"] = "given"


class FreezeAct(WireModel):
    """Stop the table at once and call the pit."""

    do: Literal["freeze"] = "freeze"
    note: str = Field(default="", max_length=200)


class ResumeAct(WireModel):
    """Lift the holds; `without` names lost devices to go on without."""

    do: Literal["resume"] = "resume"
    without: tuple[DeviceName, ...] = Field(default=(), max_length=32)


class AlertAct(WireModel):
    """One step in the life of an alert."""

    do: Literal["alert"] = "alert"
    alert: EntryNumber
    step: Literal["ack", "assign", "resolve"]
    note: str = Field(default="", max_length=200)


class HandledAct(WireModel):
    """This box of the settled round is paid, taken or pushed."""

    do: Literal["handled"] = "handled"
    round: RoundNumber
    box: BoxNumber


class AutoplayAct(WireModel):
    """Simulation only: let the simulated people act, or act from the screens."""

    do: Literal["autoplay"] = "autoplay"
    on: bool


class DrawAct(WireModel):
    """Simulation only: draw a card from the shoe at any stage."""

    do: Literal["draw"] = "draw"


class OrderAct(WireModel):
    """Pit only: have a device do something; `reason` is one of the page's reasons, or words."""

    do: Literal["order"] = "order"
    device: str = Field(min_length=1, max_length=40)
    order: Literal["lock", "unlock", "clear_error", "calibrate", "enrol", "spread", "stop_enrol"]
    reason: str = Field(min_length=1, max_length=200)


class NameAct(WireModel):
    """Pit only: which card lies where a camera is in doubt; the page adds `card`, as `8h`, and `reason`."""

    do: Literal["name"] = "name"
    camera: str = Field(min_length=1, max_length=40)
    box: int = Field(ge=0, le=7)
    at: tuple[Pixel, Pixel] | None = None
    was: str = Field(pattern=CARD)
    seen: str = Field(pattern=CARD)
    card: str = Field(default="", pattern=f"{CARD}|^$")
    reason: str = Field(default="", max_length=200)


class EditingAct(WireModel):
    """A pit user has chosen a card to correct (`on`) or leaves it; the dealers' keys are paused meanwhile.

    The page repeats `on` at least every four seconds, so that a closed page pauses nobody. Only a `card` of
    the running round pauses the keys: neither a settled round nor an act without a card does.
    """

    do: Literal["editing"] = "editing"
    on: bool
    card: int | None = Field(default=None, ge=1, le=10_000)


TableAct = ObserveAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct
"""Acts that the table takes as they are."""

ScreenAct = TypeAliasType(
    "ScreenAct",
    Annotated[
        TableAct
        | ObserveAllAct
        | ChipAct
        | StakeAct
        | InsureAct
        | GivenAct
        | ClearAct
        | NameAct
        | EditingAct
        | DrawAct,
        Field(discriminator="do"),
    ],
)
"""Any act, told apart by `do`."""


@with_config(ConfigDict(strict=True, extra="forbid"))
class RevealWithoutRank(TypedDict):
    """The face-down card is turned; the page adds `rank`."""

    obs: Literal["reveal"]


@with_config(ConfigDict(strict=True, extra="forbid"))
class CorrectWithoutRank(TypedDict):
    """An open, unread card; the page adds `rank`."""

    obs: Literal["correct"]
    card: CardNumber
    by: Text
    reason: Text


@with_config(ConfigDict(strict=True, extra="forbid"))
class CardWithoutRank(TypedDict):
    """A card that no device has reported; the page adds `rank`."""

    obs: Literal["card"]
    by: Text


FactWithoutRank = TypeAliasType(
    "FactWithoutRank",
    Annotated[RevealWithoutRank | CorrectWithoutRank | CardWithoutRank, Field(discriminator="obs")],
)
"""A fact that is whole once the page has added `rank`."""


@with_config(ConfigDict(strict=True, extra="forbid"))
class CorrectWithoutTruth(TypedDict):
    """A card that was another one; the page adds `rank`, `suit`, `by` and `reason`."""

    obs: Literal["correct"]
    card: CardNumber

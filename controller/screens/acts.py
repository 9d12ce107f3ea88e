"""What a screen may ask for, as JSON: one shape for each act, told apart by `do`."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

CARD: Final = "^(A|[2-9]|10|J|Q|K)[cdhs]$"
"""Rank and suit."""


class Wire(BaseModel):
    """Immutable, and strict about unknown fields: a misspelt field is an error, not a silent no."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ObserveAct(Wire):
    """A fact of the table; `obs` is an observation of the feed format (without `t`)."""

    do: Literal["observe"] = "observe"
    obs: dict[str, Any]


class ChipAct(Wire):
    """One chip laid on (or taken `off`) a bettor's stake; `chip` is its value, such as "2.50"."""

    do: Literal["chip"] = "chip"
    box: int
    seat: int
    chip: str
    off: bool = False


class ClearAct(Wire):
    """Take every chip of a box off again, the holder's and those behind."""

    do: Literal["clear"] = "clear"
    box: int


class FreezeAct(Wire):
    """Stop the table at once and call the pit."""

    do: Literal["freeze"] = "freeze"
    note: str = Field(default="", max_length=200)


class ResumeAct(Wire):
    """Lift the holds; `without` names lost devices to go on without."""

    do: Literal["resume"] = "resume"
    without: tuple[str, ...] = ()


class AlertAct(Wire):
    """One step in the life of an alert."""

    do: Literal["alert"] = "alert"
    alert: int
    step: Literal["ack", "assign", "resolve"]
    note: str = Field(default="", max_length=200)


class HandledAct(Wire):
    """This box of the settled round is paid, taken or pushed."""

    do: Literal["handled"] = "handled"
    round: int
    box: int


class AutoplayAct(Wire):
    """Simulation only: let the simulated people act, or act from the screens."""

    do: Literal["autoplay"] = "autoplay"
    on: bool


class OrderAct(Wire):
    """Pit only: have a device do something; `reason` is one of the page's reasons, or words."""

    do: Literal["order"] = "order"
    device: str = Field(min_length=1, max_length=40)
    order: Literal["lock", "unlock", "clear_error"]
    reason: str = Field(min_length=1, max_length=200)


class NameAct(Wire):
    """Pit only: which card lies where a camera is in doubt; the page adds `card`, as `8h`, and `reason`."""

    do: Literal["name"] = "name"
    camera: str = Field(min_length=1, max_length=40)
    box: int = Field(ge=0, le=7)
    at: tuple[int, int] | None = None
    was: str = Field(pattern=CARD)
    seen: str = Field(pattern=CARD)
    card: str = Field(default="", pattern=f"{CARD}|^$")
    reason: str = Field(default="", max_length=200)


class EditingAct(Wire):
    """A pit user opens (`on`) or leaves the correction of a card; dealers' keys rest meanwhile."""

    do: Literal["editing"] = "editing"
    on: bool
    box: int | None = None


ScreenAct = Annotated[
    ObserveAct
    | ChipAct
    | ClearAct
    | FreezeAct
    | ResumeAct
    | AlertAct
    | HandledAct
    | AutoplayAct
    | OrderAct
    | NameAct
    | EditingAct,
    Field(discriminator="do"),
]


class CommandBody(Wire):
    """The body of a command: who, on which sight of the table, what.

    `command_id` is made once for each press; the same id sent again answers as the first time.
    Whoever acts as `pit` names the `session` that the sign-in gave.
    """

    command_id: str = Field(min_length=8, max_length=64)
    expected_seq: int
    actor: str = Field(min_length=1, max_length=40)
    role: Literal["dealer", "pit"]
    session: str | None = Field(default=None, max_length=64)
    act: ScreenAct


class SignInBody(Wire):
    """Who sits down at a pit screen; `pin` where the table's configuration has one for this person."""

    actor: str = Field(min_length=1, max_length=40)
    pin: str = Field(default="", max_length=12)


class PreviewBody(Wire):
    """A correction to try out; nothing is stored."""

    obs: dict[str, Any]

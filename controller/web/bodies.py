"""The bodies of requests and answers, and the messages of the socket, as JSON."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from controller.feed.wire import AnyObservation
from controller.policy.line import StaffRole
from controller.screens.acts import RULINGS_MAX, EntryNumber, ScreenAct, WireModel
from controller.screens.view import TableView
from controller.screens.words import DemoFault, ViewModel, Words

REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    409: {"model": Words, "description": "Refused: the text that says why"},
    422: {"model": Words, "description": "Not understood: the text that says which field is wrong"},
}
"""How every route that takes something may refuse it."""


class CommandBody(WireModel):
    """The body of a command: the seen state, the act, and the screen's session for it.

    `command_id` is made once per press; a repeated id is answered as the first time. `role` says whether the
    screen's own person acts or the pit beside it. The session identifies the person: `actor` may be left out,
    and is refused when it names another one. `grant` is the pit's PIN for this one act, `second` the PIN of
    the second person. `session` is always null: sessions are cookies.
    """

    command_id: str = Field(min_length=8, max_length=64)
    expected_seq: EntryNumber
    role: Literal["dealer", "pit"]
    actor: str | None = Field(default=None, min_length=1, max_length=40)
    grant: str | None = Field(default=None, max_length=64)
    second: str | None = Field(default=None, max_length=64)
    session: None = None
    act: ScreenAct


class SignInBody(WireModel):
    """A sign-in: id (`actor`) and `pin`, or the number typed by a staff card's reader (`card`).

    `at` is its purpose: the `screen` itself, the `pit` beside its dealer, one `act` of the pit there, or the
    `second` person of an act.
    """

    actor: str = Field(default="", max_length=40)
    pin: str = Field(default="", max_length=12)
    card: str = Field(default="", max_length=64)
    at: Literal["screen", "pit", "act", "second"] = "screen"


class PreviewBody(WireModel):
    """A correction to try out, after those in `first`; nothing is stored."""

    obs: AnyObservation
    first: Annotated[tuple[AnyObservation, ...], Field(max_length=RULINGS_MAX)] = ()


class FaultBody(WireModel):
    """A fault for a simulated table to show; for a standing fault the hands do their part of the repair.

    `left`: the simulated pit leaves it to a person.
    """

    fault: DemoFault
    left: bool = False


class SpeedBody(WireModel):
    """The speed of a simulation as a multiple of people's; 0 pauses it."""

    speed: float = Field(ge=0, le=20)


class PitBody(WireModel):
    """A request for the pit's information; `grant` is a pit user's PIN for one act at a dealer's screen."""

    grant: str | None = Field(default=None, max_length=64)


class CommandAccepted(ViewModel):
    """Durable and visible: `seq` is the last journal entry that the command made."""

    seq: int


class PersonView(ViewModel):
    """A signed-in person."""

    id: str
    name: str
    role: StaffRole


class SignInAnswer(ViewModel):
    """The signed-in person; `grant` is the token for one act, "" when a session was opened.

    `pin_old`: the typed PIN is older than a quarter.
    """

    person: PersonView
    grant: str
    pin_old: bool


class SessionView(ViewModel):
    """The person signed in at this screen, and the pit user beside it.

    `guest` acts without a sign-in (the demo). `left_s` is the remaining time of the page's own session
    without activity; `table` names the table, `house` its rules. `card_prefix` is the first character that a
    staff card's reader types, `demo_pin` the PIN of the demo's people.
    """

    screen: PersonView | None
    pit: PersonView | None
    guest: PersonView | None
    left_s: int
    table: str
    house: str
    card_prefix: str
    demo_pin: str


class Hello(ViewModel):
    """The first message: a screen that hears nothing for a few heartbeats is not live."""

    type: Literal["hello"] = "hello"
    heartbeat_ms: int


class ViewMessage(ViewModel):
    """The view of the table after entry `seq`: whole (`snapshot`), or because it has changed (`state`)."""

    type: Literal["snapshot", "state"]
    seq: int
    view: TableView


class ChangesMessage(ViewModel):
    """The changes of the view, for a socket that was opened with `changes`.

    `fields` are the changed fields of the view, `boxes` the changed fields of its boxes by their numbers. All
    other fields are as in the screen's present view.
    """

    type: Literal["changes"]
    seq: int
    fields: dict[str, Any]
    boxes: dict[str, dict[str, Any]]


class Beat(ViewModel):
    """No change: the newest entry is still `seq`."""

    type: Literal["beat"] = "beat"
    seq: int


SocketMessage = Annotated[Hello | ViewMessage | ChangesMessage | Beat, Field(discriminator="type")]
"""Any message of the server, told apart by `type`. Whatever a screen says asks for a snapshot."""

"""What requests carry and what they are answered with, and the messages of the socket, as JSON."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from controller.feed.wire import AnyObservation
from controller.policy.state.line_person import StaffRole
from controller.screens.shapes.acts import RULINGS_MAX, EntryNumber, ScreenAct, WireModel
from controller.screens.shapes.demo_faults import DemoFault
from controller.screens.shapes.view import TableView
from controller.screens.shapes.words import ViewModel, Words

REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    409: {"model": Words, "description": "Refused: the text that says why"},
    422: {"model": Words, "description": "Not understood: the text that says which field is wrong"},
}
"""How every route that takes something may refuse it."""


class CommandBody(WireModel):
    """The body of a command: on which sight of the table, what, and with which of the screen's sessions.

    `command_id` is made once for each press; the same id sent again answers as the first time. `role` says
    whether the screen's own person acts or the pit beside him. Who that is, the session says: `actor` may be
    left out, and is refused where it is somebody else. `grant` is the pit's PIN for this one act, `second`
    that of another person who signs for it. `session` is always null: sessions are cookies.
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
    """Who signs in: id (`actor`) and `pin`, or what a staff card's reader has typed (`card`).

    `at` says for what: the `screen` itself, the `pit` beside its dealer, one `act` of the pit there, or as
    the `second` person of an act.
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
    """A fault that a simulated table is to show; where it stands already, hands put right what they can.

    `left`: the simulated pit leaves it to a person.
    """

    fault: DemoFault
    left: bool = False


class SpeedBody(WireModel):
    """How many times as fast as people a simulation is to play; 0 lets it pause."""

    speed: float = Field(ge=0, le=20)


class PitBody(WireModel):
    """Asks for what only the pit gets; `grant` is a pit user's PIN for one act at a dealer's screen."""

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
    """Who has signed in; `grant` is what an act has to name, "" where a session was opened.

    `pin_old`: the PIN that was typed is older than a quarter.
    """

    person: PersonView
    grant: str
    pin_old: bool


class SessionView(ViewModel):
    """Who is signed in at this screen, and beside him from the pit; `guest` acts where nobody is (the demo).

    `left_s` is how long the page's own session lasts if nobody does anything; `table` names the
    table, `house` the rules that are played there.
    `card_prefix` is what a staff card's reader types first, `demo_pin` the PIN of the demo's people.
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
    """What has changed in the view, for a socket that was opened with `changes`.

    `fields` are those of the view that are new, `boxes` the new fields of its boxes by their numbers. What is
    not named is as it was in the view that the screen has.
    """

    type: Literal["changes"]
    seq: int
    fields: dict[str, Any]
    boxes: dict[str, dict[str, Any]]


class Beat(ViewModel):
    """Nothing has changed: the newest entry is still `seq`."""

    type: Literal["beat"] = "beat"
    seq: int


SocketMessage = Annotated[Hello | ViewMessage | ChangesMessage | Beat, Field(discriminator="type")]
"""Any message of the server, told apart by `type`. Whatever a screen says asks for a snapshot."""

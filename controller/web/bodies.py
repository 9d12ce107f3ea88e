"""What requests carry and what they are answered with, and the messages of the socket, as JSON."""

from typing import Annotated, Literal

from pydantic import Field

from controller.feed.observation_models import AnyObservation
from controller.screens.acts import EntryNumber, ScreenAct, WireModel
from controller.screens.view import TableView
from controller.screens.view_model import ViewModel


class CommandBody(WireModel):
    """The body of a command: who, on which sight of the table, what.

    `command_id` is made once for each press; the same id sent again answers as the first time.
    Whoever acts as `pit` names the `session` that the sign-in gave.
    """

    command_id: str = Field(min_length=8, max_length=64)
    expected_seq: EntryNumber
    actor: str = Field(min_length=1, max_length=40)
    role: Literal["dealer", "pit"]
    session: str | None = Field(default=None, max_length=64)
    act: ScreenAct


class SignInBody(WireModel):
    """Who sits down at a pit screen; `pin` where the table's configuration has one for this person."""

    actor: str = Field(min_length=1, max_length=40)
    pin: str = Field(default="", max_length=12)


class PreviewBody(WireModel):
    """A correction to try out; nothing is stored."""

    obs: AnyObservation


class PitBody(WireModel):
    """Who of the pit asks for what only the pit is told, and in which session."""

    actor: str = Field(min_length=1, max_length=40)
    session: str = Field(max_length=64)


class CommandAccepted(ViewModel):
    """Durable and visible: `seq` is the last journal entry that the command made."""

    seq: int


class SignedIn(ViewModel):
    """The session that a pit's commands name from now on."""

    session: str


class Hello(ViewModel):
    """The first message: a screen that hears nothing for a few heartbeats is not live."""

    type: Literal["hello"] = "hello"
    heartbeat_ms: int


class ViewMessage(ViewModel):
    """The view of the table after entry `seq`: whole (`snapshot`), or because it has changed (`state`)."""

    type: Literal["snapshot", "state"]
    seq: int
    view: TableView


class Beat(ViewModel):
    """Nothing has changed: the newest entry is still `seq`."""

    type: Literal["beat"] = "beat"
    seq: int


SocketMessage = Annotated[Hello | ViewMessage | Beat, Field(discriminator="type")]
"""Any message of the server, told apart by `type`. Whatever a screen says asks for a snapshot."""

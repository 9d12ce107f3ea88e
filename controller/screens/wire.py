"""The port between a local or remote table and its screens: commands in, the newest view out.

The sender of a command is the signed-in person, whatever name the page sends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from controller.acts.catalogue import CardSeen, DealerSeated, Observation
from controller.domain import TableError
from controller.policy.allowed.permissions import DEALER_SECONDS
from controller.runtime import api
from controller.screens import acts
from controller.screens.view import BoxView, TableView


class ScreenCommand(NamedTuple):
    """One act of a person known to the server; the fields are those of `api.Command`.

    `checked` is False without a sign-in (the demo): then the name that the page sends is overruled.
    """

    command_id: str
    expected_seq: int
    actor: str
    role: api.Role
    act: acts.ScreenAct
    second: str = ""
    checked: bool = True
    commander: str = ""


def name_of(act: acts.ScreenAct) -> str:
    """Return the name of an act for the journal: its observation, else its `do`."""
    return str(act.obs["obs"]) if isinstance(act, acts.ObserveAct) else act.do


def require_second(person: str, second: str, role: str | None, act: acts.ScreenAct) -> None:
    """Raise SECOND_SAME or SECOND_NOT_ALLOWED unless `second`, of this role on a line, may sign for it."""
    if second == person:
        raise TableError("SECOND_SAME", id=second)
    dealer_may = role == "dealer" and name_of(act) in DEALER_SECONDS
    if role != "pit" and not dealer_may:
        raise TableError("SECOND_NOT_ALLOWED", id=second)


def signed(action: api.Action, command: ScreenCommand) -> api.Action:
    """Sign the fact of a command with its person and second person.

    Raises ACTOR_DIFFERS when the page names another person; a role alone ("dealer", "pit") names none.
    """
    if not isinstance(action, api.Observe):
        return action
    observation = action.observation
    _require_own(observation, command)
    fields: dict[str, Any] = {}
    if hasattr(observation, "by") and not isinstance(observation, CardSeen):
        fields["by"] = command.actor
    if hasattr(observation, "second"):
        fields["second"] = command.second or None
    return api.Observe(observation._replace(**fields)) if fields else action


def _require_own(observation: Observation, command: ScreenCommand) -> None:
    if not command.checked:
        return
    # The page's own value: parsing a ruling without a person fills in the replay's pit.
    said = command.act.obs.get("by") if isinstance(command.act, acts.ObserveAct) else None
    if said not in (None, command.role, command.actor, f"{command.role}:{command.actor}"):
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if command.role == "dealer" and isinstance(observation, DealerSeated) and observation.id != command.actor:
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if getattr(observation, "second", None) not in (None, command.second):
        raise TableError("ACTOR_DIFFERS", id=command.actor)


BOXES: Final = "boxes"
"""The field whose rows are sent field by field: they are most of a view, and little of a row changes."""


class Member(NamedTuple):
    """`"name":value` as JSON text, and the first version of the view in which it stood like this."""

    text: str
    version: int


Members = Mapping[str, Member]
"""The members of an object by name."""


@dataclass(frozen=True)
class RenderedView:
    """A view as it goes out: `version` counts the views of this process from 1 on.

    `fields` are those of the view but its boxes; `boxes` are the fields of each box, by its number.
    """

    version: int
    seq: int
    view: TableView
    fields: Members
    boxes: Mapping[int, Members]
    _changes: dict[int, str] = field(default_factory=dict, compare=False)

    @cached_property
    def body(self) -> str:
        """The whole view."""
        rows = ",".join(f"{{{_newer(row, 0)}}}" for row in self.boxes.values())
        return f'{{{_newer(self.fields, 0)},"{BOXES}":[{rows}]}}'

    def changes(self, version: int) -> str:
        """Return the changes since view `version`: two more members of a `ChangesMessage`."""
        if version not in self._changes:
            changed = [(box, _newer(row, version)) for box, row in self.boxes.items()]
            rows = ",".join(f'"{box}":{{{members}}}' for box, members in changed if members)
            fields = _newer(self.fields, version)
            self._changes[version] = f'"fields":{{{fields}}},"{BOXES}":{{{rows}}}'
        return self._changes[version]


def render(view: TableView, before: RenderedView | None) -> RenderedView:
    """Render a view; members equal to those of `before` keep their version."""
    version = 1 if before is None else before.version + 1
    rows = {} if before is None else before.boxes
    return RenderedView(
        version,
        view.seq,
        view,
        _members(view, {} if before is None else before.fields, version),
        {row.box: _members(row, rows.get(row.box, {}), version) for row in view.boxes},
    )


def _members(shown: TableView | BoxView, before: Members, version: int) -> Members:
    written = {}
    for name in type(shown).model_fields:
        if name == BOXES:
            continue
        # ASCII, because each screen's socket encodes the text again: one other letter makes that 27 µs
        # instead of 1 for 20 kB.
        text = shown.model_dump_json(include={name}, ensure_ascii=True)[1:-1]
        known = before.get(name)
        written[name] = known if known is not None and known.text == text else Member(text, version)
    return written


def _newer(members: Members, version: int) -> str:
    return ",".join(member.text for member in members.values() if member.version > version)


class Views(Protocol):
    """The newest view of a table: a `ViewBroadcaster`, or a remote table's views."""

    def latest(self) -> RenderedView:
        """Return the view of now."""

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view newer than `version`; at once where there is one."""

    def wake(self) -> None:
        """Wake all screens that wait for a newer view."""

    async def run(self) -> None:
        """Follow the table until cancelled."""

    async def await_pictures(self, period_s: float) -> None:
        """Wake every `period_s` seconds while a question waits for a camera's picture, until cancelled."""


class Commands(Protocol):
    """Executes a screen's commands: a `CommandHandler`, or a remote table."""

    async def take(self, command: ScreenCommand) -> int:
        """Execute a command; return the sequence of the last entry. Raises `TableError`."""


class RemoteTable(Protocol):
    """A table that is played elsewhere and may be reached from here."""

    def views(self, local: Views) -> Views:
        """Return its views; `local` are the views from its journal here."""

    def commands(self, local: Commands) -> Commands:
        """The way of commands to it; `local` refuses them."""

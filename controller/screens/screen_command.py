"""A command of a screen, and who stands behind it: the signed-in person, whatever the page has written."""

from typing import Any, NamedTuple

from controller.acts.catalogue import CardSeen, DealerSeated, Observation
from controller.domain import TableError
from controller.policy.allowed.permissions import DEALER_SECONDS
from controller.runtime import api
from controller.screens.shapes import acts


class ScreenCommand(NamedTuple):
    """One act of a person whom the server knows; the fields mean what those of `api.Command` mean.

    `checked` is False where nobody has signed in (the demo): then what the page says of itself is overruled.
    `commander` as in `api.Command`.
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
    """Name an act for the journal: what is observed, or what is done."""
    return str(act.obs["obs"]) if isinstance(act, acts.ObserveAct) else act.do


def require_second(person: str, second: str, role: str | None, act: acts.ScreenAct) -> None:
    """Raise SECOND_SAME or SECOND_NOT_ALLOWED unless `second`, of this role on a line, may sign for it."""
    if second == person:
        raise TableError("SECOND_SAME", id=second)
    dealer_may = role == "dealer" and name_of(act) in DEALER_SECONDS
    if role != "pit" and not dealer_may:
        raise TableError("SECOND_NOT_ALLOWED", id=second)


def signed(action: api.Action, command: ScreenCommand) -> api.Action:
    """Put the person of a command, and who signs with him, under the fact that he states.

    Raises ACTOR_DIFFERS where the page names somebody else; his role alone ("dealer", "pit") names nobody.
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
    # What the page itself says: where a ruling names nobody, reading it has put the replay's pit there.
    said = command.act.obs.get("by") if isinstance(command.act, acts.ObserveAct) else None
    if said not in (None, command.role, command.actor, f"{command.role}:{command.actor}"):
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if command.role == "dealer" and isinstance(observation, DealerSeated) and observation.id != command.actor:
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if getattr(observation, "second", None) not in (None, command.second):
        raise TableError("ACTOR_DIFFERS", id=command.actor)

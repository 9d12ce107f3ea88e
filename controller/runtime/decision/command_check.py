"""Whether a command may be taken at all: by whom it comes, and whether it still means what its sender saw."""

from typing import Final

from controller.acts.catalogue import RULINGS, CardSeen, DeviceSeen, HoldsLifted, declared
from controller.acts.permits import Act, Situation
from controller.domain.errors import TableError
from controller.policy import Person
from controller.policy.allowed.permissions import ADMINISTRATOR_LIFTS, allowed
from controller.policy.allowed.roles import act_of, situation_of
from controller.policy.allowed.second_person import is_other
from controller.runtime import api
from controller.runtime.ledger import Ledger

_AT_SCREEN: Final[dict[type, Act]] = {
    CardSeen: Act.CARD_AT_SCREEN,
    DeviceSeen: Act.DEVICE_AT_SCREEN,
    HoldsLifted: Act.RESUME_AT_SCREEN,
}
"""What devices report, or a resume does, entered by a person as a fact."""

_BESIDE: Final[dict[type, Act]] = {
    api.CallPit: Act.CALL_PIT,
    api.BoxHandled: Act.HANDLED,
    api.Autoplay: Act.AUTOPLAY,
    api.DeviceOrder: Act.ORDER,
    api.NameCard: Act.NAME,
}
"""Acts that put no fact on the table; any other is the server's word on people."""


def require_allowed(ledger: Ledger, command: api.Command, dealer_may_miss: frozenset[str]) -> None:
    """Raise NOT_ALLOWED where this role may not do this as the table stands; the last as `decide` has it."""
    act = act_of_command(ledger, command.action, dealer_may_miss)
    situation = situation_of_command(ledger, command.action)
    if allowed(command.role, act, situation) == "no":
        raise TableError("NOT_ALLOWED", role=command.role)


def act_of_command(ledger: Ledger, action: api.Action, dealer_may_miss: frozenset[str]) -> Act:
    """Find the act that a command asks for."""
    match action:
        # Not `Observe(observation)`, here and below: capturing a large union takes mypy seconds.
        case api.Observe():
            observation = action.observation
            return _AT_SCREEN.get(type(observation)) or act_of(ledger.state, observation)
        case api.Resume(without):
            if not without:
                return Act.RESUME
            return Act.RESUME_WITHOUT_WITNESS if dealer_may_miss.issuperset(without) else Act.RESUME_WITHOUT
        case api.AlertStep(step=step):
            return Act.ALERT_SEEN if step == "ack" else Act.ALERT
    return _BESIDE.get(type(action), Act.STAFF_NOTE)


def situation_of_command(ledger: Ledger, action: api.Action) -> Situation:
    """Find how the table stands for a command; a resume counts the holds that it would lift."""
    observation = action.observation if isinstance(action, api.Observe) else None
    named = observation.codes if isinstance(observation, HoldsLifted) else None
    codes = {held.code for held in ledger.holds if named is None or held.code in named}
    if codes & ADMINISTRATOR_LIFTS:
        return Situation.HELD_ADMINISTRATOR
    return situation_of(ledger.run, observation)


def require_second_person(ledger: Ledger, command: api.Command) -> None:
    """Raise SECOND_NEEDED where two people lift one of the holds, and only one resumes."""
    by = Person("pit", command.actor)
    for held in ledger.holds:
        if held.release == "two" and not is_other(by, command.second):
            raise TableError("SECOND_NEEDED", hold=held.code)


def goes_stale(command: api.Command) -> bool:
    """Whether the command means something else once another fact has arrived."""
    action = command.action
    return isinstance(action, api.Observe) and not declared(action.observation).timeless


def is_ruling(command: api.Command) -> bool:
    """Whether this is an override, which a hold does not keep back at a table without a profile."""
    if not isinstance(command.action, api.Observe):
        return False
    observation = command.action.observation
    return isinstance(observation, RULINGS) or (command.role == "pit" and isinstance(observation, CardSeen))

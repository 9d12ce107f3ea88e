"""The act of a line and the situation of the table: the keys into the table of permissions."""

from typing import Final

from controller.acts.catalogue import (
    HoldsLifted,
    Observation,
    Paid,
    declared,
)
from controller.acts.permits import Act, Permission, Situation
from controller.domain import TableError
from controller.engine.constants import BETS
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState
from controller.policy.allowed.mending import answered, is_about
from controller.policy.allowed.permissions import ActingRole, allowed
from controller.policy.allowed.standing import StandingTable
from controller.policy.state.holds import Hold
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import REPLAY, Person
from controller.policy.state.run import TableRun

_SHOES: Final = frozenset((Act.SHOE, Act.SHUFFLE, Act.SHOE_END, Act.REST_COUNT))

SHOWN: Final = frozenset((Act.DECISION, Act.END, Act.NAME_RANK))
"""What a dealer would tell, and the felt may show to a camera instead."""


def require_allowed(run: TableRun, line: TableLine) -> Permission:
    """Raise NOT_ALLOWED where this role may never tell this as the table stands; the answer otherwise."""
    answer = answer_to(run, line)
    if answer == "no":
        raise TableError("NOT_ALLOWED", role=line.by.role)
    return answer


def require_free(run: TableRun, line: TableLine, answer: Permission) -> None:
    """Raise TABLE_HELD where the table waits for something else; `answer` is that of `require_allowed`."""
    if answer == "held":
        codes = answered(run.state, run.holds, line.observation)
        raise TableError("TABLE_HELD", reason=next(one.code for one in run.holds if one.code not in codes))


def default_person(observation: Observation) -> Person:
    """Return the person of a line that names none."""
    if isinstance(observation, Paid) and observation.how == "measured":
        return Person("chips", REPLAY)
    role = declared(observation).unnamed
    return Person(role, "" if role in ("shoe", "system") else REPLAY)


def answer_to(run: TableRun, line: TableLine) -> Permission:
    """Ask the table of permissions for a line."""
    act = act_of(run.state, line.observation)
    # Without a named person, a shoe comes from and is counted by anyone who may bring it.
    unnamed_shoe = not line.named and act in _SHOES
    role: ActingRole = "pit" if unnamed_shoe and line.by.role == "dealer" else line.by.role
    if line.shown and role == "camera" and act in SHOWN:
        role = "dealer"
    return allowed(role, act, situation_of(run, line.observation))


def act_of(state: TableState, observation: Observation) -> Act:
    """Find the act that an observation is, as its declaration says it."""
    return declared(observation).permit_of(observation, StandingTable(state))


def situation_of(run: TableRun, observation: Observation | None) -> Situation:
    """Return the table's situation for an observation; None is an act that does not concern the round."""
    codes = observation.codes if isinstance(observation, HoldsLifted) else None
    holds = named_holds(run, codes)
    if not holds:
        return _free_situation(run.state)
    if _is_answer(run.state, holds, observation):
        return Situation.ANSWERING
    releases = {hold.release for hold in holds}
    if "two" in releases:
        return Situation.HELD_TWO
    return Situation.HELD_PIT if "pit" in releases else Situation.HELD_DEALER


def _free_situation(state: TableState) -> Situation:
    """Find how a table stands that nothing holds."""
    if state.phase == BETS and not state.boxes:
        return Situation.DAY_CLOSED if state.book.closed else Situation.NO_ROUND
    if is_final(state.settlement.status):
        return Situation.SETTLED
    return Situation.BETTING if state.phase == BETS else Situation.DEALING


def _is_answer(state: TableState, holds: tuple[Hold, ...], observation: Observation | None) -> bool:
    """Whether the observation answers all holds; other packs, or a count of them, pass every other hold."""
    if observation is None:
        return False
    lifts = declared(observation).lifts
    over_others = lifts is not None and lifts.over_others
    if over_others and any(is_about(state, hold, observation) for hold in holds):
        return True
    codes = answered(state, holds, observation)
    return all(hold.code in codes for hold in holds)


def named_holds(run: TableRun, codes: tuple[str, ...] | None) -> tuple[Hold, ...]:
    """Return the holds of these codes; all holds when `codes` is None."""
    if codes is None:
        return run.holds
    return tuple([hold for hold in run.holds if hold.code in codes])

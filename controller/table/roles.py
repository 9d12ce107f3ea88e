"""Who may tell what: one table of roles and acts, the same in every state; the state comes after it."""

from typing import Final, get_args

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.domain.errors import TableError
from controller.engine.constants import BETS
from controller.table.holds import Hold
from controller.table.people import DEVICES, PIT_ROLES
from controller.table.rounds import waits_for_rank
from controller.table.run import TableRun
from controller.table.told import Told
from controller.table.undo import may_undo

PIT_ONLY: Final[frozenset[type]] = frozenset(
    (*get_args(obs.Ruling), events.ShoeVoided, events.Limits, events.FloatCounted, events.Fill, events.Credit)
)
"""What the pit alone may tell; see `_exceptions` for what is a dealer's all the same."""

DEVICE_FACTS: Final[frozenset[type]] = frozenset(
    (obs.CardSeen, obs.CutCard, obs.DeviceSeen, obs.Exposed, obs.Peek, obs.Reveal, obs.Paid)
)
"""What a device can have seen."""

SHOWN_FACTS: Final = (obs.CardSeen, obs.Decision, obs.Reveal, obs.End)
"""What a camera can show that nobody has told."""

CHIP_FACTS: Final = (obs.ChipReading, obs.Paid, obs.DeviceSeen)
"""What a chip source can have seen; a payout that comes to rest late it tells of the round before."""


def require_role(run: TableRun, told: Told) -> None:
    """Raise NOT_ALLOWED where this role may never tell this, whatever holds."""
    if not may_tell(run, told):
        raise TableError("NOT_ALLOWED", role=told.by.role)


def may_tell(run: TableRun, told: Told) -> bool:
    """Whether this role may tell this at this table."""
    role, observation = told.by.role, told.observation
    if isinstance(observation, obs.ChipReading) or role == "chips":
        return role == "chips" and isinstance(observation, CHIP_FACTS)
    if isinstance(observation, obs.Paid) and observation.how == "measured" and role not in DEVICES:
        return False
    if role in PIT_ROLES:
        return True
    if role == "camera" and told.shown:
        return _camera_may(run, observation)
    if role in DEVICES:
        late_stake = isinstance(observation, obs.Bet) and run.state.phase != BETS
        late_payout = isinstance(observation, obs.Paid) and observation.round is not None
        return late_stake or (type(observation) in DEVICE_FACTS and not late_payout)
    return _dealer_may(run, observation)


def _camera_may(run: TableRun, observation: obs.Observation) -> bool:
    """What cards on the felt show to a camera: where they lie, what was decided, what nobody could read."""
    if isinstance(observation, obs.Correct):
        return observation.card is not None and waits_for_rank(run.state, observation.card)
    return isinstance(observation, SHOWN_FACTS)


def _dealer_may(run: TableRun, observation: obs.Observation) -> bool:
    """The dealer: everything of the pit's but a card nobody could read, his own Undo and his own holds."""
    match observation:
        case obs.Correct(card=card, round=None):
            return card is not None and waits_for_rank(run.state, card) and not _face_down(run, card)
        case obs.AmendDecision() | obs.AmendClose():
            return may_undo(run.state, observation)
        case obs.Paid(round=number):
            return number is None
        case events.HoldsLifted(codes=codes):
            return all(hold.release == "dealer" for hold in named_holds(run, codes))
    return type(observation) not in PIT_ONLY


def _face_down(run: TableRun, card: int) -> bool:
    """Whether the card was dealt face down: that nobody has read it is as it should be."""
    facts = [fact.obs for fact in run.state.log if fact.n == card]
    return any(isinstance(seen, obs.CardSeen) and seen.face == "down" for seen in facts)


def named_holds(run: TableRun, codes: tuple[str, ...] | None) -> tuple[Hold, ...]:
    """The holds of these codes, all of them where none is named."""
    return tuple([hold for hold in run.holds if codes is None or hold.code in codes])

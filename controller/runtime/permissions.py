"""Who may ask for what, and who may go on after which hold."""

from typing import Final

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.domain.errors import TableError
from controller.runtime.api import (
    AlertStep,
    Autoplay,
    BoxHandled,
    Command,
    Freeze,
    Observe,
    Resume,
    Role,
)
from controller.runtime.ledger import RULINGS
from controller.table.rest_cards import REST_UNREAD

_DEALING: Final = (
    obs.ShoeLoaded,
    obs.Bet,
    obs.Close,
    obs.Decision,
    obs.Insurance,
    obs.EvenMoney,
    obs.InsuranceClosed,
    obs.Peek,
    obs.Reveal,
    obs.CutCard,
    obs.Exposed,
    obs.Leave,
    obs.Paid,
    obs.End,
    events.ShoeShuffled,
    events.ShoeEnded,
    events.RestCounting,
)
DEALER_RESUMES: Final = frozenset(
    {"RESTARTED", "DEVICE_LOST", "DEVICE_STALE", "JOURNAL_SLOW", "STAKE_DIFFERS", REST_UNREAD}
)
"""Holds after which the dealer may go on alone; every other one is the pit's to lift."""

ADMINISTRATOR: Final[Role] = "administrator"
"""Who answers for the program itself."""

ADMINISTRATOR_RESUMES: Final = frozenset({"SOFTWARE_DIFFERS", "SOFTWARE_FORGED"})
"""Holds that only an administrator lifts, and with them every other one that stands at that moment."""

_TIMELESS: Final = (
    obs.Bet,
    obs.Close,
    obs.Insurance,
    obs.EvenMoney,
    obs.InsuranceClosed,
    obs.Paid,
    obs.CutCard,
    events.Limits,
)
"""Acts that say the same whatever has happened meanwhile; the engine refuses them when they are late."""


def require_allowed(
    command: Command, held: frozenset[str], unread: frozenset[int], *, may_undo: bool = False
) -> None:
    """Raise NOT_ALLOWED when this role may not ask for this.

    `held` are the codes of the present holds, `unread` the numbers of face-up cards that wait for a rank;
    `may_undo`: the command takes back what was told last.
    """
    if isinstance(command.action, Resume) and held & ADMINISTRATOR_RESUMES:
        if command.role != ADMINISTRATOR:
            raise TableError("NOT_ALLOWED", role=command.role)
        return
    if command.role in ("pit", "system") or (command.role == "dealer" and may_undo):
        return
    if command.role != "dealer" or not _dealer_may(command, held, unread):
        raise TableError("NOT_ALLOWED", role=command.role)


def goes_stale(command: Command) -> bool:
    """Whether the command means something else once another fact has arrived."""
    match command.action:
        case Observe(observation):
            return not isinstance(observation, _TIMELESS)
        case _:
            return False


def is_ruling(command: Command) -> bool:
    """Whether this is an override, which a hold does not keep back: it may be what the hold waits for."""
    match command.action:
        case Observe(observation):
            return isinstance(observation, RULINGS) or (
                command.role == "pit" and isinstance(observation, obs.CardSeen)
            )
        case _:
            return False


def _dealer_may(command: Command, held: frozenset[str], unread: frozenset[int]) -> bool:
    match command.action:
        case Observe(obs.Correct(card=card, rank=rank)):
            return rank is not None and card in unread
        case Observe(observation):
            return isinstance(observation, _DEALING)
        case Resume(without):
            return not without and held <= DEALER_RESUMES
        case Freeze() | BoxHandled() | Autoplay():
            return True
        case AlertStep(step=step):
            return step == "ack"
        case _:
            return False

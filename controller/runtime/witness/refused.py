"""Refused findings: the pit is alerted, and play waits when it has continued on the layout."""

from typing import Final

from controller.acts.catalogue import CardSeen, Correct, Decision, End, Reveal
from controller.domain import TableError
from controller.ports import Trouble
from controller.runtime.api import AlertView, Params
from controller.runtime.decision.taking import take_trouble
from controller.runtime.ledger.draft import Draft
from controller.witnesses.felt_view import Shown

_WAITS: Final = "TABLE_HELD"
"""With this refusal nothing is lost: the felt shows the same once the table goes on."""

_WITHOUT_HOLD: Final = frozenset({"CLEARING_NOT_TAKEN", "RANK_NOT_TAKEN"})
"""Nothing is dealt on a cleared felt, and a card that nobody could read holds by itself."""


def report_refused(draft: Draft, observation: Shown, refusal: TableError, actor: str) -> None:
    """Alert the pit of a finding and of its refusal.

    A card on the layout holds the table at each refusal. Any other finding raises an alert once per round, as
    long as that alert is open: the person who lifted the hold has checked it.
    """
    code = _code_of(observation)
    if isinstance(observation, CardSeen):
        take_trouble(draft, Trouble(code, (("code", refusal.code),)), actor)
        return
    params = (*_about(draft, observation), ("code", refusal.code))
    known = any((alert.code, alert.params) == (code, params) for alert in draft.ledger.alerts)
    if not known and refusal.code != _WAITS:
        take_trouble(draft, Trouble(code, params, hold=code not in _WITHOUT_HOLD), actor)


def refusals_of(draft: Draft, observation: Shown) -> tuple[AlertView, ...]:
    """The open alerts of `report_refused` about this: they are over once the table takes it."""
    code, about = _code_of(observation), _about(draft, observation)
    alerts = draft.ledger.alerts if about else ()
    return tuple([one for one in alerts if one.code == code and one.params[: len(about)] == about])


def _code_of(observation: Shown) -> str:
    """The alert about something that was not taken."""
    match observation:
        case CardSeen():
            return "CARD_NOT_PLACED"
        case Decision(action="split"):
            return "SPLIT_NOT_TAKEN"
        case Decision():
            return "STAND_NOT_TAKEN"
        case Reveal():
            return "TURNING_NOT_TAKEN"
        case End():
            return "CLEARING_NOT_TAKEN"
        case Correct():
            return "RANK_NOT_TAKEN"


def _about(draft: Draft, observation: Shown) -> Params:
    """Return the round and the subject of an inferred act; nothing for a card."""
    number = ("round", draft.ledger.state.book.number)
    match observation:
        case CardSeen():
            return ()
        case Decision(box=box, hand=hand):
            return number, ("box", box), ("hand", hand)
        case Correct(card=card):
            return number, ("card", card or 0)
        case Reveal() | End():
            return (number,)

"""What people may do now, each act with the code that forbids it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from controller.domain.observations import Decision, EvenMoney, Insurance, Peek, Reveal
from controller.engine.constants import BETS, INSURANCE, PEEK, PLAY
from controller.engine.dealer import hidden_hole
from controller.engine.errors import CardFault, RuleRefusal
from controller.engine.hole_card import verify_peek, verify_reveal
from controller.engine.offers import verify_even_money, verify_insurance
from controller.engine.play import VERIFY
from controller.engine.round_status import in_progress
from controller.engine.state import TableState


class Act(NamedTuple):
    """An act that the screens offer; `code` is None where it is allowed, else why it is not.

    `reason` refines a code such as DOUBLE_NOT_ALLOWED. `hand` is 0 and `seat` -1 where they do not apply;
    `amount_minor` is the usual amount of an insurance bet.
    """

    action: str
    box: int = 0
    hand: int = 0
    seat: int = -1
    code: str | None = None
    reason: str | None = None
    amount_minor: int = 0


def legal(state: TableState) -> tuple[Act, ...]:
    """Every act of people that belongs to this phase, allowed or not, in the order of the screens' keys."""
    if state.phase == PLAY:
        acts = _decisions(state)
    elif state.phase == INSURANCE:
        acts = _answers(state)
    elif state.phase == PEEK:
        acts = [Act("peek", code=_code(verify_peek, state, Peek(False)).code)]
    elif state.phase == BETS:
        acts = [Act("bet"), Act("close", code=None if state.boxes else "NO_BETS")]
    else:
        acts = []
    if hidden_hole(state.dealer) and state.phase != INSURANCE:
        acts.append(_reveal(state))
    if in_progress(state):
        acts += [Act("void"), Act("end")]
    return tuple(acts)


def _code(verify: Callable[..., object], *args: Any) -> Act:
    """An act without a name that carries the refusal of its verify face."""
    try:
        verify(*args)
    except (RuleRefusal, CardFault) as refusal:
        reason = refusal.params.get("reason")
        return Act("", code=refusal.code, reason=str(reason) if reason is not None else None)
    return Act("")


def _decisions(state: TableState) -> list[Act]:
    at = state.current
    if at is None:
        return []
    box, hand = at
    acts = []
    for action, verify in VERIFY.items():
        act = _code(verify, state, Decision(box.box, hand.number, action))
        acts.append(act._replace(action=action, box=box.box, hand=hand.number))
    return acts


def _answers(state: TableState) -> list[Act]:
    acts = []
    for box in state.boxes:
        for seat, stake in box.bets:
            half = Insurance(box.box, seat, stake // 2)
            act = _code(verify_insurance, state, half)
            acts.append(act._replace(action="insurance", box=box.box, seat=seat, amount_minor=stake // 2))
            act = _code(verify_even_money, state, EvenMoney(box.box, seat))
            acts.append(act._replace(action="even_money", box=box.box, seat=seat))
    return [*acts, Act("insurance_closed")]


def _reveal(state: TableState) -> Act:
    """Turning the hole card. The answer is the same whoever has read it, so that nothing leaks."""
    act = _code(verify_reveal, state, Reveal())
    if act.code in ("REVEAL_NEEDS_RANK", "PEEK_CONTRADICTS", "HOLE_CARD_CONTRADICTS"):
        act = Act("")
    if state.phase == PEEK:
        act = Act("")
    return act._replace(action="reveal")

"""The acts that people may do now; a forbidden act has the code of its reason."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, assert_never

from controller.acts.catalogue import Decision, EvenMoney, Insurance, Peek, Reveal
from controller.acts.round import Action
from controller.domain import Money
from controller.engine.constants import INSURANCE, PEEK
from controller.engine.dealer import hidden_hole
from controller.engine.errors import CardFault, RuleRefusal
from controller.engine.round.hole_card import verify_peek, verify_reveal
from controller.engine.round.offers import half_stake, verify_even_money, verify_insurance
from controller.engine.round.play import VERIFY
from controller.engine.settle.round_status import in_progress
from controller.engine.state import TableState

ActName = (
    Action
    | Literal["bet", "close", "insurance", "even_money", "insurance_closed", "peek", "reveal", "void", "end"]
)


class OfferedAct(NamedTuple):
    """An act on the screens; `code` is None when it is allowed, else the reason why not.

    `reason` refines a code such as DOUBLE_NOT_ALLOWED. `hand` is 0 and `seat` -1 where they do not apply;
    `amount_minor` is the usual amount of an insurance bet.
    """

    action: ActName
    box: int = 0
    hand: int = 0
    seat: int = -1
    code: str | None = None
    reason: str | None = None
    amount_minor: Money = Money(0)


class _Forbidden(NamedTuple):
    """The reason why an act is not allowed; both fields are None for an allowed act."""

    code: str | None = None
    reason: str | None = None


def legal(state: TableState) -> tuple[OfferedAct, ...]:
    """Every act of people that belongs to this phase, allowed or not, in the order of the screens' keys."""
    acts = _acts_of_phase(state)
    if hidden_hole(state.dealer) and state.phase != INSURANCE:
        acts.append(_reveal(state))
    if in_progress(state):
        acts += [OfferedAct("void"), OfferedAct("end")]
    return tuple(acts)


def _acts_of_phase(state: TableState) -> list[OfferedAct]:
    """The acts that people do in this phase; void, end and turning the hole card come beside them."""
    match state.phase:
        case "play":
            return _decisions(state)
        case "insurance":
            return _answers(state)
        case "peek":
            return [OfferedAct("peek", code=_forbidden(verify_peek, state, Peek(False)).code)]
        case "bets":
            return [OfferedAct("bet"), OfferedAct("close", code=None if state.boxes else "NO_BETS")]
        case "deal" | "reveal" | "draw" | "complete":
            return []
        case phase:
            assert_never(phase)


def _forbidden(verify: Callable[..., object], *args: Any) -> _Forbidden:
    """Return the refusal that `verify` raises."""
    try:
        verify(*args)
    except (RuleRefusal, CardFault) as refusal:
        reason = refusal.params.get("reason")
        return _Forbidden(refusal.code, None if reason is None else str(reason))
    return _Forbidden()


def _decisions(state: TableState) -> list[OfferedAct]:
    """The five decisions of the hand to act."""
    at = state.current
    if at is None:
        return []
    box, hand = at
    acts = []
    for action, verify in VERIFY.items():
        code, reason = _forbidden(verify, state, Decision(box.box, hand.number, action))
        acts.append(OfferedAct(action, box.box, hand.number, code=code, reason=reason))
    return acts


def _answers(state: TableState) -> list[OfferedAct]:
    """Insurance and even money of each bettor, and closing the offer."""
    acts = []
    for box in state.boxes:
        for seat, stake in box.bets:
            half = half_stake(stake)
            code, reason = _forbidden(verify_insurance, state, Insurance(box.box, seat, half))
            insurance = OfferedAct(
                "insurance", box.box, seat=seat, code=code, reason=reason, amount_minor=half
            )
            code, reason = _forbidden(verify_even_money, state, EvenMoney(box.box, seat))
            acts += [insurance, OfferedAct("even_money", box.box, seat=seat, code=code, reason=reason)]
    return [*acts, OfferedAct("insurance_closed")]


def _reveal(state: TableState) -> OfferedAct:
    """Offer the reveal. The offer does not depend on the hole card's reading, so that nothing leaks."""
    code, reason = _forbidden(verify_reveal, state, Reveal())
    known_from_the_card = code in ("REVEAL_NEEDS_RANK", "PEEK_CONTRADICTS", "HOLE_CARD_CONTRADICTS")
    if known_from_the_card or state.phase == PEEK:
        return OfferedAct("reveal")
    return OfferedAct("reveal", code=code, reason=reason)

"""What people entered wrongly, put right: each amendment as another log of the round."""

from dataclasses import replace
from typing import assert_never

from controller.acts.catalogue import (
    Amend,
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bet,
    CardSeen,
    Close,
    Decision,
    EvenMoney,
    Insurance,
    Observation,
    Peek,
    Reveal,
)
from controller.engine.amend.decisions import find_decision
from controller.engine.amend.refolding import refold, take_fact, was_accepted
from controller.engine.constants import BETS, BURNED, INSURANCE, STRUCK
from controller.engine.errors import RuleRefusal, refuse
from controller.engine.facts import Fact, Made
from controller.engine.round.betting import find_box, verify_place
from controller.engine.state import TableState, begin

Log = tuple[Fact, ...]


def amend(state: TableState, log: Log, ruling: Amend) -> TableState:
    """The round with the amendment applied; `log` is its log, pinned and numbered. Raises RuleRefusal."""
    match ruling:
        case AmendStake():
            return refold(state, _with_stake(state, log, ruling))
        case AmendDecision():
            return _checked(state, *_with_decision(log, ruling), strict=False)
        case AmendInsurance() | AmendEvenMoney():
            return _checked(state, *_with_answer(state, log, ruling), strict=True)
        case AmendPeek():
            return _checked(state, *_with_peek(log, ruling), strict=False)
        case AmendReveal():
            return refold(state, _without_reveal(log, ruling))
        case AmendClose():
            return refold(state, _without_close(state, log, ruling))
        case _:
            assert_never(ruling)


def _checked(state: TableState, log: Log, index: int, *, strict: bool) -> TableState:
    """The round folded from the log; refuses what the rules forbid of the fact at the index itself."""
    after = refold(state, log, index if strict else -1)
    fact = after.log[index]
    if fact.fault is not None:
        found = next(entry for entry in after.settlement.faults if entry.fact == index)
        raise RuleRefusal(found.code, **dict(found.params))
    return after


def placed_anew(log: Log) -> Log:
    """Facts of which the cards that nobody attributed find their places anew."""
    return tuple([_unpinned(fact) for fact in log])


def _unpinned(fact: Fact) -> Fact:
    card = fact.obs
    if not isinstance(card, CardSeen) or card.to is not None or fact.at in (BURNED, STRUCK):
        return fact
    return replace(fact, at=None, phase=None)


# ---- stakes


def _with_stake(state: TableState, log: Log, ruling: AmendStake) -> Log:
    """The log with another stake of one bettor; second stakes entered without amounts follow it."""
    if state.phase == BETS:
        refuse("BETS_OPEN", box=ruling.box, seat=ruling.seat)
    verify_place(state.book.rules, ruling.box, ruling.seat)
    found = Fact(0, Bet(ruling.box, ruling.seat, ruling.stake), None, BETS, ruled=True)
    bets = [index for index, fact in enumerate(log) if _is_bet(fact, ruling)]
    amended = (found, *log) if not bets else (*log[: bets[-1]], found, *log[bets[-1] + 1 :])
    amended = tuple([_following(fact, ruling.box) for fact in amended])
    return amended if _same_boxes(state, ruling) else placed_anew(amended)


def _is_bet(fact: Fact, ruling: AmendStake) -> bool:
    return isinstance(fact.obs, Bet) and (fact.obs.box, fact.obs.seat) == (ruling.box, ruling.seat)


def _same_boxes(state: TableState, ruling: AmendStake) -> bool:
    """Whether the same boxes are dealt to as before."""
    at = find_box(state, ruling.box)
    others = at >= 0 and any(seat != ruling.seat for seat, _ in state.boxes[at].bets)
    return (at >= 0) == (others or ruling.stake > 0)


def _following(fact: Fact, box: int) -> Fact:
    """A double or split of the box whose amounts nobody entered: they follow the stakes."""
    if fact.box != box or (isinstance(fact.obs, Decision) and fact.obs.stakes is not None):
        return fact
    return replace(fact, chips=())


# ---- decisions


def _with_decision(log: Log, ruling: AmendDecision) -> tuple[Log, int]:
    """The log with another decision, and its index; later cards find their places anew."""
    made = Made(ruling.box, ruling.hand, ruling.nth)
    index = find_decision(log, made)
    fact = log[index]
    found = _as_observation(ruling)
    later = log[index + 1 :]
    obs = fact.obs
    if isinstance(obs, Decision | AmendDecision) and (obs.box, obs.hand) == (ruling.box, ruling.hand):
        again = replace(fact, obs=found, fault=None, chips=(), box=0, idle=False)
        return (*log[:index], again, *placed_anew(_laid_along(later, ruling))), index
    rest = placed_anew(_laid_along(log[index:], ruling))
    if ruling.action is None:
        # A card or a turning that implied the decision lies there all the same: it is folded as it comes.
        return (*log[:index], *rest), index
    maker = replace(rest[0], made=tuple(entry for entry in fact.made if entry != made))
    spoken = Fact(0, found, None, fact.phase, made=(made,))
    return (*log[:index], spoken, maker, *rest[1:]), index


def _as_observation(ruling: AmendDecision) -> Observation:
    """The decision as it was in truth; one that was never made stays as the ruling, which does nothing."""
    if ruling.action is None:
        return ruling
    return Decision(ruling.box, ruling.hand, ruling.action, ruling.seats, ruling.stakes)


def _laid_along(log: Log, ruling: AmendDecision) -> Log:
    """Facts of which the first card of the hand is no double any more, however it was laid."""
    if ruling.action != "hit":
        return log
    for index, fact in enumerate(log):
        card = fact.obs
        if isinstance(card, CardSeen) and fact.at == (ruling.box, ruling.hand):
            along = card._replace(pose="along") if card.pose == "across" else card
            return (*log[:index], replace(fact, obs=along, chips=()), *log[index + 1 :])
    return log


# ---- answers, the look, the turning, the close


def _with_answer(state: TableState, log: Log, ruling: AmendInsurance | AmendEvenMoney) -> tuple[Log, int]:
    """The log with another answer of one bettor, and its index."""
    found: Insurance | EvenMoney
    if isinstance(ruling, AmendInsurance):
        found = Insurance(ruling.box, ruling.seat, ruling.stake)
    elif ruling.taken:
        found = EvenMoney(ruling.box, ruling.seat)
    else:
        found = Insurance(ruling.box, ruling.seat, 0)
    at = find_box(state, ruling.box)
    if at < 0 or ruling.seat not in dict(state.boxes[at].bets):
        refuse("NO_BET", box=ruling.box, seat=ruling.seat)
    answers = [index for index, fact in enumerate(log) if _is_answer(fact, ruling)]
    if answers:
        index, rest = answers[-1], log[answers[-1] + 1 :]
    else:
        index = _offered(state, log, ruling)
        rest = log[index:]
    spoken = Fact(0, found, None, INSURANCE)
    return (*log[:index], spoken, *placed_anew(rest)), index


def _is_answer(fact: Fact, ruling: AmendInsurance | AmendEvenMoney) -> bool:
    obs = fact.obs
    return isinstance(obs, Insurance | EvenMoney) and (obs.box, obs.seat) == (ruling.box, ruling.seat)


def _offered(state: TableState, log: Log, ruling: AmendInsurance | AmendEvenMoney) -> int:
    """Index in the log at which the offer was open; refuses an answer where nothing was offered."""
    before = begin(state.book)
    for index, fact in enumerate(log):
        if before.phase == INSURANCE:
            return index
        before = take_fact(before, fact, was_accepted(fact))
    if before.phase == INSURANCE:
        return len(log)
    return refuse("INSURANCE_NOT_OFFERED", box=ruling.box, seat=ruling.seat)


def _with_peek(log: Log, ruling: AmendPeek) -> tuple[Log, int]:
    """The log with the last look entered otherwise, and its index."""
    looks = [index for index, fact in enumerate(log) if isinstance(fact.obs, Peek)]
    if not looks:
        refuse("PEEK_NOT_TOLD")
    index = looks[-1]
    fact = replace(log[index], obs=Peek(ruling.blackjack), fault=None)
    return (*log[:index], fact, *placed_anew(log[index + 1 :])), index


def _without_reveal(log: Log, ruling: AmendReveal) -> Log:
    """The log without the turning, and without whatever rank was reported with it."""
    known = [index for index, fact in enumerate(log) if isinstance(fact.obs, Reveal)]
    if not known:
        refuse("REVEAL_NOT_TOLD")
    kept = tuple(
        [replace(fact, obs=ruling, fault=None) if isinstance(fact.obs, Reveal) else fact for fact in log]
    )
    return (*kept[: known[0]], *placed_anew(kept[known[0] :]))


def _without_close(state: TableState, log: Log, ruling: AmendClose) -> Log:
    """The log with the bets still open; refused once a card has closed them."""
    if state.cards_seen:
        refuse("BETS_CLOSED_BY_CARD")
    if not any(isinstance(fact.obs, Close) for fact in log):
        refuse("CLOSE_NOT_TOLD")
    return tuple([replace(fact, obs=ruling) if isinstance(fact.obs, Close) else fact for fact in log])

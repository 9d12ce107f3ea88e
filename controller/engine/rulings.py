"""Rulings: what each changes of a round, and its alerts.

`rule` lists the rewriting of each ruling, `ruling_alerts` the alerts of each.
"""

from dataclasses import replace
from typing import Final, assert_never

from controller.acts.catalogue import (
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Bet,
    CardRuling,
    CardSeen,
    Close,
    Correct,
    Decision,
    EvenMoney,
    HandName,
    Insurance,
    Move,
    Observation,
    Peek,
    Refolding,
    Reveal,
    Strike,
    Swap,
)
from controller.domain import Alert, Money, Params
from controller.engine.betting import find_box, verify_place, verify_stake
from controller.engine.hands import hole_of
from controller.engine.play import find_hand
from controller.engine.refolding import find_decision, numbered, refold, take_fact, was_accepted
from controller.engine.state import (
    BETS,
    BURNED,
    DEAL,
    INSURANCE,
    STRUCK,
    Fact,
    Made,
    Place,
    RuleRefusal,
    TableState,
    begin,
    permitted,
    refuse,
)
from controller.irregularities import HoldCode

Log = tuple[Fact, ...]
COUNTED: Final = frozenset({"boxed", "defective", "extra"})
"""Struck cards that came from this shoe, so that its count keeps them."""
_UNCOUNTED: Final = frozenset({"double_read", "foreign"})
_REPLACED: Final = frozenset({"boxed", "defective", "foreign"})
"""Struck cards whose place the next card takes."""
QUESTIONABLE: Final = frozenset({"defective", "foreign"})
"""Struck cards after which nobody can vouch for the shoe."""


def rule(state: TableState, ruling: Refolding) -> TableState:  # noqa: C901  # a case for each ruling
    """The round with the ruling applied, folded again from its start. Raises RuleRefusal.

    Every log that is rewritten here is pinned and numbered.
    """
    match ruling:
        case Correct():
            index = _verify_ruling(state, ruling)
            return refold(state, _corrected(state, numbered(state), index, ruling))
        case Strike():
            index = _verify_ruling(state, ruling)
            return refold(state, _struck(numbered(state), index, ruling))
        case Move():
            index = _verify_ruling(state, ruling)
            return refold(state, _moved(numbered(state), index, ruling))
        case Swap():
            return refold(state, _swapped(state, numbered(state), ruling))
        case AmendStake():
            return refold(state, _with_stake(state, numbered(state), ruling))
        case AmendDecision():
            return _checked(state, *_with_decision(numbered(state), ruling), strict=False)
        case AmendInsurance() | AmendEvenMoney():
            return _checked(state, *_with_answer(state, numbered(state), ruling), strict=True)
        case AmendPeek():
            return _checked(state, *_with_peek(numbered(state), ruling), strict=False)
        case AmendReveal():
            return refold(state, _without_reveal(numbered(state), ruling))
        case AmendClose():
            return refold(state, _without_close(state, numbered(state), ruling))
        case _:
            assert_never(ruling)


def ruling_alerts(state: TableState, ruling: Refolding) -> tuple[Alert, ...]:
    """Return the alerts of a ruling about the shoe or the limits; `state` is the round after it."""
    match ruling:
        case Strike(struck_as=kind):
            params = (("struck_as", str(kind)),)
            return (_critical(state, "SHOE_QUESTIONED", params),) if kind in QUESTIONABLE else ()
        case AmendStake(box, seat, stake):
            if not stake or permitted(verify_stake, state.book.rules, Bet(box, seat, stake)):
                return ()
            return (
                _critical(
                    state, "STAKE_OUTSIDE_LIMITS", (("box", box), ("seat", seat), ("stake", Money(stake)))
                ),
            )
        case (
            Correct()
            | Move()
            | Swap()
            | AmendDecision()
            | AmendInsurance()
            | AmendEvenMoney()
            | AmendPeek()
            | AmendReveal()
            | AmendClose()
        ):
            return ()
        case _:
            assert_never(ruling)


def _critical(state: TableState, code: HoldCode, params: Params) -> Alert:
    return Alert(code, "critical", state.book.number, params)


# ---- cards


def _find_card(state: TableState, ruling: CardRuling) -> int:
    """Index in the log of the card that a ruling names by number or id, or -1."""
    for index, fact in enumerate(state.log):
        if not isinstance(fact.obs, CardSeen):
            continue
        if ruling.card is not None:
            if fact.n == ruling.card:
                return index
        elif fact.obs.id == ruling.id:
            return index
    return -1


def _verify_ruling(state: TableState, ruling: CardRuling) -> int:
    """Return the index of the card; refuse a card that is not in this round or was struck before."""
    index = _find_card(state, ruling)
    if index < 0:
        named = ruling.card if ruling.card is not None else str(ruling.id)
        refuse("NO_SUCH_CARD", card=named, round=state.book.number)
    if state.log[index].at == STRUCK and not isinstance(ruling, Move):
        refuse("CARD_STRUCK", card=state.log[index].n, round=state.book.number)
    return index


def _corrected(state: TableState, log: tuple[Fact, ...], index: int, ruling: Correct) -> tuple[Fact, ...]:
    """Return the log with the card's new rank and suit, also in the reveal of the hole card."""
    fact = state.log[index]
    assert isinstance(fact.obs, CardSeen)
    # How sure a reader was says something of the card, too.
    p = None if ruling.rank is None else fact.obs.p
    card = fact.obs._replace(rank=ruling.rank, suit=ruling.suit, p=p)
    log = (*log[:index], replace(log[index], obs=card), *log[index + 1 :])
    hole = hole_of(state.dealer)
    if hole is None or hole.n != fact.n:
        return log
    return tuple(_reveal_as(entry, ruling) for entry in log)


def _reveal_as(fact: Fact, ruling: Correct) -> Fact:
    """The fact; where it is the reveal that named the hole card, it names the corrected one."""
    if isinstance(fact.obs, Reveal) and fact.obs.rank is not None:
        return replace(fact, obs=Reveal(ruling.rank, ruling.suit))
    return fact


def is_counted(ruling: Strike) -> bool:
    """Whether a struck card stays in the count of this shoe."""
    kind = ruling.struck_as
    return kind in COUNTED or (ruling.burn and kind not in _UNCOUNTED)


def _struck(log: tuple[Fact, ...], index: int, ruling: Strike) -> tuple[Fact, ...]:
    """Return the log without the card. In the initial deal, the cards after it move up one place.

    Cards also move up to replace a boxed, defective or foreign card.
    """
    kind = ruling.struck_as
    fact = replace(log[index], at=BURNED if is_counted(ruling) else STRUCK, fault=None)
    later = log[index + 1 :]
    if kind in _REPLACED:
        later = _placed_anew(later)
    elif fact.phase == DEAL and log[index].fault is None:
        later = tuple(_moved_up(entry) for entry in later)
    return (*log[:index], fact, *later)


def _moved_up(fact: Fact) -> Fact:
    """Remove the place of a card that neither a report nor a supervisor attributed.

    A card laid across keeps its place: it is a double, and chips lie beside it.
    """
    card = fact.obs
    if not isinstance(card, CardSeen) or card.pose == "across":
        return fact
    auto = card.to is None and fact.at not in (BURNED, STRUCK)
    return replace(fact, at=None, phase=None) if auto else fact


def _moved(log: tuple[Fact, ...], index: int, ruling: Move) -> tuple[Fact, ...]:
    """The log with the card at the place that the supervisor names."""
    fact = log[index]
    assert isinstance(fact.obs, CardSeen)
    card = fact.obs._replace(to=ruling.to, box=ruling.box, hand=ruling.hand)
    return (
        *log[:index],
        replace(fact, obs=card, at=None, phase=None, fault=None, ruled=True),
        *log[index + 1 :],
    )


def _placed_anew(log: Log) -> Log:
    """Return the log with the unattributed cards unplaced, so that the fold places them again."""
    return tuple([_unpinned(fact) for fact in log])


def _unpinned(fact: Fact) -> Fact:
    card = fact.obs
    if not isinstance(card, CardSeen) or card.to is not None or fact.at in (BURNED, STRUCK):
        return fact
    return replace(fact, at=None, phase=None)


# ---- two hands


def _swapped(state: TableState, log: Log, ruling: Swap) -> Log:
    """Return the log with the cards of two hands exchanged; decisions and stakes stay with the hands.

    The nth cards of both hands exchange their turns. Cards without a counterpart move to the other hand; the
    fold reports a card that does not fit there.
    """
    one, other = ruling.from_hand, ruling.with_hand
    if one == other:
        refuse("SAME_HAND", box=one.box, hand=one.hand)
    mine, theirs = _cards(state, one), _cards(state, other)
    turns = {fact.n: index for index, fact in enumerate(log) if fact.n}
    facts = list(log)
    for left, right in zip(mine, theirs, strict=False):
        facts[turns[left]] = _card_of(log[turns[right]], log[turns[left]])
        facts[turns[right]] = _card_of(log[turns[left]], log[turns[right]])
    for extra, there in ((mine[len(theirs) :], other), (theirs[len(mine) :], one)):
        for number in extra:
            facts[turns[number]] = _lying(facts[turns[number]], (there.box, there.hand))
    return tuple(facts)


def _cards(state: TableState, hand: HandName) -> tuple[int, ...]:
    """Numbers of the hand's cards, first to last; refuses a hand that is none or has none."""
    box_at, hand_at = find_hand(state, hand.box, hand.hand)
    cards = tuple([seen.n for seen in state.boxes[box_at].hands[hand_at].cards])
    if not cards:
        refuse("NO_SUCH_HAND", box=hand.box, hand=hand.hand)
    return cards


def _card_of(taken: Fact, turn: Fact) -> Fact:
    """Put one card's reading into another card's turn; the place stays that of the turn."""
    card, here = taken.obs, turn.obs
    assert isinstance(card, CardSeen)
    assert isinstance(here, CardSeen)
    obs = here._replace(rank=card.rank, suit=card.suit, by=card.by, p=card.p, id=card.id)
    return replace(turn, n=taken.n, obs=obs)


def _lying(fact: Fact, at: Place) -> Fact:
    """The card, laid to another hand by a ruling."""
    assert isinstance(fact.obs, CardSeen)
    card = fact.obs._replace(to="box", box=at[0], hand=at[1])
    return replace(fact, obs=card, at=at)


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
    return amended if _same_boxes(state, ruling) else _placed_anew(amended)


def _is_bet(fact: Fact, ruling: AmendStake) -> bool:
    return isinstance(fact.obs, Bet) and (fact.obs.box, fact.obs.seat) == (ruling.box, ruling.seat)


def _same_boxes(state: TableState, ruling: AmendStake) -> bool:
    """Whether the amended stake leaves the list of dealt boxes unchanged."""
    at = find_box(state, ruling.box)
    others = at >= 0 and any(seat != ruling.seat for seat, _ in state.boxes[at].bets)
    return (at >= 0) == (others or ruling.stake > 0)


def _following(fact: Fact, box: int) -> Fact:
    """Clear the amounts of a double or split that follow the stakes because no amount was entered."""
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
        return (*log[:index], again, *_placed_anew(_laid_along(later, ruling))), index
    rest = _placed_anew(_laid_along(log[index:], ruling))
    if ruling.action is None:
        # A card or a turning that implied the decision lies there all the same: it is folded as it comes.
        return (*log[:index], *rest), index
    maker = replace(rest[0], made=tuple(entry for entry in fact.made if entry != made))
    spoken = Fact(0, found, None, fact.phase, made=(made,))
    return (*log[:index], spoken, maker, *rest[1:]), index


def _as_observation(ruling: AmendDecision) -> Observation:
    """Return the corrected decision; for a struck decision, the ruling itself, which changes nothing."""
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
    return (*log[:index], spoken, *_placed_anew(rest)), index


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
    return (*log[:index], fact, *_placed_anew(log[index + 1 :])), index


def _without_reveal(log: Log, ruling: AmendReveal) -> Log:
    """Return the log without the reveal and without the rank reported with it."""
    known = [index for index, fact in enumerate(log) if isinstance(fact.obs, Reveal)]
    if not known:
        refuse("REVEAL_NOT_TOLD")
    kept = tuple(
        [replace(fact, obs=ruling, fault=None) if isinstance(fact.obs, Reveal) else fact for fact in log]
    )
    return (*kept[: known[0]], *_placed_anew(kept[known[0] :]))


def _without_close(state: TableState, log: Log, ruling: AmendClose) -> Log:
    """The log with the bets still open; refused once a card has closed them."""
    if state.cards_seen:
        refuse("BETS_CLOSED_BY_CARD")
    if not any(isinstance(fact.obs, Close) for fact in log):
        refuse("CLOSE_NOT_TOLD")
    return tuple([replace(fact, obs=ruling) if isinstance(fact.obs, Close) else fact for fact in log])


def _checked(state: TableState, log: Log, index: int, *, strict: bool) -> TableState:
    """Fold the log; raise the refusal of the fact at `index` when the rules forbid it."""
    after = refold(state, log, index if strict else -1)
    fact = after.log[index]
    if fact.fault is not None:
        found = next(entry for entry in after.settlement.faults if entry.fact == index)
        raise RuleRefusal(found.code, **dict(found.params))
    return after

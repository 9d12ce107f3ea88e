"""Which rulings are about which hold, what the house's profile forbids, and what mends a fault."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from controller.acts.catalogue import CardSeen, Observation, declared
from controller.acts.declaring import Subject
from controller.domain.errors import TableError
from controller.domain.irregularities import Way
from controller.engine.constants import DEALER, DRAW, INSURANCE
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.round.card_placement import places
from controller.engine.round.expected import owed_anywhere
from controller.engine.settle.not_payable import NOT_PAYABLE, waiting
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState
from controller.policy.allowed.second_person import is_other
from controller.policy.state.counted_chips import differing, entered_stake
from controller.policy.state.holds import (
    ASKED,
    CAMERAS_DIFFER,
    ELSEWHERE,
    HOLE_ASKED,
    INSURANCE_ASKED,
    LEFT,
    LIFTED_BY_CARD,
    NO_HAND,
    NOT_COUNTED,
    NOT_DEALT,
    OF_NO_ROUND,
    OUT_OF_PLACE,
    PICTURE_DIFFERS,
    READ_DIFFERENTLY,
    SHOE_HOLDS,
    STAKE_ASKED,
    STAKE_CHANGED,
    VANISHED,
    WRONG_PAYOUT,
    Hold,
)
from controller.policy.state.line_person import Person
from controller.policy.state.rest_cards import REST_HOLDS, rest_stands
from controller.policy.state.rounds import (
    card_fact,
    faults_of,
    is_one_too_many,
    is_out,
    is_void,
    may_act,
    missed,
    payout_differs,
    round_of,
    waits_for_rank,
)
from controller.policy.state.run import TableRun

AT_ONCE: Final[frozenset[Way]] = frozenset(("keep", "void_round", "shoe", "shuffle", "shoe_void"))
"""Ways that lift a hold by being ruled; the others lift it where the fault is mended by them."""

READ_ANEW: Final = frozenset((CAMERAS_DIFFER, NOT_COUNTED)) | PICTURE_DIFFERS
"""Holds that end once somebody has said which card it is, also where the table has it so already."""

HOLE_CODES: Final = frozenset[str](
    ("HOLE_CARD_EXPOSED", "HOLE_CARD_CONTRADICTS", "PEEK_CONTRADICTS", "HOLE_NOT_REVEALED", "PEEK_MISSING")
)


def way_of(hold: Hold, act: Observation) -> Way | None:
    """The way out of a hold that an act takes, None where it is none."""
    lifts = declared(act).lifts
    return None if lifts is None else lifts.way_out(act, hold.ways)


def is_about(state: TableState, hold: Hold, act: Observation) -> bool:
    """Whether an act is one on this hold's fault, and not on some other fact of the table."""
    lifts = declared(act).lifts
    if lifts is None:
        return False
    if not lifts.any_round:
        number = getattr(act, "round", None) or state.book.number
        if number != hold.round or hold.code in OF_NO_ROUND:
            return False
    return lifts.about(act, subject_of(state, hold))


def subject_of(state: TableState, hold: Hold) -> Subject:
    """What a hold is about, as an act can name it."""
    within = round_of(state, hold.round) if hold.card else None
    fact = None if within is None else card_fact(within, hold.card)
    return Subject(
        hold.code,
        hold.ways,
        hold.card,
        fact.obs.id if fact is not None and isinstance(fact.obs, CardSeen) else None,
        hold.box,
        (hold.get("box"), hold.get("seat")),
        of_hole=hold.code in HOLE_CODES,
        of_shoe=hold.code in SHOE_HOLDS or hold.code == "TOO_MANY_OF_A_KIND",
    )


def require_in_profile(run: TableRun, ruling: Observation) -> None:
    """Raise NOT_IN_PROFILE where the house does not allow this way out of a hold that it is about.

    A wrong payout keeps nobody from the way out of another hold on its round: it stands all the same.
    """
    about = [(hold, way_of(hold, ruling)) for hold in run.holds if is_about(run.state, hold, ruling)]
    offered = any(way in hold.ways for hold, way in about)
    for hold, way in about:
        beside = offered and hold.code == WRONG_PAYOUT
        if way is not None and way not in hold.ways and not beside:
            raise TableError("NOT_IN_PROFILE", hold=hold.code, ways=", ".join(hold.ways))


def require_second(run: TableRun, ruling: Observation, by: Person, second: str | None) -> None:
    """Raise SECOND_NEEDED where a hold asks for two people and there is only one."""
    for hold in run.holds:
        if hold.release == "two" and is_about(run.state, hold, ruling) and not is_other(by, second):
            raise TableError("SECOND_NEEDED", hold=hold.code)


def is_mended(run: TableRun, hold: Hold, ruling: Observation, before: TableRun) -> bool:
    """Whether a hold ends with what has just been taken; `before` is the table that it was taken at."""
    way = way_of(hold, ruling)
    # Nothing on the table says of such a hold whether it is mended: what the pit has ruled on it ends it.
    at_once = way in AT_ONCE or (way == "correct" and hold.code in READ_ANEW) or not is_looked_at(hold)
    # A void round's stakes go back: that says nothing of what was handed back before.
    at_once = at_once and not (way == "void_round" and hold.code == WRONG_PAYOUT)
    if at_once and way in hold.ways and is_about(before.state, hold, ruling):
        return True
    return not stands(run, hold, before)


def is_looked_at(hold: Hold) -> bool:
    """Whether the table shows if a fault is mended, as it does of every fact that was set aside."""
    return hold.fault or hold.code not in RULED


def stands(run: TableRun, hold: Hold, before: TableRun) -> bool:
    """Whether what the hold is about is still so; `before` is the table that the last line was taken at.

    Voiding a round answers what was in question in it. What comes into question in a round that is void
    already is looked at as in any other round.
    """
    if hold.code in REST_HOLDS:
        return rest_stands(run.state, run.rest, hold.code, hold.params)
    within = round_of(run.state, hold.round)
    if within is None or hold.code in OF_NO_ROUND:
        return True
    if hold.code == WRONG_PAYOUT:
        return payout_differs(within, hold.box, int(hold.get("seat") or 0))
    was = round_of(before.state, hold.round)
    if is_void(within) and (was is None or not is_void(was)):
        return hold.code == "TOO_MANY_OF_A_KIND" and "void_round" not in hold.ways
    if hold.fault:
        known = [(fault.code, number) for fault, number in faults_of(within)]
        disputed = within.settlement.code == hold.code and not known
        if disputed and hold.code == NOT_PAYABLE:
            return any((bet.box, bet.seat) == (hold.box, hold.get("seat")) for bet in waiting(within))
        return (hold.code, hold.card) in known or disputed
    return _still(run, within, hold)


def _still(run: TableRun, within: TableState, hold: Hold) -> bool:
    """As `stands`, for a hold that the engine does not set a fact aside for."""
    return hold.code in RULED or SHOWN[hold.code](run, within, hold)


def _passed_over(_: TableRun, within: TableState, __: Hold) -> bool:
    return missed(within) is not None


def _unread(_: TableRun, within: TableState, hold: Hold) -> bool:
    return waits_for_rank(within, hold.card)


def _one_too_many(run: TableRun, within: TableState, hold: Hold) -> bool:
    return is_one_too_many(run.state, within, hold.card)


def _stood_on_16(_: TableRun, within: TableState, __: Hold) -> bool:
    return within.phase == DRAW and not is_final(within.settlement.status)


def _incomplete(_: TableRun, within: TableState, hold: Hold) -> bool:
    return not is_final(within.settlement.status) and not (hold.owed and not owed_anywhere(within))


def _has_left(_: TableRun, within: TableState, hold: Hold) -> bool:
    return may_act(within, hold.box)


def _is_missing(_: TableRun, within: TableState, hold: Hold) -> bool:
    """Whether the table has not got the card that a picture shows, beside those that it had there."""
    box = int(hold.get("box") or 0)
    hidden = hole_of(within.dealer) if hidden_hole(within.dealer) else None
    cards = [seen for one in within.boxes if one.box == box for hand in one.hands for seen in hand.cards]
    lying = [str(seen.card) for seen in (cards if box else within.dealer.cards) if seen is not hidden]
    seen = str(hold.get("seen"))
    had = str(hold.get("known")).split()
    return _count(lying, seen) <= _count(had, seen)


def _count(cards: Iterable[str], seen: str) -> int:
    """How many cards are this one, as far as the picture shows its suit."""
    return sum(card == seen or card.rstrip("cdhs") == seen for card in cards)


def _lies_wrongly(_: TableRun, within: TableState, hold: Hold) -> bool:
    """Whether a card that is in question is one of the round, and not where a camera sees it.

    One without a number is in no round yet: it waits, or only a camera has seen it.
    """
    if not hold.card:
        return True
    fact = card_fact(within, hold.card)
    at = places(within).get(hold.card, DEALER)[0]
    moved = (hold.code == ELSEWHERE and at == hold.box) or (hold.code == VANISHED and at != hold.box)
    return fact is not None and not is_out(fact) and not moved


def _lies_otherwise(run: TableRun, within: TableState, hold: Hold) -> bool:
    """Whether a bettor's chips are still not what was entered; in a void box they are no stake any more."""
    bettor = (hold.box, hold.get("seat"))
    if hold.code == STAKE_ASKED:
        return any(one[:2] == bettor and not one.answered for one in differing(within, run.chips))
    if any(box.box == hold.box and box.void for box in within.boxes):
        return False
    return entered_stake(within, hold.box, int(hold.get("seat") or 0)) != hold.get("stake")


def _decision_unclear(run: TableRun, within: TableState, hold: Hold) -> bool:
    if hold.params == NO_HAND:
        return bool(run.kept)
    at = within.current
    if at is None:
        return False
    return (at[0].box, at[1].number, 0) == (hold.get("box"), hold.get("hand"), at[1].owed)


def _insurance_unclear(_: TableRun, within: TableState, __: Hold) -> bool:
    return within.phase == INSURANCE


def _hole_unread(_: TableRun, within: TableState, __: Hold) -> bool:
    hole = hole_of(within.dealer)
    return hole is not None and hidden_hole(within.dealer) and hole.obs.rank is None


SHOWN: Final[Mapping[str, Callable[[TableRun, TableState, Hold], bool]]] = {
    "MISSED_CARD": _passed_over,
    "DEALER_MISSED_CARD": _passed_over,
    "CARD_UNREAD": _unread,
    READ_DIFFERENTLY: _unread,
    "TOO_MANY_OF_A_KIND": _one_too_many,
    "BURN_MISSED": _lies_wrongly,
    NOT_DEALT: _lies_wrongly,
    NOT_COUNTED: _lies_wrongly,
    CAMERAS_DIFFER: _lies_wrongly,
    ELSEWHERE: _lies_wrongly,
    VANISHED: _lies_wrongly,
    STAKE_ASKED: _lies_otherwise,
    STAKE_CHANGED: _lies_otherwise,
    "DEALER_STOOD_ON_16": _stood_on_16,
    "ROUND_INCOMPLETE": _incomplete,
    LEFT: _has_left,
    ASKED: _decision_unclear,
    INSURANCE_ASKED: _insurance_unclear,
    HOLE_ASKED: _hole_unread,
    **dict.fromkeys(sorted(PICTURE_DIFFERS), _is_missing),
}
"""Codes of which the table itself shows, in the hold's round, whether the fault still stands."""

LOOKED_AT: Final = frozenset(SHOWN) | {WRONG_PAYOUT} | REST_HOLDS | OF_NO_ROUND
"""Codes that `stands` looks at; a ruling that mends nothing lifts no such hold."""

RULED: Final = (
    frozenset[str](
        (
            "CARD_BEFORE_BETS",
            "CARD_TO_EMPTY_BOX",
            "CARD_TO_DONE_HAND",
            "CARD_OWED",
            "CARD_AFTER_DEALER_BLACKJACK",
            "ACROSS_NOT_ALLOWED",
            "UP_CARD_FACE_DOWN",
            "INSURANCE_NOT_CLOSED",
            "DEALER_DREW_ON_17",
            "DEALER_DREW_AFTER_BUST",
            "ROUND_DISPUTED",
            "STAKE_OUTSIDE_LIMITS",
        )
    )
    | HOLE_CODES
    | LIFTED_BY_CARD
    | OUT_OF_PLACE
)
"""Codes of which the table shows nothing unless the engine set a fact aside: the ruling ends the hold.

With `LOOKED_AT` these are all codes of `FAULT_CODES` and `CONTRACT`, each in one of the two.
"""

"""The hold that a ruling concerns, the ways out that the profile forbids, and the end of each hold."""

from collections.abc import Iterable
from typing import assert_never

from controller.acts.catalogue import (
    AmendPeek,
    AmendStake,
    CardSeen,
    Correct,
    Observation,
    Paid,
    Void,
    declared,
)
from controller.acts.declaring import Subject
from controller.domain import TableError
from controller.engine.constants import DEALER, DRAW, INSURANCE
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.round.card_placement import places
from controller.engine.round.expected import owed_anywhere
from controller.engine.settle.not_payable import NOT_PAYABLE, waiting
from controller.engine.settle.round_status import is_final
from controller.engine.state import TableState
from controller.irregularities import Ends, Way
from controller.policy.allowed.second_person import is_other
from controller.policy.state.counted_chips import differing, entered_stake
from controller.policy.state.holds import NO_HAND, WRONG_PAYOUT, Hold, kind_of
from controller.policy.state.line_person import Person
from controller.policy.state.rest_cards import rest_stands
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


def _way_of(hold: Hold, act: Observation) -> Way | None:
    """Return the way out of a hold that an act takes; None for an act that ends no hold."""
    lifts = declared(act).lifts
    return None if lifts is None else lifts.way_out(act, hold.ways)


def is_about(state: TableState, hold: Hold, act: Observation) -> bool:
    """Whether an act concerns this hold's fault."""
    lifts = declared(act).lifts
    if lifts is None:
        return False
    if not lifts.any_round:
        number = getattr(act, "round", None) or state.book.number
        if number != hold.round or kind_of(hold).of != "round":
            return False
    return lifts.about(act, _subject_of(state, hold))


def _subject_of(state: TableState, hold: Hold) -> Subject:
    """Return the subject of a hold, in the terms of an act."""
    kind = kind_of(hold)
    within = round_of(state, hold.round) if hold.card else None
    fact = None if within is None else card_fact(within, hold.card)
    return Subject(
        hold.code,
        hold.ways,
        hold.card,
        fact.obs.id if fact is not None and isinstance(fact.obs, CardSeen) else None,
        hold.box,
        (hold.get("box"), hold.get("seat")),
        (hold.get("box"), hold.get("hand")),
        of_hole=kind.hole,
        of_shoe=kind.cards or kind.of == "shoe",
    )


def answered(state: TableState, holds: tuple[Hold, ...], act: Observation | None) -> frozenset[str]:
    """The codes of the questions that an act answers; others may be asked the same."""
    answers = None if act is None else declared(act).answers
    if answers is None:
        return frozenset()
    return frozenset(hold.code for hold in holds if answers(act, _subject_of(state, hold)))


def subjects_of(state: TableState, hold: Hold) -> tuple[str, ...]:
    """Return the subjects of a ruling that concern this hold, as words for the pages.

    Words are `round`, `card:NUMBER`, `box:NUMBER`, `bettor:BOX:SEAT`, `hole`. The acts decide: each word is
    probed with a ruling.
    """
    number, box, seat = hold.round, hold.get("box"), hold.get("seat")
    probes: dict[str, Observation] = {
        "round": Void(None, "", "", number),
        f"card:{hold.card}": Correct(hold.card, None, None, None, "", "", number),
        "hole": AmendPeek(blackjack=False, by="", reason="", round=number),
    }
    if hold.box > 0:
        probes[f"box:{hold.box}"] = AmendStake(hold.box, 0, 0, "", "", number)
    if isinstance(box, int) and isinstance(seat, int):
        probes[f"bettor:{box}:{seat}"] = Paid(box, seat, 0, number)
    return tuple([word for word, probe in probes.items() if is_about(state, hold, probe)])


def require_in_profile(run: TableRun, ruling: Observation) -> None:
    """Raise NOT_IN_PROFILE when the house forbids this way out of a hold that the ruling concerns.

    A wrong payout does not forbid the way out of another hold on its round: its own hold stays.
    """
    about = [(hold, _way_of(hold, ruling)) for hold in run.holds if is_about(run.state, hold, ruling)]
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
    """Whether an accepted act ends a hold; `before` is the table before the act."""
    lifts, way = declared(ruling).lifts, _way_of(hold, ruling)
    at_once = lifts is not None and lifts.ends_at_once(ruling)
    # No fact shows whether such a hold is mended: the pit's ruling ends it.
    at_once = at_once or (way == "correct" and kind_of(hold).read_anew) or not is_looked_at(hold)
    # A void round's stakes are returned: that does not tell which were handed back before.
    at_once = at_once and not (way == "void_round" and hold.code == WRONG_PAYOUT)
    if at_once and way in hold.ways and is_about(before.state, hold, ruling):
        return True
    return not stands(run, hold, before)


def is_looked_at(hold: Hold) -> bool:
    """Whether the table's state shows the end of a fault, as it does for each fact that was set aside."""
    return hold.fault or kind_of(hold).ends not in ("ruling", "card", "camera")


def stands(run: TableRun, hold: Hold, before: TableRun) -> bool:
    """Whether a hold's fault persists; `before` is the table before the last line.

    Voiding a round ends its earlier faults. A fault that appears in a void round is judged as in any other
    round.
    """
    ends = kind_of(hold).ends
    if ends == "rest_count":
        return run.rest is not None
    if ends == "rest_extra":
        return rest_stands(run.state, run.rest, hold.params)
    within = round_of(run.state, hold.round)
    if within is None or ends == "resume":
        return True
    if ends == "payout":
        return payout_differs(within, hold.box, int(hold.get("seat") or 0))
    was = round_of(before.state, hold.round)
    if is_void(within) and (was is None or not is_void(was)):
        return ends == "kind_count" and "void_round" not in hold.ways
    if hold.fault:
        known = [(fault.code, number) for fault, number in faults_of(within)]
        disputed = within.settlement.code == hold.code and not known
        if disputed and hold.code == NOT_PAYABLE:
            return any((bet.box, bet.seat) == (hold.box, hold.get("seat")) for bet in waiting(within))
        return (hold.code, hold.card) in known or disputed
    return _shows(run, within, hold, ends)


def _shows(run: TableRun, within: TableState, hold: Hold, ends: Ends) -> bool:  # noqa: C901, PLR0912
    """Whether the hold's round still has its fault; one case per kind of end."""
    match ends:
        case "deal_order":
            return missed(within) is not None
        case "rank":
            return waits_for_rank(within, hold.card)
        case "kind_count":
            return is_one_too_many(run.state, within, hold.card)
        case "drawing":
            return within.phase == DRAW and not is_final(within.settlement.status)
        case "round_over":
            return not is_final(within.settlement.status) and not (hold.owed and not owed_anywhere(within))
        case "acting":
            return may_act(within, hold.box)
        case "card_place":
            return _lies_wrongly(within, hold)
        case "other_box" | "same_box":
            there = places(within).get(hold.card, DEALER)[0] == hold.box
            return _lies_wrongly(within, hold) and (not hold.card or there == (ends == "same_box"))
        case "entered_stake":
            unanswered = [one[:2] for one in differing(within, run.chips) if not one.answered]
            return (hold.box, hold.get("seat")) in unanswered
        case "known_stake":
            return _lies_otherwise(within, hold)
        case "decision":
            return _decision_unclear(run, within, hold)
        case "insurance":
            return within.phase == INSURANCE
        case "hole_rank":
            hole = hole_of(within.dealer)
            return hole is not None and hidden_hole(within.dealer) and hole.obs.rank is None
        case "picture":
            return _is_missing(within, hold)
        case "ruling" | "card" | "camera" | "resume" | "payout" | "rest_count" | "rest_extra":
            return True
        case _:
            assert_never(ends)


def _is_missing(within: TableState, hold: Hold) -> bool:
    """Whether the table lacks the card in the picture, beyond the cards that it had when the hold began."""
    box = int(hold.get("box") or 0)
    hidden = hole_of(within.dealer) if hidden_hole(within.dealer) else None
    cards = [seen for one in within.boxes if one.box == box for hand in one.hands for seen in hand.cards]
    lying = [str(seen.card) for seen in (cards if box else within.dealer.cards) if seen is not hidden]
    seen = str(hold.get("seen"))
    had = str(hold.get("known")).split()
    return _count(lying, seen) <= _count(had, seen)


def _count(cards: Iterable[str], seen: str) -> int:
    """Return the number of cards equal to this one; without a suit, compare the rank alone."""
    return sum(card == seen or card.rstrip("cdhs") == seen for card in cards)


def _lies_otherwise(within: TableState, hold: Hold) -> bool:
    """Whether a bettor's chips differ from the entered stake; chips in a void box are no stake."""
    void = any(box.box == hold.box and box.void for box in within.boxes)
    return not void and entered_stake(within, hold.box, int(hold.get("seat") or 0)) != hold.get("stake")


def _lies_wrongly(within: TableState, hold: Hold) -> bool:
    """Whether the card in question belongs to the round.

    A card without a number is in no round yet: it waits, or only a camera reported it.
    """
    if not hold.card:
        return True
    fact = card_fact(within, hold.card)
    return fact is not None and not is_out(fact)


def _decision_unclear(run: TableRun, within: TableState, hold: Hold) -> bool:
    if hold.params == NO_HAND:
        return bool(run.kept)
    at = within.current
    if at is None:
        return False
    return (at[0].box, at[1].number, 0) == (hold.get("box"), hold.get("hand"), at[1].owed)

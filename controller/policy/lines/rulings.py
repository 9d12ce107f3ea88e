"""Rulings at the table's door: checked against the house's profile, then taken; a dealer's Undo."""

from typing import Final

from controller.acts.catalogue import (
    AmendReveal,
    CardRuling,
    CardSeen,
    Correct,
    Exposed,
    HoldsLifted,
    Move,
    Paid,
    Reveal,
    Ruling,
    ShoeLoaded,
    ShoeVoided,
    Strike,
    Void,
)
from controller.domain import TableError
from controller.engine.amend.rulings import QUESTIONABLE, is_counted
from controller.engine.hands import hole_of
from controller.irregularities import FaultCode
from controller.policy.allowed.mending import require_in_profile, require_second
from controller.policy.allowed.roles import named_holds
from controller.policy.lines.desk import Desk
from controller.policy.lines.shoe_count import ShoeLine, take_waiting, waits_for_count
from controller.policy.state.effects import CardKept
from controller.policy.state.holds import (
    ASKED,
    COUNT_DUE,
    HOLE_ASKED,
    INSURANCE_ASKED,
    LOST,
    NEED_ANSWER,
    Hold,
)
from controller.policy.state.line import KeptCard, TableLine
from controller.policy.state.line_person import PIT_ROLES, Person
from controller.policy.state.payouts import payout_of, require_known_way
from controller.policy.state.rounds import is_void
from controller.policy.state.run import TableRun


def rule(desk: Desk, line: TableLine, ruling: Ruling | ShoeVoided | Paid) -> None:
    """A ruling of the pit, or a dealer's own."""
    place = _kept_place(desk.run, ruling)
    if isinstance(ruling, CardRuling) and place >= 0:
        _rule_kept(desk, line, ruling, place)
        return
    require_in_profile(desk.run, ruling)
    require_second(desk.run, ruling, line.by, line.second)
    turned = _turned_too_early(desk) if isinstance(ruling, AmendReveal) else None
    if turned is not None:
        desk.release(turned, line.mark)
        return
    desk.fact(ruling, line.by, line.mark)
    if isinstance(ruling, Void) and ruling.round in (None, desk.state.book.number) and is_void(desk.state):
        desk.burn_kept()


def _turned_too_early(desk: Desk) -> Hold | None:
    """The hold for a turning before its time, which the rules have not taken as one."""
    holds = [hold for hold in desk.run.holds if hold.code == EXPOSED and not hold.fault]
    return holds[0] if holds and (holds[0].get("turned") or _seen_turned(desk)) else None


def _seen_turned(desk: Desk) -> Exposed | None:
    """Return the reading of a card turned too early; None when it was only exposed."""
    seen = [fact.obs for fact in desk.state.log if isinstance(fact.obs, Exposed)]
    return seen[-1] if seen and seen[-1].turned else None


def paid(desk: Desk, line: TableLine, given: Paid) -> None:
    """Record a payout; while a payout is wrong, the pit enters the right one."""
    require_known_way(desk.state, given, line.by, desk.house.options)
    if line.by.role in PIT_ROLES:
        rule(desk, line, given)
    else:
        desk.fact(given, line.by, line.mark)
    _note_entered(desk, given, line.by, line.mark)


def _note_entered(desk: Desk, given: Paid, by: Person, mark: int) -> None:
    """Put a payout that was reported into the books."""
    payout = payout_of(desk.state, given, by)
    if payout is not None:
        desk.note_payout(payout, by, mark)


def shoe(desk: Desk, entered: TableLine, line: ShoeLine) -> None:
    """A fresh shoe, or a shuffle: the way out of some holds, otherwise for a table that does not wait."""
    rules = desk.state.book.rules
    if isinstance(line, ShoeLoaded) and not rules.may_load(line.decks):
        raise TableError("BAD_SHOE", decks=line.decks)
    require_second(desk.run, entered.observation, entered.by, entered.second)
    if not waits_for_count(desk, entered, line):
        desk.fact(line, entered.by, entered.mark)


def resume(desk: Desk, line: TableLine, lifted: HoldsLifted) -> None:
    """Holds are lifted and the round goes on as it lies."""
    holds = named_holds(desk.run, lifted.codes)
    if not holds:
        raise TableError("NOT_HELD")
    if any(hold.code in NEED_ANSWER for hold in holds):
        raise TableError("ANSWER_NEEDED")
    require_in_profile(desk.run, lifted)
    require_second(desk.run, lifted, line.by, line.second)
    for hold in holds:
        name = hold.get("name")
        known = line.by.role in PIT_ROLES or name in line.without
        if hold.code == LOST and name in desk.run.lost and not known:
            raise TableError("DEVICE_STILL_LOST", name=str(name))
    desk.fact(lifted, line.by, line.mark)
    for hold in holds:
        _go_on_over(desk, line, hold)
    for hold in holds:
        if hold.code == COUNT_DUE:
            take_waiting(desk, hold, line.mark)


def _go_on_over(desk: Desk, line: TableLine, hold: Hold) -> None:
    """Accept the fault of a lifted hold as it is."""
    desk.waive(hold)
    if hold.code != EXPOSED:
        return
    turned, hole = _seen_turned(desk), hole_of(desk.state.dealer)
    if hold.fault:
        lies = Move(hold.card, None, "dealer", None, None, str(line.by), "keep")
        desk.fact(lies, line.by, line.mark)
    elif turned is not None and hole is not None and (turned.rank or hole.obs.rank):
        desk.fact(Reveal(turned.rank, turned.suit, early=True), line.by, line.mark)


EXPOSED: Final[FaultCode] = "HOLE_CARD_EXPOSED"
QUESTIONS: Final = frozenset((ASKED, HOLE_ASKED, INSURANCE_ASKED))
"""What is asked about the card that waits first."""


def _numbers_of(run: TableRun) -> tuple[int, ...]:
    """Return the numbers of the waiting cards, in order; 0 for a burned card, which has no number."""
    number, numbers = run.state.cards_seen, list[int]()
    for kept in run.kept:
        number += kept.card.to != "burn"
        numbers.append(0 if kept.card.to == "burn" else number)
    return tuple(numbers)


def _kept_place(run: TableRun, ruling: object) -> int:
    """Return the index of the waiting card that a ruling names; -1 for any other card."""
    if not isinstance(ruling, CardRuling) or ruling.round not in (None, run.state.book.number):
        return -1
    for place, (number, kept) in enumerate(zip(_numbers_of(run), run.kept, strict=True)):
        named = ruling.card == number if ruling.card is not None else ruling.id == kept.card.id
        if named and number:
            return place
    return -1


def _rule_kept(desk: Desk, line: TableLine, ruling: CardRuling, place: int) -> None:
    """Rule on a waiting card: it will be placed as the pit ruled, in its turn.

    Raises NOT_IN_PROFILE, SECOND_NEEDED, or CARD_STRUCK for a card that was taken out before.
    """
    kept, number = desk.run.kept[place], _numbers_of(desk.run)[place]
    named = ruling._replace(card=number, id=None)
    require_in_profile(desk.run, named)
    require_second(desk.run, named, line.by, line.second)
    if kept.card.out is not None and not isinstance(ruling, Move):
        raise TableError("CARD_STRUCK", card=number, round=desk.state.book.number)
    moves = isinstance(ruling, Move)
    ruled = kept._replace(card=_ruled_card(kept.card, ruling), ruled=moves or kept.ruled)
    desk.replace_kept((*desk.run.kept[:place], ruled, *desk.run.kept[place + 1 :]))
    desk.effects.append(CardKept(line.mark, ruled, ruling))
    if place == 0:
        _end_questions(desk, ruled, line.mark, moved=moves)
    if isinstance(ruling, Strike) and ruling.struck_as in QUESTIONABLE:
        params = (("struck_as", str(ruling.struck_as)),)
        desk.alert("SHOE_QUESTIONED", line.mark, params)
        desk.hold_for("SHOE_QUESTIONED", line.mark, params)


def _ruled_card(card: CardSeen, ruling: CardRuling) -> CardSeen:
    """The card as the ruling has it."""
    match ruling:
        case Correct(rank=rank, suit=suit):
            return card._replace(rank=rank, suit=suit, p=None if rank is None else card.p)
        case Strike():
            return card._replace(out="burned" if is_counted(ruling) else "struck")
        case Move(to=to, box=box, hand=hand):
            return card._replace(to=to, box=box, hand=hand, out=None)


def _end_questions(desk: Desk, kept: KeptCard, mark: int, *, moved: bool) -> None:
    """End the questions about a card that was taken out, and about the hand of a card that was moved."""
    for hold in desk.run.holds:
        if hold.code in QUESTIONS and (kept.card.out is not None or (moved and hold.code == ASKED)):
            desk.release(hold, mark)

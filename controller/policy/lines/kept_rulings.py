"""Rulings on cards that wait: they are numbered when they arrive, and the pit rules in any order."""

from typing import Final

from controller.domain.errors import TableError
from controller.domain.observations import CardSeen, Correct, Move, Strike
from controller.engine.amend.rulings import QUESTIONABLE, CardRuling, is_counted
from controller.policy.allowed.mending import require_in_profile, require_second
from controller.policy.lines.desk import Desk
from controller.policy.state.effects import KeptRuled
from controller.policy.state.holds import ASKED, HOLE_ASKED, INSURANCE_ASKED
from controller.policy.state.line import KeptCard, TableLine
from controller.policy.state.run import TableRun

QUESTIONS: Final = frozenset((ASKED, HOLE_ASKED, INSURANCE_ASKED))
"""What is asked about the card that waits first."""


def numbers_of(run: TableRun) -> tuple[int, ...]:
    """The numbers of the cards that wait, in order; 0 for one that is burned, which has none."""
    number, numbers = run.state.cards_seen, list[int]()
    for kept in run.kept:
        number += kept.card.to != "burn"
        numbers.append(0 if kept.card.to == "burn" else number)
    return tuple(numbers)


def kept_place(run: TableRun, ruling: object) -> int:
    """The place among the waiting cards of the one that a ruling names, -1 where it names none of them."""
    if not isinstance(ruling, CardRuling) or ruling.round not in (None, run.state.book.number):
        return -1
    for place, (number, kept) in enumerate(zip(numbers_of(run), run.kept, strict=True)):
        named = ruling.card == number if ruling.card is not None else ruling.id == kept.card.id
        if named and number:
            return place
    return -1


def rule_kept(desk: Desk, told: TableLine, ruling: CardRuling, place: int) -> None:
    """Rule on a waiting card: it will be laid as the pit has said, once its turn comes.

    Raises NOT_IN_PROFILE, SECOND_NEEDED, or CARD_STRUCK for one that was taken out before.
    """
    kept, number = desk.run.kept[place], numbers_of(desk.run)[place]
    named = ruling._replace(card=number, id=None)
    require_in_profile(desk.run, named)
    require_second(desk.run, named, told.by, told.second)
    if kept.card.out is not None and not isinstance(ruling, Move):
        raise TableError("CARD_STRUCK", card=number, round=desk.state.book.number)
    moves = isinstance(ruling, Move)
    ruled = kept._replace(card=ruled_card(kept.card, ruling), ruled=moves or kept.ruled)
    desk.replace_kept((*desk.run.kept[:place], ruled, *desk.run.kept[place + 1 :]))
    desk.effects.append(KeptRuled(told.mark, ruled, ruling))
    if place == 0:
        _end_questions(desk, ruled, told.mark, moved=moves)
    if isinstance(ruling, Strike) and ruling.struck_as in QUESTIONABLE:
        params = (("struck_as", str(ruling.struck_as)),)
        desk.alert("SHOE_QUESTIONED", told.mark, params)
        desk.hold_for("SHOE_QUESTIONED", told.mark, params)


def ruled_card(card: CardSeen, ruling: CardRuling) -> CardSeen:
    """The card as the ruling has it."""
    match ruling:
        case Correct(rank=rank, suit=suit):
            return card._replace(rank=rank, suit=suit, p=None if rank is None else card.p)
        case Strike():
            return card._replace(out="burned" if is_counted(ruling) else "struck")
        case Move(to=to, box=box, hand=hand):
            return card._replace(to=to, box=box, hand=hand, out=None)


def _end_questions(desk: Desk, kept: KeptCard, mark: int, *, moved: bool) -> None:
    """Nobody is asked any more about a card that is out, nor whose one is that was moved."""
    for hold in desk.run.holds:
        if hold.code in QUESTIONS and (kept.card.out is not None or (moved and hold.code == ASKED)):
            desk.release(hold, mark)

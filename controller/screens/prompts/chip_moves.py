"""What is still to be moved at a box of a settled round: each bettor's chips, hand by hand, never netted."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from controller.domain import BetResult, Part, RoundResult, RoundStatus
from controller.engine.settle.settlement import AT_ONCE, ratio
from controller.engine.state import Box, TableState
from controller.screens.prompts.context import PromptContext, letter
from controller.screens.shapes.texts import money, say
from controller.screens.shapes.values import Words

MoveKind = Literal["PAY", "TAKE", "PUSH"]


class ChipMove(NamedTuple):
    """Chips of one bettor to move: added to the stake (pay), taken from it, or left (push).

    `hand` is named where the chips belong to one hand of a split box.
    """

    box: int
    seat: int
    verb: MoveKind
    amount: int
    why: tuple[Words, ...]
    hand: int | None = None


Group = tuple[ChipMove, ...]
"""Moves that one sentence tells: one verb, at one box."""

_ORDER: Final[tuple[MoveKind, ...]] = ("TAKE", "PAY", "PUSH")
MOST_IN_A_LINE: Final = 3
"""The line has to be read from afar."""


def box_moves(context: PromptContext, result: RoundResult, box: int) -> tuple[ChipMove, ...]:
    """What is still to be moved at a box.

    Once the dealer is done with it, or what a bettor got has been entered or measured, only what a ruling
    has changed since.
    """
    handled = box in context.snapshot.pay.handled
    counts = context.snapshot.payouts != "confirm"
    moves: list[ChipMove] = []
    for bet in [bet for bet in result.bets if bet.box == box]:
        entered = entered_payout(context.state, bet)
        if handled or (counts and entered is not None):
            moves += _changes(context, bet, entered)
        else:
            moves += _moves_of(bet, result.status, context)
    if not handled and len(moves) > 1 and all(move.verb == "PUSH" for move in moves):
        return (moves[0],)
    return tuple(moves)


def entered_payout(state: TableState, bet: BetResult) -> int | None:
    """What was entered as handed back to a bettor in all, None where nothing was."""
    paid = {(box, seat): amount for box, seat, amount in state.settlement.paid}
    return paid.get((bet.box, bet.seat))


def _changes(context: PromptContext, bet: BetResult, entered: int | None) -> tuple[ChipMove, ...]:
    """What a ruling has changed since the payout was entered.

    A payout that was wrong from the beginning is the pit's: it held the table, and stands where it was let.
    """
    if entered is None:
        return ()
    booked = {(box, seat): due for box, seat, due in context.snapshot.booked}
    due_then = booked.get((bet.box, bet.seat), entered)
    return (_difference(bet, bet.returned - due_then),) if bet.returned != due_then else ()


def grouped(moves: Iterable[ChipMove]) -> list[Group]:
    """The moves of a box that are one sentence: the same verb for the holder and for those behind.

    What is taken comes first, then what is paid, so that no chip is handed over twice; at most three bettors
    share a sentence.
    """
    kept = sorted(moves, key=lambda move: _ORDER.index(move.verb))
    groups: list[Group] = []
    for move in kept:
        last = groups[-1] if groups else ()
        if last and last[0].verb == move.verb and len(last) < MOST_IN_A_LINE:
            groups[-1] = (*last, move)
        else:
            groups.append((move,))
    return groups


def _difference(bet: BetResult, more: int) -> ChipMove:
    verb: MoveKind = "PAY" if more > 0 else "TAKE"
    return ChipMove(bet.box, bet.seat, verb, abs(more), (say("detail.CORRECTED"),))


def _moves_of(bet: BetResult, status: RoundStatus, context: PromptContext) -> Iterator[ChipMove]:
    """At most one take and one pay a bettor; a push only where nothing else moves."""
    parts = [part for part in bet.parts if part.outcome not in AT_ONCE]
    lost = [part for part in parts if part.returned < part.stake]
    won = [part for part in parts if part.returned > part.stake]
    if lost:
        yield _sum_of(context, bet, "TAKE", lost)
    if won:
        yield _sum_of(context, bet, "PAY", won)
    if parts and not lost and not won:
        back = sum(part.returned for part in parts)
        why = (say("detail.VOID" if status == "voided" else "detail.PUSH", stake=money(back)),)
        yield ChipMove(bet.box, bet.seat, "PUSH", back, why)


def _sum_of(context: PromptContext, bet: BetResult, verb: MoveKind, parts: list[Part]) -> ChipMove:
    """The parts of one bettor that move in the same direction, as one amount with a reason for each."""
    amount = sum(abs(part.returned - part.stake) for part in parts)
    why = tuple(word for part in parts for word in _reason(context, bet.box, part))
    hands = {part.hand for part in parts}
    split = len(_box(context, bet.box).hands) > 1
    return ChipMove(bet.box, bet.seat, verb, amount, why, hands.pop() if split and len(hands) == 1 else None)


def _reason(context: PromptContext, number: int, part: Part) -> tuple[Words, ...]:
    won, staked = ratio(context.snapshot.rules, part.outcome)
    outcome = say(f"outcome.{part.outcome}", stake=money(part.stake), won=won, staked=staked)
    box = _box(context, number)
    if len(box.hands) == 1:
        return (outcome,)
    hand = next(hand for hand in box.hands if hand.number == part.hand)
    return (say("detail.HAND", box=number, letter=letter(box, hand)), outcome)


def _box(context: PromptContext, number: int) -> Box:
    return next(box for box in context.state.boxes if box.box == number)

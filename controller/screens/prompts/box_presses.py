"""What each box has beside its cards: what a tap on its circle does, and what is to be moved there."""

from collections.abc import Iterable
from typing import Final, Literal

from controller.acts.money import PayoutKnown
from controller.domain import RoundResult
from controller.policy.state.holds import INSURANCE_ASKED
from controller.screens.prompts.bets import repeats
from controller.screens.prompts.chip_moves import MoveKind, box_moves
from controller.screens.prompts.context import PromptContext
from controller.screens.prompts.play import stands_before
from controller.screens.prompts.questions import insurance_key
from controller.screens.screen_state import takes_bets
from controller.screens.shapes.texts import money, say
from controller.screens.shapes.view import BoxView, Key, MoveView

WEAKEST_FIRST: Final[tuple[PayoutKnown, ...]] = ("confirmed", "entered", "measured")
"""A tap that it was paid as settled, an amount that was typed, one that was counted."""

_VERBS: Final[dict[MoveKind, Literal["pay", "take", "push"]]] = {"PAY": "pay", "TAKE": "take", "PUSH": "push"}


def with_presses(context: PromptContext, boxes: Iterable[BoxView]) -> tuple[BoxView, ...]:
    """The boxes, each with its key, its bets of the round before and its open moves."""
    again = repeats(context) if takes_bets(context.state) else {}
    return tuple(
        box.model_copy(
            update={
                "repeat": again.get(box.box, ()),
                "press": _press(context, box.box),
                "moves": _moves(context, box.box),
                "paid": _paid(context, box.box),
            }
        )
        for box in boxes
    )


def _press(context: PromptContext, number: int) -> Key | None:
    """The key under a circle; None while bets are taken, when a tap chooses the box."""
    if any(hold.code != INSURANCE_ASKED for hold in context.snapshot.holds):
        return _nothing(number, "why.HELD")
    if takes_bets(context.state):
        return None
    match context.expected.code:
        case "PLAYER":
            return stands_before(context, number)
        case "INSURANCE":
            return insurance_key(context, number) or _nothing(number, "why.NOT_INSURABLE")
        case _:
            return _nothing(number, "why.NO_TAP")


def _nothing(number: int, why: str) -> Key:
    return Key(key=f"BOX_{number}", label=say("ui.box", box=number), enabled=False, note=say(why))


def _paid(context: PromptContext, number: int) -> PayoutKnown | None:
    """How what was given at a box is known."""
    ways = {how for box, _, how in context.snapshot.known if box == number}
    return next((how for how in WEAKEST_FIRST if how in ways), None)


def _moves(context: PromptContext, number: int) -> tuple[MoveView, ...]:
    result = context.snapshot.result
    if (
        result is None
        or context.expected.code not in ("SETTLED", "VOIDED")
        or number not in result.settle_order
    ):
        return ()
    return tuple(_open_moves(context, result, number))


def _open_moves(context: PromptContext, result: RoundResult, number: int) -> Iterable[MoveView]:
    for move in box_moves(context, result, number):
        yield MoveView(verb=_VERBS[move.verb], seat=move.seat, amount=money(move.amount).money)

"""Which prompt stands on the screen: holds first, then disputes, then what the engine expects."""

from collections.abc import Callable
from typing import Final

from controller.policy.state.holds import ASKED, HOLE_ASKED, INSURANCE_ASKED, NO_HAND, STAKE_ASKED, UNREAD
from controller.screens.pit.device_words import shoe_is_locked
from controller.screens.prompts import bets, holds, play, questions, rest
from controller.screens.prompts.context import PromptContext
from controller.screens.prompts.messages import with_messages
from controller.screens.prompts.payout import settlement
from controller.screens.prompts.undo import with_undo
from controller.screens.shapes.texts import say
from controller.screens.shapes.view import Prompt

_BY_CODE: Final[dict[str, Callable[[PromptContext], Prompt]]] = {
    "NEW_SHOE": bets.new_shoe,
    "BURN": bets.burn,
    "PLACE_BETS": bets.place_bets,
    "DEAL_BOX": play.deal_box,
    "DEAL_DEALER": play.deal_dealer,
    "DEAL_DEALER_DOWN": play.deal_dealer,
    "INSURANCE": questions.insurance,
    "PEEK": questions.peek,
    "PLAYER": play.turn,
    "CARD_OWED": play.card_owed,
    "REVEAL": questions.reveal,
    "DRAW": play.draw,
    "STAND": play.draw,
    "WHICH_CARD": questions.which_card,
    "DISPUTED": holds.disputed,
}


ASKED_ON_SCREEN: Final = frozenset((ASKED, INSURANCE_ASKED, HOLE_ASKED, UNREAD, STAKE_ASKED))
"""Holds that are questions to the dealer: the keys of their prompt are the answers."""


def prompts_of(context: PromptContext) -> tuple[str, tuple[Prompt, ...]]:
    """The stage and its prompts, with what the pit has written to the dealer; there is at least one."""
    stage, prompts = _prompts_of(context)
    return stage, tuple(with_messages(context, prompt) for prompt in prompts)


def _prompts_of(context: PromptContext) -> tuple[str, tuple[Prompt, ...]]:
    editing = context.screen.editing()
    if editing is not None:
        return "editing", (holds.editing(*editing),)
    if any(hold.code not in ASKED_ON_SCREEN or hold.params == NO_HAND for hold in context.snapshot.holds):
        return "held", (holds.stop(context),)
    if any(hold.code == STAKE_ASKED for hold in context.snapshot.holds):
        return f"stakes-{context.state.book.number}", (questions.stake_differs(context),)
    if context.snapshot.rest is not None:
        return "rest", (rest.count_rest(context.snapshot.rest),)
    code = context.expected.code
    result = context.snapshot.result
    if code in ("SETTLED", "VOIDED") and result is not None:
        return settlement(context, result)
    prompt = with_undo(context, _BY_CODE[code](context))
    if shoe_is_locked(context.snapshot):
        prompt = prompt.model_copy(update={"detail": (say("detail.SHOE_LOCKED"), *prompt.detail)})
    return f"{code}-{context.state.book.number}-{context.state.cards_seen}", (prompt,)

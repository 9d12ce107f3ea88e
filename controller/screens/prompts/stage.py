"""The selection of the prompt: holds first, then disputes, then the engine's expected act.

Adds undo, the pit's messages and the keys below the circles to each prompt.
"""

from collections.abc import Callable, Iterable
from typing import Final

from controller.acts.catalogue import CardSeen, Decision, Reveal
from controller.acts.money import PayoutKnown
from controller.domain import RoundResult
from controller.engine.state import Made, TableState
from controller.policy.allowed import StandingTable, last_decision
from controller.policy.holds import ASKED, HOLE_ASKED, INSURANCE_ASKED, NO_HAND, STAKE_ASKED, UNREAD
from controller.runtime.api import AlertView
from controller.runtime.carrying import MESSAGE
from controller.screens.pit.rows import shoe_is_locked
from controller.screens.prompts import bets, holds, play, questions
from controller.screens.prompts.bets import repeats
from controller.screens.prompts.context import PromptContext, call_pit, letter
from controller.screens.prompts.payout import VERBS, box_moves, settlement
from controller.screens.prompts.play import stands_before
from controller.screens.prompts.questions import insurance_key
from controller.screens.screen_state import takes_bets
from controller.screens.shapes.acts import AlertAct, observe
from controller.screens.shapes.view import Bar, BoxView, Key, MoveView, Prompt
from controller.screens.shapes.words import Words, money, reason, reason_of, say

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


_ASKED_ON_SCREEN: Final = frozenset((ASKED, INSURANCE_ASKED, HOLE_ASKED, UNREAD, STAKE_ASKED))
"""Holds that are questions to the dealer: the keys of their prompt are the answers."""


def prompts_of(context: PromptContext) -> tuple[str, tuple[Prompt, ...]]:
    """Return the stage and its prompts, at least one, with the pit's messages to the dealer."""
    stage, prompts = _prompts_of(context)
    return stage, tuple(_with_messages(context, prompt) for prompt in prompts)


def _prompts_of(context: PromptContext) -> tuple[str, tuple[Prompt, ...]]:
    editing = context.screen.editing()
    if editing is not None:
        return "editing", (holds.editing(*editing),)
    if any(hold.code not in _ASKED_ON_SCREEN or hold.params == NO_HAND for hold in context.snapshot.holds):
        return "held", (holds.stop(context),)
    if any(hold.code == STAKE_ASKED for hold in context.snapshot.holds):
        return f"stakes-{context.state.book.number}", (questions.stake_differs(context),)
    if context.snapshot.rest is not None:
        return "rest", (_count_rest(context.snapshot.rest),)
    code = context.expected.code
    result = context.snapshot.result
    if code in ("SETTLED", "VOIDED") and result is not None:
        return settlement(context, result)
    prompt = _with_undo(context, _BY_CODE[code](context))
    if shoe_is_locked(context.snapshot):
        prompt = prompt.model_copy(update={"detail": (say("detail.SHOE_LOCKED"), *prompt.detail)})
    return f"{code}-{context.state.book.number}-{context.state.cards_seen}", (prompt,)


def _with_messages(context: PromptContext, prompt: Prompt) -> Prompt:
    """The prompt with the messages that wait for an answer, and a key that answers the oldest of them."""
    open_now = [one for one in context.snapshot.alerts if one.code == MESSAGE and one.status == "open"]
    if not open_now:
        return prompt
    words = [say("detail.PIT_MESSAGE", text=reason_of(str(dict(one.params)["text"]))) for one in open_now]
    *others, call = prompt.bar.keys
    bar = prompt.bar.model_copy(update={"keys": (*others, _answer(open_now[0]), call)})
    # The reason of a stop stands above an unread message.
    detail = (*prompt.detail, *words) if prompt.tone == "stop" else (*words, *prompt.detail)
    return prompt.model_copy(update={"detail": detail, "bar": bar})


def _answer(message: AlertView) -> Key:
    return Key(
        key="MESSAGE_SEEN",
        hotkeys=("i",),
        acts=(AlertAct(alert=message.alert, step="ack"),),
    )


def _count_rest(cards: int) -> Prompt:
    """Return the prompt of a running count, with its number of cards; only the pit sees which cards."""
    done = Key(
        key="REST_DONE",
        main=True,
        note=say("note.SHOE_REST"),
        acts=(observe({"obs": "shoe_end"}),),
    )
    give_up = Key(
        key="REST_CANCEL",
        acts=(observe({"obs": "rest_count", "state": "cancel"}),),
    )
    return Prompt(
        line=say("line.REST_COUNT"),
        icon="draw",
        detail=(say("ui.rest_counted", count=cards), say("detail.REST_COUNT")),
        bar=Bar(keys=(give_up, done, call_pit())),
    )


_ASKED_AFTER: Final = frozenset(
    (
        "DEAL_BOX",
        "DEAL_DEALER",
        "DEAL_DEALER_DOWN",
        "INSURANCE",
        "PEEK",
        "PLAYER",
        "CARD_OWED",
        "REVEAL",
        "DRAW",
    )
)
"""What the table can wait for after "no more bets" and before the round is settled."""

_BY: Final = "dealer"
_REASON: Final = "UNDO"


def _with_undo(context: PromptContext, prompt: Prompt) -> Prompt:
    """Return the prompt with Undo before its last key, Call pit; unchanged when no round runs."""
    if context.expected.code not in _ASKED_AFTER:
        return prompt
    *others, call = prompt.bar.keys
    bar = prompt.bar.model_copy(update={"keys": (*others, _undo_key(context.state), call)})
    return prompt.model_copy(update={"bar": bar})


def _undo_key(state: TableState) -> Key:
    """Undo of the last decision, or of "no more bets", until the next card; else off with its reason."""
    if StandingTable(state).was_just_closed():
        obs = observe({"obs": "amend", "what": "close", "by": _BY, "reason": _REASON})
        return _key(say("note.UNDO_CLOSE")).model_copy(update={"acts": (obs,)})
    made, decision = _last(state)
    if made is None or decision is None:
        return _key(reason(_why_not(state))).model_copy(update={"enabled": False})
    obs = observe(
        {
            "obs": "amend",
            "what": "decision",
            "box": made.box,
            "hand": made.hand,
            "nth": made.nth,
            "action": None,
            "by": _BY,
            "reason": _REASON,
        }
    )
    return _key(_named(state, decision)).model_copy(update={"acts": (obs,)})


def _key(note: Words) -> Key:
    return Key(key="UNDO", hotkeys=("Backspace",), note=note)


def _last(state: TableState) -> tuple[Made | None, Decision | None]:
    """The decision that can be taken back; the round is folded for its number only where there is one."""
    since = _decided_since_card(state)
    made = last_decision(state) if since is not None else None
    return made, since


def _decided_since_card(state: TableState) -> Decision | None:
    for fact in reversed(state.log):
        if isinstance(fact.obs, CardSeen | Reveal):
            return None
        if isinstance(fact.obs, Decision):
            return fact.obs
    return None


def _why_not(state: TableState) -> str:
    """A decision that a card has followed is the pit's to put right; otherwise nothing has been entered."""
    decided = any(isinstance(fact.obs, Decision) for fact in state.log)
    return "CARD_SINCE" if decided or state.cards_seen else "NOTHING_TO_UNDO"


def _named(state: TableState, decision: Decision) -> Words:
    """Say which decision of which hand the key takes back."""
    box = next(box for box in state.boxes if box.box == decision.box)
    hand = next((hand for hand in box.hands if hand.number == decision.hand), box.hands[0])
    return say(f"note.UNDO_{decision.action.upper()}", box=f"{box.box}{letter(box, hand)}")


_WEAKEST_FIRST: Final[tuple[PayoutKnown, ...]] = ("confirmed", "entered", "measured")
"""A tap that it was paid as settled, an amount that was typed, one that was counted."""


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
        case "DEAL_BOX" | "DEAL_DEALER" | "DEAL_DEALER_DOWN" | "WHICH_CARD" | "PEEK" | "CARD_OWED" | "REVEAL":
            return _nothing(number, "why.NO_TAP")
        case "NEW_SHOE" | "BURN" | "PLACE_BETS" | "DRAW" | "STAND" | "SETTLED" | "VOIDED" | "DISPUTED":
            return _nothing(number, "why.NO_TAP")


def _nothing(number: int, why: str) -> Key:
    return Key(key=f"BOX_{number}", label=say("ui.box", box=number), enabled=False, note=say(why))


def _paid(context: PromptContext, number: int) -> PayoutKnown | None:
    """Return the source of a box's payouts, the weakest of its bettors."""
    ways = {how for box, _, how in context.snapshot.known if box == number}
    return next((how for how in _WEAKEST_FIRST if how in ways), None)


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
        yield MoveView(verb=VERBS[move.verb], seat=move.seat, amount=money(move.amount).money)

"""The dealer's Undo: a key that names what it takes back, and stays in its place where that is nothing."""

from typing import Final

from controller.acts.catalogue import CardSeen, Decision, Reveal
from controller.engine.facts import Made
from controller.engine.state import TableState
from controller.policy.allowed.standing import StandingTable, last_decision
from controller.screens.prompts.context import PromptContext, letter
from controller.screens.shapes.acts import observe
from controller.screens.shapes.texts import reason, say
from controller.screens.shapes.values import Words
from controller.screens.shapes.view import Key, Prompt

ASKED_AFTER: Final = frozenset(
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


def with_undo(context: PromptContext, prompt: Prompt) -> Prompt:
    """The prompt with Undo before its last key, which is Call pit; as it is where no round runs."""
    if context.expected.code not in ASKED_AFTER:
        return prompt
    *others, call = prompt.bar.keys
    bar = prompt.bar.model_copy(update={"keys": (*others, undo_key(context.state), call)})
    return prompt.model_copy(update={"bar": bar})


def undo_key(state: TableState) -> Key:
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

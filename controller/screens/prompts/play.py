"""Prompts from the deal to the dealer's last card: the next card's target, and the acting hand."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from controller.acts.round import Action
from controller.engine.hands import up_rank
from controller.engine.state import ACTIVE, OWED_DOUBLE, OWED_HIT, OWED_SPLIT, Box, Hand
from controller.screens.felt import total_text
from controller.screens.prompts.context import (
    PromptContext,
    call_pit,
    collected,
    joined,
    letter,
    next_side,
    only_call,
    ranks_text,
)
from controller.screens.shapes.acts import ObserveAct, observe
from controller.screens.shapes.view import Bar, Key, Prompt
from controller.screens.shapes.words import Words, money, reason, say

_OWED: Final = {
    OWED_HIT: "detail.HIT_CARD",
    OWED_DOUBLE: "detail.ONE_CARD",
    OWED_SPLIT: "detail.SPLIT_CARD",
}


def deal_box(context: PromptContext) -> Prompt:
    """The next card of the deal goes to a box."""
    box = int(context.wanted("box"))
    return Prompt(
        line=say("line.DEAL_BOX", box=box),
        icon="draw",
        detail=_missed(context),
        bar=only_call(say("info.DEAL"), say("info.NO_TAP")),
        box=box,
    )


def deal_dealer(context: PromptContext) -> Prompt:
    """The next card of the deal goes to the dealer, open or face down by the house."""
    dealer = context.state.dealer
    down = len(dealer.cards) == dealer.hole
    return Prompt(
        line=say("line.DEAL_DEALER_DOWN" if down else "line.DEAL_DEALER"),
        icon="draw",
        detail=_missed(context),
        bar=only_call(say("info.DEAL"), say("info.NO_TAP")),
        dealer=True,
    )


def _missed(context: PromptContext) -> tuple[Words, ...]:
    return (say("note.CHIPS_NOT_TAKEN"),) if context.screen.missed else ()


def turn(context: PromptContext) -> Prompt:
    """A hand acts: stand, double, split, surrender; a card is a hit by itself."""
    box, hand = context.hand(int(context.wanted("box")), int(context.wanted("hand")))
    total = total_text(hand.hard, hand.aces, hand.unread, soft=True)
    following = _following(context, box, hand)
    return Prompt(
        line=_hand_line(box, hand, total),
        icon="turn",
        detail=joined(
            (
                *_missed(context),
                *collected(context, (box, hand)),
                _against(context, hand),
                say("detail.NEXT_CARD", box=box.box),
            )
        ),
        side=next_side(following),
        bar=Bar(
            keys=(
                *_turn_keys(context, box, hand, _stand_note(following, total)),
                _all_stand(context),
                call_pit(),
            )
        ),
        box=box.box,
        hand=hand.number,
    )


def card_owed(context: PromptContext) -> Prompt:
    """A doubled or split hand waits for its card."""
    box, hand = context.hand(int(context.wanted("box")), int(context.wanted("hand")))
    return Prompt(
        line=say("line.CARD_OWED", box=f"{box.box}{letter(box, hand)}"),
        icon="draw",
        detail=(_against(context, hand), say(_OWED[hand.owed])),
        side=next_side(_following(context, box, hand)),
        bar=only_call(say("info.DEAL"), say("info.NO_TAP")),
        box=box.box,
        hand=hand.number,
    )


def draw(context: PromptContext) -> Prompt:
    """The dealer draws by the rules; the shoe says which card it was."""
    dealer = context.state.dealer
    total = total_text(dealer.hard, dealer.aces, dealer.unread, soft=True)
    return Prompt(
        line=say("line.DRAW", total=total),
        icon="draw",
        detail=(say("detail.DEALER_HAS", cards=" + ".join(seen.obs.rank or "?" for seen in dealer.cards)),),
        side=next_side(say("detail.THEN_STAND")),
        bar=only_call(say("info.DRAW"), say("info.NO_TAP")),
        dealer=True,
    )


def _hand_line(box: Box, hand: Hand, total: str) -> Words:
    if len(box.hands) == 1:
        return say("line.PLAYER", box=box.box, total=total)
    return say("line.PLAYER_HAND", box=box.box, letter=letter(box, hand), total=total)


def _turn_keys(context: PromptContext, box: Box, hand: Hand, stand_note: Words) -> Iterator[Key]:
    """Stand, double and split, and surrender where the house has it; always in the same places."""
    at = box, hand
    yield _decision(context, at, "stand", stand_note, ("Enter", "s"), main=True)
    if context.snapshot.autoplay is False:
        # At a real table the card says it by itself; a simulated shoe has to be asked for one.
        yield _decision(context, at, "hit", say("note.HIT"), ("h",))
    yield (double := _decision(context, at, "double", _more(hand), ("d",)))
    yield (split := _decision(context, at, "split", _pair(hand), ("p",)))
    if len(hand.stakes) > 1:
        yield _alone(double, "double", box, hand)
        yield _alone(split, "split", box, hand)
    if context.snapshot.rules.surrender != "none":
        yield _decision(context, at, "surrender", say("note.SURRENDER"), ("u",))


def _to_act(context: PromptContext) -> list[tuple[Box, Hand]]:
    """The hand that acts and those after it that may still act, in playing order."""
    boxes = context.state.boxes
    return [(box, hand) for box in boxes for hand in box.hands if hand.status == ACTIVE and not box.void]


def _stand(at: tuple[Box, Hand]) -> ObserveAct:
    box, hand = at
    return observe({"obs": "decision", "box": box.box, "hand": hand.number, "action": "stand"})


def _waits_for_card(at: tuple[Box, Hand]) -> bool:
    """Whether the hand cannot stand yet: it has one card only, is owed one, or has an unread card."""
    _, hand = at
    return len(hand.cards) < 2 or bool(hand.owed) or bool(hand.unread)


def _all_stand(context: PromptContext) -> Key:
    """Return the key with which all remaining hands stand."""
    hands = _to_act(context)
    owed = any(map(_waits_for_card, hands))
    note = say("why.CARD_OWED") if owed else say("note.ALL_STAND", count=len(hands))
    return Key(
        key="ALL_STAND",
        enabled=not owed,
        hotkeys=("z",),
        note=note,
        acts=tuple(map(_stand, hands)),
    )


def stands_before(context: PromptContext, number: int) -> Key:
    """A tap on the circle of a box that acts later: every hand before it stands."""
    hands = _to_act(context)
    before = list(takewhile(lambda at: at[0].box != number, hands))
    why: str | None = None
    if number not in {box.box for box, _ in hands}:
        why = "why.HAND_DONE"
    elif not before:
        why = "why.ITS_TURN"
    elif any(map(_waits_for_card, before)):
        why = "why.CARD_OWED"
    return Key(
        key=f"BOX_{number}",
        label=say("ui.box", box=number),
        enabled=why is None,
        note=say(why) if why else say("note.STAND_BEFORE", count=len(before)),
        acts=tuple(map(_stand, before)) if why is None else (),
    )


def hit_key(context: PromptContext) -> Key | None:
    """Return the key of a hit; None when no hand acts."""
    if context.expected.code != "PLAYER":
        return None
    at = context.hand(int(context.wanted("box")), int(context.wanted("hand")))
    return _decision(context, at, "hit", say("key.HIT"), ())


def _decision(
    context: PromptContext,
    at: tuple[Box, Hand],
    action: Action,
    note: Words,
    hotkeys: tuple[str, ...],
    *,
    main: bool = False,
) -> Key:
    """The key of one decision for this hand, with `note`; off with the reason where the rules forbid it."""
    box, hand = at
    act = context.act(action, box.box, hand.number)
    code = (act.reason or act.code) if act else "NOT_NOW"
    name = action.upper()
    return Key(
        key=name,
        enabled=code is None,
        main=main,
        hotkeys=hotkeys,
        note=note if code is None else reason(code),
        acts=(observe({"obs": "decision", "box": box.box, "hand": hand.number, "action": action}),),
    )


def _alone(key: Key, action: Action, box: Box, hand: Hand) -> Key:
    """The same decision, but those who bet behind put up no second stake (SB-02)."""
    holder, stake = hand.stakes[0]
    act = observe(
        {"obs": "decision", "box": box.box, "hand": hand.number, "action": action, "seats": [holder]}
    )
    note = say("note.ALONE", amount=money(stake)) if key.enabled else key.note
    label = say(f"key.{key.key}_ALONE")
    alone = {"key": f"{key.key}_ALONE", "label": label, "note": note, "acts": (act,), "hotkeys": ()}
    return key.model_copy(update=alone)


def _more(hand: Hand) -> Words:
    return say("note.MORE", amount=money(sum(stake for _, stake in hand.stakes)))


def _pair(hand: Hand) -> Words:
    return say("note.PAIR", first=hand.cards[0].obs.rank or "?", second=hand.cards[-1].obs.rank or "?")


def _against(context: PromptContext, hand: Hand) -> Words:
    up = up_rank(context.state.dealer)
    if up is None:
        return say("detail.CARDS", cards=ranks_text(hand))
    return say("detail.AGAINST", cards=ranks_text(hand), up=up)


def _stand_note(following: Words, total: str) -> Words:
    box = following.params.get("box")
    if box is None:
        return say("note.STAND_DEALER", total=total)
    return say("note.STAND_NEXT", total=total, box=box)


def _following(context: PromptContext, box: Box, hand: Hand) -> Words:
    """The hand that acts after this one, or the dealer."""
    order = [(entry, one) for entry in context.state.boxes for one in entry.hands]
    for entry, one in order[order.index((box, hand)) + 1 :]:
        if one.status == ACTIVE:
            total = total_text(one.hard, one.aces, one.unread, soft=True)
            return say("detail.NEXT_HAND", box=f"{entry.box}{letter(entry, one)}", total=total)
    return say("ui.dealer")

"""Prompts of the running game: a new shoe, bets, the deal, the acting hand, the dealer's cards."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final, NamedTuple

from controller.acts.round import Action
from controller.domain import Money
from controller.engine import Expected, OfferedAct
from controller.engine.betting import stake_of
from controller.engine.hands import up_rank
from controller.engine.settle import half_of
from controller.engine.shoe import before_first_card
from controller.engine.state import (
    ACTIVE,
    BUST,
    COMPLETE,
    NATURAL,
    OWED_DOUBLE,
    OWED_HIT,
    OWED_SPLIT,
    SURRENDERED,
    Box,
    Hand,
    TableState,
)
from controller.i18n import units
from controller.policy.money import CountedChips, differing
from controller.runtime.api import TableSnapshot
from controller.screens.acts import FreezeAct, ObserveAct
from controller.screens.evidence import NO_PICTURES, CardPictures
from controller.screens.felt import Bettor, ScreenSettings, ScreenState, in_colours, total_text
from controller.screens.panels import load_key, shuffle_key
from controller.screens.view import Bar, Key, Prompt, Side
from controller.screens.words import ChipStack, Words, described, money, reason, say


class PromptContext(NamedTuple):
    """The runtime's snapshot with the state of the screens."""

    snapshot: TableSnapshot
    screen: ScreenState
    settings: ScreenSettings
    pictures: CardPictures = NO_PICTURES

    @property
    def state(self) -> TableState:
        """The masked state: a face-down card has no rank here."""
        return self.snapshot.state

    @property
    def expected(self) -> Expected:
        """The expected act of the table."""
        return self.snapshot.expected

    def wanted(self, name: str) -> int | str:
        """Return a parameter of the expected act."""
        return dict(self.snapshot.expected.params)[name]

    def act(self, action: str, box: int, hand: int) -> OfferedAct | None:
        """Return the engine's answer on this act at this hand; None when the act is not offered."""
        for act in self.snapshot.acts:
            if (act.action, act.box, act.hand) == (action, box, hand):
                return act
        return None

    def chips(self, bettor: Bettor, stake: int, amount: int) -> ChipStack:
        """Return an amount in the chip colours of the bettor's stake."""
        bets = next((dict(box.bets) for box in self.state.boxes if box.box == bettor[0]), {})
        laid = self.screen.laid.of(bettor, stake, bets.get(bettor[1], 0))
        kinds = [chip.value_minor for chip in self.settings.chips]
        return ChipStack(chips=in_colours(amount, laid, kinds))

    def hand(self, box: int, number: int) -> tuple[Box, Hand]:
        """A hand that the engine has named."""
        entry = next(entry for entry in self.state.boxes if entry.box == box)
        return entry, next(hand for hand in entry.hands if hand.number == number)


def call_pit(*, main: bool = False) -> Key:
    """The key in the corner: hold it, and the table stops."""
    return Key(
        key="CALL_PIT",
        main=main,
        hotkeys=("!",),
        note=None if main else say("note.HOLD"),
        acts=(FreezeAct(),),
    )


def _only_call(info: Words, note: Words | None = None) -> Bar:
    """A bar with the key Call pit alone, for when the next card is read by itself."""
    return Bar(keys=(call_pit(),), info=info, info_note=note)


def next_side(text: Words) -> Side:
    """Return the side block with the next act."""
    return Side(title=say("ui.next"), text=text)


def _ranks_text(hand: Hand) -> str:
    """The ranks of a hand as they lie, an unread card as a question mark."""
    return " ".join(seen.obs.rank or "?" for seen in hand.cards)


def letter(box: Box, hand: Hand) -> str:
    """A, B, C... for the hands of a split box in playing order, none for a single one: A alone is an ace."""
    if len(box.hands) == 1:
        return ""
    return "ABCDEFGHIJKLMNOP"[box.hands.index(hand) % 16]


def collected(context: PromptContext, before: tuple[Box, Hand] | None = None) -> tuple[Words, ...]:
    """Return the sentences on the last hand's lost stake, which the dealer takes before the next hand.

    `before` is the acting hand; without it all hands have acted. A surrendered stake has one sentence per
    bettor: the house's share and the returned share, in chips.
    """
    order = [(box, hand) for box in context.state.boxes for hand in box.hands if hand.status != NATURAL]
    done = order[: order.index(before)] if before is not None else order
    if not done:
        return ()
    box, hand = done[-1]
    name = f"{box.box}{letter(box, hand)}"
    if hand.status == BUST:
        return (say("detail.TAKE_BUST", box=name, amount=money(sum(amount for _, amount in hand.stakes))),)
    if hand.status == SURRENDERED:
        return tuple(_halved(context, name, (box.box, seat), stake) for seat, stake in hand.stakes)
    return ()


def _halved(context: PromptContext, name: str, bettor: Bettor, stake: int) -> Words:
    """One bettor's surrendered stake: the house's half, and the player's, rounded by the house (G-01)."""
    back = half_of(context.snapshot.rules, Money(stake))
    chips = context.chips(bettor, stake, back)
    line = say("detail.TAKE_HALF", box=name, amount=money(stake - back), back=money(back), chips=chips)
    if not bettor[1]:
        return line
    return Words(code="detail.TAKE_HALF_BEHIND", params={**line.params, "seat": bettor[1]})


def joined(words: Iterable[Words | None]) -> tuple[Words, ...]:
    """The texts that there are."""
    return tuple(word for word in words if word is not None)


def new_shoe(context: PromptContext) -> Prompt:
    """A fresh shoe has to be put in place; inside a round none of its cards are burned yet.

    Where the shoe has run out in a round, the house says whether the discards are shuffled instead.
    """
    state, rules = context.state, context.snapshot.rules
    inside = not before_first_card(state)
    start = load_key(rules.decks, burned=0 if inside else rules.burn_cards)
    if not inside or state.shoe.void or state.shoe.ended:
        return _shoe_prompt(say("line.NEW_SHOE", decks=rules.decks), start)
    if context.snapshot.options.shoe_runs_out == "discards":
        return _shoe_prompt(say("line.SHUFFLE_DISCARDS"), shuffle_key(state), start)
    return _shoe_prompt(say("line.NEW_SHOE", decks=rules.decks), start, shuffle_key(state))


def _shoe_prompt(line: Words, first: Key, *others: Key) -> Prompt:
    """The prompt for a shoe: the house's way first."""
    main = first.model_copy(update={"main": True, "hotkeys": ("Enter",)})
    return Prompt(
        line=line,
        icon="turn",
        detail=(say("detail.NEW_SHOE"),),
        bar=Bar(keys=(main, *others, call_pit())),
    )


def burn(context: PromptContext) -> Prompt:
    """The first cards of a shoe are burned."""
    count = dict(context.expected.params).get("count", context.state.shoe.burn_due)
    return Prompt(
        line=say("line.BURN", count=count),
        icon="draw",
        detail=(say("detail.BURN"),),
        bar=_only_call(say("info.DEAL"), say("info.NO_TAP")),
    )


def place_bets(context: PromptContext) -> Prompt:
    """Bets are open: chips, repeat, no more bets."""
    lying = bool(context.state.boxes)
    drafts = bool(context.screen.drafts)
    close = Key(
        key="CLOSE",
        enabled=lying and not drafts,
        main=True,
        note=say("note.CHIPS_SHORT" if drafts else "note.DEAL" if lying else "note.NO_BETS"),
        acts=(ObserveAct(obs={"obs": "close"}),),
    )
    return Prompt(
        line=say("line.PLACE_BETS"),
        icon="chip",
        detail=_faults(context) or _counted_otherwise(context) or _limits(context),
        side=_total(context),
        bar=Bar(keys=(*_bet_keys(context), close, call_pit()), chips=rail(context)),
        amount_for="stake",
    )


def cleared(context: PromptContext) -> Prompt:
    """Every box is handled: the cards go to the rack; the next chip already begins a new round."""
    end = Key(
        key="CLEAR_TABLE",
        main=True,
        note=say("note.NEXT_ROUND"),
        acts=(ObserveAct(obs={"obs": "end"}),),
    )
    void = context.state.settlement.status == "voided"
    # A round may end with a bust: then nothing but this line tells the dealer to take the stake.
    untaken = () if context.snapshot.pay.handled else collected(context)
    return Prompt(
        line=say("line.VOIDED" if void else "line.SETTLED"),
        tone="push" if void else "act",
        icon="push" if void else "turn",
        detail=(*untaken, say("detail.CLEARED")),
        side=_total(context),
        bar=Bar(keys=(*_bet_keys(context), end, call_pit()), chips=rail(context)),
        amount_for="stake",
    )


_RAIL: Final = 5
"""Kinds of chips that the dealer may tap."""


def rail(context: PromptContext) -> tuple[str, ...]:
    """Chips that the dealer can tap: the largest kinds of which a stake at this table can be made."""
    step, most = context.snapshot.rules.stake_step, context.snapshot.rules.stake_max
    values = [chip.value_minor for chip in context.settings.chips]
    least = max((value for value in values if step and step % value == 0), default=1)
    fitting = [value for value in values if value % least == 0 and (not most or value <= most)]
    return tuple(units(value) for value in fitting[-_RAIL:])


def _bet_keys(context: PromptContext) -> tuple[Key, ...]:
    """The keys beside the chips, always in the same places."""
    again = bool(repeats(context))
    return (
        repeat(context),
        Key(
            key="REPEAT_BOX",
            enabled=again,
            hotkeys=("x",),
            note=say("note.REPEAT" if again else "why.NO_BETS_BEFORE"),
            opens="repeat",
        ),
        Key(key="AMOUNT", hotkeys=("t",), note=say("note.AMOUNT"), opens="amount"),
        clear(),
    )


def clear() -> Key:
    """Take the chips of the chosen box off again."""
    return Key(key="CLEAR", hotkeys=("c",), opens="clear")


def repeat(context: PromptContext) -> Key:
    """Return the key that repeats the bets of the last round."""
    acts = tuple(act for bets in repeats(context).values() for act in bets)
    return Key(
        key="REPEAT",
        enabled=bool(acts),
        hotkeys=("r",),
        note=say("note.REPEAT" if acts else "why.NO_BETS_BEFORE"),
        acts=acts,
    )


def repeats(context: PromptContext) -> dict[int, tuple[ObserveAct, ...]]:
    """Map each box to the acts that repeat its bets of the last round."""
    state = context.state
    if state.phase != COMPLETE:
        if not state.book.past.last:
            return {}
        state = state.book.past.last[-1]
    return {
        box.box: tuple(
            ObserveAct(obs={"obs": "bet", "box": box.box, "seat": seat, "stake": stake})
            for seat, stake in box.bets
        )
        for box in state.boxes
    }


def _faults(context: PromptContext) -> tuple[Words, ...]:
    """The chips that are no stake yet, and the rule that refuses them: one sentence for all such boxes."""
    places: dict[tuple[object, ...], list[Words]] = {}
    sentences: dict[tuple[object, ...], Words] = {}
    for (box, seat), draft in sorted(context.screen.drafts.items()):
        cause = (draft.code, *draft.params.items())
        sentences[cause] = described("refused", draft.code, draft.params.items())
        place = say("detail.BEHIND_AT", box=box, seat=seat) if seat else say("ui.box", box=box)
        places.setdefault(cause, []).append(place)
    return tuple(words for cause, boxes in places.items() for words in (*boxes, sentences[cause]))


def _limits(context: PromptContext) -> tuple[Words, ...]:
    """The limits of a stake: least, most, and the step where it is not simply the least."""
    rules = context.snapshot.rules
    limits: list[Words] = []
    if rules.stake_min and rules.stake_max:
        limits.append(say("detail.LIMITS", least=money(rules.stake_min), most=money(rules.stake_max)))
    elif rules.stake_min:
        limits.append(say("detail.MIN", least=money(rules.stake_min)))
    if rules.stake_step:
        limits.append(say("detail.STEP", step=money(rules.stake_step)))
    return tuple(limits)


def staked(context: PromptContext) -> int:
    """Minor units that lie on the table for the round that takes bets."""
    drafts = sum(draft.stake for draft in context.screen.drafts.values())
    if context.state.phase == COMPLETE:
        return drafts
    return drafts + sum(stake for box in context.state.boxes for _, stake in box.bets)


def _total(context: PromptContext) -> Side:
    return Side(title=say("ui.total"), text=say("ui.amount", amount=money(staked(context))))


_STAKES_IN_A_LINE: Final = 1
"""Two do not fit beside what the line says already at 1280 pixels, in German and French."""


def entered_and_counted(box: int, seat: int, stake: int, entered: int) -> Words:
    """Return the sentence on chips that lie otherwise than they were entered."""
    amounts = {"told": money(entered), "stake": money(stake)}
    if seat:
        return say("detail.STAKE_DIFFERS_BEHIND", box=box, seat=seat, **amounts)
    return say("detail.STAKE_DIFFERS", box=box, **amounts)


def _counted_otherwise(context: PromptContext) -> tuple[Words, ...]:
    """While bets are open: the circles in which a chip source sees something else than was entered."""
    found = differing(context.state, CountedChips(context.snapshot.chips))
    return first_of(
        [
            entered_and_counted(one.box, one.seat, one.amount, stake_of(context.state, one.box, one.seat))
            for one in found
        ]
    )


def first_of(stakes: list[Words]) -> tuple[Words, ...]:
    """Return as many sentences as a small line can show, and the number of the others."""
    more = len(stakes) - _STAKES_IN_A_LINE
    shown = tuple(stakes[:_STAKES_IN_A_LINE])
    return shown if more <= 0 else (*shown, say("detail.STAKES_DIFFER_MORE", count=more))


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
        bar=_only_call(say("info.DEAL"), say("info.NO_TAP")),
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
        bar=_only_call(say("info.DEAL"), say("info.NO_TAP")),
        dealer=True,
    )


def _missed(context: PromptContext) -> tuple[Words, ...]:
    return (say("note.CHIPS_NOT_TAKEN"),) if context.screen.missed else ()


def turn(context: PromptContext) -> Prompt:
    """A hand acts: stand, double, split, surrender; a card is a hit by itself."""
    box, hand = context.hand(int(context.wanted("box")), int(context.wanted("hand")))
    total = total_text(hand.hard, hand.aces, hand.unread, soft=True)
    following = _following(context, box, hand)
    hands = _to_act(context)
    owed = any(map(_waits_for_card, hands))
    note = say("why.CARD_OWED") if owed else say("note.ALL_STAND", count=len(hands))
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
                Key(
                    key="ALL_STAND",
                    enabled=not owed,
                    hotkeys=("z",),
                    note=note,
                    acts=tuple(map(_stand, hands)),
                ),
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
        bar=_only_call(say("info.DEAL"), say("info.NO_TAP")),
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
        bar=_only_call(say("info.DRAW"), say("info.NO_TAP")),
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
    more = say("note.MORE", amount=money(sum(stake for _, stake in hand.stakes)))
    first, last = (card.obs.rank or "?" for card in (hand.cards[0], hand.cards[-1]))
    yield (double := _decision(context, at, "double", more, ("d",)))
    yield (split := _decision(context, at, "split", say("note.PAIR", first=first, second=last), ("p",)))
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
    return ObserveAct(obs={"obs": "decision", "box": box.box, "hand": hand.number, "action": "stand"})


def _waits_for_card(at: tuple[Box, Hand]) -> bool:
    """Whether the hand cannot stand yet: it has one card only, is owed one, or has an unread card."""
    _, hand = at
    return len(hand.cards) < 2 or bool(hand.owed) or bool(hand.unread)


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
        acts=(ObserveAct(obs={"obs": "decision", "box": box.box, "hand": hand.number, "action": action}),),
    )


def _alone(key: Key, action: Action, box: Box, hand: Hand) -> Key:
    """The same decision, but those who bet behind put up no second stake (SB-02)."""
    holder, stake = hand.stakes[0]
    act = ObserveAct(
        obs={"obs": "decision", "box": box.box, "hand": hand.number, "action": action, "seats": [holder]}
    )
    note = say("note.ALONE", amount=money(stake)) if key.enabled else key.note
    label = say(f"key.{key.key}_ALONE")
    alone = {"key": f"{key.key}_ALONE", "label": label, "note": note, "acts": (act,), "hotkeys": ()}
    return key.model_copy(update=alone)


def _against(context: PromptContext, hand: Hand) -> Words:
    up = up_rank(context.state.dealer)
    if up is None:
        return say("detail.CARDS", cards=_ranks_text(hand))
    return say("detail.AGAINST", cards=_ranks_text(hand), up=up)


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

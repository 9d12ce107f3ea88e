"""Prompts that ask the dealer something that no device knows: insurance, the check, a card's rank."""

from typing import Final

from controller.engine.betting import stake_of
from controller.engine.state import ACTIVE, Box, Hand
from controller.policy.holds import INSURANCE_ASKED, STAKE_ASKED
from controller.policy.money import CountedChips, differing
from controller.runtime.contradictions import DEALER_BOX
from controller.screens.disclosure import may_picture
from controller.screens.evidence import PictureHint
from controller.screens.felt import cards_at
from controller.screens.prompts.context import PromptContext, call_pit, collected, joined, letter
from controller.screens.shapes.acts import observe
from controller.screens.shapes.view import Bar, Key, Pad, Prompt
from controller.screens.shapes.words import Words, money, say

_STAKES_IN_A_LINE: Final = 1
"""Two do not fit beside what the line says already at 1280 pixels, in German and French."""


def insurance(context: PromptContext) -> Prompt:
    """Every bettor is asked; a key for each, and Done. A card may have come meanwhile: it waits for Done."""
    early = any(hold.code == INSURANCE_ASKED for hold in context.snapshot.holds)
    keys = [key for box in context.state.boxes if not box.void for key in _insurance_keys(context, box)]
    lower = [_lower()] if context.snapshot.rules.insurance == "up_to_half" else []
    done = Key(
        key="DONE",
        main=True,
        note=say("note.INSURANCE_DONE"),
        acts=(observe({"obs": "insurance_closed"}),),
    )
    return Prompt(
        line=say("line.INSURANCE"),
        icon="ask",
        detail=joined((say(f"hold.{INSURANCE_ASKED}" if early else "detail.INSURANCE"), _waiting(context))),
        bar=Bar(keys=(done, *keys, _insure_all(context, keys), *lower, call_pit())),
        amount_for="insure" if lower else None,
        dealer=True,
    )


def _insure_all(context: PromptContext, keys: list[Key]) -> Key:
    """Return the key that insures all remaining bettors for half; the last answer closes the offer."""
    asked = {f"INSURE_{box}_{seat}" for box, seat in context.state.offers.asked}
    rest = [key for key in keys if key.key.startswith("INSURE") and key.enabled and not key.pressed]
    rest.sort(key=lambda key: key.key in asked)
    return Key(
        key="ALL_INSURE",
        enabled=bool(rest),
        hotkeys=("v",),
        note=say("note.ALL_INSURE") if rest else say("why.NOT_INSURABLE"),
        acts=tuple(act for key in rest for act in key.acts),
    )


def _lower() -> Key:
    return Key(key="AMOUNT", hotkeys=("t",), note=say("note.LESS_THAN_HALF"), opens="amount")


def insurance_key(context: PromptContext, number: int) -> Key | None:
    """Return the key of a box's holder; None when the box may not answer."""
    for box in context.state.boxes:
        if box.box == number and not box.void:
            return _insurance_keys(context, box)[0]
    return None


def peek(_: PromptContext) -> Prompt:
    """The dealer looks under the card and says only whether it is a blackjack."""
    none = Key(
        key="NO_BLACKJACK",
        main=True,
        acts=(observe({"obs": "peek", "blackjack": False}),),
    )
    found = Key(
        key="BLACKJACK",
        hotkeys=("b",),
        acts=(observe({"obs": "peek", "blackjack": True}),),
    )
    return Prompt(
        line=say("line.PEEK"),
        icon="eye",
        detail=(say("detail.PEEK"),),
        bar=Bar(keys=(none, found, call_pit())),
        dealer=True,
    )


def reveal(context: PromptContext) -> Prompt:
    """Return the prompt of the reveal; the rank is tapped when the card was not read."""
    turned = Key(
        key="TURNED",
        main=True,
        acts=(observe({"obs": "reveal"}),),
    )
    rank = Key(key="RANK", hotkeys=("m",), opens="pad", note=say("note.RANK"))
    return Prompt(
        line=say("line.REVEAL"),
        icon="turn",
        detail=(*collected(context), _why_turned(context)),
        bar=Bar(keys=(turned, rank, call_pit())),
        pad=Pad(title=say("ui.pad_hole"), rank_obs={"obs": "reveal"}),
        dealer=True,
    )


def _why_turned(context: PromptContext) -> Words:
    """After a blackjack that the check has found, hands may still be waiting: then they are not done."""
    waiting = any(hand.status == ACTIVE for box in context.state.boxes if not box.void for hand in box.hands)
    return say("detail.REVEAL_BLACKJACK" if waiting else "detail.REVEAL")


def stake_differs(context: PromptContext) -> Prompt:
    """Chips lie there otherwise than they were entered: the dealer says which is right, for all at once."""
    asked = [dict(hold.params) for hold in context.snapshot.holds if hold.code == STAKE_ASKED]
    bettors = [(int(one["box"]), int(one["seat"]), int(one["stake"]), int(one["told"])) for one in asked]
    return Prompt(
        line=say("line.STAKE_DIFFERS", box=bettors[0][0]),
        icon="chip",
        detail=joined((*_first_of([_entered_and_counted(*bettor) for bettor in bettors]), _waiting(context))),
        bar=Bar(
            keys=(
                _stakes("TAKE_COUNTED", [(box, seat, stake) for box, seat, stake, _ in bettors], main=True),
                _stakes("KEEP_ENTERED", [(box, seat, entered) for box, seat, _, entered in bettors]),
                call_pit(),
            )
        ),
        box=bettors[0][0],
    )


def _stakes(name: str, stakes: list[tuple[int, int, int]], *, main: bool = False) -> Key:
    """A key that tells these stakes once more, as (box, seat, amount)."""
    return Key(
        key=name,
        main=main,
        hotkeys=("Enter",) if main else ("k",),
        note=say(f"note.{name}"),
        acts=tuple(
            observe({"obs": "bet", "box": box, "seat": seat, "stake": stake}) for box, seat, stake in stakes
        ),
    )


def _entered_and_counted(box: int, seat: int, stake: int, entered: int) -> Words:
    amounts = {"told": money(entered), "stake": money(stake)}
    if seat:
        return say("detail.STAKE_DIFFERS_BEHIND", box=box, seat=seat, **amounts)
    return say("detail.STAKE_DIFFERS", box=box, **amounts)


def counted_otherwise(context: PromptContext) -> tuple[Words, ...]:
    """While bets are open: the circles in which a chip source sees something else than was entered."""
    found = differing(context.state, CountedChips(context.snapshot.chips))
    return _first_of(
        [
            _entered_and_counted(one.box, one.seat, one.amount, stake_of(context.state, one.box, one.seat))
            for one in found
        ]
    )


def _first_of(stakes: list[Words]) -> tuple[Words, ...]:
    """Return as many sentences as a small line can show, and the number of the others."""
    more = len(stakes) - _STAKES_IN_A_LINE
    shown = tuple(stakes[:_STAKES_IN_A_LINE])
    return shown if more <= 0 else (*shown, say("detail.STAKES_DIFFER_MORE", count=more))


def which_card(context: PromptContext) -> Prompt:
    """Return the prompt of an open, unread card: the dealer taps its rank."""
    number = int(context.wanted("card"))
    at = _hand_with(context, number)
    where = say("detail.UNREAD_BOX", box=at[0].box) if at else say("detail.UNREAD_DEALER")
    return Prompt(
        line=say("line.WHICH_CARD"),
        icon="ask",
        detail=joined((where, _waiting(context))),
        bar=Bar(keys=(call_pit(),), info=say("ui.pad_title")),
        pad=_unread_pad(context, number, at),
        pad_opens=True,
        box=at[0].box if at else None,
        hand=at[1].number if at else None,
        dealer=at is None,
    )


def _hand_with(context: PromptContext, number: int) -> tuple[Box, Hand] | None:
    """Find the hand in which a card of the round lies; None for the dealer's cards."""
    for box in context.state.boxes:
        for hand in box.hands:
            if any(seen.n == number for seen in hand.cards):
                return box, hand
    return None


def unread_hint(context: PromptContext) -> PictureHint:
    """Return the cameras' hint for the unread card; empty when no unread card is asked about."""
    if context.expected.code != "WHICH_CARD":
        return PictureHint()
    number = int(context.wanted("card"))
    at = _hand_with(context, number)
    return _unread_hint(context, number, at[0].box if at else DEALER_BOX)


def _unread_pad(context: PromptContext, number: int, at: tuple[Box, Hand] | None) -> Pad:
    """The pad for an unread card, with the cameras' picture of it where it may be shown."""
    box = at[0].box if at else DEALER_BOX
    hint = _unread_hint(context, number, box)
    return Pad(
        title=_unread_title(context, number, at),
        rank_obs={"obs": "correct", "card": number, "by": "dealer", "reason": "UNREAD"},
        guesses=hint.guesses,
        watched=_may_show(context, number, box),
        picture=hint.picture,
    )


def _unread_title(context: PromptContext, number: int, at: tuple[Box, Hand] | None) -> Words:
    """Return the title that names the card by its box and its place there, counted from 1."""
    cards = at[1].cards if at else context.state.dealer.cards
    place = next(place for place, seen in enumerate(cards, 1) if seen.n == number)
    if at is None:
        return say("ui.pad_unread_dealer", card=place)
    return say("ui.pad_unread", box=f"{at[0].box}{letter(*at)}", card=place)


def _unread_hint(context: PromptContext, number: int, box: int) -> PictureHint:
    if not _may_show(context, number, box):
        return PictureHint()
    others = [seen.card for seen in cards_at(context.state, box) if seen.n != number]
    return context.pictures.unread(box, others)


def _may_show(context: PromptContext, number: int, box: int) -> bool:
    """Whether the table has cameras, and a picture of this card shows no face-down card."""
    cards = cards_at(context.state, box)
    place = next((place for place, seen in enumerate(cards) if seen.n == number), None)
    return context.pictures.watching and may_picture(context.snapshot, box, place)


def by_hand() -> Pad:
    """A card that no device has reported, entered by the pit."""
    return Pad(
        title=say("ui.pad_title"),
        rank_obs={"obs": "card", "by": "pit"},
        face_down=observe({"obs": "card", "by": "pit", "rank": None, "face": "down"}),
    )


def _waiting(context: PromptContext) -> Words | None:
    return say("detail.CARDS_WAITING", count=context.snapshot.waiting) if context.snapshot.waiting else None


def _insurance_keys(context: PromptContext, box: Box) -> list[Key]:
    natural = box.hands[0].status == "blackjack"
    return [
        _even_money_key(context, box, seat)
        if natural and context.snapshot.rules.even_money
        else _insure_key(context, box, seat)
        for seat, _ in box.bets
    ]


def _insure_key(context: PromptContext, box: Box, seat: int) -> Key:
    stake = dict(box.bets)[seat] // 2
    taken = dict(box.insurance).get(seat, 0)
    offered = _offered(context, "insurance", box.box, seat)
    amount = say("note.INSURED" if taken else "note.INSURE", amount=money(taken or stake))
    return Key(
        key=f"INSURE_{box.box}_{seat}",
        label=_bettor(box.box, seat),
        enabled=offered,
        pressed=taken > 0,
        hotkeys=(str(box.box),) if seat == 0 else (),
        note=amount if offered or taken else say("why.NOT_INSURABLE"),
        acts=(observe({"obs": "insurance", "box": box.box, "seat": seat, "stake": 0 if taken else stake}),),
    )


def _even_money_key(context: PromptContext, box: Box, seat: int) -> Key:
    return Key(
        key=f"EVEN_{box.box}_{seat}",
        label=_bettor(box.box, seat),
        enabled=_offered(context, "even_money", box.box, seat),
        pressed=seat in box.even,
        hotkeys=(str(box.box),) if seat == 0 else (),
        note=say("note.EVEN_MONEY"),
        acts=(observe({"obs": "even_money", "box": box.box, "seat": seat}),),
    )


def _offered(context: PromptContext, action: str, box: int, seat: int) -> bool:
    return any(
        act.code is None and (act.action, act.box, act.seat) == (action, box, seat)
        for act in context.snapshot.acts
    )


def _bettor(box: int, seat: int) -> Words:
    return say("ui.box_short", box=box) if seat == 0 else say("ui.box_seat", box=box, seat=seat)

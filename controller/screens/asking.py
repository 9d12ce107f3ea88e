"""Prompts that ask the dealer what no device knows, and prompts of a table that waits for the pit."""

from controller.engine.state import ACTIVE, Box, Hand
from controller.policy.holds import ABSENCE, INSURANCE_ASKED, NEED_ANSWER, STAKE_ASKED
from controller.runtime.api import HoldView
from controller.runtime.contradictions import DEALER_BOX
from controller.screens.acts import ObserveAct, ResumeAct
from controller.screens.evidence import PictureHint, may_picture
from controller.screens.felt import cards_at
from controller.screens.panels import current_text, each_once, frozen_by_pit, shoe_is_locked
from controller.screens.playing import (
    PromptContext,
    call_pit,
    collected,
    entered_and_counted,
    first_of,
    joined,
    letter,
)
from controller.screens.view import Bar, Key, Pad, Prompt, Side
from controller.screens.words import Word, Words, described, money, say, short


def insurance(context: PromptContext) -> Prompt:
    """Every bettor is asked; a key for each, and Done. A card may have come meanwhile: it waits for Done."""
    early = any(hold.code == INSURANCE_ASKED for hold in context.snapshot.holds)
    keys = [key for box in context.state.boxes if not box.void for key in _insurance_keys(context, box)]
    lower = (
        [Key(key="AMOUNT", hotkeys=("t",), note=say("note.LESS_THAN_HALF"), opens="amount")]
        if context.snapshot.rules.insurance == "up_to_half"
        else []
    )
    done = Key(
        key="DONE",
        main=True,
        note=say("note.INSURANCE_DONE"),
        acts=(ObserveAct(obs={"obs": "insurance_closed"}),),
    )
    asked = {f"INSURE_{box}_{seat}" for box, seat in context.state.offers.asked}
    rest = [key for key in keys if key.key.startswith("INSURE") and key.enabled and not key.pressed]
    rest.sort(key=lambda key: key.key in asked)
    return Prompt(
        line=say("line.INSURANCE"),
        icon="ask",
        detail=joined((say(f"hold.{INSURANCE_ASKED}" if early else "detail.INSURANCE"), _waiting(context))),
        bar=Bar(
            keys=(
                done,
                *keys,
                Key(
                    key="ALL_INSURE",
                    enabled=bool(rest),
                    hotkeys=("v",),
                    note=say("note.ALL_INSURE") if rest else say("why.NOT_INSURABLE"),
                    acts=tuple(act for key in rest for act in key.acts),
                ),
                *lower,
                call_pit(),
            )
        ),
        amount_for="insure" if lower else None,
        dealer=True,
    )


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
        acts=(ObserveAct(obs={"obs": "peek", "blackjack": False}),),
    )
    found = Key(
        key="BLACKJACK",
        hotkeys=("b",),
        acts=(ObserveAct(obs={"obs": "peek", "blackjack": True}),),
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
        acts=(ObserveAct(obs={"obs": "reveal"}),),
    )
    rank = Key(key="RANK", hotkeys=("m",), opens="pad", note=say("note.RANK"))
    # After a blackjack that the check has found, hands may still be waiting: then they are not done.
    waiting = any(hand.status == ACTIVE for box in context.state.boxes if not box.void for hand in box.hands)
    return Prompt(
        line=say("line.REVEAL"),
        icon="turn",
        detail=(*collected(context), say("detail.REVEAL_BLACKJACK" if waiting else "detail.REVEAL")),
        bar=Bar(keys=(turned, rank, call_pit())),
        pad=Pad(title=say("ui.pad_hole"), rank_obs={"obs": "reveal"}),
        dealer=True,
    )


def stake_differs(context: PromptContext) -> Prompt:
    """Chips lie there otherwise than they were entered: the dealer says which is right, for all at once."""
    asked = [dict(hold.params) for hold in context.snapshot.holds if hold.code == STAKE_ASKED]
    bettors = [(int(one["box"]), int(one["seat"]), int(one["stake"]), int(one["told"])) for one in asked]
    return Prompt(
        line=say("line.STAKE_DIFFERS", box=bettors[0][0]),
        icon="chip",
        detail=joined((*first_of([entered_and_counted(*bettor) for bettor in bettors]), _waiting(context))),
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
            ObserveAct(obs={"obs": "bet", "box": box, "seat": seat, "stake": stake})
            for box, seat, stake in stakes
        ),
    )


def which_card(context: PromptContext) -> Prompt:
    """Return the prompt of an open, unread card: the dealer taps its rank."""
    number = int(context.wanted("card"))
    at = _hand_with(context, number)
    where = say("detail.UNREAD_BOX", box=at[0].box) if at else say("detail.UNREAD_DEALER")
    box = at[0].box if at else DEALER_BOX
    hint = _unread_hint(context, number, box)
    return Prompt(
        line=say("line.WHICH_CARD"),
        icon="ask",
        detail=joined((where, _waiting(context))),
        bar=Bar(keys=(call_pit(),), info=say("ui.pad_title")),
        pad=Pad(
            title=_unread_title(context, number, at),
            rank_obs={"obs": "correct", "card": number, "by": "dealer", "reason": "UNREAD"},
            guesses=hint.guesses,
            watched=_may_show(context, number, box),
            picture=hint.picture,
        ),
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
    return context.pictures.spots.watching and may_picture(context.snapshot, box, place)


def by_hand() -> Pad:
    """A card that no device has reported, entered by the pit."""
    return Pad(
        title=say("ui.pad_title"),
        rank_obs={"obs": "card", "by": "pit"},
        face_down=ObserveAct(obs={"obs": "card", "by": "pit", "rank": None, "face": "down"}),
    )


def _waiting(context: PromptContext) -> Words | None:
    return say("detail.CARDS_WAITING", count=context.snapshot.waiting) if context.snapshot.waiting else None


def _insurance_keys(context: PromptContext, box: Box) -> list[Key]:
    natural = box.hands[0].status == "blackjack"
    return [
        Key(
            key=f"EVEN_{box.box}_{seat}",
            label=_bettor(box.box, seat),
            enabled=_offered(context, "even_money", box.box, seat),
            pressed=seat in box.even,
            hotkeys=(str(box.box),) if seat == 0 else (),
            note=say("note.EVEN_MONEY"),
            acts=(ObserveAct(obs={"obs": "even_money", "box": box.box, "seat": seat}),),
        )
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
        acts=(
            ObserveAct(
                obs={"obs": "insurance", "box": box.box, "seat": seat, "stake": 0 if taken else stake}
            ),
        ),
    )


def _offered(context: PromptContext, action: str, box: int, seat: int) -> bool:
    return any(
        act.code is None and (act.action, act.box, act.seat) == (action, box, seat)
        for act in context.snapshot.acts
    )


def _bettor(box: int, seat: int) -> Words:
    return say("ui.box_short", box=box) if seat == 0 else say("ui.box_seat", box=box, seat=seat)


def stop(context: PromptContext) -> Prompt:
    """Return the prompt of a held table: the fault by name, its box, and the dealer's permitted acts."""
    holds = context.snapshot.holds
    by = frozen_by_pit(holds)
    if by is not None and len(holds) == 1:
        return Prompt(
            line=say("line.FROZEN_BY", by=by),
            tone="push",
            icon="eye",
            detail=joined(
                (
                    say("detail.FROZEN_BY"),
                    say("detail.SHOE_LOCKED") if shoe_is_locked(context.snapshot) else None,
                )
            ),
            bar=Bar(keys=(call_pit(),), info=say("info.FROZEN_BY")),
        )
    first = _ruled_first(holds) or holds[0]
    called = any(hold.code == "FROZEN" for hold in holds)
    waiting = context.snapshot.waiting
    role, _, name = holds[0].by.partition(":")
    return Prompt(
        line=say("line.STOP", fault=Word(word=short(first.code).code)),
        tone="stop",
        icon="stop",
        detail=joined(
            (
                *(words for hold in each_once(holds) for words in _why(context, hold)),
                say("detail.SHOE_LOCKED") if shoe_is_locked(context.snapshot) else None,
                say("detail.CARDS_WAITING", count=waiting) if waiting else None,
            )
        ),
        side=Side(
            title=say("ui.held_by"),
            text=say("ui.by_table") if role == "system" else say("ui.by", by=name or role),
        ),
        box=first.box if first.box > 0 and first.round == context.state.book.number else None,
        bar=Bar(keys=(_resume(context), *_pit_only(), _call(called=called))),
    )


def _why(context: PromptContext, hold: HoldView) -> tuple[Words, ...]:
    """Return the subject of a hold and the permitted ways out, the usual one first.

    The rule's number is shown on the pit's page only. The line has room for the ways out of one hold.
    """
    said = current_text(context.snapshot, "hold", hold.code, hold.params)
    if hold is not _ruled_first(each_once(context.snapshot.holds)):
        return (said,)
    ways = (say("detail.WAYS_OUT"), *(say(f"way.{way}") for way in hold.ways))
    return joined((said, *ways))


def _ruled_first(holds: tuple[HoldView, ...]) -> HoldView | None:
    """The first hold that only a ruling lifts, else the first with ways at all.

    "Let it stand" of another one would not let the table go on over it.
    """
    ways = [hold for hold in holds if hold.ways]
    return next((hold for hold in ways if "keep" not in hold.ways), next(iter(ways), None))


def disputed(context: PromptContext) -> Prompt:
    """The round cannot be settled without the pit."""
    code = str(dict(context.expected.params).get("code", "ROUND_INCOMPLETE"))
    params = next((fault.params for fault in context.state.settlement.faults if fault.code == code), ())
    return Prompt(
        line=say("line.DISPUTED"),
        tone="stop",
        icon="stop",
        detail=(described("dispute", code, params), say("detail.DISPUTED")),
        bar=Bar(keys=(*_pit_only(), call_pit(main=True))),
    )


def editing(by: str, box: int | None) -> Prompt:
    """Return the prompt during a correction by the pit; the dealer's keys are paused."""
    if box is None:
        line = say("line.PIT_EDITING")
    else:
        line = say("line.PIT_EDITING_BOX", box=box) if box else say("line.PIT_EDITING_DEALER")
    return Prompt(
        line=line,
        tone="push",
        icon="eye",
        detail=(say("detail.PIT_EDITING", by=by),),
        bar=Bar(keys=(call_pit(),), info=say("info.PIT_EDITING")),
    )


def _resume(context: PromptContext) -> Key:
    allowed = all(_dealer_may_keep(hold) for hold in context.snapshot.holds)
    may_miss = context.settings.dealer_may_miss
    devices = context.snapshot.devices
    missed = tuple(one.name for one in devices if one.state in ABSENCE and one.name in may_miss)
    missing = say("note.GOES_ON_WITHOUT", name=", ".join(missed)) if missed else None
    return Key(
        key="RESUME",
        enabled=allowed,
        hotkeys=("r",),
        note=missing if allowed else say("note.PIT_LIFTS"),
        acts=(ResumeAct(without=missed),),
    )


def _dealer_may_keep(hold: HoldView) -> bool:
    """Whether the dealer alone may accept the fault of a hold, by the table's policy."""
    by_word = hold.about is None or ("keep" in hold.ways and hold.code not in NEED_ANSWER)
    return hold.release == "dealer" and by_word


def _pit_only() -> tuple[Key, ...]:
    return tuple(
        Key(key=name, label=say(f"key.{name}"), enabled=False, note=note)
        for name, note in (("BY_HAND", _PIN), ("VOID", _PIN))
    )


def _call(*, called: bool) -> Key:
    if not called:
        return call_pit(main=True)
    return call_pit(main=True).model_copy(update={"enabled": False, "note": say("note.ON_THE_WAY")})


_PIN: Words = say("note.PIT_PIN")

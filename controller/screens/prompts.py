"""The selection of the prompt: holds first, then disputes, then the expected act; and the settlement.

A settled round is worked off box by box: pay, take or push, in chips, until every box is handled. Each
bettor's chips are moved hand by hand, never netted. Undo, the pit's messages and the keys below the circles
are added to each prompt.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import CardSeen, Decision, Reveal
from controller.acts.money import PayoutKnown
from controller.domain import BetResult, Part, RoundResult, RoundStatus
from controller.engine.hands import hidden_hole, must_draw, open_blackjack
from controller.engine.settle import AT_ONCE, ratio
from controller.engine.state import Box, TableState
from controller.i18n import units
from controller.policy.allowed import StandingTable, last_decision
from controller.policy.holds import ASKED, HOLE_ASKED, INSURANCE_ASKED, NO_HAND, STAKE_ASKED, UNREAD
from controller.runtime.carrying import MESSAGE
from controller.screens import asking, playing
from controller.screens.acts import AlertAct, FreezeAct, HandledAct, ObserveAct
from controller.screens.asking import insurance_key
from controller.screens.felt import takes_bets
from controller.screens.panels import shoe_is_locked
from controller.screens.playing import (
    PromptContext,
    call_pit,
    cleared,
    letter,
    next_side,
    repeats,
    stands_before,
)
from controller.screens.view import Bar, BoxView, Key, MoveView, Prompt, Settling, SettlingStep
from controller.screens.words import ChipStack, Words, box_note, money, reason, reason_of, say

MoveKind = Literal["PAY", "TAKE", "PUSH"]
_VERBS: Final[dict[MoveKind, Literal["pay", "take", "push"]]] = {"PAY": "pay", "TAKE": "take", "PUSH": "push"}
"""A move as the page names it."""


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
_MOST_IN_A_LINE: Final = 3
"""The line has to be read from afar."""


def _box_moves(context: PromptContext, result: RoundResult, box: int) -> tuple[ChipMove, ...]:
    """Return the remaining chip moves of a box.

    After the box is handled, or its payout was entered or measured, only the changes by rulings remain.
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
    """Return the entered payout of a bettor; None without one."""
    paid = {(box, seat): amount for box, seat, amount in state.settlement.paid}
    return paid.get((bet.box, bet.seat))


def _changes(context: PromptContext, bet: BetResult, entered: int | None) -> tuple[ChipMove, ...]:
    """Return the changes by rulings since the payout was entered.

    A payout that was wrong at its entry is not among them: it held the table, and the pit ruled on it.
    """
    if entered is None:
        return ()
    booked = {(box, seat): due for box, seat, due in context.snapshot.booked}
    due_then = booked.get((bet.box, bet.seat), entered)
    more = bet.returned - due_then
    verb: MoveKind = "PAY" if more > 0 else "TAKE"
    return (ChipMove(bet.box, bet.seat, verb, abs(more), (say("detail.CORRECTED"),)),) if more else ()


def _grouped(moves: Iterable[ChipMove]) -> list[Group]:
    """Group the moves of a box into sentences: the same verb for the holder and the bettors behind.

    Taken stakes come first, then payouts, so that no chip is handed over twice. A sentence names at most
    three bettors.
    """
    kept = sorted(moves, key=lambda move: _ORDER.index(move.verb))
    groups: list[Group] = []
    for move in kept:
        last = groups[-1] if groups else ()
        if last and last[0].verb == move.verb and len(last) < _MOST_IN_A_LINE:
            groups[-1] = (*last, move)
        else:
            groups.append((move,))
    return groups


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


Moves = dict[int, tuple[ChipMove, ...]]


def settlement(context: PromptContext, result: RoundResult) -> tuple[str, tuple[Prompt, ...]]:
    """Stage and prompts of a settled or voided round."""
    moves = {box: _box_moves(context, result, box) for box in result.settle_order}
    waiting = [box for box in result.settle_order if moves[box]]
    if not waiting:
        return f"cleared-{result.round}", (cleared(context),)
    box = waiting[0]
    groups = _grouped(moves[box])
    following = [*groups[1:], _grouped(moves[waiting[1]])[0] if len(waiting) > 1 else None]
    prompts = [
        _move_prompt(context, result, moves, group, more)
        for group, more in zip(groups, following, strict=True)
    ]
    begun = len(context.snapshot.pay.handled) + len(context.state.settlement.paid)
    if not begun and _dealer_finished(context):
        prompts.insert(0, _finished(context, prompts[0]))
    return f"settle-{result.round}-{box}-{begun}", tuple(prompts)


def _dealer_finished(context: PromptContext) -> bool:
    dealer = context.state.dealer
    done = not must_draw(dealer, context.snapshot.rules.dealer_hits_soft_17)
    return len(dealer.cards) > 1 and not hidden_hole(dealer) and done


def _finished(context: PromptContext, first: Prompt) -> Prompt:
    """STAND 17: the dealer's hand is finished; Next goes on to the first box."""
    dealer = context.state.dealer
    total = dealer.total
    if total > 21:
        line = say("line.DEALER_BUST", total=total)
    elif open_blackjack(dealer):
        line = say("line.DEALER_BLACKJACK")
    else:
        line = say("line.STAND", total=total)
    cards = " + ".join(seen.obs.rank or "?" for seen in dealer.cards)
    onward = Key(
        key="NEXT",
        main=True,
        note=say("note.SETTLE"),
        opens="next",
    )
    return Prompt(
        line=line,
        tone="push",
        icon="stand",
        detail=(say("detail.DEALER_HAS", cards=cards),),
        side=next_side(first.line),
        bar=Bar(
            keys=(onward, call_pit()), info=say("info.NO_MORE_CARDS"), info_note=say("info.CARD_IS_ALERT")
        ),
        dealer=True,
    )


def _move_prompt(
    context: PromptContext, result: RoundResult, moves: Moves, group: Group, more: Group | None
) -> Prompt:
    """`more` are the next moves, at this box or at the one after it."""
    move = group[0]
    given = move.verb == "PAY" and context.snapshot.payouts != "confirm"
    # With a chip source the prompt advances after its reading.
    typed = Key(key="GIVEN", main=True, hotkeys=("Enter", "t"), note=say("note.GIVEN"), opens="amount")
    keys = (
        typed if given else _done(context, result, move, more[0] if more else None),
        _all_done(context, result, moves),
        Key(
            key="DISPUTE",
            note=say("note.DISPUTE", box=move.box),
            acts=(FreezeAct(note=box_note(move.box)),),
        ),
        call_pit(),
    )
    return Prompt(
        line=_line(group),
        tone=_VERBS[move.verb],
        icon=_VERBS[move.verb],
        detail=tuple(_details(context, result, group)),
        chips=_chips(context, move).chips if move.verb == "PAY" else (),
        side=next_side(_line(more) if more else say("line.SETTLED")),
        bar=Bar(keys=keys, settling=_progress(context, result, moves, move.box)),
        box=move.box,
        hand=move.hand if len({one.hand for one in group}) == 1 else None,
        amount_for="given" if given else None,
    )


def _chips(context: PromptContext, move: ChipMove) -> ChipStack:
    """The chips of a move, in the colours of the bettor's bet."""
    box, _ = context.hand(move.box, 1)
    return context.chips((move.box, move.seat), dict(box.bets)[move.seat], move.amount)


def _details(context: PromptContext, result: RoundResult, group: Group) -> Iterator[Words]:
    """A drink that goes with the box, why the chips move, and the chips of each bettor behind."""
    yield from drinks(result, group[0].box)
    holder = group[0]
    if holder.seat:
        yield say("detail.BEHIND", seat=holder.seat)
    yield from holder.why
    for move in group[1:]:
        code = "detail.BEHIND_CHIPS" if move.verb == "PAY" else "detail.BEHIND_AMOUNT"
        yield say(code, seat=move.seat, amount=money(move.amount), chips=_chips(context, move))


def drinks(result: RoundResult, box: int) -> tuple[Words, ...]:
    """Return the sentences on the drinks of this box for a 7-7-7 (DE-25)."""
    return tuple(
        say("detail.DRINK", box=at) for at, _, bonus in result.bonuses if at == box and bonus == "drink"
    )


def _all_done(context: PromptContext, result: RoundResult, moves: Moves) -> Key:
    """The whole table is settled as the screen has it: every box that waits is reported as done.

    Not while something has to be paid in a house where a tap does not say that it was.
    """
    waiting = [box for box in result.settle_order if moves[box]]
    counts = context.snapshot.payouts != "confirm"
    to_pay = counts and any(move.verb == "PAY" for box in waiting for move in moves[box])
    several = len(waiting) > 1
    note = say("note.ALL_DONE", count=len(waiting)) if several else say("note.LAST_BOX")
    if to_pay:
        note = say("note.COUNT_EACH" if context.snapshot.payouts == "measure" else "note.ENTER_EACH")
    return Key(
        key="ALL_DONE",
        enabled=several and not to_pay,
        hotkeys=("a",),
        note=note,
        acts=tuple(act for box in waiting for act in _done_acts(context, result, box)) if not to_pay else (),
    )


def _done(context: PromptContext, result: RoundResult, move: ChipMove, more: ChipMove | None) -> Key:
    """The last move at a box reports it; one before only goes on to the next."""
    last = more is None or more.box != move.box
    return Key(
        key="DONE",
        main=True,
        note=say("note.NEXT_BOX", box=more.box) if more else say("note.LAST_BOX"),
        acts=_done_acts(context, result, move.box) if last else (),
        opens=None if last else "next",
    )


def _line(group: Group) -> Words:
    """Return one sentence for a box and those behind it: "PAY BOX 3: 25.00 + 10.00", or the sum taken."""
    move = group[0]
    if move.verb == "PUSH":
        return say("line.PUSH", box=move.box)
    if move.verb == "TAKE":
        return say("line.TAKE", box=move.box, amount=money(sum(one.amount for one in group)))
    amounts = {f"amount_{at}": money(more.amount) for at, more in enumerate(group[1:], 2)}
    code = f"line.{move.verb}" if len(group) == 1 else f"line.{move.verb}_{len(group)}"
    return say(code, box=move.box, amount=money(move.amount), **amounts)


def _done_acts(context: PromptContext, result: RoundResult, box: int) -> tuple[ObserveAct | HandledAct, ...]:
    """Return the acts that record the payouts and mark the box as handled."""
    paid = tuple(
        ObserveAct(
            obs={"obs": "paid", "box": box, "seat": bet.seat, "amount": bet.returned, "how": "confirmed"}
        )
        for bet in result.bets
        if bet.box == box and entered_payout(context.state, bet) != bet.returned
    )
    if box in context.snapshot.pay.handled:
        return paid
    return (*paid, HandledAct(round=result.round, box=box))


def _progress(context: PromptContext, result: RoundResult, moves: Moves, now: int) -> Settling:
    order = sorted(
        range(1, context.snapshot.rules.boxes + 1), reverse=context.snapshot.rules.settle_from == "right"
    )
    handled = context.snapshot.pay.handled
    done = [box for box in result.settle_order if not moves[box]]
    handed_back = {entry[:2] for entry in context.state.settlement.paid}
    finished = [bet for bet in result.bets if bet.box in handled or (bet.box, bet.seat) in handed_back]
    return Settling(
        steps=tuple(SettlingStep(box=box, state=_state(box, now, done, result)) for box in order),
        done=len(done),
        of=len(result.settle_order),
        paid=units(sum(max(bet.returned - bet.staked, 0) for bet in finished)),
        taken=units(sum(max(bet.staked - bet.returned, 0) for bet in finished)),
    )


def _state(
    box: int, now: int, done: list[int], result: RoundResult
) -> Literal["open", "now", "done", "none"]:
    if box == now:
        return "now"
    if box in done:
        return "done"
    return "open" if box in result.settle_order else "none"


_BY_CODE: Final[dict[str, Callable[[PromptContext], Prompt]]] = {
    "NEW_SHOE": playing.new_shoe,
    "BURN": playing.burn,
    "PLACE_BETS": playing.place_bets,
    "DEAL_BOX": playing.deal_box,
    "DEAL_DEALER": playing.deal_dealer,
    "DEAL_DEALER_DOWN": playing.deal_dealer,
    "INSURANCE": asking.insurance,
    "PEEK": asking.peek,
    "PLAYER": playing.turn,
    "CARD_OWED": playing.card_owed,
    "REVEAL": asking.reveal,
    "DRAW": playing.draw,
    "STAND": playing.draw,
    "WHICH_CARD": asking.which_card,
    "DISPUTED": asking.disputed,
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
        return "editing", (asking.editing(*editing),)
    if any(hold.code not in _ASKED_ON_SCREEN or hold.params == NO_HAND for hold in context.snapshot.holds):
        return "held", (asking.stop(context),)
    if any(hold.code == STAKE_ASKED for hold in context.snapshot.holds):
        return f"stakes-{context.state.book.number}", (asking.stake_differs(context),)
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
    seen = Key(key="MESSAGE_SEEN", hotkeys=("i",), acts=(AlertAct(alert=open_now[0].alert, step="ack"),))
    bar = prompt.bar.model_copy(update={"keys": (*others, seen, call)})
    # The reason of a stop stands above an unread message.
    detail = (*prompt.detail, *words) if prompt.tone == "stop" else (*words, *prompt.detail)
    return prompt.model_copy(update={"detail": detail, "bar": bar})


def _count_rest(cards: int) -> Prompt:
    """Return the prompt of a running count, with its number of cards; only the pit sees which cards."""
    done = Key(
        key="REST_DONE",
        main=True,
        note=say("note.SHOE_REST"),
        acts=(ObserveAct(obs={"obs": "shoe_end"}),),
    )
    give_up = Key(
        key="REST_CANCEL",
        acts=(ObserveAct(obs={"obs": "rest_count", "state": "cancel"}),),
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
    """Return the prompt with Undo before its last key, Call pit; unchanged when no round runs.

    The last decision, or "no more bets", is taken back until the next card.
    """
    if context.expected.code not in _ASKED_AFTER:
        return prompt
    *others, call = prompt.bar.keys
    acts: tuple[ObserveAct, ...] = ()
    decision = _decided_since_card(context.state)
    if StandingTable(context.state).was_just_closed():
        note = say("note.UNDO_CLOSE")
        acts = (ObserveAct(obs={"obs": "amend", "what": "close", "by": _BY, "reason": _REASON}),)
    # The round is folded for a decision's number only where there is one.
    elif decision is not None and (made := last_decision(context.state)) is not None:
        note = _named(context.state, decision)
        at = {"box": made.box, "hand": made.hand, "nth": made.nth, "action": None}
        acts = (ObserveAct(obs={"obs": "amend", "what": "decision", **at, "by": _BY, "reason": _REASON}),)
    else:
        # A decision that a card has followed is the pit's to put right; otherwise nothing has been entered.
        decided = any(isinstance(fact.obs, Decision) for fact in context.state.log)
        note = reason("CARD_SINCE" if decided or context.state.cards_seen else "NOTHING_TO_UNDO")
    undo = Key(key="UNDO", enabled=bool(acts), hotkeys=("Backspace",), note=note, acts=acts)
    bar = prompt.bar.model_copy(update={"keys": (*others, undo, call)})
    return prompt.model_copy(update={"bar": bar})


def _decided_since_card(state: TableState) -> Decision | None:
    for fact in reversed(state.log):
        if isinstance(fact.obs, CardSeen | Reveal):
            return None
        if isinstance(fact.obs, Decision):
            return fact.obs
    return None


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
    return tuple(
        MoveView(verb=_VERBS[move.verb], seat=move.seat, amount=units(move.amount))
        for move in _box_moves(context, result, number)
    )

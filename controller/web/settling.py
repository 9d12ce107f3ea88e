"""The settled round, box by box: what to pay, take or push, in chips, until every box is handled."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from controller.domain.notices import BetResult, Part, RoundResult
from controller.engine.state import Box
from controller.web.betting import cleared
from controller.web.money import breakdown, decimal
from controller.web.scene import Scene, call_pit, letter, next_side, observe
from controller.web.view import Bar, Key, Prompt, Settling, Step, Words
from controller.web.wire import FreezeAct, HandledAct, ObserveAct
from controller.web.words import money, say

AT_ONCE = frozenset({"bust", "surrender"})
"""Outcomes whose chips the dealer was told to move during play (DE-17, DE-23, SB-10, FR-06, NL-27)."""

Verb = Literal["PAY", "TAKE", "PUSH"]
_SIGN: Final[dict[Verb, Literal["pay", "take", "push"]]] = {"PAY": "pay", "TAKE": "take", "PUSH": "push"}


class Move(NamedTuple):
    """Chips of one bettor to move: added to the stake (pay), taken from it, or left (push).

    `hand` is named where the chips belong to one hand of a split box.
    """

    box: int
    seat: int
    verb: Verb
    amount: int
    why: tuple[Words, ...]
    hand: int | None = None


def settlement(scene: Scene, result: RoundResult) -> tuple[str, tuple[Prompt, ...]]:
    """Stage and prompts of a settled or voided round."""
    moves = {box: box_moves(scene, result, box) for box in result.settle_order}
    waiting = [box for box in result.settle_order if moves[box]]
    if not waiting:
        return f"cleared-{result.round}", (cleared(scene),)
    box = waiting[0]
    after = moves[waiting[1]][0] if len(waiting) > 1 else None
    prompts = [
        _move_prompt(scene, result, moves, move, last=index == len(moves[box]) - 1, after=after)
        for index, move in enumerate(moves[box])
    ]
    handled = scene.shot.pay.handled
    if not handled and _dealer_finished(scene):
        prompts.insert(0, _told(scene, prompts[0]))
    return f"settle-{result.round}-{box}-{len(handled)}", tuple(prompts)


def box_moves(scene: Scene, result: RoundResult, box: int) -> tuple[Move, ...]:
    """What is still to be moved at a box: everything before it is handled, then only differences."""
    bets = [bet for bet in result.bets if bet.box == box]
    if box in scene.shot.pay.handled:
        paid = {(at, seat): amount for at, seat, amount in scene.state.verdict.paid}
        return tuple(
            _difference(bet, bet.returned - paid[box, bet.seat])
            for bet in bets
            if (box, bet.seat) in paid and paid[box, bet.seat] != bet.returned
        )
    moves = [move for bet in bets for move in _moves_of(bet, result.status, scene)]
    if len(moves) > 1 and all(move.verb == "PUSH" for move in moves):
        return (moves[0],)
    return tuple(moves)


def _difference(bet: BetResult, more: int) -> Move:
    verb: Verb = "PAY" if more > 0 else "TAKE"
    return Move(bet.box, bet.seat, verb, abs(more), (say("detail.CORRECTED"),))


def _moves_of(bet: BetResult, status: str, scene: Scene) -> Iterator[Move]:
    """At most one take and one pay a bettor; a push only where nothing else moves."""
    parts = [part for part in bet.parts if part.outcome not in AT_ONCE]
    lost = [part for part in parts if part.returned < part.stake]
    won = [part for part in parts if part.returned > part.stake]
    if lost:
        yield _sum_of(scene, bet, "TAKE", lost)
    if won:
        yield _sum_of(scene, bet, "PAY", won)
    if parts and not lost and not won:
        back = sum(part.returned for part in parts)
        why = (say("detail.VOID" if status == "voided" else "detail.PUSH", stake=money(back)),)
        yield Move(bet.box, bet.seat, "PUSH", back, why)


def _sum_of(scene: Scene, bet: BetResult, verb: Verb, parts: list[Part]) -> Move:
    """The parts of one bettor that move in the same direction, as one amount with a reason for each."""
    amount = sum(abs(part.returned - part.stake) for part in parts)
    why = tuple(word for part in parts for word in _reason(scene, bet.box, part))
    hands = {part.hand for part in parts}
    split = len(_box(scene, bet.box).hands) > 1
    return Move(bet.box, bet.seat, verb, amount, why, hands.pop() if split and len(hands) == 1 else None)


def _reason(scene: Scene, number: int, part: Part) -> tuple[Words, ...]:
    won, staked = scene.shot.rules.blackjack_pays
    told = say(f"outcome.{part.outcome}", stake=money(part.stake), won=won, staked=staked)
    box = _box(scene, number)
    if len(box.hands) == 1:
        return (told,)
    hand = next(hand for hand in box.hands if hand.number == part.hand)
    return (say("detail.HAND", box=number, letter=letter(box, hand)), told)


def _box(scene: Scene, number: int) -> Box:
    return next(box for box in scene.state.boxes if box.box == number)


def _dealer_finished(scene: Scene) -> bool:
    dealer = scene.state.dealer
    hidden = dealer.hole >= 0 and not dealer.revealed
    return len(dealer.cards) > 1 and not hidden and (dealer.total >= 17)


def _told(scene: Scene, first: Prompt) -> Prompt:
    """STAND 17: the dealer's hand is finished; Next goes on to the first box."""
    dealer = scene.state.dealer
    total = dealer.total
    if total > 21:
        line = say("line.DEALER_BUST", total=total)
    elif total == 21 and len(dealer.cards) == 2:
        line = say("line.DEALER_BLACKJACK")
    else:
        line = say("line.STAND", total=total)
    cards = " + ".join(seen.obs.rank or "?" for seen in dealer.cards)
    onward = Key(
        key="NEXT",
        label=say("key.NEXT"),
        main=True,
        hotkeys=("Enter",),
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
    scene: Scene,
    result: RoundResult,
    moves: dict[int, tuple[Move, ...]],
    move: Move,
    *,
    last: bool,
    after: Move | None,
) -> Prompt:
    values = [chip.value_minor for chip in scene.settings.chips]
    more = moves[move.box][moves[move.box].index(move) + 1] if not last else after
    done = Key(
        key="DONE",
        label=say("key.DONE"),
        main=True,
        hotkeys=("Enter",),
        note=_after_note(more),
        acts=_done_acts(scene, result, move.box) if last else (),
        opens=None if last else "next",
    )
    dispute = Key(
        key="DISPUTE",
        label=say("key.DISPUTE"),
        note=say("note.DISPUTE", box=move.box),
        acts=(FreezeAct(note=f"BOX {move.box}"),),
    )
    behind = (say("detail.BEHIND", seat=move.seat),) if move.seat else ()
    return Prompt(
        line=_line(move),
        tone=_SIGN[move.verb],
        icon=_SIGN[move.verb],
        detail=(*behind, *move.why),
        chips=breakdown(move.amount, values) if move.verb == "PAY" else (),
        side=next_side(_line(more) if more else say("line.SETTLED")),
        bar=Bar(keys=(done, dispute, call_pit()), settling=_progress(scene, result, moves, move.box)),
        box=move.box,
        hand=move.hand,
    )


def _line(move: Move) -> Words:
    if move.verb == "PUSH":
        return say("line.PUSH", box=move.box)
    return say(f"line.{move.verb}", box=move.box, amount=money(move.amount))


def _after_note(more: Move | None) -> Words:
    return say("note.NEXT_BOX", box=more.box) if more else say("note.LAST_BOX")


def _done_acts(scene: Scene, result: RoundResult, box: int) -> tuple[ObserveAct | HandledAct, ...]:
    """What was handed back, for the books, and that the box is done."""
    paid = tuple(
        observe("paid", box=box, seat=bet.seat, amount=bet.returned) for bet in result.bets if bet.box == box
    )
    if box in scene.shot.pay.handled:
        return paid
    return (*paid, HandledAct(round=result.round, box=box))


def _progress(scene: Scene, result: RoundResult, moves: dict[int, tuple[Move, ...]], now: int) -> Settling:
    order = sorted(range(1, scene.shot.rules.boxes + 1), reverse=scene.shot.rules.settle_from == "right")
    handled = scene.shot.pay.handled
    done = [box for box in result.settle_order if not moves[box]]
    finished = [bet for bet in result.bets if bet.box in handled]
    return Settling(
        steps=tuple(Step(box=box, state=_state(box, now, done, result)) for box in order),
        done=len(done),
        of=len(result.settle_order),
        paid=decimal(sum(max(bet.returned - bet.staked, 0) for bet in finished)),
        taken=decimal(sum(max(bet.staked - bet.returned, 0) for bet in finished)),
    )


def _state(
    box: int, now: int, done: list[int], result: RoundResult
) -> Literal["open", "now", "done", "none"]:
    if box == now:
        return "now"
    if box in done:
        return "done"
    return "open" if box in result.settle_order else "none"

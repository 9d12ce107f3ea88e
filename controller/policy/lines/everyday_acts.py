"""Acts and reports during a round: accepted, refused during a hold, or the cause of a hold."""

from dataclasses import replace

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Credit,
    Decision,
    DeviceSeen,
    Drop,
    End,
    Exposed,
    Fill,
    FloatCounted,
    Freeze,
    Leave,
    Reveal,
)
from controller.domain import Rank, TableError
from controller.engine.constants import BETS, INSURANCE, PEEK, PLAY
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of, makes_blackjack, up_rank
from controller.engine.round.expected import owed_anywhere
from controller.engine.settle.float_account import sum_of
from controller.engine.settle.round_status import DISPUTED, in_progress, incomplete_code, is_final
from controller.engine.state import TableState
from controller.policy.allowed.mending import answered
from controller.policy.lines.chip_readings import ask_stakes
from controller.policy.lines.desk import Desk
from controller.policy.state.counted_chips import entered_stake, with_answer
from controller.policy.state.float_difference import FLOAT_DIFFERS, alert_params, difference_of
from controller.policy.state.holds import ASKED, FROZEN, LEFT, STAKE_ASKED, STAKE_CHANGED
from controller.policy.state.line import KeptCard, TableLine
from controller.policy.state.line_person import DEVICES, SYSTEM
from controller.policy.state.payouts import not_confirmed, require_payouts
from controller.policy.state.rounds import may_act
from controller.policy.state.slip_entered import SLIP_ALIKE, slip_after

_MOVED_ON = ("hit", "double", "split")
"""Answers after which the card that was asked about is the asked hand's."""


def plain(desk: Desk, line: TableLine) -> None:
    """Something that no fault can lie in."""
    desk.fact(line.observation, line.by, line.mark)


def count_float(desk: Desk, line: TableLine, count: FloatCounted) -> None:
    """The float was counted; a closing count that differs is the pit's to explain."""
    plain(desk, line)
    if count.at == "close" and desk.house.options.float_check and difference_of(desk.state, sum_of(count)):
        desk.alert(FLOAT_DIFFERS, line.mark, alert_params(desk.state, count))


def enter_slip(desk: Desk, line: TableLine, slip: Fill | Credit | Drop) -> None:
    """Chips came to the float or left it; the same once more within a second may be one slip twice."""
    plain(desk, line)
    last, entered = desk.run.slip, slip_after(desk.run.slip, slip, line.t_ms)
    desk.run = replace(desk.run, slip=entered)
    if entered is not None and last is not None and entered.is_again(last):
        params = (("slip", entered.number), ("known", last.number), ("amount", entered.amount))
        desk.alert(SLIP_ALIKE, line.mark, params, "warning")


def freeze(desk: Desk, line: TableLine, stop: Freeze) -> None:
    """Freeze the table for the pit, beside any other hold."""
    plain(desk, line)
    desk.hold_for(FROZEN, line.mark, (("note", stop.reason),))


def leave(desk: Desk, line: TableLine, gone: Leave) -> None:
    """Record that a bettor left. In a house that does not let the hand stand, the pit rules first.

    Only the box holder decides for the hand; the stakes of other bettors are settled as they lie.
    """
    plain(desk, line)
    ruling = desk.house.profile.get(LEFT)
    if ruling is None or ruling.ways[0] == "keep" or gone.seat or not may_act(desk.state, gone.box):
        return
    params = (("box", gone.box), ("seat", gone.seat))
    desk.alert(LEFT, line.mark, params)
    desk.hold_for(LEFT, line.mark, params, box=gone.box)


def bet(desk: Desk, line: TableLine, stake: Bet) -> None:
    """Enter a stake. A stake that a chip source reports after the first card is a fault of money.

    A stake entered again while the table asks about it is an answer: the person has seen both amounts.
    """
    if line.by.role in DEVICES:
        _hold_for_stake(desk, line, stake)
        return
    if STAKE_ASKED in answered(desk.state, desk.run.holds, stake):
        desk.run = replace(desk.run, chips=with_answer(desk.run.chips, stake.box, stake.seat))
    _leave_round(desk, line)


def _hold_for_stake(desk: Desk, line: TableLine, stake: Bet) -> None:
    """Another stake than was entered, seen by a device after the first card."""
    entered = entered_stake(desk.state, stake.box, stake.seat)
    if entered == stake.stake:
        return
    params = (("box", stake.box), ("seat", stake.seat), ("stake", stake.stake), ("told", entered))
    desk.alert(STAKE_CHANGED, line.mark, params)
    desk.hold_for(STAKE_CHANGED, line.mark, params, box=stake.box)


def close(desk: Desk, line: TableLine) -> None:
    """No more bets; bets do not close while chips lie there otherwise than they were entered.

    Burned cards come before or between the bets (FR-01): closed before them, the first cards of the deal
    would be taken for burned ones. Raises BURN_DUE.
    """
    owed = desk.state.shoe.burn_due
    if owed and desk.state.phase == BETS and desk.state.boxes:
        raise TableError("BURN_DUE", cards=owed)
    if not ask_stakes(desk, line.mark):
        desk.fact(line.observation, line.by, line.mark)


def _leave_round(desk: Desk, line: TableLine) -> None:
    """Take a bet or a cleared table; note the unconfirmed payouts of the settled round."""
    state = desk.state
    if desk.house.in_shadow:
        _leave_disputed(desk, line)
    else:
        require_payouts(state, desk.house.options)
    desk.fact(line.observation, line.by, line.mark)
    if desk.state.book.number != state.book.number:
        for payout in not_confirmed(state):
            desk.note_payout(payout, SYSTEM, line.mark)


def _leave_disputed(desk: Desk, line: TableLine) -> None:
    """In shadow, end a disputed round without a ruling when play continues on the layout."""
    settled = desk.state.settlement
    if settled.status == DISPUTED and not settled.ended and not isinstance(line.observation, End):
        desk.fact(End(), SYSTEM, line.mark)


def decision(desk: Desk, line: TableLine, entered: Decision) -> None:
    """Take the box holder's decision, or the answer to the question about the hand."""
    if line.unclear or (line.shown and entered.action == "stand" and desk.house.options.later_hand == "ask"):
        desk.hold_for(ASKED, line.mark, (("box", entered.box), ("hand", entered.hand)), box=entered.box)
        if not desk.house.in_shadow:
            return
    answers = ASKED in answered(desk.state, desk.run.holds, entered)
    desk.fact(entered, line.by, line.mark)
    if line.shown:
        desk.infer(entered.action, line.mark, entered.box, entered.hand)
    elif answers and desk.run.kept:
        _answered(desk, entered)


def _answered(desk: Desk, entered: Decision) -> None:
    """The first waiting card is the asked hand's. Else it is asked about again where it stuck to another."""
    first, *rest = desk.run.kept
    if entered.action in _MOVED_ON:
        desk.replace_kept((_given_to_hand(first._replace(gap_ms=None), entered), *rest))


def _given_to_hand(first: KeptCard, entered: Decision) -> KeptCard:
    """A card that was the asked hand's, wherever it was seen."""
    if first.card.to is not None:
        card = first.card._replace(to="box", box=entered.box, hand=entered.hand)
        first = KeptCard(card, first.by, first.mark, first.gap_ms)
    if first.card.pose == "across" and entered.action != "double":
        return first._replace(card=first.card._replace(pose="along"))
    return first


def reveal(desk: Desk, line: TableLine, turned: Reveal) -> None:
    """The face-down card is turned; while a hand may still act it was shown too early."""
    if not _is_early(desk.state, turned):
        desk.fact(turned, line.by, line.mark)
        return
    desk.fact(Exposed("dealer", turned.rank, turned.suit, turned=True), line.by, line.mark)


def _is_early(state: TableState, turned: Reveal) -> bool:
    """Whether a reveal comes while a hand may still act or a bettor may still answer."""
    if not hidden_hole(state.dealer):
        return False
    if state.phase == PEEK:
        rank = _turned_rank(state, turned)
        return rank is not None and not makes_blackjack(up_rank(state.dealer), rank)
    return state.phase in (INSURANCE, PLAY)


def _turned_rank(state: TableState, turned: Reveal) -> Rank | None:
    """Return the known rank of the face-down card."""
    hole = hole_of(state.dealer)
    return turned.rank or (None if hole is None else hole.obs.rank)


def end(desk: Desk, line: TableLine) -> None:
    """The table is cleared; a round that is not complete holds, and is not ended."""
    state = desk.state
    if not in_progress(state) or is_final(state.settlement.status) or desk.house.in_shadow:
        _leave_round(desk, line)
        return
    code = incomplete_code(state)
    desk.alert(code, line.mark)
    desk.hold_for(code, line.mark, owed=owed_anywhere(state))


def device(desk: Desk, line: TableLine, seen: DeviceSeen) -> None:
    """A device came or went; a source of cards that is lost in a round holds the table."""
    desk.fact(seen, line.by, line.mark)
    desk.note_device(seen)
    state = desk.state
    if seen.state == "lost" and _is_source(state, seen.name) and _is_running(state):
        desk.hold_for("DEVICE_LOST", line.mark, (("name", seen.name),))


def _is_source(state: TableState, name: str) -> bool:
    """Whether this device supplies cards: it is the shoe, or it reported a card of this round."""
    if name == "shoe" or name.startswith("shoe:"):
        return True
    return any(isinstance(fact.obs, CardSeen) and fact.obs.by == name for fact in state.log)


def _is_running(state: TableState) -> bool:
    return in_progress(state) and not is_final(state.settlement.status)

"""Acts and reports during a round: accepted, refused during a hold, or the cause of a hold."""

from dataclasses import replace
from typing import Final, Literal

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    ChipReading,
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
    Paid,
    Reveal,
)
from controller.domain import Alert, Params, Rank, TableError
from controller.engine.cards import owed_anywhere
from controller.engine.hands import hidden_hole, hole_of, makes_blackjack, up_rank
from controller.engine.settle import DISPUTED, in_progress, incomplete_code, is_final, sum_of
from controller.engine.shoe import before_first_card
from controller.engine.state import BETS, INSURANCE, PEEK, PLAY, Phase, TableState
from controller.policy.allowed import answered
from controller.policy.desk import Desk
from controller.policy.holds import ASKED, FROZEN, LEFT, STAKE_ASKED, STAKE_CHANGED, WRONG_PAYOUT, may_act
from controller.policy.line import DEVICES, SYSTEM, KeptCard, Person, TableLine
from controller.policy.money import (
    FLOAT_DIFFERS,
    NO_CHIPS,
    SLIP_ALIKE,
    StakeReading,
    alert_params,
    changed,
    difference_of,
    differing,
    entered_stake,
    not_confirmed,
    payout_of,
    require_payouts,
    slip_after,
    with_answer,
)

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


CHIPS: Final = Person("chips")
"""Who reports what a chip source has counted before it could be taken."""


def read_chips(desk: Desk, line: TableLine, reading: ChipReading) -> None:
    """Take a source's reading during any hold. Raises NO_BET for a payout to a seat without a bet."""
    desk.fact(reading, line.by, line.mark)
    if reading.kind == "payout" and reading.amount:
        within = _paid_round(desk.state)
        if within is None or (reading.box, reading.seat) not in _bettors(within):
            raise TableError("NO_BET", box=reading.box, seat=reading.seat)
        if within is not desk.state:
            _enter_late(desk, line, reading, within)


def watch(desk: Desk, mark: int) -> None:
    """Tell the payouts that a source has counted once they can be, and hold for a stake that has changed."""
    if desk.run.chips == NO_CHIPS:
        return
    if desk.run.chips.payouts and is_final(desk.state.settlement.status):
        _enter_counted(desk, mark)
    for reading in changed(desk.state, desk.run.chips):
        if not reading.answered and not _is_held(desk, reading):
            params = _params(desk.state, reading)
            desk.alert(STAKE_CHANGED, mark, params)
            desk.hold_for(STAKE_CHANGED, mark, params, box=reading.box)


def ask_stakes(desk: Desk, mark: int) -> bool:
    """Begin a hold for each circle whose chips differ from the entered stake; False without such a hold."""
    if not desk.run.chips.stakes:
        return False
    asked = [one for one in differing(desk.state, desk.run.chips) if not one.answered]
    for reading in asked:
        desk.hold_for(STAKE_ASKED, mark, _params(desk.state, reading), box=reading.box)
    return bool(asked) and not desk.house.in_shadow


def _params(state: TableState, reading: StakeReading) -> Params:
    found = entered_stake(state, reading.box, reading.seat)
    return (("box", reading.box), ("seat", reading.seat), ("stake", reading.amount), ("told", found))


def _is_held(desk: Desk, reading: StakeReading) -> bool:
    """Whether the table is held because of these chips."""
    place = (STAKE_CHANGED, reading.box, reading.seat)
    return any((hold.code, hold.box, hold.get("seat")) == place for hold in desk.run.holds)


def _paid_round(state: TableState) -> TableState | None:
    """The round that is paid: this one, or while bets are open the one before."""
    return state if state.phase != BETS else next(iter(state.book.past.latest(1)), None)


def _bettors(state: TableState) -> frozenset[tuple[int, int]]:
    return frozenset((box.box, seat) for box in state.boxes for seat, _ in box.bets)


def _enter_counted(desk: Desk, mark: int) -> None:
    """Enter each counted payout, except for a bettor whose wrong payout awaits a ruling."""
    paid = {entry[:2]: entry[2] for entry in desk.state.settlement.paid}
    wrong = [(hold.get("box"), hold.get("seat")) for hold in desk.run.holds if hold.code == WRONG_PAYOUT]
    bettors = _bettors(desk.state)
    for box, seat, amount in desk.run.chips.payouts:
        known = (box, seat) in bettors and (box, seat) not in wrong
        if known and paid.get((box, seat)) != amount:
            _enter_payout(desk, Paid(box, seat, amount, how="measured"), CHIPS, mark)


def _enter_late(desk: Desk, line: TableLine, reading: ChipReading, closed: TableState) -> None:
    """A payout that came to rest after the next bet is that of the round before."""
    paid = {entry[:2]: entry[2] for entry in closed.settlement.paid}
    place, amount = (reading.box, reading.seat), reading.amount
    if amount is not None and is_final(closed.settlement.status) and paid.get(place) != amount:
        given = Paid(*place, amount, closed.book.number, "measured")
        _enter_payout(desk, given, line.by, line.mark)


def _enter_payout(desk: Desk, given: Paid, by: Person, mark: int) -> None:
    """Take a payout, and put it into the books."""
    desk.fact(given, by, mark)
    payout = payout_of(desk.state, given, by)
    if payout is not None:
        desk.note_payout(payout, by, mark)


LATE_BET: Final = "LATE_BET"
TOO_LATE: Final = "BETS_CLOSED"
"""How the rules refuse it. While the table waits no bet is taken, late or not, and none is alerted."""

Stage = Literal["closed", "deal", "insurance", "play", "dealer"]
"""How far the round had come: no card yet, the deal, the ace's offers and the check, hands, the dealer."""

_STAGES: Final[dict[Phase, Stage]] = {
    "deal": "deal",
    "insurance": "insurance",
    "peek": "insurance",
    "play": "play",
    "reveal": "dealer",
    "draw": "dealer",
    "complete": "dealer",
}


def late_bet(state: TableState, line: TableLine) -> Alert | None:
    """Return the alert of a bet refused as `TOO_LATE`; None for a device, or a stake that lies there already.

    The alert is a warning without a hold: nothing has changed on the layout. A chip source's reading after
    the first card begins the hold STAKE_CHANGED instead. A stake of 0 is an attempt to take a bet back.
    """
    bet = line.observation
    if not isinstance(bet, Bet) or line.by.role in DEVICES:
        return None
    laid = next((dict(box.bets).get(bet.seat, 0) for box in state.boxes if box.box == bet.box), 0)
    if bet.stake in (laid, entered_stake(state, bet.box, bet.seat)):
        return None
    stage: Stage = "closed" if before_first_card(state) else _STAGES[state.phase]
    params: Params = (("box", bet.box), ("seat", bet.seat), ("stake", bet.stake), ("stage", stage))
    return Alert(LATE_BET, "warning", state.book.number, params)


def is_same_bet(one: Alert, other: Alert) -> bool:
    """Whether two alerts concern the same bet in the same round, at any stage of the round."""
    return _bet_of(one) == _bet_of(other)


def _bet_of(alert: Alert) -> tuple[object, ...]:
    params = dict(alert.params)
    return alert.code, alert.round, params.get("box"), params.get("seat"), params.get("stake")

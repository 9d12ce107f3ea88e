"""Bets, the bank, and payments."""

from dataclasses import replace
from typing import Final

from controller.acts.catalogue import Bank, Bet, Chips, Paid
from controller.domain import Alert, BetResult, HoleCard, Money, RuleSet
from controller.engine.settle import NOT_PAYABLE, is_final, unpayable
from controller.engine.state import (
    ACTIVE,
    BETS,
    DEAL,
    VOIDED,
    Book,
    Box,
    Dealer,
    Hand,
    HandStatus,
    Stakes,
    TableState,
    refuse,
)

_HOLE_INDEX: Final[dict[HoleCard, int]] = {"first_down": 0, "second_down": 1, "none": -1}


def find_box(state: TableState, box: int) -> int:
    """Index of a box with bets in `state.boxes`, or -1."""
    for index, entry in enumerate(state.boxes):
        if entry.box == box:
            return index
    return -1


def takes_bets(state: TableState) -> bool:
    """Whether a bet may be laid: bets are open, or the round is over and a bet begins the next round."""
    return state.phase == BETS or is_final(state.settlement.status)


def stake_of(state: TableState, box: int, seat: int) -> Money:
    """Return a bettor's stake for the round that takes bets; 0 while the last round is on the layout."""
    at = find_box(state, box) if state.phase == BETS else -1
    return dict(state.boxes[at].bets).get(seat, Money(0)) if at >= 0 else Money(0)


def staked(state: TableState) -> Money:
    """All that was laid down for this round before the deal, by every bettor."""
    return Money(sum(stake for box in state.boxes for _, stake in box.bets))


def _verify_bet(state: TableState, bet: Bet) -> None:
    """Refuse a bet that is late, out of place, outside the limits or beyond the player's own chips."""
    box, seat, _ = bet
    if state.phase != BETS:
        refuse("BETS_CLOSED", box=box, seat=seat)
    if state.book.closed and bet.stake:
        refuse("TABLE_CLOSED")
    rules = state.book.rules
    verify_place(rules, box, seat)
    if bet.stake:
        verify_stake(rules, bet)
        if state.book.bank or state.book.chips:
            _verify_chips(state, bet)


def verify_place(rules: RuleSet, box: int, seat: int) -> None:
    """Refuse a box or seat that the table does not have (SB-01, FR-02)."""
    if not 1 <= box <= rules.boxes:
        refuse("NO_SUCH_BOX", box=box, boxes=rules.boxes)
    if seat and 0 <= rules.back_bets < seat:
        refuse("NO_SUCH_SEAT", box=box, seat=seat, back_bets=rules.back_bets)


def verify_stake(rules: RuleSet, bet: Bet) -> None:
    """Refuse a stake outside the limits (NL-02, SB-03)."""
    box, seat, stake = bet.box, bet.seat, Money(bet.stake)
    least, most, step = rules.stake_min, rules.stake_max, rules.stake_step
    if least and stake < least:
        refuse("STAKE_BELOW_MIN", box=box, seat=seat, stake=stake, limit=least)
    if most and stake > most:
        refuse("STAKE_ABOVE_MAX", box=box, seat=seat, stake=stake, limit=most)
    if step and stake % step:
        refuse("STAKE_NOT_A_MULTIPLE", box=box, seat=seat, stake=stake, step=step)


def _verify_chips(state: TableState, bet: Bet) -> None:
    """Refuse a bet of the banker, and a bet above the player's own chips (NL-29, NL-30)."""
    if state.book.bank == bet.box:
        refuse("BANKER_CANNOT_BET", box=bet.box)
    for box, chips in state.book.chips:
        if box == bet.box and chips < bet.stake:
            code = "NOT_ENOUGH_CHIPS" if chips > 0 else "PLAYER_OUT"
            refuse(code, box=box, chips=chips, stake=Money(bet.stake))


def bet_boxes(boxes: tuple[Box, ...], bet: Bet) -> tuple[Box, ...]:
    """The boxes after a bet was laid down, changed or taken away."""
    number, seat, stake = bet.box, bet.seat, Money(bet.stake)
    if not boxes and stake:
        return (Box(number, ((seat, stake),)),)
    kept = [entry for entry in boxes if entry.box != number]
    old = next((entry.bets for entry in boxes if entry.box == number), ())
    bets = [pair for pair in old if pair[0] != seat]
    if stake:
        bets.append((seat, stake))
    if bets:
        kept.append(Box(number, tuple(sorted(bets))))
    return tuple(sorted(kept, key=lambda entry: entry.box))


def place_bet(state: TableState, bet: Bet) -> TableState:
    """The stake that now lies there; 0 takes it away."""
    _verify_bet(state, bet)
    return replace(state, boxes=bet_boxes(state.boxes, bet))


def cut_back_bets(rules: RuleSet, box: Box) -> Stakes:
    """The bets of a box within `box_max`: those furthest behind are cut first, the holder last."""
    excess = sum(stake for _, stake in box.bets) - rules.box_max
    if not rules.box_max or excess <= 0:
        return box.bets
    left = []
    for seat, stake in reversed(box.bets):
        cut = min(stake, excess)
        excess -= cut
        if stake > cut:
            left.append((seat, Money(stake - cut)))
    return tuple(reversed(left))


def deal_order(rules: RuleSet, boxes: tuple[int, ...]) -> tuple[int, ...]:
    """Targets of the first deal, 0 for the dealer (NL-03, DE-02, SB-05, FR-03, IT-02)."""
    if rules.hole_card == "none":
        return (*boxes, 0, *boxes)
    return (*boxes, 0, *boxes, 0)


def hole_index(rules: RuleSet) -> int:
    """Return the index of the dealer's face-down card; -1 in a house without a hole card."""
    return _HOLE_INDEX[rules.hole_card]


def clockwise(boxes: tuple[Box, ...], bank: int) -> tuple[Box, ...]:
    """Boxes in the order of the deal: from the bank's left (NL-03); box order where the house is the bank."""
    return tuple(sorted(boxes, key=lambda entry: (entry.box <= bank, entry.box)))


def close(state: TableState) -> TableState:
    """Close the bets: cut each box to its limit and set the order of the deal."""
    if not state.boxes:
        refuse("NO_BETS")
    book = state.book
    rules = book.rules
    boxes = []
    for entry in clockwise(state.boxes, book.bank) if book.bank else state.boxes:
        bets = cut_back_bets(rules, entry) if rules.box_max else entry.bets
        status: HandStatus = VOIDED if entry.void else ACTIVE
        boxes.append(replace(entry, bets=bets, hands=(Hand(1, stakes=bets, status=status),)))
    due = deal_order(rules, tuple([entry.box for entry in boxes if not entry.void]))
    dealer = Dealer(hole=hole_index(rules))
    return replace(state, phase=DEAL, boxes=tuple(boxes), dealer=dealer, due=due)


def _verify_rotating(state: TableState) -> None:
    """Refuse where the house is the bank, or while a round is on."""
    if state.book.rules.banker != "rotating":
        refuse("BANK_IS_THE_HOUSE")
    if state.phase != BETS or state.boxes:
        refuse("ROUND_RUNNING")


def take_chips(state: TableState, obs: Chips) -> TableState:
    """A player's own chips as counted before the bets."""
    _verify_rotating(state)
    kept = [pair for pair in state.book.chips if pair[0] != obs.box]
    chips = tuple(sorted([*kept, (obs.box, Money(obs.chips))]))
    return replace(state, book=replace(state.book, chips=chips))


def take_bank(state: TableState, obs: Bank) -> TableState:
    """Name the box that is the bank now; the table decides who begins (NL-29: the oldest player)."""
    _verify_rotating(state)
    if not 1 <= obs.box <= state.book.rules.boxes:
        refuse("NO_SUCH_BOX", box=obs.box, boxes=state.book.rules.boxes)
    return replace(state, book=replace(state.book, bank=obs.box))


def next_bank(book: Book) -> int:
    """The bank moves one seat to the left each round, past players who are out (NL-29, NL-30)."""
    if not book.bank:
        return 0
    playing = [box for box, chips in book.chips if chips > 0] or [book.bank]
    return min(playing, key=lambda box: (box <= book.bank, box))


def move_chips(
    book: Book, before: tuple[BetResult, ...], after: tuple[BetResult, ...]
) -> tuple[tuple[int, Money], ...]:
    """Return the players' chips when settlement `after` replaces `before`; the bank pays the wins."""
    moves: dict[int, int] = {}
    for sign, bets in ((-1, before), (1, after)):
        for bet in bets:
            net = sign * (bet.returned - bet.staked)
            moves[bet.box] = moves.get(bet.box, 0) + net
            moves[book.bank] = moves.get(book.bank, 0) - net
    return tuple((box, Money(chips + moves.get(box, 0))) for box, chips in book.chips)


def rounds(state: TableState, obs: Paid) -> bool:
    """Whether this payout rounds an amount that the house's chips cannot pay (G-01)."""
    if state.settlement.code != NOT_PAYABLE:
        return False
    return any((bet.box, bet.seat) == (obs.box, obs.seat) for bet in unpayable(state))


def due(state: TableState, box: int, seat: int) -> Money:
    """Return the amount due to a bettor; 0 for a seat without a bet. An unpayable amount is rounded down."""
    result = state.settlement.result
    bets = result.bets if result is not None else ()
    if state.settlement.code == NOT_PAYABLE:
        bets = unpayable(state)
    return next((bet.returned for bet in bets if (bet.box, bet.seat) == (box, seat)), Money(0))


def verify_paid(state: TableState, obs: Paid) -> None:
    """Refuse a payout of a round without a result, or to a seat without a bet in it.

    A seat that was paid before a ruling removed its bet may still enter a payout.
    """
    at = find_box(state, obs.box)
    if not is_final(state.settlement.status) and not rounds(state, obs):
        refuse("ROUND_NOT_SETTLED", round=state.book.number)
    paid = any(entry[:2] == (obs.box, obs.seat) for entry in state.settlement.paid)
    if not paid and (at < 0 or obs.seat not in dict(state.boxes[at].bets)):
        refuse("NO_BET", box=obs.box, seat=obs.seat)


def payment_alerts(state: TableState, obs: Paid) -> tuple[Alert, ...]:
    """Return an alert when this round's payout differs from its settlement."""
    if state.settlement.result is None:
        return ()
    expected = due(state, obs.box, obs.seat)
    if obs.amount == expected:
        return ()
    params = (("box", obs.box), ("seat", obs.seat), ("paid", Money(obs.amount)), ("expected", expected))
    return (Alert("WRONG_PAYOUT", "critical", state.book.number, params),)

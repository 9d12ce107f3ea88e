"""A round's money once more: from where its cards and chips lie, by the plain settlement."""

from controller.domain import RoundResult, RuleSet
from controller.engine.state import SURRENDERED, Box, Dealer, Hand, TableState
from tests.whole.broken import require
from tests.whole.settlement import NaiveHand, NaiveRound, settle

Part = tuple[int, int, int, int, str, int]
"""Box, seat, hand (0 for an insurance), stake, outcome, what goes back."""


def check_money(state: TableState, rules: RuleSet) -> None:
    """Compare a round's result with the plain settlement; raises `Broken` MONEY_DIFFERS or CHIPS_LOST.

    `rules` are the house's own, whatever the table goes by.
    """
    result = state.settlement.result
    if result is None or result.status not in ("settled", "voided"):
        return
    for bet in result.bets:
        parts = bet.parts
        whole = bet.staked == sum(part.stake for part in parts) and bet.returned == sum(
            part.returned for part in parts
        )
        require(whole and bet.returned >= 0, "CHIPS_LOST", f"round {result.round}: {bet}")
    laid = {(box.box, seat): amount for box in state.boxes for seat, amount in box.bets if amount}
    staked = {(bet.box, bet.seat): bet.staked for bet in result.bets}
    require(
        all(staked.get(who, 0) >= amount for who, amount in laid.items()),
        "CHIPS_LOST",
        f"round {result.round}: {staked} of {laid}",
    )
    if result.status == "voided":
        back = all(bet.returned == bet.staked for bet in result.bets)
        require(back, "MONEY_DIFFERS", f"round {result.round} is void: {result.bets}")
        return
    _check_settled(state, result, rules)


def _check_settled(state: TableState, result: RoundResult, rules: RuleSet) -> None:
    boxes = [box for box in state.boxes if not box.void]
    if state.dealer.unread or any(hand.unread for box in boxes for hand in box.hands):
        return
    played = NaiveRound(
        _dealer(state.dealer),
        [_hand(box, hand) for box in boxes for hand in box.hands],
        {(box.box, seat): stake for box in boxes for seat, stake in box.insurance if stake},
        {(box.box, seat) for box in boxes for seat in box.even},
    )
    own = sorted(tuple(part) for part in settle(played, rules._asdict()))
    known = sorted(_parts(result, {box.box for box in boxes}))
    require(own == known, "MONEY_DIFFERS", f"round {result.round}: {known} instead of {own}")


def _parts(result: RoundResult, boxes: set[int]) -> list[Part]:
    return [
        (bet.box, bet.seat, part.hand * (part.kind == "main"), part.stake, part.outcome, part.returned)
        for bet in result.bets
        for part in bet.parts
        if bet.box in boxes
    ]


def _hand(box: Box, hand: Hand) -> NaiveHand:
    first = dict(box.bets)
    stakes = {seat: (int(first[seat]), int(amount - first[seat])) for seat, amount in hand.stakes}
    cards = [seen.obs.rank for seen in hand.cards if seen.obs.rank is not None]
    surrendered = hand.status == SURRENDERED
    return NaiveHand(box.box, hand.number, [*cards], stakes, hand.doubled, hand.split, surrendered)


def _dealer(dealer: Dealer) -> list[str]:
    hidden = -1 if dealer.revealed else dealer.hole
    return [
        seen.obs.rank for at, seen in enumerate(dealer.cards) if at != hidden and seen.obs.rank is not None
    ]

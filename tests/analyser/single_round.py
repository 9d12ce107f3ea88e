"""One round of one box at the engine, played by the analyser's choices from a shoe of its own."""

from typing import Final

from controller.acts.catalogue import Bet, CardSeen, Decision, InsuranceClosed, Observation, Reveal
from controller.analyser.edge import HandPlay
from controller.analyser.values import ACE, KINDS, best_total
from controller.domain import POINTS, Rank, Settled
from controller.engine import TableState, new_table, step
from controller.engine.play import double_reason, owed_at, split_reason, surrender_reason
from controller.engine.state import BETS, BUST, COMPLETE, DEAL, DRAW, NATURAL, PLAY, REVEAL, SURRENDERED, Hand
from tests.analyser.choices import Cards
from tests.analyser.luck import NATURAL as BLACKJACK
from tests.analyser.luck import RoundLuck, Worth

STAKE: Final = 1000
_NO_MORE_INSURANCE: Final = InsuranceClosed()
_CARDS: Final[dict[Rank, CardSeen]] = {rank: CardSeen(rank, by="shoe") for rank in POINTS}


def play_round(worth: Worth, luck: RoundLuck, cards: list[Rank]) -> float:
    """Play a round with these cards, the last first; what it wins, in opening stakes."""
    state, won = _after(new_table(worth.rules._replace(burn_cards=0)), Bet(1, 0, STAKE))
    while state.phase in (BETS, DEAL):
        state, won = _after(state, _CARDS[cards.pop()])
    _add_deal(state, luck)
    while state.phase != COMPLETE:
        state, won = _after(state, _next(state, worth, luck, cards))
    assert won is not None
    return won


def _next(state: TableState, worth: Worth, luck: RoundLuck, cards: list[Rank]) -> Observation:
    """What happens next after the deal."""
    if state.phase == PLAY:
        return _next_at(state, worth, luck, cards)
    if state.phase == REVEAL:
        if not state.offers.peeked:
            _add_dealer_card(state, worth, luck, state.dealer.cards[state.dealer.hole].obs.rank)
        return Reveal()
    if state.phase == DRAW:
        rank = cards.pop()
        _add_dealer_card(state, worth, luck, rank)
        return _CARDS[rank]._replace(to="dealer")
    return _NO_MORE_INSURANCE


def _after(state: TableState, obs: Observation) -> tuple[TableState, float | None]:
    """The state after a line, and what the box has won where the round is settled."""
    taken = step(state, obs)
    won = None
    for notice in taken.notices:
        assert type(notice) is Settled, (obs, taken.notices)
        (bet,) = notice.result.bets
        won = (bet.returned - bet.staked) / STAKE
    return taken.state, won


def _kind(rank: Rank | None) -> int:
    assert rank is not None
    return POINTS[rank] - 1


def _up(state: TableState) -> int:
    return _kind(state.dealer.cards[1 if state.dealer.hole == 0 else 0].obs.rank)


def _add_deal(state: TableState, luck: RoundLuck) -> None:
    first, second = (_kind(seen.obs.rank) for seen in state.boxes[0].hands[0].cards)
    dealer = state.dealer
    hole = _kind(dealer.cards[dealer.hole].obs.rank) if dealer.hole >= 0 else None
    luck.dealt((first, second), _up(state), hole)


def _counts(hand: Hand) -> Cards:
    counts = [0] * KINDS
    for seen in hand.cards:
        counts[_kind(seen.obs.rank)] += 1
    return tuple(counts)


def _next_at(state: TableState, worth: Worth, luck: RoundLuck, cards: list[Rank]) -> Observation:
    """A card that is owed, or what the hand to act does."""
    box = state.boxes[0]
    owed = owed_at(box)
    if owed < 0:
        choice = _choice(state, worth)
        if choice != "hit":
            return Decision(1, box.hands[state.hand_at].number, choice)
    hand = box.hands[owed if owed >= 0 else state.hand_at]
    rank = cards.pop()
    _drawn(state, worth, luck, hand, rank)
    return _CARDS[rank]


def _choice(state: TableState, worth: Worth) -> HandPlay:
    box, up = state.boxes[0], _up(state)
    hand = box.hands[state.hand_at]
    first = _kind(hand.cards[0].obs.rank)
    if split_reason(worth.rules, box, hand) is None and worth.choices.splits(first, up):
        return "split"
    choice = worth.choices.of(up, first if hand.split else None)[_counts(hand)]
    reasons = {
        "double": double_reason(worth.rules, hand),
        "surrender": surrender_reason(worth.rules, box, hand),
    }
    assert reasons.get(choice.play) is None, (choice, hand)
    return choice.play


def _drawn(state: TableState, worth: Worth, luck: RoundLuck, hand: Hand, rank: Rank) -> None:
    """The luck of a bettor's card; a doubled hand stands with it."""
    up, counts = _up(state), _counts(hand)
    split = _kind(hand.cards[0].obs.rank) if hand.split else None

    def after(kind: int) -> float:
        if hand.doubled:
            total = best_total(hand.hard + kind + 1, hand.aces + (kind == ACE))
            return -2.0 if total > 21 else 2.0 * worth.standing(total, up + 1, int(up == ACE), 1)
        return worth.taken(up, split, (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :]))

    luck.drawn(_kind(rank), after)


def _add_dealer_card(state: TableState, worth: Worth, luck: RoundLuck, rank: Rank | None) -> None:
    """The luck of a dealer's card, over all hands that still stand."""
    dealer = state.dealer
    shown = sum(index != dealer.hole or dealer.revealed for index in range(len(dealer.cards)))
    stands = [_standing(hand) for hand in state.boxes[0].hands if hand.status not in (BUST, SURRENDERED)]

    def after(kind: int) -> float:
        hard, aces = dealer.hard + kind + 1, dealer.aces + (kind == ACE)
        return sum(stake * worth.standing(total, hard, aces, shown + 1) for stake, total in stands)

    luck.shown(_kind(rank), after)


def _standing(hand: Hand) -> tuple[float, int]:
    """Stakes on a hand, and the total that it stands on."""
    stake = sum(amount for _, amount in hand.stakes) / STAKE
    return stake, BLACKJACK if hand.status == NATURAL else hand.total

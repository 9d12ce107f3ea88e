"""The layout on screen: boxes, stakes, hands, the dealer's cards."""

from collections.abc import Mapping
from typing import NamedTuple, get_args

from controller.acts.catalogue import CardSeen
from controller.domain import RoundResult
from controller.engine.state import (
    ACTIVE,
    BETS,
    BUST,
    NATURAL,
    QUEUED,
    SURRENDERED,
    Box,
    Hand,
    Seen,
    TableState,
)
from controller.i18n.numbers import units
from controller.runtime.contradictions import DEALER_BOX
from controller.screens.screen_state import UnfinishedStake
from controller.screens.shapes.chips import Bettor, LaidChips, counted
from controller.screens.shapes.view import BoxView, DealerView, HandView, Outcome, SeatView
from controller.screens.shapes.words import HiddenCard, OpenCard, described

_OUTCOME: dict[str, Outcome] = {word: word for word in get_args(Outcome)}
OPEN_RESULTS = frozenset({"settled", "voided"})
_BY_STATUS: dict[str, Outcome] = {BUST: "bust", SURRENDERED: "surrender"}


def total_text(hard: int, aces: int, unread: int, *, soft: bool) -> str:
    """A total as dealers say it: "7/17" while an ace may count either way and matters, else one number."""
    best = hard + 10 if aces and hard <= 11 else hard
    if unread:
        return f"{best}+?"
    return f"{hard}/{best}" if soft and hard < best < 21 else str(best)


def boxes_view(
    state: TableState,
    result: RoundResult | None,
    handled: tuple[int, ...],
    drafts: Mapping[Bettor, UnfinishedStake],
    laid: LaidChips,
) -> tuple[BoxView, ...]:
    """Every box of the table, from 1 on, whether anything lies there or not."""
    boxes = {box.box: box for box in state.boxes}
    felt = _Felt(state, outcomes_of(state, result), handled, drafts, laid)
    return tuple(
        _box_view(felt, number, boxes.get(number)) for number in range(1, state.book.rules.boxes + 1)
    )


class _Felt(NamedTuple):
    """The common input of all drawn boxes."""

    state: TableState
    outcomes: Mapping[tuple[int, int], Outcome]
    handled: tuple[int, ...]
    drafts: Mapping[Bettor, UnfinishedStake]
    laid: LaidChips


def outcomes_of(state: TableState, result: RoundResult | None) -> dict[tuple[int, int], Outcome]:
    """(box, hand) -> outcome of the holder's main stake, once the round has a result."""
    if result is None or result.round != state.book.number or result.status not in OPEN_RESULTS:
        return {}
    found: dict[tuple[int, int], Outcome] = {}
    for bet in reversed(result.bets):
        for part in bet.parts:
            if part.kind == "main":
                found[bet.box, part.hand] = _OUTCOME[part.outcome]
    return found


def dealer_view(state: TableState, result: RoundResult | None) -> DealerView:
    """Return the dealer's cards; a face-down card is only marked as present."""
    dealer = state.dealer
    hidden = -1 if dealer.revealed else dealer.hole
    cards = tuple(
        HiddenCard() if index == hidden else open_card(seen) for index, seen in enumerate(dealer.cards)
    )
    open_count = sum(isinstance(card, OpenCard) for card in cards)
    ours = result if result and result.round == state.book.number and result.status in OPEN_RESULTS else None
    total = total_text(dealer.hard, dealer.aces, dealer.unread, soft=ours is None)
    return DealerView(
        cards=cards,
        total=total if open_count else None,
        outcome="bust" if dealer.total > 21 else "blackjack" if ours and ours.dealer.blackjack else None,
    )


def cards_aside(state: TableState) -> tuple[OpenCard, ...]:
    """Cards of the round that no rule has a place for: the pit strikes or moves them."""
    return tuple(
        open_card(Seen(fact.n, fact.obs))
        for fact in state.log
        if isinstance(fact.obs, CardSeen) and fact.fault not in (None, QUEUED)
    )


def box_of(state: TableState, number: int) -> int | None:
    """Return the box of this card of the round, 0 for the dealer; None for a card without a box."""
    boxes = (DEALER_BOX, *(box.box for box in state.boxes))
    return next((box for box in boxes if any(seen.n == number for seen in cards_at(state, box))), None)


def cards_at(state: TableState, box: int) -> list[Seen]:
    """The cards of a box, or of the dealer (0), in the order in which they lie."""
    if box == DEALER_BOX:
        return list(state.dealer.cards)
    return [seen for entry in state.boxes if entry.box == box for hand in entry.hands for seen in hand.cards]


def open_card(seen: Seen) -> OpenCard:
    """A card that lies open, with its number in the round."""
    return OpenCard(card=seen.n, rank=seen.obs.rank, suit=seen.obs.suit, across=seen.obs.pose == "across")


def hand_view(hand: Hand, outcome: Outcome | None, *, active: bool) -> HandView:
    """A hand of a box."""
    return HandView(
        hand=hand.number,
        cards=tuple(open_card(seen) for seen in hand.cards),
        total=total_text(hand.hard, hand.aces, hand.unread, soft=hand.status == ACTIVE) if hand.cards else "",
        blackjack=hand.status == NATURAL,
        doubled=hand.doubled,
        active=active,
        outcome=outcome or _BY_STATUS.get(hand.status),
    )


def _box_view(felt: _Felt, number: int, box: Box | None) -> BoxView:
    seats = _seats(number, box, felt.drafts)
    stake = sum(amount for _, amount, _ in seats)
    taken = _lost(felt, box) if box else ()
    lies = [
        (seat, amount - sum(dict(hand.stakes).get(seat, 0) for hand in taken), draft)
        for seat, amount, draft in seats
    ]
    lies = [one for one in lies if one[1]]
    at = felt.state.current
    here = at is not None and at[0].box == number
    hands = box.hands if box and felt.state.phase != BETS else ()
    return BoxView(
        box=number,
        stake=units(stake) if seats else None,
        chips=counted(chip for seat, amount, _ in lies for chip in _chips(felt, number, box, seat, amount)),
        seats=tuple(
            _seat_view(box, seat, amount, draft, _chips(felt, number, box, seat, amount))
            for seat, amount, draft in lies
        ),
        hands=tuple(
            hand_view(
                hand,
                felt.outcomes.get((number, hand.number)),
                active=here and at is not None and at[1].number == hand.number,
            )
            for hand in hands
            if hand.cards
        ),
        active=here,
        handled=number in felt.handled,
        voided=box.void if box else False,
    )


def _lost(felt: _Felt, box: Box) -> tuple[Hand, ...]:
    """Return the hands whose stakes are already in the rack."""
    if box.box not in felt.handled:
        return ()
    return tuple(hand for hand in box.hands if felt.outcomes.get((box.box, hand.number)) in ("lose", "bust"))


def _chips(felt: _Felt, number: int, box: Box | None, seat: int, amount: int) -> tuple[int, ...]:
    bet = dict(box.bets).get(seat, 0) if box and box.hands else 0
    return felt.laid.of((number, seat), amount, bet)


def _seats(
    number: int, box: Box | None, drafts: Mapping[Bettor, UnfinishedStake]
) -> tuple[tuple[int, int, UnfinishedStake | None], ...]:
    """Return (seat, amount, unfinished stake) of each bettor on the box."""
    lying: dict[int, tuple[int, UnfinishedStake | None]] = {}
    for seat, stake in box.bets if box else ():
        lying[seat] = (main_stake(box, seat) if box and box.hands else stake, None)
    for (at, seat), draft in drafts.items():
        if at == number:
            lying[seat] = (draft.stake, draft)
    return tuple((seat, *lying[seat]) for seat in sorted(lying))


def main_stake(box: Box, seat: int) -> int:
    """Return a bettor's stake on all hands of the box, doubles and splits included."""
    return sum(dict(hand.stakes).get(seat, 0) for hand in box.hands)


def _seat_view(
    box: Box | None, seat: int, amount: int, draft: UnfinishedStake | None, chips: tuple[int, ...]
) -> SeatView:
    insurance = dict(box.insurance).get(seat) if box else None
    return SeatView(
        seat=seat,
        stake=units(amount),
        chips=counted(chips),
        insurance=units(insurance) if insurance else None,
        short=described("refused", draft.code, draft.params.items()) if draft else None,
    )

"""A correction tried out on the state that screens may see: before, after, and the money between them."""

from collections.abc import Iterator

from controller.domain.money import decimal
from controller.domain.notices import BetResult, Disputed, Refused, RoundResult
from controller.domain.observations import Observation
from controller.engine import step
from controller.engine.state import Hand, TableState
from controller.runtime.api import TableSnapshot
from controller.screens.felt import OPEN_RESULTS, dealer_view, hand_view, outcomes_of
from controller.screens.texts import told
from controller.screens.view import HandRow, HandView, MoneyRow, Preview, Words


def preview_of(snapshot: TableSnapshot, obs: Observation) -> Preview:
    """What `obs` would change. Nothing is stored, and a face-down card takes part without its rank."""
    before = snapshot.state
    after = step(before, obs)
    problem = _problem(after.notices)
    if any(isinstance(notice, Refused) for notice in after.notices):
        return Preview(
            seq=snapshot.seq, problem=problem, disputes=False, hands=(), money=(), house_change="0.00"
        )
    money = tuple(_money(before.settlement.result, after.state.settlement.result))
    return Preview(
        seq=snapshot.seq,
        problem=problem,
        disputes=problem is not None,
        hands=tuple(_changed_hands(before, after.state)),
        money=money,
        house_change=decimal(-_player_change(before.settlement.result, after.state.settlement.result)),
    )


def _problem(notices: tuple[object, ...]) -> Words | None:
    for notice in notices:
        if isinstance(notice, Refused):
            return told("refused", notice.code, notice.params)
        if isinstance(notice, Disputed):
            return told("dispute", notice.code, notice.params)
    return None


def _changed_hands(before: TableState, after: TableState) -> Iterator[HandRow]:
    """The dealer's hand (box 0) and every hand that differs in cards, total or outcome."""
    old, new = _hands(before), _hands(after)
    for place in sorted(old.keys() | new.keys()):
        was, now = old.get(place), new.get(place)
        if was is not None and now is not None and not _alike(was, now):
            yield _row(place, was, now)


def _alike(was: HandView, now: HandView) -> bool:
    """Equal to whoever looks at it; an outcome that is only open for the moment is no change."""
    return (was.cards, was.total) == (now.cards, now.total) and now.outcome in (was.outcome, None)


def _hands(state: TableState) -> dict[tuple[int, int], HandView]:
    outcomes = outcomes_of(state, state.settlement.result)
    hands = {
        (box.box, hand.number): _plain(hand, outcomes.get((box.box, hand.number)))
        for box in state.boxes
        for hand in box.hands
    }
    dealer = dealer_view(state, state.settlement.result)
    hands[0, 1] = HandView(hand=1, cards=dealer.cards, total=dealer.total or "")
    return hands


def _plain(hand: Hand, outcome: object) -> HandView:
    view = hand_view(hand, None, active=False)
    return view.model_copy(update={"outcome": outcome or view.outcome})


def _row(place: tuple[int, int], was: HandView, now: HandView) -> HandRow:
    return HandRow(
        box=place[0],
        hand=place[1],
        before=was.cards,
        total_before=was.total,
        outcome_before=was.outcome,
        after=now.cards,
        total_after=now.total,
        outcome_after=now.outcome,
    )


def _final(result: RoundResult | None) -> dict[tuple[int, int], BetResult]:
    if result is None or result.status not in OPEN_RESULTS:
        return {}
    return {(bet.box, bet.seat): bet for bet in result.bets}


def _money(was: RoundResult | None, now: RoundResult | None) -> Iterator[MoneyRow]:
    old, new = _final(was), _final(now)
    for (box, seat), bet in sorted(new.items()):
        before = old[box, seat].returned if (box, seat) in old else None
        if before is not None and before != bet.returned:
            yield MoneyRow(
                box=box,
                seat=seat,
                before=decimal(before),
                after=decimal(bet.returned),
                change=decimal(bet.returned - before),
            )


def _player_change(was: RoundResult | None, now: RoundResult | None) -> int:
    old, new = _final(was), _final(now)
    return sum(new[key].returned - old[key].returned for key in old.keys() & new.keys())

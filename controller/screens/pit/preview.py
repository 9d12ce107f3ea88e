"""A correction tried out on the state that screens may see: before, after, and the money between them."""

from collections.abc import Iterator

from controller.acts.catalogue import Observation, Paid, Void
from controller.domain.notices import BetResult, Disputed, Refused, RoundResult
from controller.engine import step
from controller.engine.state import Hand, TableState
from controller.i18n.numbers import units
from controller.runtime.api import TableSnapshot
from controller.screens.felt import OPEN_RESULTS, dealer_view, hand_view, main_stake, outcomes_of
from controller.screens.pit.ruling_view import HandRow, MoneyRow, Preview, StakeRow
from controller.screens.shapes.texts import described
from controller.screens.shapes.values import Words
from controller.screens.shapes.view import HandView


def preview_of(snapshot: TableSnapshot, obs: Observation) -> Preview:
    """What `obs` would change. Nothing is stored, and a face-down card takes part without its rank."""
    stepped = step(snapshot.state, obs)
    problem = _problem(stepped.notices)
    if any(isinstance(notice, Refused) for notice in stepped.notices):
        return _refused(snapshot.seq, problem)
    before, after = _at(snapshot.state, obs), _at(stepped.state, obs)
    if isinstance(obs, Paid):
        return _payout(snapshot.seq, before, obs)
    was, now = before.settlement.result, after.settlement.result
    return Preview(
        seq=snapshot.seq,
        problem=problem,
        disputes=problem is not None,
        hands=tuple(_changed_hands(before, after)),
        stakes=tuple(_stakes(before, after)),
        money=tuple(_handed_over(before, after, obs) if isinstance(obs, Void) else _money(was, now)),
        house_change=units(-_player_change(was, now)),
    )


def _refused(seq: int, problem: Words | None) -> Preview:
    """The rules do not take it: nothing changes."""
    return Preview(
        seq=seq, problem=problem, disputes=False, hands=(), stakes=(), money=(), house_change="0.00"
    )


def _at(state: TableState, obs: Observation) -> TableState:
    """The round that a ruling is about: the present one, or a closed one that it names."""
    number = getattr(obs, "round", None)
    closed = (old for old in state.book.past if old.book.number == number)
    return state if number in (None, state.book.number) else next(closed, state)


def _payout(seq: int, state: TableState, entered: Paid) -> Preview:
    """Another payout than the one that was entered, or than the computed one where none was."""
    before = _handed_back(state, entered)
    change = entered.amount - before
    row = MoneyRow(
        box=entered.box,
        seat=entered.seat,
        before=units(before),
        after=units(entered.amount),
        change=units(change),
    )
    return Preview(
        seq=seq,
        problem=None,
        disputes=False,
        hands=(),
        stakes=(),
        money=(row,) if change else (),
        house_change=units(-change),
    )


def _handed_back(state: TableState, entered: Paid) -> int:
    """What is on record for this bettor."""
    paid = {(box, seat): amount for box, seat, amount in state.settlement.paid}
    bet = _final(state.settlement.result).get((entered.box, entered.seat))
    return int(paid.get((entered.box, entered.seat), bet.returned if bet else 0))


def _stakes(before: TableState, after: TableState) -> Iterator[StakeRow]:
    """Every bettor for whom another amount lies there afterwards."""
    old, new = _lying(before), _lying(after)
    for box, seat in sorted(old.keys() | new.keys()):
        was, now = old.get((box, seat), 0), new.get((box, seat), 0)
        if was != now:
            yield StakeRow(box=box, seat=seat, before=units(was), after=units(now), change=units(now - was))


def _lying(state: TableState) -> dict[tuple[int, int], int]:
    """Everything that a bettor has put up."""
    return {
        (box.box, seat): (main_stake(box, seat) if box.hands else stake) + dict(box.insurance).get(seat, 0)
        for box in state.boxes
        for seat, stake in box.bets
    }


def _problem(notices: tuple[object, ...]) -> Words | None:
    for notice in notices:
        if isinstance(notice, Refused):
            return described("refused", notice.code, notice.params)
        if isinstance(notice, Disputed):
            return described("dispute", notice.code, notice.params)
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
    """Every bettor who gets something else back; nothing where one of the two is no settlement yet."""
    old, new = _final(was), _final(now)
    for box, seat in sorted(old.keys() | new.keys()) if old and new else ():
        before, after = _returned(old, (box, seat)), _returned(new, (box, seat))
        if before != after:
            yield MoneyRow(
                box=box,
                seat=seat,
                before=units(before),
                after=units(after),
                change=units(after - before),
            )


def _handed_over(before: TableState, after: TableState, entered: Void) -> Iterator[MoneyRow]:
    """What each bettor of what is void gets back: without a result all that still lies there."""
    old, new = _final(before.settlement.result), _final(after.settlement.result)
    for (box, seat), lying in sorted(_lying(before).items()):
        was = _returned(old, (box, seat))
        now = _returned(new, (box, seat)) if new else lying
        if entered.box in (None, box) and was != now:
            yield MoneyRow(box=box, seat=seat, before=units(was), after=units(now), change=units(now - was))


def _returned(bets: dict[tuple[int, int], BetResult], bettor: tuple[int, int]) -> int:
    return int(bets[bettor].returned) if bettor in bets else 0


def _player_change(was: RoundResult | None, now: RoundResult | None) -> int:
    """What the players win more, stakes taken off; 0 where one of the two is no settlement yet."""
    old, new = _final(was), _final(now)
    return _won(new) - _won(old) if old and new else 0


def _won(bets: dict[tuple[int, int], BetResult]) -> int:
    return sum(bet.returned - bet.staked for bet in bets.values())

"""A correction tried out on the state that screens may see: before, after, and the money between them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from controller.acts.catalogue import Observation, Paid, Void
from controller.domain import Disputed, Refused
from controller.engine import step
from controller.engine.state import Hand, TableState
from controller.i18n.numbers import units
from controller.policy.allowed.mending import is_about
from controller.policy.allowed.second_person import takes_two
from controller.runtime.api import TableSnapshot
from controller.screens.felt import OPEN_RESULTS, dealer_view, hand_view, main_stake, outcomes_of
from controller.screens.pit.hold_rows import known_hold
from controller.screens.pit.ruling_view import HandRow, HouseRow, MoneyRow, Preview, StakeRow, Untouched
from controller.screens.shapes.laid_chips import Bettor
from controller.screens.shapes.texts import described
from controller.screens.shapes.values import Words
from controller.screens.shapes.view import HandView
from controller.screens.shift.sentences import moved, plain


class Wins(NamedTuple):
    """What the house has won in the shift, in minor units: at the table, and at all tables of the floor."""

    table: int
    floor: int | None = None


def preview_of(snapshot: TableSnapshot, obs: Observation, wins: Wins | None = None) -> Preview:
    """What `obs` would change. Nothing is stored, and a face-down card takes part without its rank."""
    stepped = step(snapshot.state, obs)
    problem = _problem(stepped.notices)
    if any(isinstance(notice, Refused) for notice in stepped.notices):
        return Preview(seq=snapshot.seq, problem=problem, house_change=plain(0))
    before, after = _at(snapshot.state, obs), _at(stepped.state, obs)
    if isinstance(obs, Paid):
        old = _final(before) | _handed_back(before)
        new = old | {(obs.box, obs.seat): obs.amount - _staked(before, obs)}
    else:
        old, new = _final(before), _final(after)
    settled = bool(old and new)
    change = sum(old.values()) - sum(new.values()) if settled else 0
    return Preview(
        seq=snapshot.seq,
        problem=problem,
        disputes=problem is not None,
        hands=() if isinstance(obs, Paid) else tuple(_changed_hands(before, after)),
        stakes=() if isinstance(obs, Paid) else tuple(_stakes(before, after, obs)),
        money=tuple(_money(old, new)) if settled else (),
        untouched=_untouched(old, new) if settled else None,
        house=tuple(_house(-sum(old.values()), change, snapshot.table, wins)) if settled else (),
        house_change=moved(change),
        second=takes_two(snapshot.second, snapshot.state, obs) or _held_for_two(snapshot, obs),
    )


def _held_for_two(snapshot: TableSnapshot, obs: Observation) -> bool:
    """Whether this is one on a hold that two people lift."""
    return any(
        hold.release == "two" and is_about(snapshot.state, known_hold(hold), obs) for hold in snapshot.holds
    )


def _house(round_won: int, change: int, table: str, wins: Wins | None) -> Iterator[HouseRow]:
    """What the house wins of the round, of the table's shift and of all tables, before and after."""
    sums = [(Words(code="ui.house_round"), round_won)]
    if wins is not None:
        sums.append((Words(code="ui.house_shift", params={"table": table}), wins.table))
        if wins.floor is not None:
            sums.append((Words(code="ui.house_floor"), wins.floor))
    for text, won in sums:
        yield HouseRow(text=text, before=moved(won), after=moved(won + change))


def _at(state: TableState, obs: Observation) -> TableState:
    """The round that a ruling is about: the present one, or a closed one that it names."""
    number = getattr(obs, "round", None)
    closed = (old for old in state.book.past if old.book.number == number)
    return state if number in (None, state.book.number) else next(closed, state)


def _handed_back(state: TableState) -> dict[Bettor, int]:
    """What each bettor wins by the payouts on record."""
    result = state.settlement.result
    staked = {(bet.box, bet.seat): int(bet.staked) for bet in result.bets} if result else {}
    return {(box, seat): amount - staked.get((box, seat), 0) for box, seat, amount in state.settlement.paid}


def _staked(state: TableState, entered: Paid) -> int:
    """What the bettor of a payout has put up."""
    result = state.settlement.result
    bets = result.bets if result else ()
    return sum(int(bet.staked) for bet in bets if (bet.box, bet.seat) == (entered.box, entered.seat))


def _stakes(before: TableState, after: TableState, obs: Observation) -> Iterator[StakeRow]:
    """Every bettor for whom another amount lies there afterwards: of what is void nothing does."""
    old, new = _lying(before), _lying(after)
    if isinstance(obs, Void):
        new = {bettor: 0 if obs.box in (None, bettor[0]) else lying for bettor, lying in old.items()}
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


def _final(state: TableState) -> dict[Bettor, int]:
    """What each bettor wins by the result, stake taken off; nothing where there is none yet."""
    result = state.settlement.result
    if result is None or result.status not in OPEN_RESULTS:
        return {}
    return {(bet.box, bet.seat): int(bet.returned - bet.staked) for bet in result.bets}


def _money(old: Mapping[Bettor, int], new: Mapping[Bettor, int]) -> Iterator[MoneyRow]:
    """Every bettor who wins or loses something else."""
    for box, seat in sorted(old.keys() | new.keys()):
        was, now = old.get((box, seat), 0), new.get((box, seat), 0)
        if was != now:
            yield MoneyRow(box=box, seat=seat, before=moved(was), after=moved(now), change=moved(now - was))


def _untouched(old: Mapping[Bettor, int], new: Mapping[Bettor, int]) -> Untouched | None:
    """The boxes of the bettors who win and lose as before."""
    same = {bettor: won for bettor, won in old.items() if new.get(bettor) == won}
    boxes = tuple(sorted({box for box, _ in same}))
    return Untouched(boxes=boxes, sum=moved(sum(same.values()))) if same else None

"""Corrections of a round by the pit, and their preview: hands, stakes, money.

A preview uses the state that screens may see; a face-down card takes part without its rank.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal

from controller.acts.catalogue import (
    AmendDecision,
    CardSeen,
    Decision,
    EvenMoney,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Void,
)
from controller.acts.money import PayoutKnown
from controller.acts.round import Action
from controller.domain import Difference, Disputed, Refused
from controller.engine import step
from controller.engine.betting import due
from controller.engine.refolding import numbered
from controller.engine.settle import NOT_PAYABLE, is_final
from controller.engine.state import INSURANCE, Box, Fact, History, Made, TableState
from controller.engine.table import differences
from controller.i18n import units
from controller.policy.allowed import is_about, takes_two
from controller.runtime.api import TableSnapshot
from controller.screens.felt import (
    OPEN_RESULTS,
    Bettor,
    LaidChips,
    boxes_view,
    cards_aside,
    dealer_view,
    hand_view,
    main_stake,
    outcomes_of,
)
from controller.screens.panels import known_hold
from controller.screens.view import BoxView, DealerView, HandView, Outcome
from controller.screens.words import HiddenCard, Money, OpenCard, ViewModel, Words, described, money, moved


class MoneyRow(ViewModel):
    """One bettor's win or loss in the round before and after a correction, less the stake.

    `owed` is the whole amount due after it, where the correction changes that and another payout was entered.
    """

    box: int
    seat: int
    before: Money
    after: Money
    change: Money
    owed: str | None = None


class Untouched(ViewModel):
    """The boxes whose bettors win and lose as before, and the sum of their results."""

    boxes: tuple[int, ...]
    sum: Money


class HouseRow(ViewModel):
    """The house's win before and after a correction: the round, the table's shift, all tables."""

    text: Words
    before: Money
    after: Money


class HandRow(ViewModel):
    """One hand (or the dealer's, box 0) before and after a correction."""

    box: int
    hand: int
    before: tuple[HiddenCard | OpenCard, ...]
    total_before: str
    outcome_before: Outcome | None
    after: tuple[HiddenCard | OpenCard, ...]
    total_after: str
    outcome_after: Outcome | None


class StakeRow(ViewModel):
    """One bettor's chips before and after, doubles, splits and insurance included."""

    box: int
    seat: int
    before: str
    after: str
    change: str


class Preview(ViewModel):
    """The effect of a correction. `problem`: the refusal or, with `disputes`, the resulting fault.

    `house` is empty when the round has no result before or after: no money moves then. `chips` is what the
    house gets back (or pays, below 0) so that each bettor has the amount due. `second`: the house requires a
    second person.
    """

    seq: int
    problem: Words | None
    disputes: bool = False
    hands: tuple[HandRow, ...] = ()
    stakes: tuple[StakeRow, ...] = ()
    money: tuple[MoneyRow, ...] = ()
    untouched: Untouched | None = None
    house: tuple[HouseRow, ...] = ()
    house_change: Money
    chips: Money
    second: bool = False


class DecisionRow(ViewModel):
    """The `nth` decision of a hand: entered, made by a card, or inferred; `action` None: ruled never made."""

    nth: int
    action: Action | None
    known: Literal["entered", "card", "inferred"]


class HandFacts(ViewModel):
    """The decisions of a hand, in order."""

    hand: int
    decisions: tuple[DecisionRow, ...]


class SeatFacts(ViewModel):
    """The entries for one bettor; `due` after the settlement, `paid` after its entry.

    `how` is the source of the payout, in a round that is not closed.
    """

    seat: int
    stake: str
    insurance: str
    even_money: bool
    due: str | None
    paid: str | None
    how: PayoutKnown | None = None


class BoxFacts(ViewModel):
    """The entries for one box."""

    box: int
    seats: tuple[SeatFacts, ...]
    hands: tuple[HandFacts, ...]


class LaidRound(ViewModel):
    """A closed round as it lay on the felt; `aside` are cards that fit nowhere."""

    boxes: tuple[BoxView, ...]
    dealer: DealerView
    aside: tuple[OpenCard, ...]


class RoundFacts(ViewModel):
    """The entries of a round; `laid` of a closed round; `peek` is None without a peek.

    The layout of the present round is in the view.
    """

    round: int
    closed: bool
    boxes: tuple[BoxFacts, ...]
    laid: LaidRound | None
    insurance: bool
    peek: bool | None
    turned: bool


class RulingFacts(ViewModel):
    """The entries that the pit can correct, after journal entry `seq`, the present round first.

    Rounds from `first_round` on can be requested.
    """

    seq: int
    first_round: int
    rounds: tuple[RoundFacts, ...]


_KnownPayouts = tuple[tuple[int, int, PayoutKnown], ...]
"""How what each bettor of the present round was given is known: (box, seat, how)."""

NO_CHIPS: Final = LaidChips(())
ANSWERS: Final = (Insurance, EvenMoney, InsuranceClosed)


def facts_of(snapshot: TableSnapshot) -> RulingFacts:
    """Return the present round and the closed ones, newest first, from the state that screens may see.

    A snapshot contains the last round; `with_round` adds a requested round.
    """
    state = snapshot.state
    past = reversed(tuple(state.book.past))
    rounds = (
        _round_facts(state, closed=False, known=snapshot.known),
        *(_round_facts(old, closed=True) for old in past),
    )
    return RulingFacts(seq=snapshot.seq, first_round=snapshot.first_round, rounds=rounds)


def with_round(snapshot: TableSnapshot, closed: TableState | None) -> TableSnapshot:
    """Return the snapshot with one more closed round, unless it contains that round already."""
    state = snapshot.state
    known = [old.book.number for old in state.book.past]
    if closed is None or closed.book.number in known:
        return snapshot
    past = History((), (closed, *state.book.past))
    return snapshot._replace(state=replace(state, book=replace(state.book, past=past)))


def _round_facts(state: TableState, *, closed: bool, known: _KnownPayouts = ()) -> RoundFacts:
    log = numbered(state)
    return RoundFacts(
        round=state.book.number,
        closed=closed,
        boxes=tuple(
            BoxFacts(
                box=box.box,
                seats=tuple(_seat_facts(state, box, seat, known) for seat, _ in box.bets),
                hands=tuple(
                    HandFacts(hand=hand.number, decisions=tuple(_decisions(log, box.box, hand.number)))
                    for hand in box.hands
                ),
            )
            for box in state.boxes
        ),
        laid=_laid(state) if closed else None,
        insurance=state.phase == INSURANCE or any(isinstance(fact.obs, ANSWERS) for fact in log),
        peek=state.offers.peeked,
        turned=state.dealer.revealed,
    )


def _laid(state: TableState) -> LaidRound:
    """The closed round as it lay, its stakes in few chips."""
    result = state.settlement.result
    return LaidRound(
        boxes=boxes_view(state, result, (), {}, NO_CHIPS),
        dealer=dealer_view(state, result),
        aside=cards_aside(state),
    )


def _seat_facts(state: TableState, box: Box, seat: int, known: _KnownPayouts) -> SeatFacts:
    insured = dict(box.insurance).get(seat, 0)
    owed, paid = _payout(state, box.box, seat)
    return SeatFacts(
        seat=seat,
        stake=units(dict(box.bets)[seat]),
        insurance=units(insured),
        even_money=seat in box.even,
        due=None if owed is None else units(owed),
        paid=None if paid is None else units(paid),
        how=next((how for at, bettor, how in known if (at, bettor) == (box.box, seat)), None),
    )


def _payout(state: TableState, box: int, seat: int) -> tuple[int | None, int | None]:
    """Return the amount due to the bettor and the entered payout; None for each that does not exist yet."""
    settled = state.settlement
    if not is_final(settled.status) and settled.code != NOT_PAYABLE:
        return None, None
    paid = {(at, bettor): amount for at, bettor, amount in settled.paid}
    return due(state, box, seat), paid.get((box, seat))


def _decisions(log: tuple[Fact, ...], box: int, hand: int) -> Iterator[DecisionRow]:
    """Yield the decisions of a hand in the order of their numbers, struck ones included."""
    of_hand = [(made, fact) for fact in log for made in fact.made if (made.box, made.hand) == (box, hand)]
    for made, fact in sorted(of_hand, key=lambda entry: entry[0].nth):
        yield _decision_row(fact, made)


def _decision_row(fact: Fact, made: Made) -> DecisionRow:
    """Return the source of a decision: an entry, a card for the hand, or a card for a later hand."""
    obs, hand = fact.obs, (made.box, made.hand)
    if isinstance(obs, Decision | AmendDecision) and (obs.box, obs.hand) == hand:
        return DecisionRow(nth=made.nth, action=obs.action, known="entered")
    if isinstance(obs, CardSeen) and fact.at == hand:
        return DecisionRow(nth=made.nth, action="double" if obs.pose == "across" else "hit", known="card")
    return DecisionRow(nth=made.nth, action="stand", known="inferred")


def preview_of(
    snapshot: TableSnapshot,
    obs: Observation,
    wins: tuple[int, int | None] | None = None,
    first: tuple[Observation, ...] = (),
) -> Preview:
    """Return the effect of `obs` after the rulings `first` on the same round, without a face-down rank.

    `wins` are the house's wins of the shift in minor units: at the table, and at all tables of the floor.
    """
    state, problem, second = snapshot.state, None, False
    for ruling in (*first, obs):
        stepped = step(state, ruling)
        said = _problem(stepped.notices)
        if any(isinstance(notice, Refused) for notice in stepped.notices):
            return Preview(seq=snapshot.seq, problem=said, house_change=money(0), chips=money(0))
        second = second or takes_two(snapshot.second, state, ruling) or _held_for_two(snapshot, ruling)
        state = stepped.state
        # A later ruling may end the dispute that an earlier one began.
        problem = said or (problem if _at(state, obs).settlement.status == "disputed" else None)
    before, after = _at(snapshot.state, obs), _at(state, obs)
    paid = [one for one in (*first, obs) if isinstance(one, Paid)]
    old, new = _final(before), _final(after)
    if paid:
        old |= _won_by(before, before.settlement.paid)
        unruled = len(paid) > len(first)
        payouts = [(one.box, one.seat, one.amount) for one in paid]
        new = (old if unruled else new) | _won_by(before if unruled else after, payouts)
    change = sum(old.values()) - sum(new.values()) if (settled := bool(old and new)) else 0
    dues = tuple(_changed_dues(before, after)) if settled else ()
    return Preview(
        seq=snapshot.seq,
        problem=problem,
        disputes=problem is not None,
        hands=tuple(_changed_hands(before, after)) if len(paid) <= len(first) else (),
        stakes=tuple(_stakes(before, after, obs)) if len(paid) <= len(first) else (),
        money=tuple(_money(old, new, dues)) if settled else (),
        untouched=_untouched(old, new) if settled else None,
        house=tuple(_house(-sum(old.values()), change, snapshot.table, wins)) if settled else (),
        house_change=moved(change),
        chips=moved(_chips(dues)),
        second=second,
    )


def _held_for_two(snapshot: TableSnapshot, obs: Observation) -> bool:
    """Whether the act concerns a hold that two people lift."""
    return any(
        hold.release == "two" and is_about(snapshot.state, known_hold(hold), obs) for hold in snapshot.holds
    )


def _house(
    round_won: int, change: int, table: str, wins: tuple[int, int | None] | None
) -> Iterator[HouseRow]:
    """Yield the house's win of the round, the table's shift and all tables, before and after."""
    sums = [(Words(code="ui.house_round"), round_won)]
    if wins is not None:
        sums.append((Words(code="ui.house_shift", params={"table": table}), wins[0]))
        if wins[1] is not None:
            sums.append((Words(code="ui.house_floor"), wins[1]))
    for text, won in sums:
        yield HouseRow(text=text, before=moved(won), after=moved(won + change))


def _at(state: TableState, obs: Observation) -> TableState:
    """Return the ruled round: the present one, or the closed round that the ruling names."""
    number = getattr(obs, "round", None)
    closed = (old for old in state.book.past if old.book.number == number)
    return state if number in (None, state.book.number) else next(closed, state)


def _won_by(state: TableState, payouts: Iterable[tuple[int, int, int]]) -> dict[Bettor, int]:
    """Return each bettor's win by payouts, given as (box, seat, amount), less the stake by the result."""
    result = state.settlement.result
    staked = {(bet.box, bet.seat): int(bet.staked) for bet in result.bets} if result else {}
    return {(box, seat): amount - staked.get((box, seat), 0) for box, seat, amount in payouts}


def _stakes(before: TableState, after: TableState, obs: Observation) -> Iterator[StakeRow]:
    """Yield each bettor whose stake changes; a void stake is 0."""
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
        if was is None or now is None:
            continue
        # An outcome that is open in the preview is no change.
        if (was.cards, was.total) != (now.cards, now.total) or now.outcome not in (was.outcome, None):
            yield HandRow(
                box=place[0],
                hand=place[1],
                before=was.cards,
                total_before=was.total,
                outcome_before=was.outcome,
                after=now.cards,
                total_after=now.total,
                outcome_after=now.outcome,
            )


def _hands(state: TableState) -> dict[tuple[int, int], HandView]:
    outcomes = outcomes_of(state, state.settlement.result)
    hands = {
        (box.box, hand.number): hand_view(hand, outcomes.get((box.box, hand.number)), active=False)
        for box in state.boxes
        for hand in box.hands
    }
    dealer = dealer_view(state, state.settlement.result)
    hands[0, 1] = HandView(hand=1, cards=dealer.cards, total=dealer.total or "")
    return hands


def _final(state: TableState) -> dict[Bettor, int]:
    """Return each bettor's win by the result, less the stake; nothing without a result."""
    result = state.settlement.result
    if result is None or result.status not in OPEN_RESULTS:
        return {}
    return {(bet.box, bet.seat): int(bet.returned - bet.staked) for bet in result.bets}


def _money(
    old: Mapping[Bettor, int], new: Mapping[Bettor, int], dues: Iterable["_ChangedDue"]
) -> Iterator[MoneyRow]:
    """Yield each bettor whose win changes, or whose entered payout differs from a changed amount due."""
    owed = {
        (one.box, one.seat): int(one.returned_after)
        for one, paid in dues
        if paid not in {None, int(one.returned_after)}
    }
    for box, seat in sorted(old.keys() | new.keys()):
        was, now = old.get((box, seat), 0), new.get((box, seat), 0)
        if was != now or (box, seat) in owed:
            due = owed.get((box, seat))
            yield MoneyRow(
                box=box,
                seat=seat,
                before=moved(was),
                after=moved(now),
                change=moved(now - was),
                owed=None if due is None else units(due),
            )


_ChangedDue = tuple[Difference, int | None]
"""A bettor whose amount due changes, and the entered payout; None without one."""


def _changed_dues(before: TableState, after: TableState) -> Iterator[_ChangedDue]:
    """Yield the bettors whose amount due a correction changes."""
    results = (before.settlement.result, after.settlement.result)
    paid = {(box, seat): int(amount) for box, seat, amount in after.settlement.paid}
    for one in differences(*(() if result is None else result.bets for result in results)):
        if one.returned_before != one.returned_after:
            yield one, paid.get((one.box, one.seat))


def _chips(dues: Iterable[_ChangedDue]) -> int:
    """Return what the house gets back so that each bettor has the amount due; below 0 it pays.

    A payout that was not entered counts as paid as due.
    """
    return sum(
        int(one.returned_before if paid is None else paid) - int(one.returned_after) for one, paid in dues
    )


def _untouched(old: Mapping[Bettor, int], new: Mapping[Bettor, int]) -> Untouched | None:
    """The boxes of the bettors who win and lose as before."""
    same = {bettor: won for bettor, won in old.items() if new.get(bettor) == won}
    boxes = tuple(sorted({box for box, _ in same}))
    return Untouched(boxes=boxes, sum=moved(sum(same.values()))) if same else None

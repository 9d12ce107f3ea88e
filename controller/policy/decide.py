"""The table's door: one line in, everything that follows from it out."""

from typing import NamedTuple, get_args

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.domain.errors import TableError
from controller.policy.allowed.roles import require_allowed, require_free
from controller.policy.allowed.second_person import require_second_person
from controller.policy.lines import everyday_acts, rulings
from controller.policy.lines.cards import lay_kept, take_card
from controller.policy.lines.chip_readings import read_chips, watch
from controller.policy.lines.desk import Desk
from controller.policy.lines.late_bets import TOO_LATE, is_same_bet, late_bet
from controller.policy.lines.rest_count import begin_or_cancel, end_shoe, enter_card, require_no_count
from controller.policy.state.effects import Alerted, Effect, Refusal
from controller.policy.state.holds import READ_DIFFERENTLY, UNREAD
from controller.policy.state.line import Doubt, Told
from controller.policy.state.run import House, TableRun, with_late_bet


class Decided(NamedTuple):
    """The table after a line, and what followed from it, in order.

    After a refusal nothing else follows, but for the alert of a late bet.
    """

    run: TableRun
    effects: tuple[Effect, ...]


def decide(house: House, run: TableRun, told: Told) -> Decided:
    """Take one line at the door. Never raises for what people or devices can tell."""
    desk = Desk(house, run)
    try:
        require_allowed(run, told)
        require_second_person(house.second, run, told)
        require_free(run, told)
        _take(desk, told)
        lay_kept(desk)
        watch(desk, told.mark)
    except TableError as refusal:
        return _refused(run, told, refusal)
    return Decided(desk.run, tuple(desk.effects))


def _refused(run: TableRun, told: Told, refusal: TableError) -> Decided:
    """Refuse a line; the table is as before, and the pit hears of a late bet, of the same one once."""
    refused = Refusal(told.mark, refusal.code, tuple(refusal.params.items()), told.by)
    late = late_bet(run.state, told) if refusal.code == TOO_LATE else None
    if late is None or any(is_same_bet(late, known) for known in run.late_bets):
        return Decided(run, (refused,))
    return Decided(with_late_bet(run, late), (refused, Alerted(told.mark, late)))


def hold_over(house: House, run: TableRun, doubt: Doubt, mark: int) -> Decided:
    """Hold over what two witnesses say differently; the card on which they do is laid before that."""
    desk = Desk(house, run)
    card = 0
    for fact in run.state.log:
        if doubt.card and isinstance(fact.obs, obs.CardSeen) and fact.obs.id == doubt.card:
            card = fact.n
    for hold in desk.run.holds:
        if doubt.code == READ_DIFFERENTLY and (hold.code, hold.card) == (UNREAD, card):
            desk.release(hold, mark)  # The same question with the same ways, and this one says who read what.
    desk.alert(doubt.code, mark, doubt.params)
    desk.hold_for(doubt.code, mark, doubt.params, card=card, box=doubt.box)
    return Decided(desk.run, tuple(desk.effects))


def go_on(house: House, run: TableRun) -> Decided:
    """Lay what has waited, where nothing holds any more."""
    desk = Desk(house, run)
    lay_kept(desk)
    return Decided(desk.run, tuple(desk.effects))


def _take(desk: Desk, told: Told) -> None:
    """Do what a line asks for."""
    if desk.run.rest is not None and isinstance(told.observation, obs.CutCard):
        return  # It runs through the reader with the rest, and asks for no shuffle.
    require_no_count(desk, told)
    match told.observation:
        case obs.CardSeen() as card:
            take_card(desk, told, card)
        case obs.Decision() as said:
            everyday_acts.decision(desk, told, said)
        case obs.Bet() | obs.Close() | obs.Paid() | obs.ChipReading():
            _take_money(desk, told)
        case obs.Reveal() as turned:
            everyday_acts.reveal(desk, told, turned)
        case obs.End():
            everyday_acts.end(desk, told)
        case obs.DeviceSeen() as seen:
            everyday_acts.device(desk, told, seen)
        case _:
            _take_beside(desk, told)


def _take_money(desk: Desk, told: Told) -> None:
    """Do what is about chips: stakes, payouts, and what a chip source sees of them."""
    match told.observation:
        case obs.Bet() as stake:
            everyday_acts.bet(desk, told, stake)
        case obs.Close():
            everyday_acts.close(desk, told)
        case obs.Paid() as given:
            rulings.paid(desk, told, given)
        case obs.ChipReading() as reading:
            read_chips(desk, told, reading)


def _take_beside(desk: Desk, told: Told) -> None:
    """Do what is no everyday act of the round: rulings, the shoe, the table's own events."""
    match told.observation:
        case events.HoldsLifted() as lifted:
            rulings.resume(desk, told, lifted)
        case obs.ShoeLoaded() | events.ShoeShuffled() as line:
            rulings.shoe(desk, told, line)
        case obs.Leave() as gone:
            everyday_acts.leave(desk, told, gone)
        case events.FloatCounted() as count:
            everyday_acts.count_float(desk, told, count)
        case events.Freeze() as freeze:
            everyday_acts.freeze(desk, told, freeze)
        case events.ShoeEnded() | events.RestCounting() | events.RestCard():
            _take_rest(desk, told)
        case observation if isinstance(observation, RULED):
            rulings.rule(desk, told)
        case _:
            everyday_acts.plain(desk, told)


def _take_rest(desk: Desk, told: Told) -> None:
    """Do what is about the shoe's end, and about counting its rest."""
    match told.observation:
        case events.ShoeEnded() as ended:
            end_shoe(desk, told, ended)
        case events.RestCounting() as counting:
            begin_or_cancel(desk, told, counting)
        case events.RestCard() as card:
            enter_card(desk, told, card)


RULED = (*get_args(obs.Ruling), events.ShoeVoided)
"""Rulings on facts of a round, or on the shoe."""

"""The table's door: one line in, everything that follows from it out."""

from dataclasses import replace
from typing import NamedTuple

from controller.acts.catalogue import (
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Credit,
    CutCard,
    DealerSeated,
    Decision,
    DeskAct,
    DeviceSeen,
    Drop,
    End,
    EvenMoney,
    Exposed,
    Fill,
    FloatCounted,
    Freeze,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Leave,
    Limits,
    Message,
    MoneyAct,
    Note,
    Paid,
    Peek,
    Rated,
    RestCard,
    RestCounting,
    Reveal,
    Ruling,
    ShoeAct,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    SlipVoided,
    TableDay,
)
from controller.domain.errors import TableError
from controller.policy.allowed.roles import require_allowed, require_free
from controller.policy.allowed.second_person import require_second_person
from controller.policy.lines import everyday_acts, rulings
from controller.policy.lines.cards import lay_kept, take_card
from controller.policy.lines.chip_readings import read_chips, watch
from controller.policy.lines.desk import Desk
from controller.policy.lines.late_bets import TOO_LATE, late_bet
from controller.policy.lines.rest_count import begin_or_cancel, end_shoe, enter_card, require_no_count
from controller.policy.lines.shoe_count import close_day
from controller.policy.state.effects import Alerted, Effect, Refusal
from controller.policy.state.holds import READ_DIFFERENTLY, UNREAD
from controller.policy.state.line import Doubt, TableLine
from controller.policy.state.run import House, TableRun


class Decided(NamedTuple):
    """The table after a line, and what followed from it, in order.

    After a refusal nothing else follows, but for the alert of a late bet.
    """

    run: TableRun
    effects: tuple[Effect, ...]


def decide(house: House, run: TableRun, line: TableLine) -> Decided:
    """Take one line at the door. Never raises for what people or devices can tell."""
    desk = Desk(house, run)
    try:
        answer = require_allowed(run, line)
        require_second_person(house.second, run, line)
        require_free(run, line, answer)
        _take(desk, line)
        # Cards that waited first: a payout that a source has counted goes to the round they complete.
        lay_kept(desk)
        watch(desk, line.mark)
    except TableError as refusal:
        return _refused(run, line, refusal)
    run = desk.run
    if run.last_card_ms != desk.card_ms:
        run = replace(run, last_card_ms=desk.card_ms)
    return Decided(run, tuple(desk.effects))


def _refused(run: TableRun, line: TableLine, refusal: TableError) -> Decided:
    """Refuse a line; the table is as before, and whoever writes it down tells the pit of a late bet once."""
    refused = Refusal(line.mark, refusal.code, tuple(refusal.params.items()), line.by)
    late = late_bet(run.state, line) if refusal.code == TOO_LATE else None
    return Decided(run, (refused,) if late is None else (refused, Alerted(line.mark, late)))


def hold_over(house: House, run: TableRun, doubt: Doubt, mark: int) -> Decided:
    """Hold over what two witnesses say differently; the card on which they do is laid before that."""
    desk = Desk(house, run)
    card = doubt.number
    for fact in run.state.log:
        if doubt.card and isinstance(fact.obs, CardSeen) and fact.obs.id == doubt.card:
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


def _take(desk: Desk, line: TableLine) -> None:  # noqa: C901  # a case for each act
    """Do what a line asks for: a case for each act; the commonest come first."""
    act = line.observation
    if desk.run.rest is not None and isinstance(act, CutCard):
        return  # It runs through the reader with the rest, and asks for no shuffle.
    require_no_count(desk, line)
    match act:
        case CardSeen():
            take_card(desk, line, act)
        case Decision():
            everyday_acts.decision(desk, line, act)
        case Bet():
            everyday_acts.bet(desk, line, act)
        case Close():
            everyday_acts.close(desk, line)
        case Reveal():
            everyday_acts.reveal(desk, line, act)
        case End():
            everyday_acts.end(desk, line)
        case Leave():
            everyday_acts.leave(desk, line, act)
        case Insurance() | EvenMoney() | InsuranceClosed() | Peek() | Exposed() | Chips() | Bank():
            everyday_acts.plain(desk, line)
        case _:
            _take_beside_play(desk, line, act)


def _take_beside_play(  # noqa: C901, PLR0912  # a case for each act
    desk: Desk, line: TableLine, act: Ruling | ShoeAct | MoneyAct | DeskAct
) -> None:
    match act:
        case Paid():
            rulings.paid(desk, line, act)
        case HoldsLifted():
            rulings.resume(desk, line, act)
        case DeviceSeen():
            everyday_acts.device(desk, line, act)
        case ChipReading():
            read_chips(desk, line, act)
        case Freeze():
            everyday_acts.freeze(desk, line, act)
        case FloatCounted():
            everyday_acts.count_float(desk, line, act)
        case Fill() | Credit() | Drop():
            everyday_acts.enter_slip(desk, line, act)
        case RestCounting():
            begin_or_cancel(desk, line, act)
        case RestCard():
            enter_card(desk, line, act)
        case ShoeEnded():
            end_shoe(desk, line, act)
        case ShoeLoaded() | ShoeShuffled():
            rulings.shoe(desk, line, act)
        case TableDay():
            close_day(desk, line, act)
        # No fault can lie in these.
        case CutCard() | Limits() | SlipVoided() | DealerSeated() | Note() | Message() | Rated():
            everyday_acts.plain(desk, line)
        case _:
            rulings.rule(desk, line, act)

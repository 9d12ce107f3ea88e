"""Payouts, resumed holds and other shoes at the table's door, and counts of a shoe.

A count may be due before the next shoe, or before the table closes: the line waits in the parameters of a
hold, so that each reader of the hold has it. The rest of a shoe runs through the reader and belongs to no
round: an unread card is asked, a surplus card holds the table for the pit, and missing cards are reported
with the end of the shoe (`SHOE_INCOMPLETE`).
"""

from dataclasses import replace

from controller.acts.catalogue import (
    HoldsLifted,
    Move,
    Paid,
    RestCard,
    RestCounting,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    TableDay,
    declared,
)
from controller.domain import Card, Params, RoundResult, TableError
from controller.engine.hands import hole_of
from controller.engine.settle import DISPUTED, pending, round_result
from controller.engine.shoe import needs_no_card, verify_load, verify_shuffle
from controller.engine.state import TableState
from controller.engine.table import next_round, step
from controller.engine.watching import is_new_shoe
from controller.policy.allowed import named_holds, require_in_profile, require_second
from controller.policy.desk import EXPOSED, Desk, rule, seen_turned
from controller.policy.holds import (
    COUNT_DUE,
    LOST,
    NEED_ANSWER,
    Hold,
)
from controller.policy.line import PIT_ROLES, SYSTEM, KeptCard, Person, TableLine, person_named
from controller.policy.money import payout_of, require_known_way
from controller.policy.run import REST_EXTRA, REST_UNREAD, TableRun, is_extra, standing

ShoeLine = ShoeLoaded | ShoeShuffled


def paid(desk: Desk, line: TableLine, given: Paid) -> None:
    """Record a payout; while a payout is wrong, the pit enters the right one."""
    require_known_way(desk.state, given, line.by, desk.house.options)
    if line.by.role in PIT_ROLES:
        rule(desk, line, given)
    else:
        desk.fact(given, line.by, line.mark)
    _note_entered(desk, given, line.by, line.mark)


def _note_entered(desk: Desk, given: Paid, by: Person, mark: int) -> None:
    """Put a payout that was reported into the books."""
    payout = payout_of(desk.state, given, by)
    if payout is not None:
        desk.note_payout(payout, by, mark)


def shoe(desk: Desk, entered: TableLine, line: ShoeLine) -> None:
    """A fresh shoe, or a shuffle: the way out of some holds, otherwise for a table that does not wait."""
    rules = desk.state.book.rules
    if isinstance(line, ShoeLoaded) and not rules.may_load(line.decks):
        raise TableError("BAD_SHOE", decks=line.decks)
    require_second(desk.run, entered.observation, entered.by, entered.second)
    if not _waits_for_count(desk, entered, line):
        desk.fact(line, entered.by, entered.mark)


def resume(desk: Desk, line: TableLine, lifted: HoldsLifted) -> None:
    """Holds are lifted and the round goes on as it lies."""
    holds = named_holds(desk.run, lifted.codes)
    if not holds:
        raise TableError("NOT_HELD")
    if any(hold.code in NEED_ANSWER for hold in holds):
        raise TableError("ANSWER_NEEDED")
    require_in_profile(desk.run, lifted)
    require_second(desk.run, lifted, line.by, line.second)
    for hold in holds:
        name = hold.get("name")
        known = line.by.role in PIT_ROLES or name in line.without
        if hold.code == LOST and name in desk.run.lost and not known:
            raise TableError("DEVICE_STILL_LOST", name=str(name))
    desk.fact(lifted, line.by, line.mark)
    for hold in holds:
        _go_on_over(desk, line, hold)
    for hold in holds:
        if hold.code == COUNT_DUE:
            _take_waiting(desk, hold, line.mark)


def _go_on_over(desk: Desk, line: TableLine, hold: Hold) -> None:
    """Accept the fault of a lifted hold as it is."""
    desk.waive(hold)
    if hold.code != EXPOSED:
        return
    turned, hole = seen_turned(desk), hole_of(desk.state.dealer)
    if hold.fault:
        lies = Move(hold.card, None, "dealer", None, None, str(line.by), "keep")
        desk.fact(lies, line.by, line.mark)
    elif turned is not None and hole is not None and (turned.rank or hole.obs.rank):
        desk.fact(Reveal(turned.rank, turned.suit, early=True), line.by, line.mark)


_INCOMPLETE = "SHOE_INCOMPLETE"


def close_day(desk: Desk, line: TableLine, day: TableDay) -> None:
    """The table opens or closes; a house that counts at closing has the packs in the shoe counted first."""
    options, sets = desk.house.options, desk.state.book.sets
    ends = day.state == "closed" and not desk.state.book.closed and needs_no_card(desk.state)
    if options.count_at_close and ends and sets.uncounted():
        _hold(desk, line, (("line", "table"),))
        if not desk.house.in_shadow:
            return
    desk.fact(day, line.by, line.mark)


def _waits_for_count(desk: Desk, entered: TableLine, line: ShoeLine) -> bool:
    """Whether this shoe or shuffle waits for the count of the last packs; then begin the hold.

    Raises RuleRefusal when the engine would refuse the line in any case.
    """
    every, state = desk.house.options.count_every, desk.state
    sets = state.book.sets
    if not every or sets.uncounted() < every or not is_new_shoe(state, line):
        return False
    if isinstance(line, ShoeLoaded):
        verify_load(state, line)
    else:
        verify_shuffle(state, line)
    _hold(desk, entered, _shoe_params(line))
    return not desk.house.in_shadow


def _hold(desk: Desk, entered: TableLine, line: Params) -> None:
    sets = desk.state.book.sets
    params: Params = (("counted", sets.name), ("shoes", sets.uncounted()), *line, ("by", str(entered.by)))
    desk.hold_for(COUNT_DUE, entered.mark, params)


def _shoe_params(line: ShoeLine) -> Params:
    """A shoe's line as parameters."""
    if isinstance(line, ShoeShuffled):
        return (("line", "shuffle"), ("shuffled", line.cards))
    fields: tuple[tuple[str, int | str | None], ...] = (("cards", line.cards), ("set", line.set))
    set_fields = [(name, value) for name, value in fields if value is not None]
    return (("line", "shoe"), ("decks", line.decks), *set_fields)


def line_of(hold: Hold) -> ShoeLine | TableDay:
    """The line that waits in a hold."""
    params = dict(hold.params)
    if params["line"] == "table":
        return TableDay("closed")
    if params["line"] == "shuffle":
        return ShoeShuffled("all")
    cards, packs = params.get("cards"), params.get("set")
    return ShoeLoaded(
        int(params["decks"]), None if cards is None else int(cards), None if packs is None else str(packs)
    )


def counted(desk: Desk, mark: int) -> None:
    """The packs were counted: the hold ends, and the line that waited is taken."""
    for hold in desk.run.holds:
        if hold.code == COUNT_DUE:
            desk.release(hold, mark)
            _take_waiting(desk, hold, mark)


def _take_waiting(desk: Desk, hold: Hold, mark: int) -> None:
    """Take the line that has waited. A count that did not close holds on: this shoe is no way out of it."""
    found = tuple([held for held in desk.run.holds if held.code == _INCOMPLETE])
    desk.run = replace(desk.run, holds=tuple([held for held in desk.run.holds if held not in found]))
    by = person_named(str(hold.get("by"))) or SYSTEM
    desk.fact(line_of(hold), by, mark)
    desk.run = replace(desk.run, holds=(*found, *desk.run.holds))


def require_no_count(desk: Desk, line: TableLine) -> None:
    """Raise REST_COUNTED for an act that must wait for the end of the count; rulings on rounds need not."""
    if desk.run.rest is None or declared(line.observation).in_count:
        return
    if getattr(line.observation, "round", None) is None:
        raise TableError("REST_COUNTED")


def begin_or_cancel(desk: Desk, line: TableLine, counting: RestCounting) -> None:
    """Begin the count of the rest between rounds, or cancel it and discard its cards."""
    begins, counts = counting.state == "begin", desk.run.rest is not None
    if begins and not needs_no_card(desk.state):
        raise TableError("REST_IN_ROUND")
    if begins == counts:
        raise TableError("REST_COUNTED" if counts else "REST_NOT_COUNTED")
    desk.fact(counting, line.by, line.mark)


def count_card(desk: Desk, kept: KeptCard, *, waited: bool) -> None:
    """Count a card that ran through the reader."""
    card = kept.card
    desk.fact(RestCard(card.rank, card.suit), kept.by, kept.mark, kept=waited)
    if card.rank is None or card.suit is None:
        desk.hold_for(REST_UNREAD, kept.mark)
    elif desk.run.rest is not None and is_extra(desk.state, desk.run.rest, Card(card.rank, card.suit)):
        params = (("rank", str(card.rank)), ("suit", str(card.suit)), ("decks", desk.state.shoe.decks))
        desk.alert(REST_EXTRA, kept.mark, params)
        desk.hold_for(REST_EXTRA, kept.mark, params)


def enter_card(desk: Desk, line: TableLine, card: RestCard) -> None:
    """Take a card of the rest out of the count, or add one by hand."""
    rest = desk.run.rest
    if rest is None:
        raise TableError("REST_NOT_COUNTED")
    if card.rank is None or card.suit is None:
        raise TableError("REST_CARD_UNNAMED")
    if card.out and Card(card.rank, card.suit) not in rest.cards:
        raise TableError("REST_CARD_NOT_COUNTED", card=str(Card(card.rank, card.suit)))
    desk.fact(card, line.by, line.mark)


def end_shoe(desk: Desk, line: TableLine, ended: ShoeEnded) -> None:
    """The shoe's end; where its rest was run through the reader, with the cards that were counted."""
    rest = desk.run.rest
    if rest is not None and ended.cards is None:
        ended = ShoeEnded(rest.cards)
    desk.fact(ended, line.by, line.mark)
    if ended.cards is not None:
        counted(desk, line.mark)


def leave_held_round(run: TableRun) -> tuple[TableRun, TableState, RoundResult]:
    """End the round of a held table as disputed; its cards and the waiting cards count as dealt.

    Only a replay asks for this, to show the lines after the held round.

    Returns the table before the next round, the disputed round, and its result.
    """
    state = run.state
    result = round_result(state, DISPUTED, pending(state))
    for hold in run.holds:
        if hold.code == COUNT_DUE:
            # The cards after it came out of this shoe, whether its packs were counted or not.
            state = step(state, line_of(hold)).state
    for kept in run.kept:
        state = step(state, kept.card._replace(to="burn", box=None, hand=None)).state
    for hold in run.holds:
        state = standing(state, hold.code)
    why = run.holds[0].code if run.holds else None
    settlement = replace(run.state.settlement, status=DISPUTED, code=why, result=result, ended=True)
    closed = replace(state, settlement=settlement)
    after = TableRun(next_round(closed), lost=run.lost, last_card_ms=run.last_card_ms)
    return after, closed, result

"""A count that is due before the next shoe, or before the table closes: the line waits for the count.

The line is stored in the hold's parameters, so that each reader of the hold (journal, screen) has it.
"""

from dataclasses import replace

from controller.acts.catalogue import ShoeLoaded, ShoeShuffled, TableDay
from controller.domain import Params
from controller.engine.shoe.lifecycle import needs_no_card, verify_load, verify_shuffle
from controller.engine.watching import is_new_shoe
from controller.policy.lines.desk import Desk
from controller.policy.state.holds import COUNT_DUE, Hold
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import SYSTEM, person_named

_INCOMPLETE = "SHOE_INCOMPLETE"

ShoeLine = ShoeLoaded | ShoeShuffled


def close_day(desk: Desk, line: TableLine, day: TableDay) -> None:
    """The table opens or closes; a house that counts at closing has the packs in the shoe counted first."""
    options, sets = desk.house.options, desk.state.book.sets
    ends = day.state == "closed" and not desk.state.book.closed and needs_no_card(desk.state)
    if options.count_at_close and ends and sets.uncounted():
        _hold(desk, line, (("line", "table"),))
        if not desk.house.in_shadow:
            return
    desk.fact(day, line.by, line.mark)


def waits_for_count(desk: Desk, entered: TableLine, line: ShoeLine) -> bool:
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
            take_waiting(desk, hold, mark)


def take_waiting(desk: Desk, hold: Hold, mark: int) -> None:
    """Take the line that has waited. A count that did not close holds on: this shoe is no way out of it."""
    found = tuple([held for held in desk.run.holds if held.code == _INCOMPLETE])
    desk.run = replace(desk.run, holds=tuple([held for held in desk.run.holds if held not in found]))
    by = person_named(str(hold.get("by"))) or SYSTEM
    desk.fact(line_of(hold), by, mark)
    desk.run = replace(desk.run, holds=(*found, *desk.run.holds))

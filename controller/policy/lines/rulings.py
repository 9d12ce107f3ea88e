"""Rulings at the table's door: checked against the house's profile, then taken; a dealer's Undo."""

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.domain.errors import TableError
from controller.domain.rules import PACKS_ALLOWED
from controller.engine.amend.rulings import CardRuling
from controller.policy.allowed.mending import require_in_profile, require_second
from controller.policy.allowed.roles import named_holds
from controller.policy.lines.cards import burn_kept
from controller.policy.lines.desk import Desk
from controller.policy.lines.kept_rulings import kept_place, rule_kept
from controller.policy.lines.shoe_count import ShoeLine, take_waiting, waits_for_count
from controller.policy.state.holds import ASKED, COUNT_DUE, INSURANCE_ASKED, LOST, Hold
from controller.policy.state.line import TableLine
from controller.policy.state.line_person import PIT_ROLES, Person
from controller.policy.state.payouts import payout_of, require_known_way


def rule(desk: Desk, told: TableLine, ruling: obs.Observation) -> None:
    """A ruling of the pit, or a dealer's own."""
    place = kept_place(desk.run, ruling)
    if isinstance(ruling, CardRuling) and place >= 0:
        rule_kept(desk, told, ruling, place)
        return
    require_in_profile(desk.run, ruling)
    require_second(desk.run, ruling, told.by, told.second)
    turned = _turned_too_early(desk) if isinstance(ruling, obs.AmendReveal) else None
    if turned is not None:
        desk.release(turned, told.mark)
        return
    desk.fact(ruling, told.by, told.mark)
    if isinstance(ruling, obs.Void) and ruling.box is None and ruling.round in (None, desk.state.book.number):
        burn_kept(desk)


def _turned_too_early(desk: Desk) -> Hold | None:
    """The hold for a turning that the engine was never told of."""
    holds = [hold for hold in desk.run.holds if hold.code == "HOLE_CARD_EXPOSED" and hold.get("turned")]
    return holds[0] if holds else None


def paid(desk: Desk, told: TableLine, given: obs.Paid) -> None:
    """What was handed back; while a payout is wrong the pit tells the right one."""
    require_known_way(desk.state, given, told.by, desk.house.options)
    if told.by.role in PIT_ROLES:
        rule(desk, told, given)
    else:
        desk.fact(given, told.by, told.mark)
    note_entered(desk, given, told.by, told.mark)


def note_entered(desk: Desk, given: obs.Paid, by: Person, mark: int) -> None:
    """Put a payout that was told into the books."""
    payout = payout_of(desk.state, given, by)
    if payout is not None:
        desk.note_payout(payout, by, mark)


def shoe(desk: Desk, told: TableLine, line: ShoeLine) -> None:
    """A fresh shoe, or a shuffle: the way out of some holds, otherwise for a table that does not wait."""
    rules = desk.state.book.rules
    if isinstance(line, obs.ShoeLoaded) and line.decks not in (
        rules.decks,
        *PACKS_ALLOWED.get(rules.name, ()),
    ):
        raise TableError("BAD_SHOE", decks=line.decks)
    require_second(desk.run, told.observation, told.by, told.second)
    if not waits_for_count(desk, told, line):
        desk.fact(line, told.by, told.mark)


def resume(desk: Desk, told: TableLine, lifted: events.HoldsLifted) -> None:
    """Holds are lifted and the round goes on as it lies."""
    holds = named_holds(desk.run, lifted.codes)
    if not holds:
        raise TableError("NOT_HELD")
    if any(hold.code in (ASKED, INSURANCE_ASKED) for hold in holds):
        raise TableError("ANSWER_NEEDED")
    require_in_profile(desk.run, lifted)
    require_second(desk.run, lifted, told.by, told.second)
    for hold in holds:
        name = hold.get("name")
        known = told.by.role in PIT_ROLES or name in told.without
        if hold.code == LOST and name in desk.run.lost and not known:
            raise TableError("DEVICE_STILL_LOST", name=str(name))
    desk.fact(lifted, told.by, told.mark)
    for hold in holds:
        _go_on_over(desk, told, hold)
    for hold in holds:
        if hold.code == COUNT_DUE:
            take_waiting(desk, hold, told.mark)


def _go_on_over(desk: Desk, told: TableLine, hold: Hold) -> None:
    """Let what a lifted hold was about stand."""
    desk.waive(hold)
    if hold.code == "HOLE_CARD_EXPOSED" and hold.fault:
        lies = obs.Move(hold.card, None, "dealer", None, None, str(told.by), "keep")
        desk.fact(lies, told.by, told.mark)

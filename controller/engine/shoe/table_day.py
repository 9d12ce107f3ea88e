"""The table's day: limits, open and closed, slips. Reported inside a round, they count from the next one."""

from dataclasses import replace
from typing import Final

from controller.acts.catalogue import Bet, Credit, Fill, FloatCounted, Limits, SlipVoided, TableDay
from controller.acts.money.slip_voided import SlipKind
from controller.domain.money import Money
from controller.domain.rules import RuleSet
from controller.engine.errors import refuse
from controller.engine.settle.float_account import moved, slip_amount, with_count, without_slip
from controller.engine.settle.round_status import in_progress
from controller.engine.state import Book, TableState

_SLIPS: Final[dict[type, SlipKind]] = {Fill: "fill", Credit: "credit"}


def set_limits(state: TableState, obs: Limits) -> TableState:
    """Other limits, at once between rounds, else for the next one.

    A bet that was taken away has begun the round, too: played again it has to find the limits it was laid
    under.
    """
    book = state.book
    laid = [fact for fact in state.log if isinstance(fact.obs, Bet) and fact.obs.stake]
    if laid or in_progress(state):
        return replace(state, book=replace(book, limits_next=obs))
    return replace(state, book=replace(book, rules=with_limits(book.rules, obs), limits_next=None))


def with_limits(rules: RuleSet, limits: Limits) -> RuleSet:
    """The rule set with other limits for stakes."""
    least, most, step = limits.stake_min, limits.stake_max, limits.stake_step
    return rules._replace(stake_min=Money(least), stake_max=Money(most), stake_step=Money(step))


def set_day(state: TableState, obs: TableDay) -> TableState:
    """The table opens or closes, at once between rounds, else with the next one."""
    closed = obs.state == "closed"
    if in_progress(state):
        return replace(state, book=replace(state.book, closed_next=closed))
    return replace(state, book=replace(state.book, closed=closed, closed_next=None))


def take_pending(book: Book) -> Book:
    """The book at the start of a round, with what was reported during the last one."""
    if book.limits_next is not None:
        book = replace(book, rules=with_limits(book.rules, book.limits_next), limits_next=None)
    if book.closed_next is not None:
        book = replace(book, closed=book.closed_next, closed_next=None)
    return book


def _verify_two_people(obs: FloatCounted | Fill | Credit | SlipVoided) -> None:
    """Refuse one person who is named as two: chips are counted by two people."""
    if obs.second is not None and obs.second == obs.by:
        refuse("SAME_PERSON_TWICE", by=obs.second)


def count_float(state: TableState, obs: FloatCounted) -> TableState:
    """Two people have counted the float."""
    _verify_two_people(obs)
    return with_count(state, obs)


def use_slip(state: TableState, obs: Fill | Credit) -> TableState:
    """Note a slip's number; one that was used before is refused (a slip is never used twice)."""
    _verify_two_people(obs)
    kind, book = _SLIPS[type(obs)], state.book
    if is_used(book, kind, obs.slip):
        refuse("SLIP_USED", slip=obs.slip)
    amount = slip_amount(obs)
    return replace(state, book=moved(replace(book, slips=(*book.slips, (kind, obs.slip, amount))), amount))


def is_used(book: Book, kind: SlipKind, number: str) -> bool:
    """Whether a slip of this kind has this number."""
    return any((used, slip) == (kind, number) for used, slip, _ in book.slips)


def void_slip(state: TableState, obs: SlipVoided) -> TableState:
    """Void a slip, once; its number stays used, and nothing that it says is edited."""
    _verify_two_people(obs)
    slip, book = (obs.kind, obs.slip), state.book
    if not is_used(book, *slip) or slip in book.slips_void:
        refuse("SLIP_NOT_OPEN", slip=obs.slip)
    return replace(state, book=without_slip(replace(book, slips_void=(*book.slips_void, slip)), obs))

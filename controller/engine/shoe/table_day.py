"""The table's day: limits, open and closed, slips. Reported inside a round, they count from the next one."""

from dataclasses import replace

from controller.acts.catalogue import Bet, Credit, Drop, Fill, FloatCounted, Limits, SlipVoided, TableDay
from controller.acts.money import SlipKind
from controller.domain import Money, RuleSet
from controller.engine.errors import refuse
from controller.engine.settle.float_account import float_due, slip_of, with_count, with_slip, without_slip
from controller.engine.settle.round_status import in_progress
from controller.engine.state import Book, TableState


def set_limits(state: TableState, obs: Limits) -> TableState:
    """Other limits, at once between rounds, else for the next one.

    A bet that was taken away has begun the round, too: played again it has to find the limits it was laid
    under.
    """
    book = state.book
    laid = [fact for fact in state.log if isinstance(fact.obs, Bet) and fact.obs.stake]
    if laid or in_progress(state):
        return replace(state, book=replace(book, limits_next=obs))
    return replace(state, book=replace(book, rules=_with_limits(book.rules, obs), limits_next=None))


def _with_limits(rules: RuleSet, limits: Limits) -> RuleSet:
    """The rule set with other limits for stakes."""
    least, most, step = limits.stake_min, limits.stake_max, limits.stake_step
    return rules._replace(stake_min=Money(least), stake_max=Money(most), stake_step=Money(step))


def set_day(state: TableState, obs: TableDay) -> TableState:
    """The table opens or closes, at once between rounds, else with the next one."""
    closed = obs.state == "closed"
    if in_progress(state):
        return replace(state, book=replace(state.book, closed_next=closed))
    return replace(state, book=_with_day(replace(state.book, closed_next=None), closed=closed))


def _with_day(book: Book, *, closed: bool) -> Book:
    """The book open or closed; with the opening a day begins."""
    begins = book.closed and not closed
    return replace(book, closed=closed, day_slips=len(book.slips) if begins else book.day_slips)


def take_pending(book: Book) -> Book:
    """Return the book at the start of a round, with the limits and closing reported during the last."""
    if book.limits_next is not None:
        book = replace(book, rules=_with_limits(book.rules, book.limits_next), limits_next=None)
    if book.closed_next is not None:
        book = _with_day(replace(book, closed_next=None), closed=book.closed_next)
    return book


def _verify_two_people(obs: FloatCounted | Fill | Credit | SlipVoided) -> None:
    """Refuse one person who is named as two: chips are counted by two people."""
    if obs.second is not None and obs.second == obs.by:
        refuse("SAME_PERSON_TWICE", by=obs.second)


def count_float(state: TableState, obs: FloatCounted) -> TableState:
    """Two people have counted the float."""
    _verify_two_people(obs)
    return with_count(state, obs)


def use_slip(state: TableState, obs: Fill | Credit | Drop) -> TableState:
    """Record a float movement. Refuse a used slip number, and a credit above the expected float."""
    if not isinstance(obs, Drop):
        _verify_two_people(obs)
    slip, book = slip_of(obs), state.book
    if slip.number and _numbered(book, slip.kind, slip.number) >= 0:
        refuse("SLIP_USED", slip=slip.number)
    due = float_due(state)
    if slip.kind == "credit" and book.counted_in and due + slip.amount < 0:
        refuse("CREDIT_ABOVE_FLOAT", amount=-slip.amount, expected=due)
    return replace(state, book=with_slip(book, slip))


def _numbered(book: Book, kind: SlipKind, number: str) -> int:
    """Index of the slip of this kind and number, -1 for none."""
    for at, slip in enumerate(book.slips):
        if slip.kind == kind and slip.number and is_same_slip(slip.number, number):
            return at
    return -1


def is_same_slip(number: str, other: str) -> bool:
    """Whether two slip numbers are equal, apart from case and blanks."""
    return "".join(number.split()).casefold() == "".join(other.split()).casefold()


def drops_of_day(book: Book) -> tuple[int, ...]:
    """Return the indexes of this day's drops in the slips, void ones included."""
    return tuple([at for at, slip in enumerate(book.slips) if slip.kind == "drop" and at >= book.day_slips])


def void_slip(state: TableState, obs: SlipVoided) -> TableState:
    """Void a slip or a drop, once; a number stays used, and nothing that it says is edited."""
    _verify_two_people(obs)
    book = state.book
    if obs.slip is not None:
        at = _numbered(book, obs.kind, obs.slip)
    else:
        drops = drops_of_day(book)
        at = drops[obs.nth - 1] if obs.nth is not None and obs.nth <= len(drops) else -1
    if at < 0 or book.slips[at].void:
        refuse("SLIP_NOT_OPEN", slip=obs.slip if obs.slip is not None else str(obs.nth))
    return replace(state, book=without_slip(book, at))

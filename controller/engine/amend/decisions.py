"""Numbers of decisions: the fact that made the nth decision of each hand.

A decision is reported, made by a card (a hit, a double laid across), or inferred (a stand). The first
ruling numbers all earlier decisions; a number never changes.
"""

from collections.abc import Iterator
from dataclasses import replace

from controller.acts.catalogue import CardSeen, Decision
from controller.engine.amend.refolding import pinned, take_fact, was_accepted
from controller.engine.constants import INFERRED
from controller.engine.errors import permitted, refuse
from controller.engine.facts import Fact, Made
from controller.engine.round.play import is_idle_stand
from controller.engine.state import Box, TableState, begin

_Hand = tuple[int, int]
"""(box, hand) as the feed numbers them."""


def numbered(state: TableState) -> tuple[Fact, ...]:
    """The log with every card pinned to its place and every decision numbered."""
    used = _used(state.log)
    before = begin(state.book)
    log = []
    for entered in pinned(state):
        fact = replace(entered, idle=_is_idle(entered, before)) if not entered.made else entered
        after = take_fact(before, fact, was_accepted(fact))
        log.append(_marked(fact, before, after, used))
        before = after
    return tuple(log)


def find_decision(log: tuple[Fact, ...], made: Made) -> int:
    """Return the index of the fact that made a decision; refuse a decision that does not exist."""
    for index, fact in enumerate(log):
        if made in fact.made:
            return index
    return refuse("NO_SUCH_DECISION", box=made.box, hand=made.hand, nth=made.nth)


def _used(log: tuple[Fact, ...]) -> dict[_Hand, int]:
    """The highest number given so far to a decision of each hand."""
    used: dict[_Hand, int] = {}
    for fact in log:
        for box, hand, nth in fact.made:
            used[box, hand] = max(used.get((box, hand), 0), nth)
    return used


def _marked(fact: Fact, before: TableState, after: TableState, used: dict[_Hand, int]) -> Fact:
    """The fact with numbers for those of its decisions that have none yet."""
    known = {(made.box, made.hand) for made in fact.made}
    fresh = [hand for hand in _decided(fact, before, after) if hand not in known]
    if not fresh:
        return fact
    for hand in fresh:
        used[hand] = used.get(hand, 0) + 1
    return replace(fact, made=(*fact.made, *[Made(*hand, used[hand]) for hand in fresh]))


def _is_idle(fact: Fact, before: TableState) -> bool:
    """Whether the fact is a stand of a hand that was already finished."""
    return isinstance(fact.obs, Decision) and permitted(_verify_idle, before, fact.obs)


def _verify_idle(before: TableState, decision: Decision) -> None:
    """Refuse a stand that means something, and one of a hand that is none."""
    if not is_idle_stand(before, decision):
        refuse("STAND_NOT_ALLOWED", box=decision.box, hand=decision.hand)


def _decided(fact: Fact, before: TableState, after: TableState) -> Iterator[_Hand]:
    """Yield the hands that this fact decided: first the inferred stands, then the hand that it names."""
    drawn: _Hand | None = None
    if after.boxes is not before.boxes:
        for old, new in zip(before.boxes, after.boxes, strict=False):
            if old is not new:
                yield from _inferred(old, new)
                drawn = drawn or (_drawn(old, new, fact.n) if isinstance(fact.obs, CardSeen) else None)
    if isinstance(fact.obs, Decision):
        yield fact.obs.box, fact.obs.hand
    if drawn is not None:
        yield drawn


def _inferred(old: Box, new: Box) -> Iterator[_Hand]:
    """Hands of a box that stand now because something later has come."""
    stood = {hand.number for hand in old.hands if hand.status == INFERRED}
    for hand in new.hands:
        if hand.status == INFERRED and hand.number not in stood:
            yield new.box, hand.number


def _drawn(old: Box, new: Box, number: int) -> _Hand | None:
    """The hand of the box that hit or doubled by this card, since it was owed none."""
    for hand in new.hands:
        if hand.cards and hand.cards[-1].n == number:
            for was in old.hands:
                if was.number == hand.number and len(was.cards) > 1 and not was.owed:
                    return new.box, hand.number
    return None

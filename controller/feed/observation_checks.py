"""What fields of one line have to say together, beside what each may be."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.domain import observations as domain
from controller.domain import table_events
from controller.validation import missing, wrong

Line = dict[str, Any]
"""A line whose fields are checked, each by itself."""


def _card_is_whole(card: Line) -> Line:
    if "rank" not in card and card.get("face") != "down":
        raise missing("rank")
    return _box_is_named(card)


def _box_is_named(line: Line) -> Line:
    if line.get("to") == "box" and line.get("box") is None:
        raise missing("box")
    return line


def _card_is_named(ruling: Line) -> Line:
    """By its number in the round or its id."""
    if ruling.get("card") is None and ruling.get("id") is None:
        raise missing("card")
    return ruling


def _sum_agrees(counted: Line) -> Line:
    """A sum or pieces; where both are given they have to agree."""
    amount: int | None = counted.get("amount")
    pieces: dict[str, int] | None = counted.get("chips")
    if amount is None and pieces is None:
        raise missing("amount")
    if amount is None or pieces is None:
        return counted
    if amount != sum(int(value) * number for value, number in pieces.items()):
        raise wrong("amount")
    return counted


def _limits_leave_room(limits: Line) -> Line:
    if 0 < limits["stake_max"] < limits["stake_min"]:
        raise wrong("stake_max")
    return limits


CHECKS: Final[Mapping[type[domain.Observation], Callable[[Line], Line]]] = {
    domain.CardSeen: _card_is_whole,
    domain.Correct: _card_is_named,
    domain.Strike: _card_is_named,
    domain.Move: lambda ruling: _box_is_named(_card_is_named(ruling)),
    table_events.Limits: _limits_leave_room,
    table_events.FloatCounted: _sum_agrees,
    table_events.Fill: _sum_agrees,
    table_events.Credit: _sum_agrees,
}
"""What is checked of a line once its fields are. Each raises an error for pydantic to report."""

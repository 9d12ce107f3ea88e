"""How each observation stands in a line: a form made from its type in the domain, which says its fields.

`parse` reads lines with these forms (`codec`); `wire` joins them for OpenAPI and the pages' types.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import AfterValidator
from typing_extensions import TypedDict

from controller.domain import observations as domain
from controller.domain import table_events
from controller.feed.observation_fields import exact, field_of
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


NAMES: Final[Mapping[type[domain.Observation], str]] = {
    domain.ShoeLoaded: "shoe",
    domain.Bet: "bet",
    domain.Close: "close",
    domain.CardSeen: "card",
    domain.Decision: "decision",
    domain.Insurance: "insurance",
    domain.EvenMoney: "even_money",
    domain.InsuranceClosed: "insurance_closed",
    domain.Peek: "peek",
    domain.Reveal: "reveal",
    domain.CutCard: "cut_card",
    domain.Correct: "correct",
    domain.Strike: "strike",
    domain.Move: "move",
    domain.Void: "void",
    domain.AmendStake: "amend",
    domain.AmendDecision: "amend",
    domain.AmendInsurance: "amend",
    domain.AmendEvenMoney: "amend",
    domain.AmendPeek: "amend",
    domain.AmendReveal: "amend",
    domain.AmendClose: "amend",
    domain.Swap: "swap",
    domain.Paid: "paid",
    domain.ChipReading: "chip_reading",
    domain.Exposed: "exposed",
    domain.Leave: "leave",
    table_events.ShoeShuffled: "shuffle",
    table_events.ShoeEnded: "shoe_end",
    table_events.RestCounting: "rest_count",
    table_events.RestCard: "rest_card",
    table_events.ShoeVoided: "shoe_void",
    table_events.Limits: "limits",
    table_events.TableDay: "table",
    table_events.DealerSeated: "dealer",
    table_events.FloatCounted: "count",
    table_events.Fill: "fill",
    table_events.Credit: "credit",
    table_events.SlipVoided: "slip_void",
    table_events.Drop: "drop",
    table_events.HoldsLifted: "resume",
    table_events.Note: "note",
    table_events.Freeze: "freeze",
    table_events.Message: "message",
    table_events.Rated: "rating",
    domain.DeviceSeen: "device",
    domain.Chips: "chips",
    domain.Bank: "bank",
    domain.End: "end",
}
"""How a feed calls each observation."""

WHATS: Final[Mapping[type[domain.Observation], str]] = {
    domain.AmendStake: "stake",
    domain.AmendDecision: "decision",
    domain.AmendInsurance: "insurance",
    domain.AmendEvenMoney: "even_money",
    domain.AmendPeek: "peek",
    domain.AmendReveal: "reveal",
    domain.AmendClose: "close",
}
"""What each amendment puts right, as `what` says it."""

KEYS: Final[Mapping[str, str]] = {"struck_as": "as", "from_hand": "from", "with_hand": "with"}
"""Fields that a feed calls otherwise, since Python keeps those words for itself."""

WRITTEN_UNSET: Final = frozenset(
    (
        (domain.CardSeen, "rank"),
        (domain.AmendDecision, "action"),
        (domain.Correct, "rank"),
        (domain.ChipReading, "amount"),
        (table_events.RestCard, "rank"),
    )
)
"""Fields that are written even where they are not set: null says something there."""

_SIGNED: Final = ("by", "reason", "round", "second")
"""Who has ruled and why stands last in a ruling."""


@cache
def form_of(kind: type[Any]) -> Any:
    """The form of an observation, as pydantic reads it: a typed dictionary with the domain's fields."""
    tag = {"obs": NAMES[kind], **({"what": WHATS[kind]} if kind in WHATS else {})}
    fields = {key: Literal[word] for key, word in tag.items()}
    fields |= {KEYS.get(name, name): _field(kind, name, hint) for name, hint in _in_order(kind)}
    title = "".join(word.title() for word in "_".join(tag.values()).split("_"))
    made: Any = TypedDict  # its functional form, with fields that only running it knows
    form = exact(made(f"{title}Observation", fields))
    form.__doc__ = kind.__doc__
    return Annotated[form, AfterValidator(CHECKS[kind])] if kind in CHECKS else form


def _in_order(kind: type[domain.Observation]) -> Iterator[tuple[str, Any]]:
    """Fields with their types, in the order in which a line is checked."""
    hints = get_type_hints(kind)
    last = _SIGNED if "reason" in hints else ()
    for name in (*(one for one in hints if one not in last), *(one for one in last if one in hints)):
        yield name, hints[name]


def _field(kind: type[domain.Observation], name: str, hint: Any) -> Any:
    """What may stand in a field; it may be left out where it has a default, or where None says nothing."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    known = [part for part in parts if part is not NoneType]
    checked = field_of(name, reduce(or_, known))
    said = NoneType not in parts or ((kind, name) in WRITTEN_UNSET and kind is not domain.CardSeen)
    if not said or name in kind._field_defaults or name == "by":
        return NotRequired[checked | None]
    return checked | None if NoneType in parts else checked

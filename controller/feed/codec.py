"""Observations as JSON objects and back, every field checked (feed format, section 2)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from controller.domain import observations as domain
from controller.domain import table_events
from controller.domain.errors import ConfigError
from controller.feed.finishing import Finish, finish_of
from controller.feed.observation_models import AnyObservation
from controller.validation import VALUE_LENGTH_MAX, FieldProblem, first_problem

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
    table_events.Drop: "drop",
    table_events.HoldsLifted: "resume",
    table_events.Note: "note",
    table_events.Freeze: "freeze",
    table_events.Message: "message",
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


class _Form(NamedTuple):
    """How one line is read: its own validator, how the observation is made of its values, its keys in order.

    `finish` turns round what the form says in another way than the domain, None where it says the same.
    """

    adapter: TypeAdapter[dict[str, Any]]
    validate: Callable[..., dict[str, Any]]
    make: Callable[[Iterator[Any]], Any]
    keys: tuple[str, ...]
    finish: Finish | None


_Tag = tuple[str, str]
"""`obs`, and `what` where it tells forms of the same `obs` apart."""


def _members(union: Any) -> Iterator[Any]:
    """The forms of a union, those of a union inside it among them."""
    for member in get_args(get_args(union)[0]):
        if isinstance(member, TypeAliasType):
            yield from _members(member.__value__)
        else:
            yield member


class _Forms(dict[_Tag, _Form]):
    """The forms by what a line names them; one is built when it is first asked for.

    A short feed has few of them, and to build all takes longer than to play it.
    """

    def __init__(self) -> None:
        """Take the union apart: a feed's line names its form, and its errors then name nothing but fields."""
        super().__init__()
        self._kinds: Final = {(name, WHATS.get(kind, "")): kind for kind, name in NAMES.items()}
        self._members: Final = {_tag_of_member(one): one for one in _members(AnyObservation.__value__)}

    def __missing__(self, tag: _Tag) -> _Form:
        kind = self._kinds[tag]
        adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(self._members[tag])
        keys = tuple(KEYS.get(field, field) for field in kind._fields)
        form = _Form(adapter, adapter.validator.validate_python, kind._make, keys, finish_of(kind))
        return self.setdefault(tag, form)


def _tag_of_member(member: Any) -> _Tag:
    told = (get_args(member)[0] if get_args(member) else member).__annotations__
    return _tag(told["obs"]), _tag(told["what"]) if "what" in told else ""


def _tag(literal: Any) -> str:
    (word,) = get_args(literal)
    return str(word)


_FORMS: Final = _Forms()
_NAMED: Final = frozenset(NAMES.values())
_SEVERAL: Final = frozenset(NAMES[kind] for kind in WHATS)
"""Names that `what` tells apart."""


def parse(line: Mapping[str, Any]) -> domain.Observation:
    """The observation of one feed object; fields that are not known are ignored.

    Raises ConfigError FEED_OBS_MISSING, FEED_OBS_UNKNOWN, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    form = _FORMS[_tag_of(line)]
    try:
        return _built(form, form.validate(line, extra="ignore"))
    except ValidationError as error:
        problem = first_problem(error.errors()[0], line, form.adapter.json_schema())
        raise field_error(problem) from error


def _tag_of(line: Mapping[str, Any]) -> _Tag:
    """The form that a line names. Raises ConfigError."""
    name = line.get("obs")
    if name is None:
        raise ConfigError("FEED_OBS_MISSING")
    if type(name) is not str or name not in _NAMED:
        raise ConfigError("FEED_OBS_UNKNOWN", obs=str(name)[:VALUE_LENGTH_MAX])
    if name not in _SEVERAL:
        return name, ""
    what = line.get("what")
    if type(what) is str and what in WHATS.values():
        return name, what
    wanted = " | ".join(WHATS.values())
    kind: Literal["missing", "bad"] = "missing" if what is None else "bad"
    raise field_error(FieldProblem(kind, "what", str(what)[:VALUE_LENGTH_MAX], wanted))


def from_wire(told: AnyObservation) -> domain.Observation:
    """The observation that a checked object of the wire tells."""
    return _built(_FORMS[_tag_of(told)], told)


def field_error(problem: FieldProblem) -> ConfigError:
    """Say which field is wrong, for `error.<code>`."""
    if problem.kind == "missing":
        return ConfigError("FEED_FIELD_MISSING", field=problem.field, wanted=problem.wanted)
    return ConfigError("FEED_FIELD_BAD", field=problem.field, value=problem.value, wanted=problem.wanted)


def to_json(obs: domain.Observation) -> dict[str, Any]:
    """The feed object of an observation, without fields that are not set; `parse` gives it back."""
    out: dict[str, Any] = {"obs": NAMES[type(obs)]}
    if type(obs) in WHATS:
        out["what"] = WHATS[type(obs)]
    for field, value in obs._asdict().items():
        if value is not None or (type(obs), field) in _TOLD_UNSET:
            out[KEYS.get(field, field)] = _as_json(field, value)
    return out


_TOLD_UNSET: Final = frozenset(
    (
        (domain.CardSeen, "rank"),
        (domain.AmendDecision, "action"),
        (domain.Correct, "rank"),
        (domain.ChipReading, "amount"),
        (table_events.RestCard, "rank"),
    )
)
"""Fields that are written even where they are not set: null says something there."""


def _as_json(field: str, value: Any) -> Any:
    """A field's value as JSON has it."""
    match field, value:
        case (("seats" | "codes"), tuple()):
            return list(value)
        case (("stakes" | "chips"), tuple()):
            return {str(key): amount for key, amount in value}
        case "cards", tuple():
            return [str(card) for card in value]
        case (("from_hand" | "with_hand"), domain.HandName()):
            return value._asdict()
    return value


def _built(form: _Form, values: Mapping[str, Any]) -> domain.Observation:
    """Make the observation; a field that is not there is None."""
    built: domain.Observation = form.make(map(values.get, form.keys))
    return built if form.finish is None else form.finish(built, values)

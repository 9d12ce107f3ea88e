"""Observations as JSON objects and back, every field checked (feed format, section 2)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

from pydantic import TypeAdapter, ValidationError

from controller.domain import observations as domain
from controller.domain.errors import ConfigError
from controller.feed.observation_models import AnyObservation
from controller.validation import FieldProblem, first_problem

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
    domain.Paid: "paid",
    domain.DeviceSeen: "device",
    domain.Chips: "chips",
    domain.Bank: "bank",
    domain.End: "end",
}
"""How a feed calls each observation."""


class _Form(NamedTuple):
    """How one `obs` is read: its own validator, the observation that comes out, and its fields in order."""

    adapter: TypeAdapter[dict[str, Any]]
    kind: Callable[..., domain.Observation]
    fields: tuple[str, ...]


def _forms() -> dict[str, _Form]:
    """Take the union apart: a feed's line names its form, and its errors then name nothing but fields."""
    kinds = {name: kind for kind, name in NAMES.items()}
    forms = {}
    for member in get_args(get_args(AnyObservation.__value__)[0]):
        model = get_args(member)[0] if get_args(member) else member
        (name,) = get_args(model.__annotations__["obs"])
        forms[name] = _Form(TypeAdapter(member), kinds[name], kinds[name]._fields)
    return forms


_FORMS: Final[Mapping[str, _Form]] = _forms()


def parse(line: Mapping[str, Any]) -> domain.Observation:
    """The observation of one feed object; fields that are not known are ignored.

    Raises ConfigError FEED_OBS_MISSING, FEED_OBS_UNKNOWN, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    name = line.get("obs")
    if name is None:
        raise ConfigError("FEED_OBS_MISSING")
    form = _FORMS.get(name) if type(name) is str else None
    if form is None:
        raise ConfigError("FEED_OBS_UNKNOWN", obs=str(name))
    try:
        return _built(form, form.adapter.validator.validate_python(line, extra="ignore"))
    except ValidationError as error:
        problem = first_problem(error.errors()[0], line, form.adapter.json_schema())
        raise field_error(problem) from error


def from_wire(told: AnyObservation) -> domain.Observation:
    """The observation that a checked object of the wire tells."""
    return _built(_FORMS[told["obs"]], told)


def field_error(problem: FieldProblem) -> ConfigError:
    """Say which field is wrong, for `error.<code>`."""
    if problem.kind == "missing":
        return ConfigError("FEED_FIELD_MISSING", field=problem.field, wanted=problem.wanted)
    return ConfigError("FEED_FIELD_BAD", field=problem.field, value=problem.value, wanted=problem.wanted)


def to_json(obs: domain.Observation) -> dict[str, Any]:
    """The feed object of an observation, without fields that are not set; `parse` gives it back."""
    out: dict[str, Any] = {"obs": NAMES[type(obs)]}
    for field, value in obs._asdict().items():
        if value is None and not (field == "rank" and isinstance(obs, domain.CardSeen)):
            continue
        if field == "seats":
            out[field] = list(value)
        elif field == "stakes":
            out[field] = {str(seat): amount for seat, amount in value}
        else:
            out[field] = value
    return out


def _built(form: _Form, values: Mapping[str, Any]) -> domain.Observation:
    """Make the observation; where a form says the same in another way than the domain, turn it round."""
    get = values.get
    built = form.kind(*[get(field) for field in form.fields])
    match built:
        case domain.CardSeen(to=None, box=int()):
            return built._replace(to="box")
        case domain.Decision(seats=seats, stakes=stakes) if seats is not None or stakes is not None:
            return built._replace(seats=_seats(get("seats")), stakes=_stakes(get("stakes")))
        case domain.Strike(burn=None):
            return built._replace(burn=False)
    return built


def _seats(listed: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if listed is None else tuple(listed)


def _stakes(named: Mapping[str, int] | None) -> tuple[tuple[int, int], ...] | None:
    return None if named is None else tuple(sorted((int(seat), amount) for seat, amount in named.items()))

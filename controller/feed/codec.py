"""Observations as JSON objects and back, every field checked (feed format, section 2)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from controller.acts.catalogue import ACTS, Observation, declared
from controller.acts.rulings import HandName
from controller.domain.errors import ConfigError
from controller.feed.finishing import Finish, finish_of
from controller.feed.observation_forms import form_of
from controller.validation import VALUE_LENGTH_MAX, FieldProblem, first_problem


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


class _Forms(dict[_Tag, _Form]):
    """The forms by what a line names them; one is built when it is first asked for.

    A short feed has few of them, and to build all takes longer than to play it.
    """

    def __init__(self) -> None:
        """Begin without forms: a line names the one that it needs, and its errors name nothing but fields."""
        super().__init__()
        self._kinds: Final[Mapping[_Tag, type[Any]]] = {
            (said.name, said.what): kind for kind, said in ACTS.items()
        }

    def __missing__(self, tag: _Tag) -> _Form:
        kind: Any = self._kinds[tag]
        adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(form_of(kind))
        keys = tuple(ACTS[kind].renamed.get(field, field) for field in kind._fields)
        form = _Form(adapter, adapter.validator.validate_python, kind._make, keys, finish_of(kind))
        return self.setdefault(tag, form)


_FORMS: Final = _Forms()
_NAMED: Final = frozenset(said.name for said in ACTS.values())
_SEVERAL: Final = frozenset(said.name for said in ACTS.values() if said.what)
_WHATS: Final = tuple(said.what for said in ACTS.values() if said.what)
"""Names that `what` tells apart."""


def parse(line: Mapping[str, Any]) -> Observation:
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
    if type(what) is str and what in _WHATS:
        return name, what
    wanted = " | ".join(_WHATS)
    kind: Literal["missing", "bad"] = "missing" if what is None else "bad"
    raise field_error(FieldProblem(kind, "what", str(what)[:VALUE_LENGTH_MAX], wanted))


def from_wire(fields: Mapping[str, Any]) -> Observation:
    """The observation that a checked object of the wire tells."""
    return _built(_FORMS[_tag_of(fields)], fields)


def field_error(problem: FieldProblem) -> ConfigError:
    """Say which field is wrong, for `error.<code>`."""
    if problem.kind == "missing":
        return ConfigError("FEED_FIELD_MISSING", field=problem.field, wanted=problem.wanted)
    return ConfigError("FEED_FIELD_BAD", field=problem.field, value=problem.value, wanted=problem.wanted)


def to_json(obs: Observation) -> dict[str, Any]:
    """The feed object of an observation, without fields that are not set; `parse` gives it back."""
    said = declared(obs)
    out: dict[str, Any] = {"obs": said.name}
    if said.what:
        out["what"] = said.what
    for field, value in obs._asdict().items():
        if value is not None or field == said.written_unset:
            out[said.renamed.get(field, field)] = _as_json(field, value)
    return out


def _as_json(field: str, value: Any) -> Any:
    """A field's value as JSON has it."""
    match field, value:
        case (("seats" | "codes"), tuple()):
            return list(value)
        case (("stakes" | "chips"), tuple()):
            return {str(key): amount for key, amount in value}
        case "cards", tuple():
            return [str(card) for card in value]
        case (("from_hand" | "with_hand"), HandName()):
            return value._asdict()
    return value


def _built(form: _Form, values: Mapping[str, Any]) -> Observation:
    """Make the observation; a field that is not there is None."""
    built: Observation = form.make(map(values.get, form.keys))
    return built if form.finish is None else form.finish(built)

"""Lines of the feed as observations, and back.

Each observation has a form made from its type in the domain: the permitted values of each field, and the
words that answer a wrong value. A number is no text here, and `true` is no number. `parse` reads lines with
these forms; `wire` joins them for OpenAPI and the pages' types.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from operator import or_
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from controller.acts.catalogue import ACTS, CardSeen, Observation, declared
from controller.acts.declaring import Line, Problem
from controller.acts.rulings import HandName
from controller.domain import RANKS, SUITS, ConfigError, card_named
from controller.validation import VALUE_LENGTH_MAX, FieldProblem, first_problem, missing, wrong

_AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that may be entered; above it a digit was typed twice."""

Amount = Annotated[int, Field(ge=0, le=_AMOUNT_LIMIT, description="an amount in minor units")]
BoxNumber = Annotated[int, Field(ge=1, le=99, description="a box number from 1")]
SeatNumber = Annotated[int, Field(ge=0, le=99, description="a seat number from 0")]
HandNumber = Annotated[int, Field(ge=1, le=99, description="a hand number from 1")]
CardNumber = Annotated[int, Field(ge=1, le=10_000, description="a card number from 1")]
RoundNumber = Annotated[int, Field(ge=1, le=10**9, description="a round number from 1")]
Text = Annotated[str, Field(min_length=1, max_length=200, description="a text of at most 200 characters")]

exact = with_config(ConfigDict(strict=True, extra="forbid"))
"""A field that is not known is an error, unless a feed is read."""


@exact
class HandPlace(TypedDict):
    """A hand of a box, as a line names it."""

    box: BoxNumber
    hand: HandNumber


_INTEGERS: Final[dict[str, Any]] = {
    "box": BoxNumber,
    "seat": SeatNumber,
    "hand": HandNumber,
    "card": CardNumber,
    "cards": CardNumber,
    "round": RoundNumber,
    "decks": Annotated[int, Field(ge=1, le=60, description="1 to 60 packs")],
    "nth": Annotated[int, Field(ge=1, le=10_000, description="a number from 1")],
    **dict.fromkeys(("stake", "stake_min", "stake_max", "stake_step", "amount", "chips"), Amount),
}
"""What an integer may be, by the name of its field."""


def is_amount(name: str) -> bool:
    """Whether an integer in a field of this name is money in minor units."""
    return _INTEGERS.get(name) is Amount


_TEXTS: Final[dict[str, Any]] = {
    "guest": Annotated[
        str, Field(pattern=r"^[A-Z2-7]{8}$", description="a pseudonym, 8 letters A to Z and digits 2 to 7")
    ],
    "text": Annotated[str, Field(min_length=1, max_length=500, description="a text of 1 to 500 characters")],
}
"""Texts that may be longer than others."""

_SeatKey = Annotated[str, Field(pattern=r"^[0-9]{1,2}$")]
_ValueKey = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,11}$")]
_CardName = Annotated[str, Field(pattern=r"^(A|[2-9]|10|J|Q|K)[cdhs]$")]
_MANY: Final[dict[str, Any]] = {
    "seats": Annotated[list[SeatNumber], Field(description="a list of seat numbers")],
    "stakes": Annotated[dict[_SeatKey, Amount], Field(description="an object seat: amount")],
    "chips": Annotated[
        dict[_ValueKey, Annotated[int, Field(ge=0, le=1_000_000)]],
        Field(description="an object value: pieces"),
    ],
    "cards": Annotated[list[_CardName], Field(description='a list of cards such as "Ah"')],
    "codes": Annotated[list[Text], Field(description="a list of codes of holds")],
}
"""What the domain keeps as a tuple, by the name of its field."""

_WORDS: Final = {"rank": "a rank " + " ".join(RANKS), "suit": "a suit " + " ".join(SUITS)}
"""Choices that are described otherwise than by themselves."""

_OTHERS: Final[dict[Any, Any]] = {
    bool: Annotated[bool, Field(description="true or false")],
    float: Annotated[
        Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)],
        Field(description="a probability 0..1"),
    ],
    HandName: Annotated[HandPlace, Field(description="an object box, hand")],
    Literal["dealer"] | int: Annotated[
        Literal["dealer"] | BoxNumber, Field(description="dealer or a box number from 1")
    ],
}


def field_of(name: str, kind: Any) -> Any:
    """Return the permitted values of a field of this name and domain type (without None)."""
    if get_origin(kind) is Literal:
        return Annotated[kind, Field(description=_WORDS.get(name, " | ".join(get_args(kind))))]
    if get_origin(kind) is tuple:
        return _MANY[name]
    if kind is int:
        return _INTEGERS[name]
    return _TEXTS.get(name, Text) if kind is str else _OTHERS[kind]


_SIGNED: Final = ("by", "reason", "round", "second")
"""Who has ruled and why stands last in a ruling."""


@cache
def form_of(kind: type[Any]) -> Any:
    """The form of an observation, as pydantic reads it: a typed dictionary with the domain's fields."""
    about = ACTS[kind]
    tag = {"obs": about.name} | ({"what": about.what} if about.what else {})
    fields = {key: Literal[word] for key, word in tag.items()}
    fields |= {about.renamed.get(name, name): _field(kind, name, hint) for name, hint in _in_order(kind)}
    title = "".join(word.title() for word in "_".join(tag.values()).split("_"))
    made: Any = TypedDict  # its functional form, with fields that only running it knows
    form = exact(made(f"{title}Observation", fields))
    form.__doc__ = kind.__doc__
    return form if about.check is None else Annotated[form, AfterValidator(partial(_checked, about.check))]


def _checked(check: Callable[[Line], Problem | None], line: dict[str, Any]) -> dict[str, Any]:
    """Return the line. Raises its fault in a form that pydantic reports."""
    problem = check(line)
    if problem is not None:
        raise {"missing": missing, "wrong": wrong}[problem[0]](problem[1])
    return line


def _in_order(kind: type[Observation]) -> Iterator[tuple[str, Any]]:
    """Fields with their types, in the order in which a line is checked."""
    hints = get_type_hints(kind)
    last = _SIGNED if "reason" in hints else ()
    for name in (*(one for one in hints if one not in last), *(one for one in last if one in hints)):
        yield name, hints[name]


def _field(kind: type[Observation], name: str, hint: Any) -> Any:
    """Return the permitted values of a field; optional with a default, or when None has no meaning."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    known = [part for part in parts if part is not NoneType]
    checked = field_of(name, reduce(or_, known))
    found = NoneType not in parts or (ACTS[kind].written_unset == name and kind is not CardSeen)
    if not found or name in kind._field_defaults or name == "by":
        return NotRequired[checked | None]
    return checked | None if NoneType in parts else checked


Finish = Callable[[Any], Observation]
"""Takes the observation with the values of the line."""

_RULED_BY: Final = "pit:replay"
"""Who has ruled where a line does not say it."""


def _finish_of(kind: type[Any]) -> Finish | None:
    """Return the function that completes an observation of this kind; None when the line equals its shape."""
    turned = {field: turn for field, turn in _TURNS.items() if field in kind._fields}
    signed, own = "reason" in kind._fields, ACTS[kind].finish
    if not (turned or signed or own):
        return None

    def finish(built: Any) -> Observation:
        changed = {field: turn(getattr(built, field)) for field, turn in turned.items()}
        if signed and built.by is None:
            changed["by"] = _RULED_BY
        finished: Observation = built._replace(**changed) if changed else built
        return own(finished) if own else finished

    return finish


def _hand(named: Mapping[str, int]) -> HandName:
    return HandName(named["box"], named["hand"])


def _listed(entered: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if entered is None else tuple(entered)


def _pairs(named: Any) -> Any:
    """Return amounts or pieces by their key, ascending; a player's own chips are one amount."""
    if not isinstance(named, dict):
        return named
    return tuple(sorted((int(key), amount) for key, amount in named.items()))


def _cards(named: Any) -> Any:
    """The cards of a shoe's rest; of a fresh shoe it is their number, of a shuffle a word."""
    if not isinstance(named, list):
        return named
    return tuple(card_named(name[:-1], name[-1]) for name in named)


_TURNS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "seats": _listed,
    "codes": _listed,
    "stakes": _pairs,
    "chips": _pairs,
    "cards": _cards,
    "from_hand": _hand,
    "with_hand": _hand,
}
"""How a field that JSON has no type for is turned into the shape's, by the name of the field."""


class _Form(NamedTuple):
    """The reader of one line: its validator, the constructor of the observation, its keys in order.

    `finish` converts the fields that the form writes otherwise than the domain, None without any.
    """

    adapter: TypeAdapter[dict[str, Any]]
    validate: Callable[..., dict[str, Any]]
    make: Callable[[Iterator[Any]], Any]
    keys: tuple[str, ...]
    finish: Finish | None


_Tag = tuple[str, str]
"""`obs`, and `what` where it tells forms of the same `obs` apart."""


class _Forms(dict[_Tag, _Form]):
    """The forms by a line's name; each is built at its first use.

    A short feed uses few of them, and building all takes longer than playing it.
    """

    def __init__(self) -> None:
        """Begin without forms."""
        super().__init__()
        self._kinds: Final[Mapping[_Tag, type[Any]]] = {
            (said.name, said.what): kind for kind, said in ACTS.items()
        }

    def __missing__(self, tag: _Tag) -> _Form:
        kind: Any = self._kinds[tag]
        adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(form_of(kind))
        keys = tuple(ACTS[kind].renamed.get(field, field) for field in kind._fields)
        form = _Form(adapter, adapter.validator.validate_python, kind._make, keys, _finish_of(kind))
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
        raise _field_error(problem) from error


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
    raise _field_error(FieldProblem(kind, "what", str(what)[:VALUE_LENGTH_MAX], wanted))


def from_wire(fields: Mapping[str, Any]) -> Observation:
    """The observation that a checked object of the wire tells."""
    return _built(_FORMS[_tag_of(fields)], fields)


def _field_error(problem: FieldProblem) -> ConfigError:
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
        case _:
            return value


def _built(form: _Form, values: Mapping[str, Any]) -> Observation:
    """Make the observation; a field that is not there is None."""
    built: Observation = form.make(map(values.get, form.keys))
    return built if form.finish is None else form.finish(built)

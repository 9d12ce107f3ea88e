"""How each observation stands in a line: a form made from its type in the domain, which says its fields.

`parse` reads lines with these forms (`codec`); `wire` joins them for OpenAPI and the pages' types.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import AfterValidator
from typing_extensions import TypedDict

from controller.acts.catalogue import ACTS, CardSeen, Observation
from controller.acts.declaring import Line, Problem
from controller.feed.observation_fields import exact, field_of
from controller.validation import missing, wrong

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
    """The line. Raises for pydantic to report what is the matter with it."""
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
    """What may stand in a field; it may be left out where it has a default, or where None says nothing."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    known = [part for part in parts if part is not NoneType]
    checked = field_of(name, reduce(or_, known))
    found = NoneType not in parts or (ACTS[kind].written_unset == name and kind is not CardSeen)
    if not found or name in kind._field_defaults or name == "by":
        return NotRequired[checked | None]
    return checked | None if NoneType in parts else checked

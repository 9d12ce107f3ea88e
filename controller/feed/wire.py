"""Any observation as a body of the wire, told apart by `obs`: for OpenAPI and the types of the pages."""

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import TypeAliasType

from controller.acts.catalogue import ACTS
from controller.feed.codec import form_of


def _any_of(name: str, members: Iterable[Any], tag: str) -> Any:
    return TypeAliasType(name, Annotated[reduce(or_, members), Field(discriminator=tag)])


if TYPE_CHECKING:
    AnyObservation = dict[str, Any]
else:
    _SEVERAL = tuple(kind for kind, said in ACTS.items() if said.what)
    _AMENDMENT = _any_of("AnyAmendObservation", map(form_of, _SEVERAL), "what")
    AnyObservation = _any_of(
        "AnyObservation", (_AMENDMENT if kind in _SEVERAL else form_of(kind) for kind in ACTS), "obs"
    )
"""A checked observation; which fields it has, its form says."""

"""A view as JSON text, written once for all screens: whole, or what is new since the last message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from controller.screens.shapes.view import BoxView, TableView

BOXES: Final = "boxes"
"""The field whose rows are sent field by field: they are most of a view, and little of a row changes."""


class Member(NamedTuple):
    """`"name":value` as JSON text, and the first version of the view in which it stood like this."""

    text: str
    version: int


Members = Mapping[str, Member]
"""The members of an object by name."""


@dataclass(frozen=True)
class RenderedView:
    """A view as it goes out: `version` counts the views of this process from 1 on.

    `fields` are those of the view but its boxes; `boxes` are the fields of each box, by its number.
    """

    version: int
    seq: int
    view: TableView
    fields: Members
    boxes: Mapping[int, Members]
    _changes: dict[int, str] = field(default_factory=dict, compare=False)

    @cached_property
    def body(self) -> str:
        """The whole view."""
        rows = ",".join(f"{{{_newer(row, 0)}}}" for row in self.boxes.values())
        return f'{{{_newer(self.fields, 0)},"{BOXES}":[{rows}]}}'

    def changes(self, version: int) -> str:
        """Give what is not as it was in view `version`: two more members of a `ChangesMessage`."""
        if version not in self._changes:
            changed = [(box, _newer(row, version)) for box, row in self.boxes.items()]
            rows = ",".join(f'"{box}":{{{members}}}' for box, members in changed if members)
            fields = _newer(self.fields, version)
            self._changes[version] = f'"fields":{{{fields}}},"{BOXES}":{{{rows}}}'
        return self._changes[version]


def render(view: TableView, before: RenderedView | None) -> RenderedView:
    """Write a view down; what reads as in the view `before` keeps its version."""
    version = 1 if before is None else before.version + 1
    rows = {} if before is None else before.boxes
    return RenderedView(
        version,
        view.seq,
        view,
        _members(view, {} if before is None else before.fields, version),
        {row.box: _members(row, rows.get(row.box, {}), version) for row in view.boxes},
    )


def _members(shown: TableView | BoxView, before: Members, version: int) -> Members:
    written = {}
    for name in type(shown).model_fields:
        if name == BOXES:
            continue
        # In ASCII: each screen's socket encodes the text anew, and one letter outside of it makes that 27 µs
        # instead of 1 for 20 kB.
        text = shown.model_dump_json(include={name}, ensure_ascii=True)[1:-1]
        known = before.get(name)
        written[name] = known if known is not None and known.text == text else Member(text, version)
    return written


def _newer(members: Members, version: int) -> str:
    return ",".join(member.text for member in members.values() if member.version > version)

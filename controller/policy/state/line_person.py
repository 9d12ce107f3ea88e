"""The person behind a line: a person in a role, or a device."""

from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

TableRole = Literal["dealer", "pit", "shoe", "camera", "chips", "system"]

StaffRole = Literal["dealer", "supervisor", "pit_manager", "surveillance", "tester", "administrator"]
"""What a person is employed as. A line of the feed knows dealer and pit alone."""

PIT_STAFF: Final[frozenset[StaffRole]] = frozenset(("supervisor", "pit_manager"))
"""Whoever is the pit on a line."""

WANTED: Final = "dealer, dealer:ID, pit, pit:ID, shoe, camera:NAME, chips:NAME or system"
DEVICES: Final[frozenset[TableRole]] = frozenset(("shoe", "camera", "chips"))
PIT_ROLES: Final[frozenset[TableRole]] = frozenset(("pit", "system"))
REPLAY: Final = "replay"
"""The id of the people whom a feed does not name."""


class Person(NamedTuple):
    """A role and the id in it; devices and the system have theirs as well."""

    role: TableRole
    id: str = ""

    def __str__(self) -> str:
        return f"{self.role}:{self.id}" if self.id else self.role


SYSTEM: Final = Person("system")


@lru_cache(maxsize=1024)
def person_named(text: str) -> Person | None:
    """Return the person of a line's `by`; None when the text names no person."""
    role, _, name = text.partition(":")
    if role not in get_args(TableRole):
        return None
    if role in ("shoe", "system"):
        return Person(role) if not name else None  # type: ignore[arg-type]  # checked above
    if role in ("camera", "chips") and not name:
        return None
    return Person(role, name or REPLAY)  # type: ignore[arg-type]  # checked above

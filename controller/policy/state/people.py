"""Who stands behind a line: a person in a role, or a device."""

from typing import Final, Literal, NamedTuple, get_args

from controller.domain import observations as obs
from controller.domain import table_events as events

TableRole = Literal["dealer", "pit", "shoe", "camera", "chips", "system"]

StaffRole = Literal["dealer", "supervisor", "pit_manager", "surveillance", "tester", "administrator"]
"""What a person is employed as. A line of the feed knows dealer and pit alone."""

PIT_STAFF: Final[frozenset[StaffRole]] = frozenset(("supervisor", "pit_manager"))
"""Whoever is the pit on a line."""

WANTED: Final = "dealer, dealer:ID, pit, pit:ID, shoe, camera:NAME, chips:NAME or system"
DEVICES: Final[frozenset[TableRole]] = frozenset(("shoe", "camera", "chips"))
PIT_ROLES: Final[frozenset[TableRole]] = frozenset(("pit", "system"))
_REPLAY: Final = "replay"
"""The id of the people whom a feed does not name."""

PIT_LINES: Final = (
    *get_args(obs.Ruling),
    events.ShoeVoided,
    events.RestCard,
    events.Limits,
    events.FloatCounted,
    events.Fill,
    events.Credit,
    events.SlipVoided,
    events.HoldsLifted,
    events.Note,
    events.Freeze,
    events.Message,
)
"""Lines that come from the pit where they do not say from whom."""


class Person(NamedTuple):
    """A role and the id in it; devices and the system have theirs as well."""

    role: TableRole
    id: str = ""

    def __str__(self) -> str:
        return f"{self.role}:{self.id}" if self.id else self.role


SYSTEM: Final = Person("system")


def person_named(text: str) -> Person | None:
    """The person of a line's `by`, None where it is no such name."""
    role, _, name = text.partition(":")
    if role not in get_args(TableRole):
        return None
    if role in ("shoe", "system"):
        return Person(role) if not name else None  # type: ignore[arg-type]  # checked above
    if role in ("camera", "chips") and not name:
        return None
    return Person(role, name or _REPLAY)  # type: ignore[arg-type]  # checked above


def default_person(observation: obs.Observation) -> Person:
    """Who tells a line that does not say it."""
    if isinstance(observation, obs.CardSeen):
        return Person("shoe")
    if isinstance(observation, obs.DeviceSeen):
        return Person("system")
    if isinstance(observation, obs.ChipReading) or (
        isinstance(observation, obs.Paid) and observation.how == "measured"
    ):
        return Person("chips", _REPLAY)
    return Person("pit" if isinstance(observation, PIT_LINES) else "dealer", _REPLAY)

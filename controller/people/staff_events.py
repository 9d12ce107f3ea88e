"""What the journal notes of people: sign-ins, refusals, changes of their file. Never a PIN or a card."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from controller.people.register import ChangeKind, Register
from controller.policy.state.line_person import StaffRole

SignInWay = Literal["pin", "card", "one_act"]
"""How a person signed in: by PIN or card for a session, or by PIN for one act at another's screen."""


class SignedIn(NamedTuple):
    """A person signed in; `place` is the address of the screen."""

    person: str
    name: str
    role: StaffRole
    place: str
    way: SignInWay


class SignedOut(NamedTuple):
    """A person signed out of all screens of this table."""

    person: str
    role: StaffRole


class PinRefused(NamedTuple):
    """A wrong PIN or an unknown card: the `tries`-th in a row that counts for `person` at `counted_at`.

    `person` is "" for an id that nobody has and "card:" for a card; `counted_at` is "" for all screens where
    nobody has signed in yet.
    """

    person: str
    place: str
    counted_at: str
    tries: int
    wait_s: int


class Denied(NamedTuple):
    """Something was asked that this person may not ask; `times` equal requests so far, this one included."""

    code: str
    person: str
    place: str
    act: str
    times: int


class PeopleListed(NamedTuple):
    """Everybody as of change `number`, as a journal begins: id, name, role, and whether disabled."""

    number: int
    people: tuple[tuple[str, str, StaffRole, bool], ...]


class PeopleChanged(NamedTuple):
    """A change of the people's file; `by` is who made it, `changed_at_utc_us` when."""

    number: int
    change: ChangeKind
    person: str
    name: str
    role: StaffRole
    by: str
    changed_at_utc_us: int


StaffEvent = SignedIn | SignedOut | PinRefused | Denied | PeopleListed | PeopleChanged

KINDS: Final[dict[type, str]] = {
    SignedIn: "signed_in",
    SignedOut: "signed_out",
    PinRefused: "pin_refused",
    Denied: "denied",
    PeopleListed: "people",
    PeopleChanged: "people_changed",
}
"""The kind of journal entry that each event becomes; its fields are the body."""


def event_of(kind: str, body: Mapping[str, Any]) -> StaffEvent | None:
    """Read an event from the body of its entry; None for an entry of another kind."""
    for event, known in KINDS.items():
        if known == kind:
            return cast(StaffEvent, event(**body))
    return None


def changes_after(register: Register, noted: int) -> tuple[StaffEvent, ...]:
    """Give what a journal that knows the people up to change `noted` has to be told; 0: it knows nobody."""
    newest = register.changes[-1].number if register.changes else 0
    if noted == 0 and newest:
        people = tuple((one.id, one.name, one.role, one.disabled) for one in register.people.values())
        return (PeopleListed(newest, people),)
    return tuple(
        PeopleChanged(one.number, one.change, one.id, one.name, one.role, one.by, one.at_utc_us)
        for one in register.changes
        if one.number > noted
    )

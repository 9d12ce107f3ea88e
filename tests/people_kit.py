"""People for the tests: one of each role, with PINs, hashed at next to no cost; in memory and in a file."""

import secrets
from pathlib import Path
from typing import Final

from argon2 import PasswordHasher, Type

from controller.people.access import Access, AccessSettings, table_access
from controller.people.person import FixedBook, PeopleBook, PersonRecord, PinHasher
from controller.people.sign_in import NO_TRIES, Note, Session, TryRecord
from controller.people.store import PeopleFile, added, new_person
from controller.policy.line import StaffRole
from controller.ports import Clock, SystemClock

CHEAP: Final = PinHasher(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID))
"""The same algorithm; a test that measures nothing of the cost need not pay it."""

PEOPLE: Final[tuple[tuple[str, StaffRole], ...]] = (
    ("A-01", "administrator"),
    ("D-17", "dealer"),
    ("D-18", "dealer"),
    ("S-02", "supervisor"),
    ("S-03", "supervisor"),
    ("P-7", "pit_manager"),
    ("E-01", "surveillance"),
    ("T-01", "tester"),
)
PINS: Final = {person_id: "2702" if role == "dealer" else "270227" for person_id, role in PEOPLE}
DEALER: Final = "D-17"
CARD: Final = "0004711815"
"""The staff card of the first dealer."""

_SALT: Final = bytes(16)
_HASHES: Final = {pin: CHEAP.hash(pin) for pin in set(PINS.values())}
BOOK: Final = FixedBook(
    *(
        PersonRecord(
            id=person_id,
            name=f"Name of {person_id}",
            role=role,
            pin=_HASHES[PINS[person_id]],
            card=CHEAP.card(CARD, _SALT) if person_id == DEALER else "",
        )
        for person_id, role in PEOPLE
    ),
    card_salt=_SALT,
)


def access(
    note: Note,
    *,
    book: PeopleBook = BOOK,
    clock: Clock | None = None,
    tries: TryRecord = NO_TRIES,
    settings: AccessSettings | None = None,
    guest: Session | None = None,
) -> Access:
    """The way into a table of these people."""
    return table_access(
        book,
        note,
        clock or SystemClock(),
        lambda: secrets.token_urlsafe(16),
        tries=tries,
        settings=settings,
        hasher=CHEAP,
        guest=guest,
    )


def people_file(folder: Path) -> Path:
    """The same people in the file that `stand17 run` reads."""
    file = PeopleFile(folder / "people.json")
    for person_id, role in PEOPLE:
        card = CARD if person_id == DEALER else ""
        file.change(
            added(new_person(person_id, f"Name of {person_id}", role), PINS[person_id], card, CHEAP),
            "test",
            0,
        )
    return file.path

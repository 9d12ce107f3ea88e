"""The demo's people: marked as such, the same everywhere, and refused at a live table."""

from typing import Final

from controller.people.person import DEMO, FixedBook, PersonRecord, PinHasher
from controller.people.sign_in import Session
from controller.policy.line import StaffRole

PIN: Final = "270227"
"""Of all of them, printed on the page."""

_PEOPLE: Final[tuple[tuple[str, str, StaffRole], ...]] = (
    ("dealer", "Demo dealer", "dealer"),
    ("pit", "Demo supervisor", "supervisor"),
    ("manager", "Demo pit manager", "pit_manager"),
    ("eye", "Demo surveillance", "surveillance"),
    ("tester", "Demo tester", "tester"),
    ("admin", "Demo administrator", "administrator"),
)

DEMO_DEALER: Final = Session(f"{DEMO}dealer", "Demo dealer", "dealer")
"""Who acts at a page of the demo where nobody has signed in."""


def demo_book(hasher: PinHasher) -> FixedBook:
    """Return all people who may sign in at the demo."""
    pin = hasher.hash(PIN)
    return FixedBook(
        *(PersonRecord(id=f"{DEMO}{one}", name=name, role=role, pin=pin) for one, name, role in _PEOPLE)
    )

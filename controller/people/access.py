"""The people's side of one table: who may sign in, who is signed in, the denials; the demo's people."""

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.people.person import DEMO, FixedBook, PeopleBook, PersonRecord, PinHasher
from controller.people.sign_in import (
    NO_TRIES,
    Denied,
    Note,
    PinTries,
    Session,
    SessionLimits,
    Sessions,
    SignIn,
    TryRecord,
)
from controller.policy.line import StaffRole
from controller.ports import Clock

_NS: Final = 1_000_000_000

_KINDS_MAX: Final = 256
"""Different refusals that are told apart; whatever comes after them is one of `OTHERS`."""

OTHERS: Final = "OTHERS"

_NOTED: Final = frozenset(
    (
        "ACTOR_DIFFERS",
        "CARD_UNKNOWN",
        "COMMAND_REUSED",
        "NOT_ALLOWED",
        "PIN_LOCKED",
        "PIN_RESET_NEEDED",
        "SECOND_NEEDED",
        "SECOND_NOT_ALLOWED",
        "SECOND_OVER",
        "SECOND_SAME",
        "SIGN_IN_NEEDED",
    )
)
"""Codes of refusals that say something about who asked; a wrong PIN has an entry of its own."""


class DenialLog:
    """Counts refusals by what, who, where and which act; every tenfold of a count is noted once more."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[tuple[str, str, str, str], int] = {}

    def count(self, code: str, person: str, place: str, act: str) -> Denied | None:
        """Count a refusal; return its entry, None when the last one still says enough."""
        if code not in _NOTED:
            return None
        key = (code, person, place, act)
        if key not in self._counts and len(self._counts) >= _KINDS_MAX:
            key = (OTHERS, "", "", "")
        count = self._counts[key] = self._counts.get(key, 0) + 1
        return Denied(*key, count) if str(count).rstrip("0") == "1" else None


class AccessSettings(NamedTuple):
    """A house's settings. `card_prefix` is the first character that a card reader types; "": no reader.

    `demo_pin` is shown to everyone who opens the page; "" except in the demo.
    """

    limits: SessionLimits = SessionLimits()
    card_prefix: str = ""
    demo_pin: str = ""


class Access(NamedTuple):
    """The screens' access to people and sessions."""

    sign_in: SignIn
    sessions: Sessions
    denials: DenialLog
    note: Note
    settings: AccessSettings


def table_access(
    book: PeopleBook,
    note: Note,
    clock: Clock,
    token: Callable[[], str],
    *,
    tries: TryRecord = NO_TRIES,
    settings: AccessSettings | None = None,
    hasher: PinHasher | None = None,
    guest: Session | None = None,
) -> Access:
    """Assemble the parts. `note` records events, `tries` are the journal's.

    `guest` acts without a sign-in; only the demo has one.
    """
    known = settings or AccessSettings()
    sessions = Sessions(book, lambda: clock.mono_ns() / _NS, token, known.limits, guest)
    sign_in = SignIn(book, sessions, hasher or PinHasher(), PinTries(clock.utc_us, tries), note)
    return Access(sign_in, sessions, DenialLog(), note, known)


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

"""The people's side of one table, put together: who may come in, who is in, and what was denied."""

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.people.denials import DenialLog
from controller.people.hashes import PinHasher
from controller.people.register import PeopleBook
from controller.people.session import Session, SessionLimits, Sessions
from controller.people.sign_in import Note, SignIn
from controller.people.tries import NO_TRIES, PinTries, TryRecord
from controller.ports import Clock

NS: Final = 1_000_000_000


class AccessSettings(NamedTuple):
    """What a house decides. `card_prefix` is what a staff card's reader types first; "" is no reader.

    `demo_pin` is told to everybody who opens the page; "" but in the demo.
    """

    limits: SessionLimits = SessionLimits()
    card_prefix: str = ""
    demo_pin: str = ""


class Access(NamedTuple):
    """What the screens' server needs to know who somebody is."""

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
    """Put the parts together. `note` writes down what happens, `tries` is what the journal tells.

    `guest` is who acts where nobody has signed in; only the demo has one.
    """
    known = settings or AccessSettings()
    sessions = Sessions(book, lambda: clock.mono_ns() / NS, token, known.limits, guest)
    sign_in = SignIn(book, sessions, hasher or PinHasher(), PinTries(clock.utc_us, tries), note)
    return Access(sign_in, sessions, DenialLog(), note, known)

"""The people of a table: those of the configured file, or the demo's for a simulation."""

import asyncio
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from controller.config.sections import PeopleSection
from controller.domain import ConfigError
from controller.journal.head_file import is_signed_by, public_key
from controller.people.access import Access, AccessSettings, table_access
from controller.people.demo_people import DEMO_DEALER, PIN, demo_book
from controller.people.person import DEMO, PeopleBook, PinHasher
from controller.people.sign_in import Note, Session, SessionLimits
from controller.people.store import BroughtPeople, PeopleFile
from controller.ports import Clock, Report, ReportSink, Trouble
from controller.runtime.api import Mode
from controller.runtime.ledger import Ledger

NAME: Final = "people"
"""Names the list of people in its reports, beside the devices."""

TOKEN_BYTES: Final = 32
"""Of a session's token: nobody guesses 256 bits."""


class TablePeople(NamedTuple):
    """The people of a table, and the guest when nobody has signed in; `brought` is a list from elsewhere."""

    book: PeopleBook
    settings: AccessSettings
    guest: Session | None = None
    brought: BroughtPeople | None = None


def people_file(section: PeopleSection, journal: Path) -> PeopleFile:
    """Give the people's file of a table: in the journal's folder, as journals change each day."""
    return PeopleFile(section.file or journal.parent / "people.json")


def _brought(section: PeopleSection, journal: Path) -> BroughtPeople | None:
    """Return the list from elsewhere; None for a table with its own list."""
    if section.source is None:
        return None
    key = public_key(section.source_key)
    file = people_file(section, journal)
    return BroughtPeople(file, section.source, lambda message, sign: is_signed_by(key, message, sign))


def bring_first(people: TablePeople) -> None:
    """Take the newest list over before the table opens. Raises its fault when the table has no people.

    A table with an earlier list opens with that, and reports the fault later.
    """
    if people.brought is None:
        return
    try:
        people.brought.bring()
    except ConfigError:
        if not people.book.register().people:
            raise


async def follow_brought(
    people: BroughtPeople | None, post: ReportSink, clock: Clock, every_s: float
) -> None:
    """Take newer lists over until cancelled; why one is not taken is an alert, once until that changes."""
    reported = ""
    while people is not None:
        error = await asyncio.to_thread(_why_not, people)
        if error is not None and error.code != reported:
            trouble = Trouble(error.code, tuple(error.params.items()), hold=False)
            post(Report(NAME, clock.mono_ns(), (), (trouble,)))
        reported = "" if error is None else error.code
        await asyncio.sleep(every_s)
    await asyncio.Event().wait()


def _why_not(people: BroughtPeople) -> ConfigError | None:
    try:
        people.bring()
    except ConfigError as error:
        return error
    return None


def live_people(section: PeopleSection, journal: Path) -> TablePeople:
    """Give the people of a live table. Raises `JournalError` KEY_UNREADABLE for a source_key that is none."""
    limits = SessionLimits(
        section.dealer_idle_minutes * 60.0, float(section.idle_seconds), section.longest_hours * 3600.0
    )
    settings = AccessSettings(limits, section.card_prefix)
    return TablePeople(people_file(section, journal), settings, brought=_brought(section, journal))


def access_to(people: TablePeople, note: Note, clock: Clock, ledger: Ledger) -> Access:
    """Give the screens' server the people of a table; `ledger` knows which PINs were wrong before."""
    return table_access(
        people.book,
        note,
        clock,
        lambda: secrets.token_urlsafe(TOKEN_BYTES),
        tries=ledger.tries,
        settings=people.settings,
        guest=people.guest,
    )


def demo_people() -> TablePeople:
    """Give the people of the demo, who need no sign-in to deal."""
    settings = AccessSettings(SessionLimits(other_idle_s=3600.0), demo_pin=PIN)
    return TablePeople(demo_book(PinHasher()), settings, DEMO_DEALER)


def require_people(people: TablePeople, mode: Mode) -> None:
    """Raise `ConfigError` when a live table would open without people, or with those of the demo.

    PEOPLE_MISSING: nobody could sign in, or lift a hold; DEMO_PEOPLE: their PINs are public.
    """
    if mode != "live":
        return
    working = people.book.register().working
    if people.guest is not None or any(one.id.startswith(DEMO) for one in working):
        raise ConfigError("DEMO_PEOPLE")
    if not working:
        raise ConfigError("PEOPLE_MISSING")

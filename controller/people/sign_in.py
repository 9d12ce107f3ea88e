"""Signing in: id and PIN, or a staff card, in; a session out. The journal has it before anybody sees it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from controller.domain.errors import TableError
from controller.people.hashes import PinHasher, is_card
from controller.people.person import PIN_DIGITS_MIN, PersonRecord
from controller.people.register import PeopleBook
from controller.people.session import Session, Sessions, session_of_record
from controller.people.staff_events import PinRefused, SignedIn, SignedOut, SignInWay, StaffEvent
from controller.people.tries import FREE_TRIES, PinTries, TryCount, wait_s

NOBODY: Final = ""
"""Whom tries with an unknown id are counted for."""

CARD: Final = "card:"
"""Whom tries with a card are counted for, known or not; no id has a colon."""

AnswerT = TypeVar("AnswerT")

Note = Callable[[StaffEvent], Awaitable[None]]
"""Writes an event down; returns when it is on disk."""


class SignIn:
    """The way into one table. Used on its loop; only hashes are computed beside it."""

    def __init__(
        self, book: PeopleBook, sessions: Sessions, hasher: PinHasher, tries: PinTries, note: Note
    ) -> None:
        """Bring the people, their sessions and the journal together."""
        self._book = book
        self._sessions = sessions
        self._hasher = hasher
        self._tries = tries
        self._note = note
        # A hash takes 64 MB: a crowd of guesses waits its turn instead of taking the table's memory.
        self._turn = asyncio.Lock()

    async def by_pin(
        self, person_id: str, pin: str, place: str, *, may: Callable[[Session], bool] = lambda _: True
    ) -> tuple[str, Session]:
        """Sign in by id and PIN; `may` says whom the screen is for. The session's token, and whose it is.

        Raises PIN_LOCKED, PIN_WRONG (an unknown id, too) and PIN_RESET_NEEDED; NOT_ALLOWED for anybody else.
        """
        record = await self._known(person_id, pin, place)
        _require(record, may)
        return await self._open(record, place, "pin")

    async def by_card(self, card: str, place: str) -> tuple[str, Session]:
        """Sign a dealer in by a staff card; raises PIN_LOCKED, CARD_UNKNOWN, and PIN_NEEDED else."""
        count = self._tries.begin(CARD, place)
        register = self._book.register()
        hashed = (
            await self._hashed(lambda: self._hasher.card(card, register.card_salt)) if is_card(card) else ""
        )
        record = register.holder(hashed) if hashed else None
        if record is None:
            await self._refuse(count, place)
            raise TableError("CARD_UNKNOWN")
        self._tries.passed(CARD, place)
        if record.role != "dealer":
            raise TableError("PIN_NEEDED", id=record.id)
        return await self._open(record, place, "card")

    async def for_one_act(self, person_id: str, pin: str, place: str) -> tuple[str, Session]:
        """Let a person act once at somebody else's screen; NOT_ALLOWED for who rules on nothing."""
        record = await self._known(person_id, pin, place)
        _require(record, may_rule)
        await self._note(SignedIn(record.id, record.name, record.role, place, "one_act"))
        return self._sessions.grant(record, "act"), session_of_record(record)

    async def as_second(self, person_id: str, pin: str, place: str) -> tuple[str, Session]:
        """Let a person sign for another's act; raises as `by_pin`. The entry of that act names him."""
        record = await self._known(person_id, pin, place)
        return self._sessions.grant(record, "second"), session_of_record(record)

    def is_pin_old(self, person_id: str) -> bool:
        """Whether a person should have a new PIN."""
        return self._book.register().is_pin_old(person_id, self._tries.utc_us())

    async def out(self, session: Session) -> None:
        """End all sessions of a person at this table."""
        self._sessions.end_all(session.person_id)
        await self._note(SignedOut(session.person_id, session.role))

    async def _open(self, record: PersonRecord, place: str, way: SignInWay) -> tuple[str, Session]:
        await self._note(SignedIn(record.id, record.name, record.role, place, way))
        return self._sessions.open(record), session_of_record(record)

    async def _known(self, person_id: str, pin: str, place: str) -> PersonRecord:
        """Find who types this PIN. The try is counted before anything is looked at."""
        record = self._book.register().person(person_id)
        person = NOBODY if record is None else record.id
        count = self._tries.begin(person, place)
        hashed = "" if record is None else record.pin
        if not await self._hashed(lambda: self._hasher.matches(hashed, pin)) or record is None:
            await self._refuse(count, place)
            raise TableError("PIN_WRONG", left=max(FREE_TRIES - count.tries, 0))
        if len(pin) < PIN_DIGITS_MIN[record.role]:
            # Only from a configuration of old, where PINs of any length stood.
            raise TableError("PIN_RESET_NEEDED", least=PIN_DIGITS_MIN[record.role])
        self._tries.passed(person, place)
        return record

    async def _hashed(self, work: Callable[[], AnswerT]) -> AnswerT:
        async with self._turn:
            return await asyncio.to_thread(work)

    async def _refuse(self, count: TryCount, place: str) -> None:
        await self._note(PinRefused(count.person, place, count.place, count.tries, wait_s(count.tries)))


def may_rule(session: Session) -> bool:
    """Whether somebody rules at the table."""
    return session.may_rule


def _require(record: PersonRecord, may: Callable[[Session], bool]) -> None:
    """Raise NOT_ALLOWED, before anything is noted, for somebody whom the screen is not for."""
    if not may(session_of_record(record)):
        raise TableError("NOT_ALLOWED", role=record.role)

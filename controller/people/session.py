"""Sessions: who is signed in at which screen, how long, and what is good for one act only."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from controller.people.person import PersonRecord
from controller.people.register import PeopleBook
from controller.policy.state.line_person import PIT_STAFF, StaffRole

SESSIONS_MAX: Final = 200
"""Sessions at once, the oldest are ended first; a table has fewer than ten screens."""


Purpose = Literal["act", "second"]
"""What a PIN was given for: to act once, or to sign for another's act."""


GOOD_FOR_S: Final[dict[Purpose, float]] = {"act": 180.0, "second": 60.0}
"""How long it is good for: a ruling takes a dialog and its reason, two people stand there together."""


class Session(NamedTuple):
    """A signed-in person."""

    person_id: str
    name: str
    role: StaffRole

    @property
    def line_role(self) -> Literal["dealer", "pit"] | None:
        """What the person is on a line of the feed; None for those who tell the table nothing."""
        if self.role == "dealer":
            return "dealer"
        return "pit" if self.role in PIT_STAFF else None

    @property
    def may_rule(self) -> bool:
        """Whether the person works at the pit's side: an administrator lifts the program's own holds."""
        return self.role in PIT_STAFF or self.role == "administrator"


class SessionLimits(NamedTuple):
    """When a session ends by itself, in seconds: unused (dealers, others), and in any case."""

    dealer_idle_s: float = 3600.0
    other_idle_s: float = 120.0
    longest_s: float = 12 * 3600.0


class _OpenSession(NamedTuple):
    record: PersonRecord
    began_s: float
    used_s: float


class _Grant(NamedTuple):
    record: PersonRecord
    purpose: Purpose
    began_s: float
    command_id: str = ""


def session_of_record(record: PersonRecord) -> Session:
    """Give the session that a person gets."""
    return Session(record.id, record.name, record.role)


class Sessions:
    """All sessions of one table, in memory: a restart signs everybody out.

    A session ends with any change of its person in the people's file.
    """

    def __init__(
        self,
        book: PeopleBook,
        mono_s: Callable[[], float],
        token: Callable[[], str],
        limits: SessionLimits | None = None,
        guest: Session | None = None,
    ) -> None:
        """`token` makes one that cannot be guessed. `guest` is who acts where nobody has signed in (demo)."""
        self._book = book
        self._mono_s = mono_s
        self._token = token
        self._limits = limits or SessionLimits()
        self._open: dict[str, _OpenSession] = {}
        self._grants: dict[str, _Grant] = {}
        self._ended = asyncio.Event()
        self.guest: Final = guest

    def open(self, record: PersonRecord) -> str:
        """Begin a session; its token."""
        now_s = self._mono_s()
        self._drop_over(now_s)
        token = self._token()
        self._open[token] = _OpenSession(record, now_s, now_s)
        return token

    def find(self, token: str | None, *, used: bool = True) -> Session | None:
        """Find the session of a token, None where there is none any more; `used` counts as a sign of life."""
        known = self._open.get(token or "")
        if known is None or token is None:
            return None
        now_s = self._mono_s()
        if self._is_over(known, now_s):
            del self._open[token]
            return None
        if used:
            self._open[token] = known._replace(used_s=now_s)
        return session_of_record(known.record)

    def drop(self, token: str) -> None:
        """End one session or grant that should not have begun."""
        self._open.pop(token, None)
        self._grants.pop(token, None)
        self._wake()

    def end_all(self, person_id: str) -> int:
        """End every session and grant of a person; how many sessions there were."""
        ended = [token for token, one in self._open.items() if one.record.id == person_id]
        for token in ended:
            del self._open[token]
        self._grants = {token: one for token, one in self._grants.items() if one.record.id != person_id}
        self._wake()
        return len(ended)

    def left_s(self, token: str | None) -> float:
        """Tell how long a session lasts if nobody uses it, in seconds; 0 where there is none any more."""
        known = self._open.get(token or "")
        if known is None:
            return 0.0
        now_s = self._mono_s()
        unused_s = known.used_s + self._idle_s(known) - now_s
        return max(0.0, min(unused_s, known.began_s + self._limits.longest_s - now_s))

    async def wait_for_end(self, longest_s: float | None) -> None:
        """Return as soon as somebody's session may have ended, after `longest_s` at the latest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._ended.wait()

    async def follow_people(self, every_s: float) -> None:
        """Wake whoever waits for an end when the people's file has changed, until cancelled."""
        known = self._book.register()
        while True:
            await asyncio.sleep(every_s)
            if self._book.register() is not known:
                known = self._book.register()
                self._wake()

    def grant(self, record: PersonRecord, purpose: Purpose) -> str:
        """Let a person do one act; the token that this act has to name."""
        now_s = self._mono_s()
        kept = [(token, one) for token, one in self._grants.items() if not self._is_grant_over(one, now_s)]
        self._grants = dict(kept[-(SESSIONS_MAX - 1) :])
        token = self._token()
        self._grants[token] = _Grant(record, purpose, now_s)
        return token

    def granted(self, token: str, purpose: Purpose) -> Session | None:
        """Find who gave this grant; None where there is none for this purpose any more."""
        known = self._grants.get(token)
        if known is None or known.purpose != purpose or self._is_grant_over(known, self._mono_s()):
            return None
        return session_of_record(known.record)

    def claim(self, token: str, command_id: str) -> bool:
        """Take a grant for one act; False where another act has it. The same act may be sent again."""
        known = self._grants.get(token)
        if known is None or known.command_id not in ("", command_id):
            return False
        self._grants[token] = known._replace(command_id=command_id)
        return True

    def release(self, token: str, command_id: str) -> None:
        """Give a grant back: the act was refused, and nothing has happened by it."""
        known = self._grants.get(token)
        if known is not None and known.command_id == command_id:
            self._grants[token] = known._replace(command_id="")

    @property
    def dealers(self) -> tuple[Session, ...]:
        """The dealers who are signed in, the one who was active last first."""
        now_s = self._mono_s()
        found = [
            one
            for one in self._open.values()
            if one.record.role == "dealer" and not self._is_over(one, now_s)
        ]
        found.sort(key=lambda one: one.used_s, reverse=True)
        guests = (self.guest,) if self.guest is not None and self.guest.role == "dealer" else ()
        return (*(session_of_record(one.record) for one in found), *guests)

    def dealer_id(self) -> str | None:
        """Name the dealer whose acts a keypad's presses are; None while no dealer is signed in."""
        dealers = self.dealers
        return dealers[0].person_id if dealers else None

    def _drop_over(self, now_s: float) -> None:
        """Forget what is over and, where there are too many, what began first."""
        kept = [(token, one) for token, one in self._open.items() if not self._is_over(one, now_s)]
        self._open = dict(kept[-(SESSIONS_MAX - 1) :])

    def _wake(self) -> None:
        self._ended.set()
        self._ended = asyncio.Event()

    def _idle_s(self, one: _OpenSession) -> float:
        limits = self._limits
        return limits.dealer_idle_s if one.record.role == "dealer" else limits.other_idle_s

    def _is_over(self, one: _OpenSession, now_s: float) -> bool:
        if now_s - one.used_s > self._idle_s(one) or now_s - one.began_s > self._limits.longest_s:
            return True
        return self._has_changed(one.record)

    def _is_grant_over(self, one: _Grant, now_s: float) -> bool:
        return now_s - one.began_s > GOOD_FOR_S[one.purpose] or self._has_changed(one.record)

    def _has_changed(self, record: PersonRecord) -> bool:
        return self._book.register().person(record.id) != record

"""Sign-ins at one table: wrong PINs, sessions, the journal's events, and permitted roles.

Id and PIN, or a staff card, go in; a session comes out. The journal has it before a screen shows it, and
contains neither a PIN nor a card. Wrong PINs are counted before they are checked, for each person and place,
with a growing delay. A place where a person has signed in counts separately; all others count together, so
that guesses from many addresses lock those and not the tablets of the table. The journal keeps the counts
over a restart.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast

from controller.domain import TableError
from controller.people.person import (
    PIN_DIGITS_MIN,
    ChangeKind,
    PeopleBook,
    PersonRecord,
    PinHasher,
    Register,
    is_card,
)
from controller.policy.line import PIT_STAFF, StaffRole

FREE_TRIES: Final = 3
"""Wrong PINs in a row before one has to wait."""

WAIT_S: Final = 30
_WAIT_MAX_S: Final = 3600
"""The first wait and the longest; each further wrong PIN doubles it. Four digits then last for a year."""

ELSEWHERE: Final = ""
"""The place of everybody who is nowhere where somebody has signed in."""

_OWN_PLACES: Final = frozenset(("127.0.0.1", "::1"))
"""The table's own machine."""

_PLACES_MAX: Final = 64
COUNTS_MAX: Final = 1024
"""Places and counts that are kept, the newest ones."""


class TryCount(NamedTuple):
    """Wrong tries in a row of one person at one place, and when the last of them was."""

    person: str
    place: str
    tries: int
    at_utc_us: int


class TryRecord(NamedTuple):
    """The places of sign-ins, and the failed tries since; a value folded from a journal."""

    places: tuple[str, ...] = ()
    counts: tuple[TryCount, ...] = ()

    def counted_at(self, place: str) -> str:
        """Tell where tries from this address are counted."""
        return place if place in self.places or place in _OWN_PLACES else ELSEWHERE

    def find(self, person: str, counted_at: str) -> TryCount:
        """Find the count of a person at a place."""
        fresh = TryCount(person, counted_at, 0, 0)
        return next((one for one in self.counts if one[:2] == (person, counted_at)), fresh)

    def with_count(self, count: TryCount) -> "TryRecord":
        """Put a count in the place of the one before; 0 tries are none."""
        others = tuple(one for one in self.counts if one[:2] != count[:2])
        counts = (*others, count) if count.tries else others
        return self._replace(counts=counts[-COUNTS_MAX:])

    def with_sign_in(self, person: str, place: str) -> "TryRecord":
        """Clear the failed tries of a sign-in, and add its place."""
        cleared = self.with_count(TryCount(person, self.counted_at(place), 0, 0))
        others = tuple(one for one in self.places if one != place)
        return cleared._replace(places=(*others, place)[-_PLACES_MAX:])


NO_TRIES: Final = TryRecord()


def wait_s(tries: int) -> int:
    """Tell how long one has to wait after so many wrong tries in a row."""
    # Bounded before the shift, against numbers of a thousand digits.
    return 0 if tries < FREE_TRIES else min(WAIT_S << min(tries - FREE_TRIES, 20), _WAIT_MAX_S)


class PinTries:
    """The tries of one table; used on one thread."""

    def __init__(self, utc_us: Callable[[], int], record: TryRecord = NO_TRIES) -> None:
        """Continue from the journal's record."""
        self.utc_us = utc_us
        self._record = record

    def begin(self, person: str, place: str) -> TryCount:
        """Count a try, before anything of it is looked at; raises PIN_LOCKED where one has to wait."""
        now_us = self.utc_us()
        before = self._record.find(person, self._record.counted_at(place))
        left_us = before.at_utc_us + wait_s(before.tries) * 1_000_000 - now_us
        if before.tries >= FREE_TRIES and left_us > 0:
            raise TableError("PIN_LOCKED", seconds=min(left_us // 1_000_000 + 1, _WAIT_MAX_S))
        count = before._replace(tries=before.tries + 1, at_utc_us=now_us)
        self._record = self._record.with_count(count)
        return count

    def passed(self, person: str, place: str) -> None:
        """The PIN was right."""
        self._record = self._record.with_sign_in(person, place)


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

    `person` is "" for an unknown id and "card:" for a card; `counted_at` is "" for all screens without an
    earlier sign-in.
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
    """All people after change `number`, at a journal's beginning: id, name, role, and whether disabled."""

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
    """Return the events for a journal that knows the people up to change `noted`; 0: it knows none."""
    newest = register.changes[-1].number if register.changes else 0
    if noted == 0 and newest:
        people = tuple((one.id, one.name, one.role, one.disabled) for one in register.people.values())
        return (PeopleListed(newest, people),)
    return tuple(
        PeopleChanged(one.number, one.change, one.id, one.name, one.role, one.by, one.at_utc_us)
        for one in register.changes
        if one.number > noted
    )


_SESSIONS_MAX: Final = 200
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
        """The person's role in a feed's line; None for roles without lines."""
        if self.role == "dealer":
            return "dealer"
        return "pit" if self.role in PIT_STAFF else None

    @property
    def may_rule(self) -> bool:
        """Whether the person belongs to the pit; an administrator lifts the program's own holds."""
        return self.role in PIT_STAFF or self.role == "administrator"


class SessionLimits(NamedTuple):
    """The lifetime of a session in seconds: unused (dealers, others), and in total."""

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
    """All sessions of one table, in memory: a restart signs everyone out.

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
        """Begin without sessions; `token` makes unguessable tokens; `guest` acts without a sign-in (demo)."""
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
        """Return the session of a token, None when it has ended; `used` extends it."""
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
        """Return the remaining seconds of an unused session; 0 when it has ended."""
        known = self._open.get(token or "")
        if known is None:
            return 0.0
        now_s = self._mono_s()
        unused_s = known.used_s + self._idle_s(known) - now_s
        return max(0.0, min(unused_s, known.began_s + self._limits.longest_s - now_s))

    async def wait_for_end(self, longest_s: float | None) -> None:
        """Return as soon as a session may have ended, after `longest_s` at the latest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await self._ended.wait()

    async def follow_people(self, every_s: float) -> None:
        """Wake the waiters for an end when the people's file has changed, until cancelled."""
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
        self._grants = dict(kept[-(_SESSIONS_MAX - 1) :])
        token = self._token()
        self._grants[token] = _Grant(record, purpose, now_s)
        return token

    def granted(self, token: str, purpose: Purpose) -> Session | None:
        """Return the person who gave this grant; None when it is unknown or used for another purpose."""
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
        """The dealer to whom a keypad's presses belong; None without a signed-in dealer."""
        dealers = self.dealers
        return dealers[0].person_id if dealers else None

    def _drop_over(self, now_s: float) -> None:
        """Remove ended sessions and, above the limit, the oldest."""
        kept = [(token, one) for token, one in self._open.items() if not self._is_over(one, now_s)]
        self._open = dict(kept[-(_SESSIONS_MAX - 1) :])

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
        """Sign in by id and PIN; return the session's token, and the session.

        `may` admits the screen's roles. Raises PIN_LOCKED, PIN_WRONG (also for an unknown id) and
        PIN_RESET_NEEDED; NOT_ALLOWED for another role.
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
        """Let a person act once at another person's screen; NOT_ALLOWED for a role without rulings."""
        record = await self._known(person_id, pin, place)
        _require(record, lambda one: one.may_rule)
        await self._note(SignedIn(record.id, record.name, record.role, place, "one_act"))
        return self._sessions.grant(record, "act"), session_of_record(record)

    async def as_second(self, person_id: str, pin: str, place: str) -> tuple[str, Session]:
        """Let a person sign another's act; raises as `by_pin`. The entry of that act names the person."""
        record = await self._known(person_id, pin, place)
        return self._sessions.grant(record, "second"), session_of_record(record)

    def is_pin_old(self, person_id: str) -> bool:
        """Whether a person should get a new PIN."""
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


def _require(record: PersonRecord, may: Callable[[Session], bool]) -> None:
    """Raise NOT_ALLOWED, before anything is recorded, for a role that the screen does not admit."""
    if not may(session_of_record(record)):
        raise TableError("NOT_ALLOWED", role=record.role)

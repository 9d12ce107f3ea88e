"""Restore a table from its journal, and verify the results.

A program may find entries that a later program wrote. Nothing after such an entry is placed on the table:
its meaning is unknown. The hold names the first and the last of these entries; folding continues behind it.
"""

import gc
import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from controller.domain import ConfigError, JournalError, Notice, Refused, RuleSet
from controller.journal.entry import VERSIONS, BadEntry, Body, Entry, NewEntry, body_of, trusted
from controller.journal.heads import SignedHead
from controller.journal.store import Journal, JournalReader
from controller.policy import House
from controller.policy.holds import Hold, round_of, rounds_begun
from controller.policy.run import NO_SECOND
from controller.ports import Trouble
from controller.runtime.api import Mode
from controller.runtime.draft import Folded, encoded, evidence_of, fold, fold_read
from controller.runtime.ledger import Ledger, UnreadEntries, open_ledger

HOLD: Final = "ENTRY_UNREADABLE"
"""Code of the hold in front of entries that cannot be folded; `seq` is the first, `last` the last of them."""


def follow(ledger: Ledger, entry: Entry) -> Ledger:
    """Fold the next entry of a journal, or note that it cannot be folded.

    Raises `JournalError` ENTRY_TOO_NEW: a later program's entry can be read by that program.
    """
    unread = ledger.unread
    if unread is not None and not _holds_before(entry, unread):
        return ledger._replace(seq=entry.seq, unread=unread._replace(last=entry.seq))
    try:
        return fold(ledger._replace(unread=None), entry).ledger
    except JournalError as error:
        if error.code == "ENTRY_TOO_NEW":
            raise
    except Exception:  # Whatever a body makes the fold do, the table comes up in front of it.
        pass
    return ledger._replace(seq=entry.seq, unread=UnreadEntries(entry.seq, entry.seq))


def _hold_body(unread: UnreadEntries) -> Body:
    """Give the body of the hold in front of these entries."""
    return {"code": HOLD, "params": {"seq": unread.first, "last": unread.last}}


def set_aside_bodies(holds: tuple[Hold, ...]) -> list[Body]:
    """Return the bodies of the entries that set aside the unread entries of these holds."""
    return [dict(held.params) for held in holds if held.code == HOLD]


class SetAside(NamedTuple):
    """Entries that a person has set aside, with that person."""

    first: int
    last: int
    by: str


def set_aside_in(path: Path) -> tuple[SetAside, ...]:
    """Return the entries set aside in a journal file; raises `JournalError` for another kind of file."""
    reader = JournalReader(path)
    try:
        written = reader.of_kind("set_aside")
    finally:
        reader.close()
    return tuple(found for actor, body in written if (found := _read(actor, body)) is not None)


def _read(actor: str, body: bytes) -> SetAside | None:
    try:
        fields = json.loads(body)
        return SetAside(int(fields["seq"]), int(fields["last"]), actor)
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
        return None


def _holds_before(entry: Entry, unread: UnreadEntries) -> bool:
    """Whether this is the hold of the table in front of these entries."""
    if entry.kind != "held":
        return False
    try:
        body: dict[str, Any] = body_of(entry)
    except JournalError:
        return False
    params = body.get("params")
    return body.get("code") == HOLD and isinstance(params, dict) and params.get("seq") == unread.first


SYSTEM: Final = "system:table"
_CLOCK_STEP_US: Final = 1_000_000
"""A clock that is slewed stays within this of the machine's monotonic clock; by more it was set."""
_NO_DECKS: Final[Mapping[str, str]] = MappingProxyType({})


def restore(entries: Iterable[Entry | BadEntry]) -> Ledger | None:
    """Fold a journal's entries from the first on; None when there are none.

    Raises `JournalError` CHAIN_BROKEN with the first entry that cannot be trusted: nothing is played on a
    record that was tampered with. An entry that can be trusted and not be folded ends in `Ledger.unread`.
    """
    ledger = None
    with uncollected():
        for entry in entries:
            good = trusted(entry)
            ledger = opened_by(good) if ledger is None else follow(ledger, good)
    return ledger


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause garbage collection: half a million values stay, and searching them costs a third of a fold."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def opened_by(entry: Entry) -> Ledger:
    """Begin with entry 1. Raises `JournalError` ENTRY_UNREADABLE when it does not name its table."""
    try:
        return open_ledger(entry)
    except (ConfigError, KeyError, TypeError, ValueError) as error:
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind) from error


class Identity(NamedTuple):
    """The identity of a journal; it cannot change within one file.

    `house` contains the table's profile and options. `follows` is the signed end of the table's previous
    journal; None when unknown.
    """

    table: str
    rules: RuleSet
    currency: str
    house: House
    follows: SignedHead | None = None


class ProgramStart(NamedTuple):
    """The facts about the starting program: `recorded` goes into `started`, `holds` hold the table.

    `decks` is the SHA-256 of each camera's deck profile, by the camera's name.
    """

    recorded: tuple[tuple[str, str], ...] = ()
    holds: tuple[Trouble, ...] = ()
    decks: Mapping[str, str] = _NO_DECKS


_NOTHING_KNOWN: Final = ProgramStart()


def start(
    journal: Journal,
    identity: Identity,
    mode: Mode,
    program: str,
    known: ProgramStart = _NOTHING_KNOWN,
) -> Ledger:
    """Restore or begin a journal, and record the start of the process.

    A restored table is held (RESTARTED) until a person resumes it. It keeps every earlier hold; findings on
    the journal's files and a clock behind the last entry add more. Entries that cannot be folded hold it
    (ENTRY_UNREADABLE) until the pit sets them aside. Raises `ConfigError` OTHER_TABLE for a journal of
    another table, currency or rule set.
    """
    ledger = restore(journal.read())
    started = started_entry(mode, program, known)
    if ledger is None:
        before_us = 0 if identity.follows is None else identity.follows.at_utc_us
        written = journal.append([opened_entry(identity)])
        ledger = open_ledger(written[0])
        found = (*journal.findings, *known.holds, *clock_put_back(before_us, written[0].at_utc_us))
        return _follow(journal, ledger, [started, *_holds(ledger, found)])
    _require_same(ledger, identity)
    now_us = journal.clock.utc_us()
    found = (*journal.findings, *known.holds, *clock_put_back(ledger.at_utc_us, now_us))
    entries = [started, *_holds(ledger, found)]
    if ledger.unread is None and not ledger.opening.profiled:
        # From here on the journal itself contains the waiting times, whatever a later program's defaults.
        entries.insert(0, NewEntry("adopted", encoded(_settled(ledger.opening.house)), SYSTEM))
    if ledger.unread is not None:
        # Folding goes on behind it, so it comes first.
        entries.insert(
            0, NewEntry("held", encoded(_hold_body(ledger.unread)), SYSTEM, ledger.state.book.number)
        )
    entries += _holds(ledger, (Trouble("RESTARTED"),))
    return _follow(journal, ledger, entries)


def clock_put_back(last_us: int, now_us: int) -> tuple[Trouble, ...]:
    """The hold of a clock that shows a moment before the last entry."""
    back_us = last_us - now_us
    if back_us <= _CLOCK_STEP_US:
        return ()
    return (Trouble("CLOCK_STEPPED_BACK", (("seconds", back_us // 1_000_000),)),)


def clock_put_forward(expected_us: int, now_us: int) -> tuple[Trouble, ...]:
    """The alert of a clock that shows more time than has passed; the table goes on."""
    step_us = now_us - expected_us
    if step_us <= _CLOCK_STEP_US:
        return ()
    before, after = (
        datetime.fromtimestamp(moment // 1_000_000, UTC).isoformat().replace("+00:00", "Z")
        for moment in (expected_us, now_us)
    )
    params = (("seconds", step_us // 1_000_000), ("before", before), ("after", after))
    return (Trouble("CLOCK_STEPPED_FORWARD", params, hold=False),)


def _holds(ledger: Ledger, troubles: Iterable[Trouble]) -> list[NewEntry]:
    """The holds that the table does not have yet; one in shadow notes each, and goes on over it."""
    known = {(hold.code, hold.params) for hold in ledger.holds}
    kinds = ("held", "released") if ledger.opening.in_shadow else ("held",)
    return [
        NewEntry(
            kind,
            encoded({"code": trouble.code, "params": dict(trouble.params)}),
            SYSTEM,
            ledger.state.book.number,
        )
        for trouble in troubles
        if (trouble.code, trouble.params) not in known
        for kind in kinds
    ]


def _require_same(ledger: Ledger, identity: Identity) -> None:
    opening, in_shadow = ledger.opening, identity.house.in_shadow
    # A journal opened in shadow never stops the table, even after the configuration changed.
    same = (opening.table, opening.currency) == (identity.table, identity.currency)
    if not same or not opening.is_under(identity.rules) or opening.in_shadow != in_shadow:
        raise ConfigError("OTHER_TABLE", table=opening.table, rules=opening.rules.name)


def opened_entry(identity: Identity) -> NewEntry:
    """Return the first entry of a journal: its identity and the house's settings."""
    body: dict[str, object] = {
        "table": identity.table,
        "rules": identity.rules._asdict(),
        "currency": identity.currency,
        **_settled(identity.house),
    }
    if identity.follows is not None:
        body["follows"] = json.loads(identity.follows.line(with_nonce=False))
    return NewEntry("opened", encoded(body), SYSTEM, version=VERSIONS["opened"])


def _settled(house: House) -> dict[str, object]:
    """Return the house's settings with the profile's hash: both stay while the journal does."""
    profile = {code: ruling._asdict() for code, ruling in house.profile.items()}
    text = json.dumps(profile, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {
        "irregularities": profile,
        "irregularities_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "table_options": house.options._asdict(),
        **({} if house.second == NO_SECOND else {"second_person": house.second._asdict()}),
    }


def started_entry(mode: Mode, program: str, known: ProgramStart) -> NewEntry:
    """The entry with which each start of the program is noted."""
    body = {"mode": mode, "program": program, **dict(known.recorded)}
    return NewEntry("started", encoded(body | ({"decks": dict(known.decks)} if known.decks else {})), SYSTEM)


def _follow(journal: Journal, ledger: Ledger, entries: list[NewEntry]) -> Ledger:
    for entry in journal.append(entries):
        ledger = follow(ledger, entry)
    return ledger


DERIVED: Final = frozenset({"alert", "settled", "adjusted", "disputed"})
"""Kinds of entries that the engine has made from the fact before them."""


class ResultVerifier:
    """An `EntryCheck` that takes entries in order from the first on. Its codes stand in docs/journal.md."""

    def __init__(self, aside: Sequence[SetAside] = ()) -> None:
        """Begin before entry 1; entries set `aside` are on no table, so nothing follows from them."""
        self.aside: Final = tuple(aside)
        self._due: deque[tuple[str, Body]] = deque()
        self.ledger: Ledger | None = None
        """The table after the last entry that fitted; None before the first."""
        self.folded: Folded | None = None
        """What the last entry that fitted led to; None before the second."""
        self.body: Body = {}
        """The body of the entry that was checked last, in today's form."""
        self.settled = 0
        """Settlements derived again so far, those after corrections included."""
        self.derived = b""
        """The body that this program writes for the result that was checked last."""

    @property
    def rounds(self) -> int:
        """The number of the last round that was begun, 0 without any."""
        return 0 if self.ledger is None else rounds_begun(self.ledger.state)

    def __call__(self, entry: Entry) -> str | None:
        """Check one entry; return None when it fits, else the code of its fault.

        Raises `JournalError` for an entry that is not JSON, or of a later program.
        """
        if self.ledger is not None and self.is_aside(entry.seq):
            self.ledger = self.ledger._replace(seq=entry.seq)
            return None
        try:
            return self._check(entry)
        except JournalError:
            raise
        except Exception:  # Whatever a body makes the fold do, it is this entry's.
            return "ENTRY_UNREADABLE"

    def is_aside(self, seq: int) -> bool:
        """Whether the entry of this number was set aside."""
        return bool(self.aside) and any(one.first <= seq <= one.last for one in self.aside)

    def end(self) -> str | None:
        """Check that no result is owed, here or when the journal ends."""
        return "EVIDENCE_MISSING" if self._due else None

    def _check(self, entry: Entry) -> str | None:
        body = self.body = body_of(entry)
        code = self._evidence(entry, body) if entry.kind in DERIVED else self.end()
        if code is not None:
            return code
        if self.ledger is None:
            self.ledger = open_ledger(entry)
            return None
        if entry.kind == "payout" and not self._is_booked_right(self.ledger, body):
            return "EVIDENCE_DIFFERS"
        self.folded = fold_read(self.ledger, entry, body)
        self.ledger = self.folded.ledger
        return self._owe(self.folded.notices)

    def _evidence(self, entry: Entry, body: Body) -> str | None:
        """Compare a stored result with the derived one."""
        if not self._due:
            return "EVIDENCE_UNCAUSED"
        due, result = self._due.popleft()
        self.derived = encoded(result)
        same = self.derived == entry.body or json.loads(self.derived) == body
        if due != entry.kind or not same:
            return "EVIDENCE_DIFFERS"
        self.settled += entry.kind == "settled"
        return None

    def _is_booked_right(self, ledger: Ledger, body: Body) -> bool:
        """Whether a payout's entry contains the amounts due and paid at that moment."""
        within = round_of(ledger.state, body["round"])
        result = None if within is None else within.settlement.result
        if within is None or result is None:
            return False
        bettor = (body["box"], body["seat"])
        due = next((int(bet.returned) for bet in result.bets if (bet.box, bet.seat) == bettor), 0)
        found = next((int(one[2]) for one in within.settlement.paid if one[:2] == bettor), None)
        paid = due if found is None and body["how"] == "computed" else found
        return (body["expected"], body["paid"], body["difference"]) == (due, paid, (paid or 0) - due)

    def _owe(self, notices: tuple[Notice, ...]) -> str | None:
        """Note the entries that must follow a fact."""
        for notice in notices:
            if isinstance(notice, Refused):
                return "FACT_REFUSED"
            self._due.append(evidence_of(notice))
        return None

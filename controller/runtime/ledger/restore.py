"""From a journal file to the exact state it ended in."""

import gc
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from controller.domain import ConfigError, JournalError, RuleSet
from controller.journal.entry import BadEntry, Entry, NewEntry, trusted
from controller.journal.heads import SignedHead
from controller.journal.store import Journal
from controller.journal.upcast import VERSIONS
from controller.policy import House
from controller.policy.state.run import NO_SECOND
from controller.ports import Trouble
from controller.runtime.api import Mode
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.ledger.draft import encoded
from controller.runtime.ledger.unread import follow, hold_body

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
            0, NewEntry("held", encoded(hold_body(ledger.unread)), SYSTEM, ledger.state.book.number)
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

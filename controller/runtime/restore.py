"""From a journal file to the exact state it ended in."""

import hashlib
import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from controller.domain.errors import ConfigError, JournalError
from controller.domain.rules import RuleSet
from controller.journal.entry import BadEntry, Entry, NewEntry
from controller.journal.store import Journal
from controller.runtime.api import Mode
from controller.runtime.draft import encoded
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.unread import follow, hold_body
from controller.table import House

SYSTEM: Final = "system:table"


def restore(entries: Iterable[Entry | BadEntry]) -> Ledger | None:
    """Fold a journal's entries from the first on; None when there are none.

    Raises `JournalError` CHAIN_BROKEN with the first entry that cannot be trusted: nothing is played on a
    record that was tampered with. An entry that can be trusted and not be folded ends in `Ledger.unread`.
    """
    ledger = None
    for entry in entries:
        if isinstance(entry, BadEntry):
            raise JournalError("CHAIN_BROKEN", seq=entry.seq, reason=entry.code)
        ledger = _opened_by(entry) if ledger is None else follow(ledger, entry)
    return ledger


def _opened_by(entry: Entry) -> Ledger:
    """Begin with entry 1. Raises `JournalError` ENTRY_UNREADABLE where it does not say whose table it is."""
    try:
        return open_ledger(entry)
    except (ConfigError, KeyError, TypeError, ValueError) as error:
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind) from error


class Identity(NamedTuple):
    """Whose journal it is; none of it can change within one file.

    `house` is the profile and the options that the table goes by; None for a table without a policy.
    """

    table: str
    rules: RuleSet
    currency: str
    house: House | None = None


def start(journal: Journal, identity: Identity, mode: Mode, program: str) -> Ledger:
    """Restore or begin a journal and note the start of the process.

    A table that comes back is held (RESTARTED) until somebody resumes it, with every hold it had; in front of
    entries that cannot be folded (ENTRY_UNREADABLE), and with entries that nobody may have been shown
    (ENTRIES_UNCONFIRMED), until the pit does. Raises `ConfigError`
    OTHER_TABLE where the journal was opened for another table, currency or rule set.
    """
    ledger = restore(journal.read())
    if ledger is None:
        written = journal.append([_opened(identity)])
        return _follow(journal, open_ledger(written[0]), [_started(mode, program)])
    _require_same(ledger, identity)
    entries = [_started(mode, program)]
    if ledger.unread is not None:
        # Folding goes on behind it, so it comes first.
        entries.insert(
            0, NewEntry("held", encoded(hold_body(ledger.unread)), SYSTEM, ledger.state.book.number)
        )
    if journal.unconfirmed:
        told = {"seq": journal.unconfirmed[0], "last": journal.unconfirmed[-1]}
        entries.append(_held(ledger, "ENTRIES_UNCONFIRMED", told))
    if not any(hold.code == "RESTARTED" for hold in ledger.holds):
        entries.append(_held(ledger, "RESTARTED", {}))
    return _follow(journal, ledger, entries)


def _require_same(ledger: Ledger, identity: Identity) -> None:
    opening = ledger.opening
    if (opening.table, opening.rules, opening.currency) != identity[:3]:
        raise ConfigError("OTHER_TABLE", table=opening.table, rules=opening.rules.name)


def _opened(identity: Identity) -> NewEntry:
    body: dict[str, object] = {
        "table": identity.table,
        "rules": identity.rules._asdict(),
        "currency": identity.currency,
    }
    if identity.house is not None:
        body |= _settled(identity.house)
    return NewEntry("opened", encoded(body), SYSTEM)


def _settled(house: House) -> dict[str, object]:
    """What a house has settled, with the profile's hash: frozen with the rules."""
    profile = {code: ruling._asdict() for code, ruling in house.profile.items()}
    text = json.dumps(profile, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {
        "irregularities": profile,
        "irregularities_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "table_options": house.options._asdict(),
    }


def _held(ledger: Ledger, code: str, params: dict[str, int]) -> NewEntry:
    return NewEntry("held", encoded({"code": code, "params": params}), SYSTEM, ledger.state.book.number)


def _started(mode: Mode, program: str) -> NewEntry:
    return NewEntry("started", encoded({"mode": mode, "program": program}), SYSTEM)


def _follow(journal: Journal, ledger: Ledger, entries: list[NewEntry]) -> Ledger:
    for entry in journal.append(entries):
        ledger = follow(ledger, entry)
    return ledger

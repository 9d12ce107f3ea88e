"""Journal entries as the audit trail shows them, without any card that was not turned."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from controller.domain import JournalError, RuleSet
from controller.history.entry_line import EntryLine
from controller.journal.entry import BadEntry, Entry
from controller.journal.upcast import Body, body_of
from controller.policy.state.rounds import TOO_MANY
from controller.runtime.api import AuditLine
from controller.runtime.ledger import Ledger, all_waiting
from controller.runtime.redaction import hide_bytes, hide_cards, secret_rounds

BROKEN: Final = "broken"
"""Kind of a line that stands for an entry which does not fit the chain; nothing else of it can be trusted."""


def _broken_line(entry: BadEntry) -> AuditLine:
    """Return the line of an entry that does not fit, with the code of its fault."""
    return AuditLine(entry.seq, BROKEN, 0, None, "", json.dumps({"code": entry.code}), "")


class Secrets(NamedTuple):
    """The entries that the audit trail hides.

    `rounds` have an unturned card, cards wait from `waiting_seq` on, the entries `withheld` are not shown.
    """

    rounds: frozenset[int]
    waiting_seq: int | None = None
    withheld: frozenset[int] = frozenset()

    def covers(self, entry: Entry) -> bool:
        """Whether the chain up to this entry contains a secret, which 52 guesses would find from its hash.

        A hash covers every entry before it: after a card that was never turned, no hash is shown any more.
        """
        first = min(self.rounds, default=None)
        if first is not None and (entry.round_id is None or entry.round_id >= first):
            return True
        return self.waiting_seq is not None and entry.seq >= self.waiting_seq


def secrets_of(ledger: Ledger) -> Secrets:
    """Return what the audit trail must hide now."""
    waiting = all_waiting(ledger)
    rounds = secret_rounds(ledger.state, ledger.unturned)
    return Secrets(rounds, waiting[0].seq if waiting else None, ledger.withheld)


def audit_lines(entries: Iterable[Entry | BadEntry], limit: int, secrets: Secrets) -> tuple[AuditLine, ...]:
    """At most `limit` entries as `TablePort.audit` shows them, without the `secrets`."""
    lines: list[AuditLine] = []
    for entry in entries:
        if isinstance(entry, BadEntry):
            lines.append(_broken_line(entry))
        elif entry.seq not in secrets.withheld:
            lines.append(audit_line(entry, secrets))
        if len(lines) == limit:
            break
    return tuple(lines)


def audit_line(entry: Entry, secrets: Secrets) -> AuditLine:
    """Return an entry for display; an unreadable body is shown by its error code.

    Cards of the secret rounds are hidden, and cards that wait behind a hold: the next one may be face down.
    Hashes that cover them are hidden, and the hash of the opening, which keys the digests of all states.
    """
    hidden = _hides(entry, secrets)
    text = json.dumps(_shown_body(entry, body_of, hidden=hidden), ensure_ascii=False)
    shown = "" if hidden or entry.seq == 1 or secrets.covers(entry) else entry.hash.hex()
    return AuditLine(
        entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, text, shown, entry.caused_by
    )


def _hides(entry: Entry, secrets: Secrets) -> bool:
    return entry.round_id in secrets.rounds or entry.kind in ("waiting", "ruled", "carried")


def _shown_body(entry: Entry, read: Callable[[Entry], Body], *, hidden: bool) -> Body:
    try:
        body = read(entry)
        return hide_cards(entry.kind, body) if hidden else hide_bytes(body)
    except JournalError as error:
        return {"unreadable": error.code}


def lines_without_cards(entries: Iterable[Entry], rules: RuleSet) -> Iterator[EntryLine]:
    """Redact entries for the history without folding them: every card is hidden, open ones too.

    In a house with a hole card, alerts that a never turned card may explain are left out. No hold concerns
    such a card. No column of the history contains a rank, so its rows equal those of `history_lines`.
    """
    left_out = frozenset[str]() if rules.hole_card == "none" else TOO_MANY
    for entry in entries:
        try:
            body = hide_cards(entry.kind, body_of(entry))
        except (AttributeError, JournalError, KeyError, TypeError):
            # No table of ours writes this.
            body = {}
        if entry.kind not in ("alert", "trouble") or body.get("code") not in left_out:
            yield EntryLine(
                entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, body, entry.caused_by
            )


def history_lines(
    entries: Iterable[Entry], secrets: Secrets, read: Callable[[Entry], Body] = body_of
) -> Iterator[EntryLine]:
    """Redact entries as the audit trail shows them, for the history; withheld ones are left out.

    `read` gives the body of an entry, where it was read before.
    """
    for entry in entries:
        if entry.seq not in secrets.withheld:
            body = _shown_body(entry, read, hidden=_hides(entry, secrets))
            yield EntryLine(
                entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, body, entry.caused_by
            )

"""Journal entries as the audit trail shows them, without any card that was not turned."""

import json

from controller.domain.errors import JournalError
from controller.journal.entry import Entry
from controller.journal.upcast import body_of
from controller.runtime.api import AuditLine
from controller.runtime.redaction import hide_cards


def audit_line(entry: Entry, secret: frozenset[int]) -> AuditLine:
    """Show an entry; a body that cannot be read is shown by its error code.

    Cards of the `secret` rounds are hidden, and those that wait behind a hold: the next one may lie face
    down. So are the hashes of these entries, which 52 guesses would turn into a card, and that of the
    opening, which keys the digests of all states.
    """
    hidden = entry.round_id in secret or entry.kind == "waiting"
    try:
        body = body_of(entry)
        if hidden:
            body = hide_cards(entry.kind, body)
    except JournalError as error:
        body = {"unreadable": error.code}
    text = json.dumps(body, ensure_ascii=False)
    shown = "" if hidden or entry.seq == 1 else entry.hash.hex()
    return AuditLine(entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, text, shown)

"""Journal entries as the audit trail shows them, without any card that was not turned."""

import json

from controller.domain.errors import JournalError
from controller.journal.entry import Entry
from controller.journal.upcast import body_of
from controller.runtime.api import AuditLine
from controller.runtime.mask import hide_card


def audit_line(entry: Entry) -> AuditLine:
    """Show an entry; a body that cannot be read is shown by its error code."""
    try:
        body = hide_card(body_of(entry))
    except JournalError as error:
        body = {"unreadable": error.code}
    text = json.dumps(body, ensure_ascii=False)
    return AuditLine(
        entry.seq, entry.kind, entry.at_utc_us, entry.round_id, entry.actor, text, entry.hash.hex()
    )

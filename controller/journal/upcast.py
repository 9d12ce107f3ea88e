"""Old entries in today's form: pure steps from one version of a kind to the next.

Stored bytes are never rewritten. When the body of a kind changes its shape, its number in `VERSIONS` goes
up and `STEPS` gets the function that makes the new shape from the old one. So does a field that a released
program refuses: it then says that a later program wrote the entry, and not that the entry is damaged.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from controller.domain import JournalError
from controller.journal.entry import Entry

Body = dict[str, Any]
Upcast = Callable[[Body], Body]

KINDS: Final = (
    "opened",
    "adopted",
    "started",
    "fact",
    "refused",
    "alert",
    "settled",
    "adjusted",
    "disputed",
    "trouble",
    "held",
    "resumed",
    "released",
    "inferred",
    "payout",
    "waiting",
    "ruled",
    "handled",
    "alert_step",
    "ordered",
    "answered",
    "named",
    "set_aside",
    "commanded",
    "signed_in",
    "signed_out",
    "pin_refused",
    "denied",
    "people",
    "people_changed",
    "carried",
    "day_ended",
)

VERSIONS: Final[Mapping[str, int]] = {**dict.fromkeys(KINDS, 1), "opened": 2}
"""The version of each kind that this program writes. `opened` 2 has the rules since 0.3.0."""


def _opened_1(body: Body) -> Body:
    """Name the options that came later: a table without them had no entries of theirs."""
    options = body.get("table_options")
    later = {"payouts": None, "shuffle_watch": False, "float_check": False}
    return body if options is None else {**body, "table_options": later | options}


STEPS: Final[Mapping[tuple[str, int], Upcast]] = {("opened", 1): _opened_1}
"""(kind, version) to the function that lifts a body to version + 1."""


def body_of(
    entry: Entry,
    versions: Mapping[str, int] = VERSIONS,
    steps: Mapping[tuple[str, int], Upcast] = STEPS,
) -> Body:
    """Lift the body to the present version of its kind.

    Raises `JournalError` ENTRY_TOO_NEW for a kind or version of a later program, ENTRY_UNREADABLE for a
    body that is not a JSON object.
    """
    known = versions.get(entry.kind)
    if known is None or entry.version > known:
        raise JournalError("ENTRY_TOO_NEW", seq=entry.seq, kind=entry.kind, version=entry.version)
    body = _parsed(entry)
    for version in range(entry.version, known):
        body = steps[entry.kind, version](body)
    return body


def _parsed(entry: Entry) -> Body:
    try:
        # As text: of bytes `json` first finds out which encoding they have.
        body = json.loads(entry.body.decode())
    except (ValueError, RecursionError) as error:
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind) from error
    if not isinstance(body, dict):
        raise JournalError("ENTRY_UNREADABLE", seq=entry.seq, kind=entry.kind)
    return body

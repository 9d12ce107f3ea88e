"""Differences between a replay and its recording."""

import json
from typing import Final, Literal, NamedTuple

from controller.feed.replay import Json
from controller.journal.entry import Entry, NewEntry, body_of
from controller.runtime.redaction import hide_cards

ComparedEntry = Json
"""An entry as a replay compares it: `kind`, `actor`, `caused_by` and the `body`."""

DifferenceCode = Literal["DIFFERS", "NOT_MADE", "NOT_RECORDED", "NOT_TAKEN", "SENT_DIFFERS"]
"""Another entry was made · nothing was made · an entry was made that was never recorded · the driver did not
follow what happened to its device · the driver sent other bytes."""


class ReplayDifference(NamedTuple):
    """One difference. `t` is seconds since the recording began, `device` the reporting device.

    `recorded` and `made` are the old and the new value, None without one; `seq` and `round_id` are those of
    the recorded entry.
    """

    t: float
    code: DifferenceCode
    device: str
    recorded: Json | None = None
    made: Json | None = None
    seq: int | None = None
    round_id: int | None = None

    def to_json(self, secret: frozenset[int]) -> Json:
        """Give the object that `--json` prints; cards of `secret` rounds are left out."""
        fields = {"type": "difference", **self._asdict()}
        if self.round_id in secret:
            fields |= {key: _hidden(fields[key]) for key in ("recorded", "made")}
        return {key: value for key, value in fields.items() if value is not None and key != "round_id"}


_NOT_MADE_ANEW: Final = frozenset(("command", "meaning", "signed"))
"""What an entry says of a person's command: a replay knows of it what the entry tells."""


def compared_form(entry: Entry | NewEntry) -> ComparedEntry:
    """Return the compared fields of an entry; an older program's entry is converted first.

    Raises `JournalError` for an entry of a later program.
    """
    body = body_of(entry) if isinstance(entry, Entry) else json.loads(entry.body)
    made_anew = {key: value for key, value in body.items() if key not in _NOT_MADE_ANEW}
    return {"kind": entry.kind, "actor": entry.actor, "caused_by": entry.caused_by, "body": made_anew}


def one_line(value: Json | None) -> str:
    """Return an entry, or part of a line, as one line of text."""
    if value is None:
        return "-"
    found = value.get("body", value)
    return f"{value.get('kind', '')} {json.dumps(found, ensure_ascii=False)}".strip()


def _hidden(value: Json | None) -> Json | None:
    """Hide the cards of an entry; of bytes nothing is left."""
    if value is None or "body" not in value:
        return None
    return {**value, "body": hide_cards(value["kind"], value["body"])}

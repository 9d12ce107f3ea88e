"""What a journal says of the machine that went on with it from a copy, under which key."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from controller.journal.store import JournalReader


class TakenOver(NamedTuple):
    """The first entry of the machine that took a table over, its key, the two people who answer for it."""

    seq: int
    key: str
    by: str
    second: str


def taken_over_in(reader: JournalReader) -> Iterator[TakenOver]:
    """Every time that this journal was laid out of a copy, in order; what is no such entry is passed over."""
    for _, body in reader.of_kind("started"):
        try:
            started = json.loads(body)
            who = started["taken_over"]
            yield TakenOver(who["seq"] + 1, str(started["key"]), str(who["by"]), str(who["second"]))
        except (KeyError, RecursionError, TypeError, ValueError):
            continue

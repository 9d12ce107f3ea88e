"""Which journal entries make a recording worth keeping, and the notes that say so."""

import json
import os
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.entry import Entry
from controller.outputs import open_regular
from controller.ports.side_disk import MACHINE_DISK, SideDisk
from controller.recording.format import PINS

BEFORE_NS: Final = 120 * 10**9
AFTER_NS: Final = 60 * 10**9
"""What lies so long before and after is kept too."""

NOTES_MAX: Final = 100
"""Notes written in one segment's time; one of them is enough to keep it."""

CARRIED_MAX: Final = 10
"""Notes that the next segment gets too, because it begins so soon after."""

_NAMED: Final = frozenset({"held", "trouble"})
_OWN: Final = "RECORDING_"
"""Troubles of the recorder itself: keeping more would make them worse."""

_ALWAYS: Final = frozenset({"disputed"})
_RULINGS: Final = frozenset({"correct", "strike", "move", "void", "amend", "swap"})


class Pin(NamedTuple):
    """Why something is kept: `why` is a word of the journal and its code, never a card."""

    mono_ns: int
    utc_us: int
    why: str
    seq: int | None = None
    round_id: int | None = None


def pin_of(entry: Entry, mono_ns: int) -> Pin | None:
    """Tell whether this entry is a hold, a device's trouble, a ruling or a dispute."""
    why = _why(entry)
    return None if why is None else Pin(mono_ns, entry.at_utc_us, why, entry.seq, entry.round_id)


def _why(entry: Entry) -> str | None:
    if entry.kind in _ALWAYS:
        return entry.kind
    if entry.kind in _NAMED:
        code = str(json.loads(entry.body).get("code", ""))
        return None if code.startswith(_OWN) else f"{entry.kind} {code}"
    if entry.kind == "fact":
        act = json.loads(entry.body).get("obs")
        return f"fact {act}" if act in _RULINGS else None
    return None


def notes_path(segment: Path) -> Path:
    """Tell where the notes of a segment lie, whether it is open, closed or cut off."""
    return segment.with_name(segment.name.partition(".mcap")[0] + PINS)


def note(segment: Path, pin: Pin, disk: SideDisk = MACHINE_DISK) -> None:
    """Write down why a segment is kept; raises `OSError` as the disk does."""
    line = {"utc_us": pin.utc_us, "why": pin.why, "seq": pin.seq, "round": pin.round_id}
    path = notes_path(segment)
    handle = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, opened=disk.open)
    try:
        disk.write(path, handle, json.dumps(line).encode() + b"\n", os.fstat(handle).st_size)
    finally:
        os.close(handle)

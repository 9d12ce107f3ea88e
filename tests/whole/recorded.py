"""What a simulated table has left beside its journal: recordings that agree, heads that can be read."""

from contextlib import closing
from pathlib import Path

from controller.journal.copying import entries_of
from controller.journal.entry import Entry
from controller.journal.heads import head_of
from controller.journal.store import JournalReader
from controller.recording.format import SUFFIX, RecordingError, decode_entry
from controller.recording.recording_reader import Recording
from tests.whole.broken import require


def check_recorded(journal: Path, recordings: Path, *, torn: bool) -> None:
    """Compare each recorded entry with the journal's; raises `Broken` RECORDED_OTHERWISE.

    A recording that was cut off by the program's end gives what is whole of it. No recording is ever synced:
    of those that were `torn` by a power cut some may be named as unreadable.
    """
    unread = {"RECORDING_EMPTY"} | ({"NOT_A_RECORDING", "RECORDING_DAMAGED"} if torn else set())
    reader = JournalReader(journal)
    entries = {entry.seq: entry for entry in reader.read() if isinstance(entry, Entry)}
    reader.close()
    for segment in sorted(recordings.rglob(f"*{SUFFIX}")):
        try:
            recording = Recording(segment)
        except RecordingError as error:
            require(error.code in unread, "RECORDED_OTHERWISE", f"{segment.name}: {error.code}")
            continue
        with recording:
            for message in recording:
                if message.kind == "fact":
                    found = decode_entry(message.data)
                    require(entries.get(found.seq) == found, "RECORDED_OTHERWISE", f"entry {found.seq}")


def check_copy(copy: Path, journal: Path) -> None:
    """Compare the journal's copy with it, entry by entry; raises `Broken` COPIED_OTHERWISE."""
    with closing(JournalReader(journal)) as reader:
        for one, other in zip(entries_of(copy) if copy.exists() else (), reader.read(), strict=False):
            require(one == other, "COPIED_OTHERWISE", f"entry {one.seq}")


def check_kept(file: Path) -> None:
    """Read each head of a file of kept heads that was written to its end; raises `Broken` KEPT_UNREADABLE.

    What a power cut or a full disk has torn is a line of its own.
    """
    for line in file.read_bytes().splitlines():
        require(not line.endswith(b"}") or head_of(line), "KEPT_UNREADABLE", f"{line!r}")

"""What a camera at a counting reader's mouth has read, entry by entry, until the reader's driver asks for it.

The camera's thread puts pictures in, in their order; the driver's thread takes names out. A picture of a
later sheet, or of the empty mouth after one was seen, means that no more of an earlier one will come.
"""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from drivers.shoe.open_shoe import EntryName, ReadName
from vision.shoe_mouth import CodedPicture, IndexDetection

ENTRIES: Final = 16

LATE: Final = 8
"""Pictures of the last so many entries that were ended are late ones; before that the number means another
sheet."""

JUMP: Final = 0.3
"""An index so much further back than one picture ago is another card's (share of the window): 14 mm in 8.5
ms are 1.7 m/s against the way out."""

UNCOUNTED_MS: Final = 1500
"""An entry that the reader has not reported, when it reports that these were all: half as long again as its
heartbeat."""

VISIT_MS: Final = 100
"""A card that was read in an empty mouth is reported after so long: more pictures of it may contradict."""

SAME_MS: Final = 1500
"""The same name once more in the empty mouth so soon is the same card, whose pictures lag or which lies
there."""


@dataclass
class _MouthRead:
    """What was read of one sheet: the surest reading of each name, and whether it may be two sheets."""

    since_ms: int
    names: dict[tuple[str, str | None], float] = field(default_factory=dict)
    along: float | None = None
    several: bool = False

    def add(self, detections: tuple[IndexDetection, ...]) -> None:
        """Add one picture's indices, of which there can be one."""
        for detection in detections:
            name = (detection.name.rank, detection.name.suit)
            self.names[name] = max(self.names.get(name, 0.0), detection.p)
        if len(detections) == 1:
            along = detections[0].along
            self.several |= self.along is not None and along < self.along - JUMP
            self.along = along
        self.several |= len(detections) > 1 or len(self.names) > 1

    @property
    def name(self) -> ReadName | None:
        """The only name."""
        if len(self.names) != 1:
            return None
        ((rank, suit), p), *_ = self.names.items()
        return ReadName(rank, suit, p)


class MouthNames:
    """A `drivers.shoe.open_shoe.MouthCamera`: names by entry, for one camera and one driver."""

    def __init__(self) -> None:
        """Begin with an empty mouth."""
        self._lock = threading.Lock()
        self._read: dict[int, _MouthRead] = {}
        self._closed: deque[int] = deque(maxlen=LATE)
        self._at: int | None = None
        self._after: set[int] = set()
        self._stray: _MouthRead | None = None
        self._strayed: tuple[ReadName | None, int] = (None, 0)
        self._now_ms = 0

    def see(self, picture: CodedPicture, mono_ms: int) -> None:
        """Take the next picture, of that moment; from the camera's thread."""
        with self._lock:
            self._now_ms = mono_ms
            if picture.entry == "unclear":
                return
            if picture.entry == "empty":
                self._leave()
                self._stray_card(picture, mono_ms)
                return
            self._see_entry(picture.entry, picture, mono_ms)

    def closed(self, entry: int, *, final: bool) -> EntryName | None:
        """See `MouthCamera.closed`."""
        with self._lock:
            if not final and entry not in self._after:
                return None
            read = self._read.pop(entry, None)
            self._after.discard(entry)
            self._closed.append(entry)
            if self._at == entry:
                self._at = None
            return EntryName(None) if read is None else EntryName(read.name, read.several)

    def uncounted(self, opened: frozenset[int], *, complete: bool) -> tuple[ReadName, ...]:
        """See `MouthCamera.uncounted`."""
        with self._lock:
            out = []
            stray = self._stray
            if stray is not None and self._now_ms - stray.since_ms >= VISIT_MS:
                self._stray = None
                self._strayed = (stray.name, self._now_ms)
                out.append(stray)
            for entry in [one for one in self._read if complete and one not in opened]:
                if self._now_ms - self._read[entry].since_ms >= UNCOUNTED_MS:
                    out.append(self._read.pop(entry))
                    self._closed.append(entry)
            return tuple(read.name or ReadName(None, None, 0.0) for read in out if read.names)

    def _see_entry(self, entry: int, picture: CodedPicture, mono_ms: int) -> None:
        if entry != self._at:
            self._leave()
            if entry in self._after:
                # It has come round once more, and the sheet before was never asked for: nobody knows whose
                # is whose.
                self._read[entry] = _MouthRead(mono_ms, several=True)
                self._after.discard(entry)
        if entry in self._closed:
            return
        self._at = entry
        self._read.setdefault(entry, _MouthRead(mono_ms)).add(picture.detections)

    def _leave(self) -> None:
        """No picture of the sheet that was there will come any more."""
        if self._at is not None:
            self._after.add(self._at)
            self._at = None

    def _stray_card(self, picture: CodedPicture, mono_ms: int) -> None:
        """Keep what is read while every sensor says that nothing is there."""
        if not picture.detections:
            return
        last, at_ms = self._strayed
        names = {(one.name.rank, one.name.suit) for one in picture.detections}
        if last is not None and names == {(last.rank, last.suit)} and mono_ms - at_ms < SAME_MS:
            self._strayed = (last, mono_ms)
            return
        if self._stray is None:
            self._stray = _MouthRead(mono_ms)
        self._stray.add(picture.detections)

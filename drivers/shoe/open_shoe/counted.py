"""Open shoe protocol 1.1: passages that a reader only counts, and whose names a camera at its mouth reads.

Each sheet that enters gets a number that goes round, its *entry*. The reader shows it to the camera with six
lights and says it in the EDGE of that sheet, so that a name belongs to a passage whatever both lines delay.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from drivers.shoe.open_shoe import frames
from drivers.shoe.open_shoe.frames import LAYOUTS, FramedMessage
from drivers.shoe.open_shoe.passages import CIRCLE, LEFT, ReadName
from drivers.shoe.shoe_events import (
    CardNotCounted,
    CardOut,
    CardPulledBack,
    CutCardOut,
    DoubleFeed,
    Gap,
    NotUnderstood,
    ShoeEvent,
)

ENTRIES: Final = 16
"""Numbers of entries (specification, section 4): 0 to 15."""

ENTERED: Final = 1
"""Kind of an EDGE: something is in the mouth; its third field is the entry."""

NAME_MS_MAX: Final = 5000
"""A card that has left and whose last picture has not come after so long is unread. A camera that is gone
holds the table after one second of silence; this is for one that lags on a busy machine."""


class EntryName(NamedTuple):
    """What the camera has read of one entry. `several`: two cards, as one; then it has no name."""

    name: ReadName | None
    several: bool = False


class MouthCamera(Protocol):
    """The camera at the mouth, as the reader's driver asks it; from the driver's thread."""

    def closed(self, entry: int, *, final: bool) -> EntryName | None:
        """End an entry and tell its name; None while pictures of it may still come, unless `final`.

        Once ended nothing is reported of it any more, whatever comes late.
        """
        ...

    def uncounted(self, opened: frozenset[int], *, complete: bool) -> tuple[ReadName, ...]:
        """Name, once each, the cards that no sensor has seen enter.

        `opened` are the entries that the reader has reported and that have not ended; `complete`: it has
        reported everything up to now.
        """
        ...


@dataclass
class _Left:
    """A passage that has left and has no name yet; `since_ms` is the host's time, None before it is known."""

    entry: int | None
    cut: bool
    since_ms: int | None = None


class CountedPassages:
    """The passages of a reader that only counts, in order; each is settled once."""

    def __init__(self, p_min: float, camera: MouthCamera) -> None:
        """`p_min` (0 to 1): a name less sure than this is none."""
        self._p_min = p_min
        self._camera = camera
        self._cards = 0
        self._passage: int | None = None
        self._entries: dict[int, int] = {}
        self._cuts: set[int] = set()
        self._left: deque[_Left] = deque()

    def restarted(self) -> list[ShoeEvent]:
        """Begin a new count; what has left by now counts with the name that it has."""
        out = [event for left in self._left for event in self._settled(left, final=True) or ()]
        for entry in self._entries.values():
            self._camera.closed(entry, final=True)
        self._passage = None
        for kept in (self._left, self._entries, self._cuts):
            kept.clear()
        return out

    def gap(self, gap: Gap) -> list[ShoeEvent]:
        """Settle what has left; which entry is which passage's may be among the lost messages."""
        return [*self.restarted(), gap]

    def take(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take a message about what passes; a reader that only counts cannot name a card."""
        match message.kind:
            case frames.EDGE:
                return self._edge(*LAYOUTS[frames.EDGE].unpack(message.payload))
            case frames.REVERSE:
                passage, _ = LAYOUTS[frames.REVERSE].unpack(message.payload)
                # The number is used again: what comes next under it is not the cut card for that.
                self._cuts.discard(passage)
                entry = self._entries.pop(passage, None)
                if entry is not None:
                    self._camera.closed(entry, final=True)
                return [CardPulledBack()]
            case frames.CUT_CARD:
                self._cuts.add(LAYOUTS[frames.CUT_CARD].unpack(message.payload)[0])
                return []
        return [NotUnderstood(message.payload)]

    def time(self, t_ms: int) -> list[ShoeEvent]:
        """Ask for cards that were not counted: a heartbeat in its order says that nothing is on its way."""
        del t_ms
        return self._uncounted(complete=True)

    def poll(self, now_ms: int) -> list[ShoeEvent]:
        """Settle what has its name by now, in order, and tell of cards that nobody counted."""
        out: list[ShoeEvent] = []
        while self._left:
            first = self._left[0]
            first.since_ms = now_ms if first.since_ms is None else first.since_ms
            events = self._settled(first, final=now_ms - first.since_ms > NAME_MS_MAX)
            if events is None:
                break
            self._left.popleft()
            out += events
        return out + self._uncounted(complete=False)

    def _uncounted(self, *, complete: bool) -> list[ShoeEvent]:
        """Give the cards that the camera has named and that no sensor counted."""
        left = (one.entry for one in self._left if one.entry is not None)
        named = self._camera.uncounted(frozenset((*self._entries.values(), *left)), complete=complete)
        return [CardNotCounted(self._card(name)) for name in named]

    def _edge(self, passage: int, kind: int, entry: int) -> list[ShoeEvent]:
        if kind == ENTERED:
            self._entries[passage] = entry % ENTRIES
            return []
        if kind != LEFT:
            return []
        out: list[ShoeEvent] = []
        if self._passage is not None and passage != (self._passage + 1) % CIRCLE:
            lost = (passage - self._passage - 1) % CIRCLE
            out.append(Gap(str(self._passage + 1), str(passage), lost if lost < CIRCLE // 2 else None))
        self._passage = passage
        self._left.append(_Left(self._entries.pop(passage, None), passage in self._cuts))
        self._cuts.discard(passage)
        return out

    def _settled(self, left: _Left, *, final: bool) -> list[ShoeEvent] | None:
        """What a passage is; None while its name may still come."""
        if left.entry is None:
            return [self._card(None)]
        found = self._camera.closed(left.entry, final=final)
        if found is None:
            return None
        if left.cut and found.name is None and not found.several:
            return [CutCardOut()]
        doubt = [DoubleFeed()] if found.several or left.cut else []
        return [*doubt, self._card(None if found.several else found.name)]

    def _card(self, name: ReadName | None) -> CardOut:
        self._cards += 1
        if name is None or name.p < self._p_min:
            return CardOut(self._cards, None, None, p=0.0 if name is None else name.p)
        return CardOut(self._cards, name.rank, name.suit, p=name.p)

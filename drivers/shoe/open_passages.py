"""What the reader reports: its own state, and the cards that pass its mouth.

`PassageTracker`: a reader that reads cards; each passage through the mouth becomes one card, read or not.

`CountedPassages` (protocol 1.1): a reader that only counts, whose cards a camera at the mouth names. Each
sheet gets a number that goes round, its *entry*. The reader shows it to the camera with six lights and
reports it in the EDGE of that sheet, so that a name belongs to a passage whatever the delay of both lines.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from controller.domain import RANKS
from drivers.shoe import open_frames
from drivers.shoe.open_frames import CIRCLE, LAYOUTS, FramedMessage
from drivers.shoe.reader import (
    ERRORS,
    CardNotCounted,
    CardOut,
    CardPulledBack,
    CardRepeated,
    CopiesDiffer,
    CutCardOut,
    DoubleFeed,
    Gap,
    LidChanged,
    NotUnderstood,
    PassageMeasured,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    StatusChanged,
)

STATUS: Final = ("CARD_IN_MOUTH", "LID_OPEN", "BRAKE", "LIGHT", "HOT", "LOCKED", "FAULT", "RING_HALF_FULL")
"""Bit 0 first."""

ABILITIES: Final = (
    "SENDS_CROPS",
    "LOCK",
    "BRAKE",
    "LID",
    "SUITS",
    "TEMPERATURE",
    "COUNTS_ONLY",
    "DEFAULTS",
    "NO_THICKNESS",
    "SETTINGS",
)
"""Bit 0 first."""

_ERRORS: Final = {**ERRORS, 8: "LIGHT", 9: "HOT", 10: "CAMERA", 11: "SENSOR", 12: "THICKNESS"}
"""Numbers of ERROR and CLEARED, as `ShoeError.code` says them."""


def words(bits: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Name the bits that are set; unknown ones are passed over."""
    return tuple(name for place, name in enumerate(names) if bits >> place & 1)


def status_words(heartbeat: FramedMessage) -> tuple[str, ...]:
    """Name what a heartbeat says of the reader's state."""
    return words(LAYOUTS[open_frames.HEARTBEAT].unpack(heartbeat.payload)[0], STATUS)


def identified(hello: FramedMessage) -> ShoeIdentified:
    """Say who it is that has started."""
    serial, firmware, bits, _ = LAYOUTS[open_frames.HELLO].unpack(hello.payload)
    name = serial.rstrip(b"\0").decode("ascii", "replace")
    return ShoeIdentified(name, firmware.hex(), words(bits, ABILITIES))


def about_reader(message: FramedMessage) -> list[ShoeEvent]:
    """Say what a message tells of the reader; a type that nobody knows is `NotUnderstood`."""
    layout = LAYOUTS.get(message.kind)
    fields = layout.unpack(message.payload) if layout else ()
    match message.kind:
        case open_frames.HEARTBEAT:
            return [StatusChanged(status_words(message))]
        case open_frames.DOUBLE_FEED:
            return [DoubleFeed()]
        case open_frames.MEASURED:
            return [PassageMeasured(fields[0], (fields[1] / 10, fields[2] / 10, fields[3] / 10), fields[4])]
        case open_frames.LID:
            return [LidChanged(bool(fields[0]))]
        case open_frames.ERROR:
            return [ShoeError(fields[0], _ERRORS.get(fields[0], "UNKNOWN"), bool(fields[1]))]
        case open_frames.CLEARED:
            return [ShoeErrorCleared(fields[0], _ERRORS.get(fields[0], "UNKNOWN"))]
        case _:
            return [NotUnderstood(bytes((message.kind,)) + message.payload)]


SUITS: Final = ("c", "d", "h", "s")
"""Both `RANKS` and these are numbered from 1 on the line; 0 is not known."""

LEFT: Final = 2
"""Kind of an EDGE: something has left the shoe."""

_READ_MS_MAX: Final = 1000
"""A reader names a card within half a second of its leaving; after twice that it will not come any more."""

_CROPS_MAX: Final = 8
"""Pictures that are kept for the CARD that will name them (specification, section 4)."""


CLOCK: Final = 0x1_0000_0000
"""The reader's milliseconds have 32 bits."""


class Crop(NamedTuple):
    """The picture of an index: `pixels` row by row, 8-bit grey, `width` x `height`."""

    width: int
    height: int
    pixels: bytes


class ReadName(NamedTuple):
    """What a card is; rank and suit None where nobody can say. `p` is 0 to 1."""

    rank: str | None
    suit: str | None
    p: float


PASSING: Final = frozenset(
    (
        open_frames.EDGE,
        open_frames.CARD,
        open_frames.NO_READ,
        open_frames.REVERSE,
        open_frames.CUT_CARD,
        open_frames.CROP,
    )
)
"""Types of messages about what passes the mouth."""

Namer = Callable[[Crop], ReadName]
"""Reads the picture of an index; called from the device's thread, and must not raise."""


class _Reading(NamedTuple):
    """What was said about a passage: a name, or that it was the cut card; `raw` is the line that said so."""

    name: ReadName
    cut: bool = False
    raw: bytes = b""


_UNREAD: Final = _Reading(ReadName(None, None, 0.0))


def passed_over(before: int | None, passage: int) -> list[ShoeEvent]:
    """The gap between two passages whose numbers do not follow each other; [] without one."""
    if before is None or passage == (before + 1) % CIRCLE:
        return []
    lost = (passage - before - 1) % CIRCLE
    return [Gap(str(before + 1), str(passage), lost if lost < CIRCLE // 2 else None)]


class PassageTracker:
    """The passages through the mouth, in order; each is settled once."""

    def __init__(self, p_min: float, namer: Namer | None) -> None:
        """`p_min` (0 to 1): a name less sure than this is none. `namer` reads pictures; None: nobody does."""
        self._p_min = p_min
        self._namer = namer
        self._cards = 0
        self._passage: int | None = None
        self._left_ms: int | None = None
        self._readings: dict[int, _Reading] = {}
        self._crops: dict[int, dict[int, bytes]] = {}

    def restarted(self) -> list[ShoeEvent]:
        """Begin a new count of passages, as the reader does after it was switched on.

        A card that had left and was not named yet will never be named: it counts as unread.
        """
        out = self._settle()
        self._passage = None
        self._readings.clear()
        self._crops.clear()
        return out

    def gap(self, gap: Gap) -> list[ShoeEvent]:
        """Settle what was waiting: whatever named it may be among the lost messages.

        What was read of cards still in the mouth is forgotten. Their passages may mean other cards by now:
        one was pushed back, or the reader has restarted, and that message is among the lost ones.
        """
        return [*self.restarted(), gap]

    def take(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take a message about what passes, of one of the types `PASSING`."""
        if message.kind == open_frames.CROP:
            return self._crop(message.payload)
        passage, *fields = LAYOUTS[message.kind].unpack(message.payload)
        match message.kind:
            case open_frames.EDGE:
                return self._edge(passage, fields[0], message.t_ms)
            case open_frames.CARD:
                return self._card(passage, message)
            case open_frames.NO_READ:
                return self._read(passage, _UNREAD)
            case open_frames.CUT_CARD:
                return self._read(passage, _Reading(_UNREAD.name, cut=True))
            case _:
                # A card went back into the shoe: what was read of it is forgotten.
                self._readings.pop(passage, None)
                return [CardPulledBack()]

    def poll(self, now_ms: int) -> list[ShoeEvent]:
        """Nothing follows from the host's clock: the reader's own settles (`time`)."""
        del now_ms
        return []

    def _edge(self, passage: int, kind: int, t_ms: int) -> list[ShoeEvent]:
        """Take an edge. Only the one that leaves the shoe counts a card."""
        if kind != LEFT:
            return []
        out = self._settle()
        out += passed_over(self._passage, passage)
        self._passage, self._left_ms = passage, t_ms
        return out + (self._settle() if passage in self._readings else [])

    def _card(self, passage: int, message: FramedMessage) -> list[ShoeEvent]:
        """Take what the reader read, or have the picture read that it sent."""
        _, rank, suit, check, p, _, _, crop = LAYOUTS[open_frames.CARD].unpack(message.payload)
        if check != 0xFF ^ (rank << 4 | suit) or rank > len(RANKS) or suit > len(SUITS):
            return [NotUnderstood(message.payload)]
        known = ReadName(RANKS[rank - 1], SUITS[suit - 1] if suit else None, p / 255) if rank else None
        name = self._named(crop) if known is None else known
        return self._read(passage, _Reading(name, raw=open_frames.encode(message)))

    def _crop(self, payload: bytes) -> list[ShoeEvent]:
        """Keep a piece of a picture; the oldest picture goes when there are too many."""
        number, piece, pieces, width, height = open_frames.CROP_HEAD.unpack_from(payload)
        crop = self._crops.setdefault(number, {-1: bytes((pieces, width, height))})
        crop[piece] = payload[open_frames.CROP_HEAD.size :]
        if len(self._crops) > _CROPS_MAX:
            del self._crops[next(iter(self._crops))]
        return []

    def time(self, t_ms: int) -> list[ShoeEvent]:
        """Settle a card that left long ago and was never named."""
        if self._left_ms is None or not _READ_MS_MAX < (t_ms - self._left_ms) % CLOCK < CLOCK // 2:
            return []
        return self._settle()

    def _read(self, passage: int, reading: _Reading) -> list[ShoeEvent]:
        """Keep a reading until its card has left; count the card when it has left already."""
        known = self._readings.setdefault(passage, reading)
        if (known.name, known.cut) != (reading.name, reading.cut):
            return [CopiesDiffer(repr(known.name).encode(), repr(reading.name).encode())]
        if self._left_ms is not None and passage == self._passage:
            return self._settle()
        if self._passage is not None and (self._passage - passage) % CIRCLE < CIRCLE // 2:
            # Its card has been counted as unread: the name comes too late to be more than a hint.
            del self._readings[passage]
            return [CardRepeated(reading.name.rank, reading.name.suit, known=False)]
        return []

    def _settle(self) -> list[ShoeEvent]:
        """Count the passage that has left, named or not."""
        if self._left_ms is None or self._passage is None:
            return []
        self._left_ms = None
        reading = self._readings.pop(self._passage, _UNREAD)
        if reading.cut:
            return [CutCardOut()]
        self._cards += 1
        name = reading.name
        sure = name.p >= self._p_min
        rank, suit = (name.rank, name.suit) if sure else (None, None)
        return [CardOut(self._cards, rank, suit, p=name.p, raw=reading.raw)]

    def _named(self, number: int) -> ReadName:
        """Have a picture read; without all its pieces or without a reader nobody can say."""
        crop = self._crops.pop(number, None)
        if crop is None or self._namer is None:
            return _UNREAD.name
        pieces, width, height = crop.pop(-1)
        pixels = b"".join(crop.get(piece, b"") for piece in range(pieces))
        return self._namer(Crop(width, height, pixels)) if len(pixels) == width * height else _UNREAD.name


ENTRIES: Final = 16
"""Numbers of entries (specification, section 4): 0 to 15."""

ENTERED: Final = 1
"""Kind of an EDGE: something is in the mouth; its third field is the entry."""

_NAME_MS_MAX: Final = 5000
"""A card that has left and whose last picture has not come after so long is unread. A camera that is gone
holds the table after one second of silence; this is for one that lags on a busy machine."""


class EntryName(NamedTuple):
    """What the camera has read of one entry. `several`: two cards, as one; then it has no name."""

    name: ReadName | None
    several: bool = False


class MouthCamera(Protocol):
    """The camera at the mouth, as the reader's driver asks it; from the driver's thread."""

    def pictures(self, before_ms: int) -> Iterator[int]:
        """Take in the pictures from before a moment; yield the moment of each before it is taken in.

        Waits for a picture of then that is still being read: what follows must not depend on how long that
        takes, for a recording has only the moments.
        """
        ...

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
    """A passage that left at `since_ms` of the host's time and has no name yet."""

    entry: int | None
    cut: bool
    since_ms: int


class CountedPassages:
    """The passages of a reader that only counts, in order; each is settled once.

    The result depends on the moments of bytes and pictures alone, never on when they were looked at.
    """

    def __init__(self, p_min: float, camera: MouthCamera) -> None:
        """`p_min` (0 to 1): a name less sure than this is none."""
        self._p_min = p_min
        self._camera = camera
        self._cards = 0
        self._passage: int | None = None
        self._entries: dict[int, int] = {}
        self._cuts: set[int] = set()
        self._left: deque[_Left] = deque()
        self._now_ms = 0

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
            case open_frames.EDGE:
                return self._edge(*LAYOUTS[open_frames.EDGE].unpack(message.payload))
            case open_frames.REVERSE:
                passage, _ = LAYOUTS[open_frames.REVERSE].unpack(message.payload)
                # The number is used again: what comes next under it is not the cut card for that.
                self._cuts.discard(passage)
                entry = self._entries.pop(passage, None)
                if entry is not None:
                    self._camera.closed(entry, final=True)
                return [CardPulledBack()]
            case open_frames.CUT_CARD:
                self._cuts.add(LAYOUTS[open_frames.CUT_CARD].unpack(message.payload)[0])
                return []
            case _:
                return [NotUnderstood(message.payload)]

    def time(self, t_ms: int) -> list[ShoeEvent]:
        """Ask for cards that were not counted: a heartbeat in its order says that nothing is on its way."""
        del t_ms
        return self._uncounted(complete=True)

    def poll(self, now_ms: int) -> list[ShoeEvent]:
        """Settle what has its name by now, in order, and report cards that no sensor has counted."""
        self._now_ms = now_ms
        out: list[ShoeEvent] = []
        for moment_ms in self._camera.pictures(now_ms):
            out += self._settle(moment_ms)
        return out + self._settle(now_ms)

    def _settle(self, now_ms: int) -> list[ShoeEvent]:
        out: list[ShoeEvent] = []
        while self._left:
            first = self._left[0]
            events = self._settled(first, final=now_ms - first.since_ms > _NAME_MS_MAX)
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
        out += passed_over(self._passage, passage)
        self._passage = passage
        self._left.append(_Left(self._entries.pop(passage, None), passage in self._cuts, self._now_ms))
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

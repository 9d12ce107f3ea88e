"""Open shoe protocol: one passage through the mouth at a time becomes one card, read or not."""

from collections.abc import Callable
from typing import Final, NamedTuple

from drivers.shoe.open_shoe import frames
from drivers.shoe.open_shoe.frames import LAYOUTS, FramedMessage
from drivers.shoe.shoe_events import (
    CardOut,
    CardPulledBack,
    CardRepeated,
    CopiesDiffer,
    CutCardOut,
    Gap,
    NotUnderstood,
    ShoeEvent,
)

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("c", "d", "h", "s")
"""Both numbered from 1 on the line; 0 is not known."""

LEFT: Final = 2
"""Kind of an EDGE: something has left the shoe."""

READ_MS_MAX: Final = 1000
"""A reader names a card within half a second of its leaving; after twice that it will not come any more."""

CROPS_MAX: Final = 8
"""Pictures that are kept for the CARD that will name them (specification, section 4)."""

CIRCLE: Final = 0x10000
"""Passages are numbered with 16 bits."""

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
    (frames.EDGE, frames.CARD, frames.NO_READ, frames.REVERSE, frames.CUT_CARD, frames.CROP)
)
"""Types of messages about what passes the mouth."""

Namer = Callable[[Crop], ReadName]
"""Reads the picture of an index; called from the device's thread, and must not raise."""


class _Reading(NamedTuple):
    """What was said about a passage: a name, or that it was the cut card; `raw` is the line that said so."""

    name: ReadName
    cut: bool = False
    raw: bytes = b""

    def is_same(self, other: "_Reading") -> bool:
        """Whether both say the same, in whichever message."""
        return (self.name, self.cut) == (other.name, other.cut)


_UNREAD: Final = _Reading(ReadName(None, None, 0.0))


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
        self._forget()
        return out

    def gap(self, gap: Gap) -> list[ShoeEvent]:
        """Settle what was waiting: whatever named it may be among the lost messages.

        What was read of cards still in the mouth is forgotten. Their passages may mean other cards by now:
        one was pushed back, or the reader has restarted, and that message is among the lost ones.
        """
        out = self._settle()
        self._forget()
        return [*out, gap]

    def take(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take a message about what passes, of one of the types `PASSING`."""
        match message.kind:
            case frames.EDGE:
                return self.edge(message)
            case frames.CARD:
                return self.card(message)
            case frames.NO_READ:
                return self.no_read(message)
            case frames.REVERSE:
                return self.pulled_back(message)
            case frames.CUT_CARD:
                return self.cut_card(message)
        return self.crop(message)

    def poll(self, now_ms: int) -> list[ShoeEvent]:
        """Nothing follows from the host's clock: the reader's own settles (`time`)."""
        del now_ms
        return []

    def edge(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take an edge. Only the one that leaves the shoe counts a card."""
        passage, kind, _ = LAYOUTS[frames.EDGE].unpack(message.payload)
        if kind != LEFT:
            return []
        out = self._settle()
        if self._passage is not None and passage != (self._passage + 1) % CIRCLE:
            lost = (passage - self._passage - 1) % CIRCLE
            out.append(Gap(str(self._passage + 1), str(passage), lost if lost < CIRCLE // 2 else None))
        self._passage, self._left_ms = passage, message.t_ms
        return out + (self._settle() if passage in self._readings else [])

    def card(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take what the reader read, or have the picture read that it sent."""
        passage, rank, suit, check, p, _, _, crop = LAYOUTS[frames.CARD].unpack(message.payload)
        if check != 0xFF ^ (rank << 4 | suit) or rank > len(RANKS) or suit > len(SUITS):
            return [NotUnderstood(message.payload)]
        known = ReadName(RANKS[rank - 1], SUITS[suit - 1] if suit else None, p / 255) if rank else None
        name = self._named(crop) if known is None else known
        return self._read(passage, _Reading(name, raw=frames.encode(message)))

    def no_read(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take the news that the reader could not read the card."""
        return self._read(LAYOUTS[frames.NO_READ].unpack(message.payload)[0], _UNREAD)

    def pulled_back(self, message: FramedMessage) -> list[ShoeEvent]:
        """Forget what was read of a card that went back into the shoe."""
        self._readings.pop(LAYOUTS[frames.REVERSE].unpack(message.payload)[0], None)
        return [CardPulledBack()]

    def cut_card(self, message: FramedMessage) -> list[ShoeEvent]:
        """Take the news that this passage is the cut card."""
        (passage,) = LAYOUTS[frames.CUT_CARD].unpack(message.payload)
        return self._read(passage, _Reading(_UNREAD.name, cut=True))

    def crop(self, message: FramedMessage) -> list[ShoeEvent]:
        """Keep a piece of a picture; the oldest picture goes when there are too many."""
        number, piece, pieces, width, height = frames.CROP_HEAD.unpack_from(message.payload)
        crop = self._crops.setdefault(number, {-1: bytes((pieces, width, height))})
        crop[piece] = message.payload[frames.CROP_HEAD.size :]
        if len(self._crops) > CROPS_MAX:
            del self._crops[next(iter(self._crops))]
        return []

    def time(self, t_ms: int) -> list[ShoeEvent]:
        """Settle a card that left long ago and was never named."""
        if self._left_ms is None or not READ_MS_MAX < (t_ms - self._left_ms) % CLOCK < CLOCK // 2:
            return []
        return self._settle()

    def _forget(self) -> None:
        self._passage = None
        self._readings.clear()
        self._crops.clear()

    def _read(self, passage: int, reading: _Reading) -> list[ShoeEvent]:
        """Keep a reading until its card has left; count the card when it has left already."""
        known = self._readings.setdefault(passage, reading)
        if not known.is_same(reading):
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

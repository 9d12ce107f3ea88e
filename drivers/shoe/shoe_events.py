"""What a shoe reader says, whichever protocol it speaks.

Dataclasses, not named tuples: two events without fields must not compare equal.
"""

from dataclasses import dataclass, field
from typing import Literal

from drivers.lifecycle import DeviceChanged

CardMode = Literal["game", "locked", "error", "setting", "other"]
"""What the reader was doing as a card left; all but `game` are outside a game."""


@dataclass(frozen=True, slots=True)
class ShoeStarted:
    """The reader was switched on or restarted: what happened before on the line says nothing any more.

    `again` is True where a reader had been on before this start: it had sent something, or something had come
    that could not be read. Cards that it had not sent by then will never be sent.
    """

    again: bool = False


@dataclass(frozen=True, slots=True)
class Standby:
    """The reader waits for the next game."""


@dataclass(frozen=True, slots=True)
class CardOut:
    """One physical card has left the shoe.

    `rank` and `suit` are None where the reader could not read them: the card counts all the same.
    `number` counts the cards of this program run from 1. `target` and `place` are what the reader's own
    firmware made of it (baccarat words), kept for the record only. `p` is how sure the reader was, 0 to 1,
    where it says so. `raw` is the message that named it as it was on the line, b"" where none did: it tells
    of this card alone.
    """

    number: int
    rank: str | None
    suit: str | None
    mode: CardMode = "game"
    target: str = ""
    place: int = 0
    p: float | None = None
    raw: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class CardRepeated:
    """The reader sent a card again on request. It is never counted; `known` says whether it fits."""

    rank: str | None
    suit: str | None
    known: bool


@dataclass(frozen=True, slots=True)
class BurnCount:
    """The reader's firmware tells how many cards it expects to be burned; not a card."""

    cards: int


@dataclass(frozen=True, slots=True)
class CutCardOut:
    """The cut card has left the shoe."""


@dataclass(frozen=True, slots=True)
class FirmwareResult:
    """The reader's own game ended (baccarat words); nothing to the table."""

    outcome: str


@dataclass(frozen=True, slots=True)
class ShoeError:
    """The reader reports fault `number` by `code` (NO_READ, OVERDRAW, ...); `stopped`: until cleared."""

    number: int
    code: str
    stopped: bool


@dataclass(frozen=True, slots=True)
class ShoeErrorCleared:
    """Fault `number` is gone."""

    number: int
    code: str


@dataclass(frozen=True, slots=True)
class LockChanged:
    """The reader was locked or unlocked, at the shoe or by a command."""

    locked: bool


@dataclass(frozen=True, slots=True)
class PresetChanged:
    """Somebody changed a setting of the reader at the shoe."""

    address: str
    value: str


@dataclass(frozen=True, slots=True)
class LineFault:
    """Bytes that are no message: NOISE, TRUNCATED, TOO_LONG, BCC_MISSING, BCC_WRONG, CRC_WRONG, STRAY, ...

    A damaged copy alone loses nothing; what is lost shows as `Gap`.
    """

    code: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A message that arrived undamaged but says nothing that the protocol knows: it may be a card."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class CopiesDiffer:
    """Copies of one message contradict each other. The first was taken; nobody knows which is right."""

    first: bytes
    other: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages are missing: `lost` of them, or None where the sequence cannot tell how many."""

    expected: str
    got: str
    lost: int | None


@dataclass(frozen=True, slots=True)
class ShoeIdentified:
    """The reader names itself: serial number, digest of its firmware (hex), what it can do."""

    serial: str
    firmware: str
    abilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardPulledBack:
    """A card was pushed back into the shoe before it had left."""


@dataclass(frozen=True, slots=True)
class DoubleFeed:
    """Two cards may have left the shoe as one."""


@dataclass(frozen=True, slots=True)
class CardNotCounted:
    """A camera at the mouth of a reader that only counts has named a card, and the reader counted none.

    `card` is that card, as if it had been counted: it lies on the felt, or somebody pushed it back.
    """

    card: CardOut


@dataclass(frozen=True, slots=True)
class PassageMeasured:
    """How a reader that only counts has measured one passage.

    `passage` is the reader's number, `part_ms` the time from inner to outer sensor at the front edge,
    between the two, and from inner to outer at the rear edge; `thick_percent` the greatest thickness, of
    one card's.
    """

    passage: int
    part_ms: tuple[float, float, float]
    thick_percent: int


@dataclass(frozen=True, slots=True)
class ShoeValue:
    """A setting or a measure of the reader that was asked for: its number in the protocol, its value."""

    number: int
    value: int


@dataclass(frozen=True, slots=True)
class ShoeRefused:
    """This reader cannot be this table's shoe.

    COUNTS_ONLY: no camera names what it counts. READS_ITSELF: one is to. DEFAULTS: it is not calibrated.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class LidChanged:
    """The lid was opened or closed."""

    is_open: bool


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The words of the reader's status have changed: CARD_IN_MOUTH, LID_OPEN, BRAKE, LIGHT, HOT, ..."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InTestMode:
    """The reader is in test mode: its cards are not real ones and are not reported."""


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """The reader answered a command: `code` is "" when it was carried out."""

    command: str
    code: str


ShoeEvent = (
    ShoeStarted
    | Standby
    | CardOut
    | CardRepeated
    | BurnCount
    | CutCardOut
    | FirmwareResult
    | ShoeError
    | ShoeErrorCleared
    | LockChanged
    | PresetChanged
    | LineFault
    | NotUnderstood
    | CopiesDiffer
    | Gap
    | ShoeIdentified
    | CardPulledBack
    | DoubleFeed
    | CardNotCounted
    | PassageMeasured
    | ShoeRefused
    | LidChanged
    | StatusChanged
    | InTestMode
    | CommandAnswered
    | ShoeValue
    | DeviceChanged
)

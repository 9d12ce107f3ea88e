"""A shoe reader on a serial line, whichever protocol it speaks: its events, and their meaning to the table.

`SerialShoe` is the reader on the device thread; `send` gives it a command. `ShoeAdapter` makes observations
of its events, and troubles that hold the table or warn. Events are dataclasses, not named tuples: two events
without fields must not compare equal.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

from controller.acts.catalogue import CardSeen, CutCard, Observation
from controller.domain import DeviceError, card_named
from controller.ports import Clock, Health, OrderAnswer, Report, Tap, Trouble
from drivers.device_driver import DeviceChanged, LifePolicy
from drivers.line import Connect, LineDriver, LineProtocol, SerialStream

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


ERRORS: Final = {
    1: "NO_READ",
    2: "OVERDRAW",
    3: "WRONG_BUTTON",
    4: "REVERSE_AT_EXIT",
    5: "REVERSE_MIDWAY",
    6: "CARD_CODE",
    7: "DRAW_TIME_OUT",
}
"""Numbers of a fault in both protocols, as `ShoeError.code` says them."""


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


class ShoeCommand(NamedTuple):
    """Something asked of the reader: `lock`, `unlock`, `clear_error`, `confirm_game`, ...

    `number` is the fault to clear; 0 stands for the last one that the reader has reported. The command
    `setting` sets setting `number` to `value`, or asks for it where `value` is None.
    """

    name: str
    number: int = 0
    value: int | None = None


class ShoeProtocol(LineProtocol[ShoeEvent], Protocol):
    """A line protocol that also takes commands.

    Each is answered once by `CommandAnswered` and never sent again by itself after that. What was on its way
    when the line was lost, or was not sent yet, is answered LINE_LOST: nobody knows whether it was done.
    """

    @property
    def allowed(self) -> tuple[str, ...]:
        """Commands that this table may send, in the order of the page's keys."""
        ...

    def request(self, command: ShoeCommand) -> None:
        """Queue a command for the next `poll`; raises `DeviceError` when it is unknown or not allowed."""
        ...


class SerialShoe(LineDriver[ShoeEvent]):
    """A `LineDriver` that can also be given commands.

    `post` gets `DeviceChanged` when the line comes and goes, and everything that the reader says between.
    """

    def __init__(
        self,
        name: str,
        port: str,
        protocol: ShoeProtocol,
        post: Callable[[ShoeEvent, int], None],
        clock: Clock,
        *,
        connect: Connect = SerialStream,
        baud: int = 4800,
        life: LifePolicy | None = None,
        tap: Tap | None = None,
    ) -> None:
        """As `LineDriver`."""
        super().__init__(name, port, protocol, post, clock, connect=connect, baud=baud, life=life, tap=tap)
        self._commands = protocol

    def send(self, command: ShoeCommand) -> None:
        """Queue a command; the answer is posted as `CommandAnswered`.

        Raises `DeviceError` when the command is unknown, not allowed, or the shoe is not there.
        """
        with self._protocol_lock:
            if self._life.state not in {"live", "stale"}:
                raise DeviceError("DEVICE_NOT_LIVE", name=self._name, port=self._port)
            self._commands.request(command)

    def health(self) -> Health:
        """The state of the shoe; a live one takes the commands that its table allows."""
        health = super().health()
        if health.state not in {"live", "stale"}:
            return health
        return health._replace(orders=self._commands.allowed)

    def order(self, order: str) -> bool:
        """Queue a command; the shoe answers in its own time."""
        self.send(ShoeCommand(order))
        return False


_HARMLESS_ERRORS: Final = {"OVERDRAW", "WRONG_BUTTON", "DRAW_TIME_OUT", "HOT"}
"""Complaints that leave no doubt about what a card is: mostly of a baccarat firmware about the game."""


class ShoeAdapter:
    """Speaks the table's words for one shoe.

    `name` is the device's name in the journal. `session` is unique for each start of the program, so that
    card ids never repeat: card 12 of session `k3f` at shoe `shoe` has the id `shoe.k3f.12`.
    """

    def __init__(self, name: str, session: str) -> None:
        """Make the adapter of one start of the program."""
        self._name = name
        self._session = session

    def report(self, event: ShoeEvent, mono_ns: int) -> Report:
        """Give the whole meaning of an event of that moment (nanoseconds); each part of it may be empty."""
        answers = (OrderAnswer(event.command, event.code),) if isinstance(event, CommandAnswered) else ()
        raw = event.raw if isinstance(event, CardOut) else b""
        return Report(self._name, mono_ns, self.to_observations(event), self.to_troubles(event), answers, raw)

    def to_observations(self, event: ShoeEvent) -> tuple[Observation, ...]:
        """The facts for the journal: cards and the cut card."""
        match event:
            case CardOut(number, rank, suit, p=p):
                card, name = card_named(rank, suit), f"{self._name}.{self._session}.{number}"
                return (CardSeen(card.rank, card.suit, by="shoe", p=p, id=name),)
            case CardNotCounted(card):
                return self.to_observations(card)
            case CutCardOut():
                return (CutCard(),)
            case _:
                return ()

    def to_troubles(self, event: ShoeEvent) -> tuple[Trouble, ...]:  # noqa: C901, PLR0912  # a case for each event
        """What the shoe cannot vouch for; repeats and damaged single copies are no trouble.

        No bytes in the parameters: they could be the face-down card's.
        """
        match event:
            case CardOut(mode="game"):
                return ()
            case CardOut(mode=mode):
                return self._trouble("SHOE_CARD_OUTSIDE_GAME", hold=False, mode=mode)
            case CardRepeated(known=known):
                return () if known else self._trouble("SHOE_CARD_UNMATCHED")
            case CardNotCounted():
                return self._trouble("CARD_NOT_COUNTED")
            case ShoeRefused(reason):
                return self._trouble(f"SHOE_{reason}")
            case Gap(_, _, lost):
                return self._trouble("SHOE_GAP", lost="?" if lost is None else str(lost))
            case ShoeStarted(again=again):
                return self._trouble("SHOE_RESTARTED") if again else ()
            case CopiesDiffer():
                return self._trouble("SHOE_COPIES_DIFFER")
            case NotUnderstood():
                return self._trouble("SHOE_NOT_UNDERSTOOD")
            case DoubleFeed():
                return self._trouble("SHOE_DOUBLE_FEED")
            case CardPulledBack():
                return self._trouble("SHOE_CARD_PULLED_BACK")
            case InTestMode():
                return self._trouble("SHOE_TEST_MODE")
            case ShoeError() | ShoeErrorCleared() | LockChanged() | PresetChanged() | LidChanged():
                return (_reader_trouble(event),)
            case CommandAnswered(command, code):
                why = (("command", command), ("reason", code))
                return (Trouble("SHOE_COMMAND_REFUSED", why, hold=False),) if code else ()
            case Standby() | BurnCount() | CutCardOut() | FirmwareResult() | LineFault() | ShoeIdentified():
                return ()
            case PassageMeasured() | StatusChanged() | ShoeValue() | DeviceChanged():
                return ()

    def _trouble(self, code: str, *, hold: bool = True, **params: int | str) -> tuple[Trouble]:
        return (Trouble(code, (("name", self._name), *params.items()), hold),)


def _reader_trouble(
    event: ShoeError | ShoeErrorCleared | LockChanged | PresetChanged | LidChanged,
) -> Trouble:
    """What the reader says about itself."""
    match event:
        case ShoeError(number, code):
            return Trouble(f"SHOE_{code}", (("number", number),), hold=code not in _HARMLESS_ERRORS)
        case ShoeErrorCleared(number, code):
            return Trouble("SHOE_ERROR_CLEARED", (("number", number), ("fault", code)), hold=False)
        case LockChanged(locked):
            return Trouble("SHOE_LOCKED" if locked else "SHOE_UNLOCKED", hold=False)
        case PresetChanged(address, value):
            return Trouble("SHOE_PRESET_CHANGED", (("address", address), ("value", value)), hold=False)
        case LidChanged(is_open):
            return Trouble("SHOE_LID_OPEN" if is_open else "SHOE_LID_CLOSED", hold=is_open)

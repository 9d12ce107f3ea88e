"""What a shoe reader's events mean to the table: observations, and troubles that hold it or warn."""

from typing import Final

from controller.acts.catalogue import CardSeen, CutCard, Observation
from controller.domain import card_named
from controller.ports import OrderAnswer, Report, Trouble
from drivers.lifecycle import DeviceChanged
from drivers.shoe.shoe_events import (
    BurnCount,
    CardNotCounted,
    CardOut,
    CardPulledBack,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    CutCardOut,
    DoubleFeed,
    FirmwareResult,
    Gap,
    InTestMode,
    LidChanged,
    LineFault,
    LockChanged,
    NotUnderstood,
    PassageMeasured,
    PresetChanged,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeIdentified,
    ShoeRefused,
    ShoeStarted,
    ShoeValue,
    Standby,
    StatusChanged,
)

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

"""Bodies of Angel Eye II-EX messages as events. The layout of each is in hardware/angel-eye.md."""

from collections.abc import Callable
from typing import Final

from drivers.shoe.shoe_events import (
    BurnCount,
    CardMode,
    CardOut,
    CutCardOut,
    FirmwareResult,
    LockChanged,
    NotUnderstood,
    PresetChanged,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeStarted,
    Standby,
)

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("d", "c", "s", "h")
"""In the order of the line's own numbers, which count from 1; 0 is a card that was not read."""

GAME_TARGETS: Final = {0: "player", 1: "banker", 2: "burn", 4: "first_card", 5: "burn_count"}
"""What the reader's own baccarat makes of a card in a game."""

OUTSIDE_MODES: Final[dict[int, CardMode]] = {0: "locked", 1: "error", 2: "setting"}
"""The same bits of a card that left outside a game."""

OUTCOMES: Final = {1: "player", 2: "tie", 4: "banker", 7: "aborted"}
"""Results of the reader's own baccarat."""

ERRORS: Final = {
    1: "NO_READ",
    2: "OVERDRAW",
    3: "WRONG_BUTTON",
    4: "REVERSE_AT_EXIT",
    5: "REVERSE_MIDWAY",
    6: "CARD_CODE",
    7: "DRAW_TIME_OUT",
}

"""Numbers of a fault, as `ShoeError.code` says them."""

_BURN_COUNT: Final = 5
"""The target that makes of a card without a rank the count of cards to burn."""


def decode(data: bytes) -> ShoeEvent:
    """Read one message without its sequence character; `CardOut.number` is still 0.

    Never raises: what does not fit the layout comes back as `NotUnderstood`.
    """
    kind = chr(data[0]) if data else ""
    if kind in _PLAIN and len(data) == 1:
        return _PLAIN[kind]
    length, read = _READERS.get(kind, (0, NotUnderstood))
    if len(data) != length + 1 or (kind != "M" and any(byte < 0x80 for byte in data[1:])):
        return NotUnderstood(data)
    return read(data)


def _card(data: bytes) -> ShoeEvent:
    """`D`, `d` and `R`: a card, or the count of cards to burn."""
    target, index = data[1] >> 4 & 7, data[1] & 15
    suit_number, rank_number = data[2] >> 4 & 7, data[2] & 15
    if rank_number > len(RANKS) or suit_number > len(SUITS):
        return NotUnderstood(data)
    if data[0:1] == b"D" and target == _BURN_COUNT and not rank_number:
        return BurnCount(index)
    rank = RANKS[rank_number - 1] if rank_number else None
    suit = SUITS[suit_number - 1] if suit_number else None
    if data[0:1] == b"d":
        return CardOut(0, rank, suit, OUTSIDE_MODES.get(target, "other"), "", index)
    return CardOut(0, rank, suit, "game", GAME_TARGETS.get(target, "other"), index)


def _result(data: bytes) -> ShoeEvent:
    return FirmwareResult(OUTCOMES.get(data[1] >> 4 & 7, "unknown"))


def _error(data: bytes) -> ShoeEvent:
    """Bit 6 is set while the reader is stopped by the fault."""
    number = data[1] & 0x3F
    return ShoeError(number, ERRORS.get(number, "UNKNOWN"), bool(data[1] & 0x40))


def _cleared(data: bytes) -> ShoeEvent:
    number = data[1] & 0x3F
    return ShoeErrorCleared(number, ERRORS.get(number, "UNKNOWN"))


def _lock(data: bytes) -> ShoeEvent:
    return LockChanged(bool(data[1] & 1))


def _preset(data: bytes) -> ShoeEvent:
    """Two characters of address, four of value; anything unprintable is shown as `?`."""
    text = "".join(chr(byte) if byte < 0x7F else "?" for byte in data[1:])
    return PresetChanged(text[:2], text[2:])


# Messages without data, and those with: their bytes of data, and how to read them.
_PLAIN: Final[dict[str, ShoeEvent]] = {"S": ShoeStarted(), "P": Standby(), "C": CutCardOut()}
_READERS: Final[dict[str, tuple[int, Callable[[bytes], ShoeEvent]]]] = {
    "D": (2, _card),
    "d": (2, _card),
    "R": (2, _card),
    "G": (1, _result),
    "E": (1, _error),
    "e": (1, _cleared),
    "L": (1, _lock),
    "M": (6, _preset),
}

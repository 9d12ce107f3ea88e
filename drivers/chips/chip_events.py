"""What every chip source says, whatever it counts with."""

from dataclasses import dataclass

from controller.acts.money.chip_reading import ReadingKind


@dataclass(frozen=True, slots=True)
class ChipsSeen:
    """The chips of one bettor have come to rest at another amount.

    A `stake` is all that lies in the circle, 0 where nothing does, and comes again whenever the source has
    been opened anew. A `payout` is the total handed back in a round, stake included, and comes once.
    `amount` is in minor units, None where chips lie that the source cannot count; `p` is how sure it is, from
    0 to 1.
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float


@dataclass(frozen=True, slots=True)
class ReaderRefused:
    """A source that is there and does not read.

    SETUP: it does not grant what it is asked to do; CONNECTION: it serves another host; ANTENNA: one of its
    antennas is gone; FORM: its bytes are none of its protocol.
    """

    code: str

"""Chip sources: what a camera zone, a pad under the felt or a counting tray says of stakes and payouts.

In: nothing, but for `llrp`: the bytes of an RFID reader. Out: `ChipsSeen`, the one event of them all, and
`ReaderRefused`, posted from the device thread. A pad on a serial line speaks the lines of
`drivers.text_line`; a source of another kind posts the same events. May import `drivers.line` and the words
of the table.
"""

from drivers.chips.chip_events import ChipsSeen, ReaderRefused
from drivers.chips.llrp import AntennaPlace, LlrpReader, RfidChips

__all__ = ["AntennaPlace", "ChipsSeen", "LlrpReader", "ReaderRefused", "RfidChips"]

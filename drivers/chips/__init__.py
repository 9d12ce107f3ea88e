"""Chip sources: what a camera zone, a pad under the felt or a counting tray says of stakes and payouts.

In: nothing. Out: `ChipsSeen`, the one event of them all, posted from the device thread. A pad on a serial
line speaks the lines of `drivers.text_line`; a source of another kind posts the same events. Imports nothing
but the words of the table.
"""

from drivers.chips.events import ChipsSeen

__all__ = ["ChipsSeen"]

"""RFID readers under the felt that speak the Low Level Reader Protocol (LLRP, a standard of GS1) over TCP.

In: the reader's bytes, which antenna looks at which circle, and what chips are worth by their tags. Out:
`ChipsSeen` and `ReaderRefused`, and the bytes that set the reader up. From the line to the table: `messages`
(bytes to messages), `reader` (the conversation), `circles` (what lies in a place, and how sure), `device`.
"""

from drivers.chips.llrp.circles import AntennaPlace
from drivers.chips.llrp.device import RfidChips
from drivers.chips.llrp.rfid_reader import LlrpReader

__all__ = ["AntennaPlace", "LlrpReader", "RfidChips"]

"""Dealer keypads and foot pedals: input devices of the kernel.

In: an input device, and what its keys mean. Out: `KeyPressed` and `KeysLost`, posted from the device thread.
May import `drivers.line`; it alone knows evdev. Keypads on a serial line are in `drivers.text_line`.
"""

from drivers.keys.input_stream import InputStream
from drivers.keys.key_events import KeyEvent, KeyPressed, KeysLost
from drivers.keys.key_records import NUMBER_PAD, KeyRecords
from drivers.keys.keypad import Keypad

__all__ = ["NUMBER_PAD", "InputStream", "KeyEvent", "KeyPressed", "KeyRecords", "Keypad", "KeysLost"]

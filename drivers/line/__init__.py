"""A device on a line of bytes.

In: a port, and a protocol that makes events of bytes. Out: events, posted from the device thread. May import
the device thread and its life; it alone opens serial ports.
"""

from drivers.line.driver import Connect, LineConfig, LineDriver
from drivers.line.line_protocol import LineProtocol
from drivers.line.serial_stream import SerialStream

__all__ = ["Connect", "LineConfig", "LineDriver", "LineProtocol", "SerialStream"]

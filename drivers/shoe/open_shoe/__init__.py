"""The open shoe protocol, host side, sans I/O. Its specification is hardware/open-shoe-protocol.md.

In: bytes of the line, and a function that names the picture of an index. Out: `ShoeEvent`s,
acknowledgements, and the bytes of allowed commands. May import the events and the protocol of
`drivers.shoe`. From the line to the table: `frames` (bytes to messages), `receive_window` (each message
once and in order), `passages` (what passed the mouth, as cards) or `counted` (what passed, named by a
camera) and `reader_messages` (what the reader says of itself), `protocol` (all of it).
"""

from drivers.shoe.open_shoe.counted import EntryName, MouthCamera
from drivers.shoe.open_shoe.passages import Crop, Namer, ReadName
from drivers.shoe.open_shoe.protocol import OpenShoe, OpenShoeOptions

__all__ = ["Crop", "EntryName", "MouthCamera", "Namer", "OpenShoe", "OpenShoeOptions", "ReadName"]

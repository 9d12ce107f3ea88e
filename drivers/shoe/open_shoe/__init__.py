"""The open shoe protocol, host side, sans I/O. Its specification is hardware/open-shoe-protocol.md.

In: bytes of the line, and a function that names the picture of an index. Out: `ShoeEvent`s,
acknowledgements, and the bytes of allowed commands. May import the events and the protocol of
`drivers.shoe`. From the line to the table: `frames` (bytes to messages, each once and in order), `reports`
(messages to cards and to the reader's own state), `protocol` (all of it).
"""

from drivers.shoe.open_shoe.protocol import OpenShoe, OpenShoeOptions
from drivers.shoe.open_shoe.reports import Crop, EntryName, MouthCamera, Namer, ReadName

__all__ = ["Crop", "EntryName", "MouthCamera", "Namer", "OpenShoe", "OpenShoeOptions", "ReadName"]

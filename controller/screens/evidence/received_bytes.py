"""What came on a device's line, written for people: hex, text, and what it reported to the table."""

from collections.abc import Iterable, Iterator
from typing import Final

from controller.acts.catalogue import Observation, declared
from controller.feed.codec import to_json

PRINTABLE: Final = range(0x20, 0x7F)


def hex_of(data: bytes) -> str:
    """The bytes as pairs of digits."""
    return data.hex(" ")


def text_of(data: bytes) -> str:
    """The bytes as text, with a dot for whatever is no character of it."""
    return "".join(chr(one) if one in PRINTABLE else "\u00b7" for one in data)


def report_texts(observations: Iterable[Observation]) -> Iterator[str]:
    """What the bytes reported, as a feed's line has it: `card: rank 8, suit h, by shoe`."""
    for one in observations:
        fields = (f"{name} {value}" for name, value in to_json(one).items() if name != "obs")
        yield f"{declared(one).name}: {', '.join(fields)}"

"""Texts that can be shown, logged and written down everywhere: no control characters, no half characters."""

import re
from collections.abc import Mapping
from typing import Final

UNFIT: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters: they end a line of a log, a header or a terminal's colours
    "\u2028\u2029"  # ends of a line and of a paragraph
    "\u202a-\u202e\u2066-\u2069"  # the direction of writing turned round: "D-17" can look like "71-D"
    "\ud800-\udfff"  # halves of a character, which no file can hold
    "]"
)
"""What no name, note or reason holds."""

WANTED: Final = "text without control characters"


def is_plain(text: str) -> bool:
    """Whether a text can be shown, logged and written down as it is."""
    return UNFIT.search(text) is None


def plain(text: str) -> str:
    """Give a text with a question mark for each character that is not plain."""
    return UNFIT.sub("?", text)


def escaped(text: str, keep: str = "") -> str:
    """Give a text with an escape for each character that is not plain, as JSON has it; `keep` stays.

    A terminal obeys such characters: they erase lines and write others.
    """
    return UNFIT.sub(lambda sign: sign[0] if sign[0] in keep else f"\\u{ord(sign[0]):04x}", text)


def unfit_place(data: object) -> tuple[str, ...] | None:
    """Find the first text or key in JSON data that is not plain: the way to it; None where all are.

    It goes without recursion: data of a stranger may be nested as deep as the reader allows.
    """
    left: list[tuple[tuple[str, ...], object]] = [((), data)]
    while left:
        way, value = left.pop()
        if isinstance(value, str):
            if not is_plain(value):
                return way
        elif isinstance(value, Mapping):
            left.extend(((*way, str(key)), one) for key, one in value.items())
            if not all(is_plain(str(key)) for key in value):
                return way
        elif isinstance(value, list | tuple):
            left.extend(((*way, str(place)), one) for place, one in enumerate(value))
    return None

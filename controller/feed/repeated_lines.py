"""Lines of a feed read to be played at once: what was reported before in the same words is not read again.

Most lines of a long feed repeat: a shoe has 52 kinds of cards, a box the same few decisions. Lines that carry
something of their own, such as a card's name or its certainty, are read one by one, as everywhere else.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from controller.acts.catalogue import Observation
from controller.domain.errors import ConfigError
from controller.feed.feed_lines import FeedLine, LineReader, MalformedFeed, next_line

_TIME: Final = re.compile(rb'\{"t": ?((?:0|[1-9][0-9]{0,8})\.[0-9]{1,9})')
"""How a line begins whose time comes first and has a fraction, as this program and most others write it."""

KNOWN_MAX: Final = 4096
"""Lines that are remembered; a shift at seven boxes tells some 500 different ones."""


class LineWords(NamedTuple):
    """What a line says beside its time."""

    obs: Observation
    by: object
    second: object


class RepeatedLines:
    """The lines after the header of an open feed; lines with the same words share one observation.

    Iterate once: as `FeedLine`, or by `told` without making one for each line.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Begin behind the header."""
        self._stream = stream

    def __iter__(self) -> Iterator[FeedLine]:
        """Raises MalformedFeed at the first line that is not one."""
        return (FeedLine(number, t, *entered) for number, t, entered in self.differing())

    def differing(self) -> Iterator[tuple[int, float, LineWords]]:
        """The number, the time and the words of each line. Raises MalformedFeed."""
        known: dict[bytes, LineWords] = {}
        reader = LineReader()
        stream, number, time_of = self._stream, 1, _TIME.fullmatch
        while raw := next_line(stream, number + 1):
            number += 1
            begins, _, words = raw.partition(b",")
            found = known.get(words)
            timed = None if found is None else time_of(begins)
            if found is not None and timed is not None and (t := float(timed[1])) >= reader.t:
                reader.t = t
                yield number, t, found
                continue
            try:
                line = reader.read(raw, number)
            except ConfigError as error:
                raise MalformedFeed(number, error) from error
            if line is None:
                continue
            found = LineWords(line.obs, line.by, line.second)
            if len(known) < KNOWN_MAX and time_of(begins) and b'"t"' not in words and b"\\" not in words:
                known[words] = found
            yield number, line.t, found

"""Each Angel Eye message arrives three times under one sequence character: make one of them, guess nothing.

The first undamaged copy counts at once. A message out of sequence is reported as a gap immediately, but is
itself believed only when a second copy or its successor agrees: two flipped bits can cancel out in an
exclusive-or check and turn any message into another one.
"""

from typing import Final, NamedTuple

from drivers.shoe.shoe_events import CopiesDiffer, Gap, LineFault

_START: Final = b"S"


class AngelMessage(NamedTuple):
    """One message: `seq` is the code of its sequence character, `data` what follows it in the body."""

    seq: int
    data: bytes

    @property
    def raw(self) -> bytes:
        """Sequence character and data as they were on the line."""
        return bytes((self.seq,)) + self.data


CopiesOutcome = AngelMessage | CopiesDiffer | Gap | LineFault


class CopyFilter:
    """Turns copies into messages; remembers the last message and one that is waiting to be believed."""

    def __init__(self, copies: int, sequence: bytes) -> None:
        """`copies` (from 1) is how often each message is sent, `sequence` the order of the characters.

        With a `sequence` of b"" gaps are not noticed.
        """
        self._limit = copies
        self._sequence = sequence
        self._last: AngelMessage | None = None
        self._seen = 0
        self._suspect: AngelMessage | None = None

    def connected(self) -> None:
        """Expect no further copy of the last message: the same one again would be another whole round."""
        self._seen = self._limit
        self._suspect = None

    def take(self, message: AngelMessage) -> list[CopiesOutcome]:
        """Judge one undamaged copy."""
        out: list[CopiesOutcome] = []
        if self._suspect is not None and self._settle_suspect(message, out):
            return out
        if self._last is None:
            out.append(self._accept(message))
        elif message == self._last:
            out += self._again(message)
        elif message.data == _START or self._follows(self._last, message):
            out.append(self._accept(message))
        elif message.seq == self._last.seq:
            out.append(CopiesDiffer(self._last.raw, message.raw))
        else:
            out += self._out_of_sequence(self._last, message)
        return out

    def _settle_suspect(self, message: AngelMessage, out: list[CopiesOutcome]) -> bool:
        """Believe or drop the waiting message; True when `message` has been dealt with as well."""
        suspect, self._suspect = self._suspect, None
        if suspect is None:
            return False
        if message == suspect:
            out.append(self._accept(suspect))
            self._seen = 2
            return True
        if self._follows(suspect, message):
            out += [self._accept(suspect), self._accept(message)]
            return True
        out.append(LineFault("STRAY", suspect.raw))
        return False

    def _accept(self, message: AngelMessage) -> AngelMessage:
        self._last, self._seen = message, 1
        return message

    def _again(self, message: AngelMessage) -> list[CopiesOutcome]:
        """Count a copy; one too many means that the sequence has gone round unnoticed."""
        self._seen += 1
        if self._seen <= self._limit:
            return []
        if message.data == _START:
            return [self._accept(message)]
        if self._seen > self._limit + 1:
            return []
        return [Gap(self._successor(message), chr(message.seq), None)]

    def _out_of_sequence(self, last: AngelMessage, message: AngelMessage) -> list[CopiesOutcome]:
        gap = Gap(self._successor(last), chr(message.seq), self._missing(last, message))
        if self._limit == 1:
            return [gap, self._accept(message)]
        self._suspect = message
        return [gap]

    def _follows(self, last: AngelMessage, message: AngelMessage) -> bool:
        """Whether nothing is missing in between; a restarted shoe may use its start's character again."""
        if last.data == _START and message.data != _START and message.seq == last.seq:
            return True
        if not self._sequence:
            return message.seq != last.seq
        return self._successor(last) == chr(message.seq)

    def _successor(self, last: AngelMessage) -> str:
        at = self._sequence.find(last.seq)
        return chr(self._sequence[(at + 1) % len(self._sequence)]) if at >= 0 else ""

    def _missing(self, last: AngelMessage, message: AngelMessage) -> int | None:
        before, after = self._sequence.find(last.seq), self._sequence.find(message.seq)
        return (after - before - 1) % len(self._sequence) if min(before, after) >= 0 else None

"""From the chips that each inventory found in a place to what lies there, and how sure that is. Pure.

Each inventory finds some of the chips' tags: one that is shadowed is missed now and then. What lies in a
place is reported once it rests, with a certainty that falls with the rate at which tags were missed.
"""

from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.acts.money.chip_reading import ReadingKind
from drivers.chips.chip_events import ChipsSeen

HALF: Final = 2
"""Inventories, twice, in which the same chips have to lie there: one that arrives or leaves is in one half
alone."""

KEPT: Final = 20
"""Inventories that are remembered: a tag that was missed in between makes its place unsure for so long."""

SURE: Final = 0.98
"""From here on a payout is reported for good; the certainty that `[[chips]]` asks for by default."""


class AntennaPlace(NamedTuple):
    """What an antenna looks at: a bettor's circle, or where that bettor is handed everything back."""

    reads: ReadingKind
    box: int
    seat: int


class RestingChips(NamedTuple):
    """The chips in one place at rest: minor units, None where a chip has no known value; 0 to 1."""

    amount: int | None
    p: float


class Inventories:
    """The last inventories of one place."""

    def __init__(self, values: Mapping[str, int]) -> None:
        """`values` are those of chips by the first hexadecimal digits of their tags."""
        self._values = values
        self._found: deque[frozenset[str]] = deque(maxlen=KEPT)

    def forget(self) -> None:
        """Nobody has looked for a while."""
        self._found.clear()

    def add(self, tags: frozenset[str]) -> RestingChips | None:
        """Take one inventory; what lies there, None while it has not come to rest."""
        self._found.append(tags)
        found = list(self._found)
        if len(found) < 2 * HALF:
            return None
        before, lately = (frozenset[str]().union(*half) for half in (found[-2 * HALF : -HALF], found[-HALF:]))
        if before != lately:
            return None
        values = [self._value(tag) for tag in lately]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return RestingChips(None, 0.0)
        return RestingChips(sum(known), self._sure(found, lately))

    def _value(self, tag: str) -> int | None:
        """The value by the longest prefix that is known."""
        fitting = [prefix for prefix in self._values if tag.startswith(prefix)]
        return self._values[max(fitting, key=len)] if fitting else None

    def _sure(self, found: list[frozenset[str]], lying: frozenset[str]) -> float:
        """How sure it is that no chip was missed.

        Each tag was found at some rate between its first time and its last; a chip as hard to read as the
        worst of them stays unseen in every inventory of both halves with the probability that is left. The
        rate is (found + 1) / (inventories + 2), Laplace's rule of succession.
        """
        worst = (2 * HALF + 1) / (2 * HALF + 2)
        for tag in frozenset[str]().union(*found):
            times = [number for number, tags in enumerate(found) if tag in tags]
            end = len(found) if tag in lying else times[-1] + 1
            worst = min(worst, (len(times) + 1) / (end - times[0] + 2))
        return 1 - (1 - worst) ** (2 * HALF)


class PlaceWatch:
    """Tells what changes in one place: a stake whenever it is another, a payout once."""

    def __init__(self, place: AntennaPlace, values: Mapping[str, int]) -> None:
        """Begin without having reported anything."""
        self._place = place
        self._inventories = Inventories(values)
        self._reported: RestingChips | None = None

    def connected(self) -> None:
        """The reader was opened anew: a stake is reported again, a payout that still lies there is not."""
        self._inventories.forget()
        if self._place.reads == "stake":
            self._reported = None

    def look(self, tags: frozenset[str]) -> ChipsSeen | None:
        """Take one inventory; what there is to tell."""
        lying = self._inventories.add(tags)
        if lying is None or self._is_reported(lying):
            return None
        is_first, self._reported = self._reported is None, lying
        # An empty place reports nothing at first, and a payout taken away was reported when it came.
        if lying.amount == 0 and (is_first or self._place.reads == "payout"):
            return None
        return ChipsSeen(*self._place, lying.amount, lying.p)

    def _is_reported(self, lying: RestingChips) -> bool:
        """Whether it was reported: a stake to the hundredth of its certainty, a payout for good once sure."""
        reported = self._reported
        if reported is None or reported.amount != lying.amount:
            return False
        if self._place.reads == "payout":
            return reported.p >= SURE or lying.p < SURE
        return int(100 * lying.p) == int(100 * reported.p)

    def lost(self) -> ChipsSeen | None:
        """The antenna is gone: nobody sees this place any more."""
        self.connected()
        return ChipsSeen(*self._place, None, 0.0) if self._place.reads == "stake" else None

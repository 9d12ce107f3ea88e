"""Wrong PINs: counted before they are looked at, for each person and place, with a time that grows.

A place where somebody has signed in counts for itself. All others count together: whoever guesses from many
addresses locks those, and not the tablets of the table. The journal keeps the counts over a restart.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.domain.errors import TableError

FREE_TRIES: Final = 3
"""Wrong PINs in a row before one has to wait."""

WAIT_S: Final = 30
WAIT_MAX_S: Final = 3600
"""The first wait and the longest; each further wrong PIN doubles it. Four digits then last for a year."""

ELSEWHERE: Final = ""
"""The place of everybody who is nowhere where somebody has signed in."""

OWN_PLACES: Final = frozenset(("127.0.0.1", "::1"))
"""The table's own machine."""

PLACES_MAX: Final = 64
COUNTS_MAX: Final = 1024
"""Places and counts that are kept, the newest ones."""


class TryCount(NamedTuple):
    """Wrong tries in a row of one person at one place, and when the last of them was."""

    person: str
    place: str
    tries: int
    at_utc_us: int


class TryRecord(NamedTuple):
    """Where people have signed in, and which tries have failed since; a value that a journal folds to."""

    places: tuple[str, ...] = ()
    counts: tuple[TryCount, ...] = ()

    def counted_at(self, place: str) -> str:
        """Tell where tries from this address are counted."""
        return place if place in self.places or place in OWN_PLACES else ELSEWHERE

    def find(self, person: str, counted_at: str) -> TryCount:
        """Find the count of a person at a place."""
        fresh = TryCount(person, counted_at, 0, 0)
        return next((one for one in self.counts if one[:2] == (person, counted_at)), fresh)

    def with_count(self, count: TryCount) -> "TryRecord":
        """Put a count in the place of the one before; 0 tries are none."""
        others = tuple(one for one in self.counts if one[:2] != count[:2])
        counts = (*others, count) if count.tries else others
        return self._replace(counts=counts[-COUNTS_MAX:])

    def with_sign_in(self, person: str, place: str) -> "TryRecord":
        """Forget what failed before a sign-in, and know its place from now on."""
        cleared = self.with_count(TryCount(person, self.counted_at(place), 0, 0))
        others = tuple(one for one in self.places if one != place)
        return cleared._replace(places=(*others, place)[-PLACES_MAX:])


NO_TRIES: Final = TryRecord()


def wait_s(tries: int) -> int:
    """Tell how long one has to wait after so many wrong tries in a row."""
    # Bounded before it is shifted: nobody may have the table work with numbers of a thousand digits.
    return 0 if tries < FREE_TRIES else min(WAIT_S << min(tries - FREE_TRIES, 20), WAIT_MAX_S)


class PinTries:
    """The tries of one table; used on one thread."""

    def __init__(self, utc_us: Callable[[], int], record: TryRecord = NO_TRIES) -> None:
        """Go on from what the journal tells."""
        self.utc_us = utc_us
        self._record = record

    def begin(self, person: str, place: str) -> TryCount:
        """Count a try, before anything of it is looked at; raises PIN_LOCKED where one has to wait."""
        now_us = self.utc_us()
        before = self._record.find(person, self._record.counted_at(place))
        left_us = before.at_utc_us + wait_s(before.tries) * 1_000_000 - now_us
        if before.tries >= FREE_TRIES and left_us > 0:
            raise TableError("PIN_LOCKED", seconds=min(left_us // 1_000_000 + 1, WAIT_MAX_S))
        count = before._replace(tries=before.tries + 1, at_utc_us=now_us)
        self._record = self._record.with_count(count)
        return count

    def passed(self, person: str, place: str) -> None:
        """The PIN was right."""
        self._record = self._record.with_sign_in(person, place)

"""Things that lie there unread: kept with their reasons until they are read or gone, and told once."""

from collections.abc import Callable, Iterable
from typing import Final

from vision.reading import Place, Unclear
from vision.tracking.card_pose import distance
from vision.tracking.events import UNREAD_MS, UNREAD_READS, UnclearSpot
from vision.tracking.track import LATER_MS

SAME_SPOT: Final = 0.4
"""Spots this near, in card lengths, are one thing."""

MISSES: Final = 3
"""A spot that so many reads in a row did not show is gone."""

HINT_READS: Final = 3
"""Reads in a row that name the same rank before it is worth a hint."""

EXPECTED: Final = frozenset({"cut_card"})
"""Things that lie on a table by right: never told."""


class Spot:
    """A thing that could not be read."""

    def __init__(self, seen: Unclear, mono_ms: int) -> None:
        """Begin when it was first seen."""
        self.at = seen.at
        self.reason = seen.reason
        self.rank = seen.rank
        self.p = seen.p
        self.agreed = 1
        self.since_ms = mono_ms
        self.told = False
        self.misses = 0
        self._tries = 0
        self._next_ms = mono_ms

    @property
    def hint(self) -> tuple[str | None, float]:
        """The likeliest rank and its probability, once so many reads in a row have said the same."""
        return (self.rank, self.p) if self.agreed >= HINT_READS else (None, 0.0)

    def seen_again(self, seen: Unclear, mono_ms: int) -> None:
        """Count a read that showed it again."""
        self.agreed = self.agreed + 1 if seen.rank == self.rank else 1
        self.at, self.reason, self.rank, self.p = seen
        self.misses = 0
        self.tried(mono_ms)

    def due(self, mono_ms: int) -> bool:
        """Whether it is time to read it again."""
        return self.reason not in EXPECTED and mono_ms >= self._next_ms

    def unread_for(self, mono_ms: int) -> int:
        """How long, in ms, it has lain there undisturbed; 0 for things that are expected or hardly read."""
        if self.reason in EXPECTED or self._tries < UNREAD_READS:
            return 0
        return mono_ms - self.since_ms

    def tried(self, mono_ms: int) -> None:
        """Note that its place was read."""
        self._next_ms = mono_ms + LATER_MS[min(self._tries, len(LATER_MS) - 1)]
        self._tries += 1

    def disturbed(self, mono_ms: int) -> None:
        """Note that something moved over it: its time begins anew."""
        self.since_ms, self._tries, self._next_ms = mono_ms, 0, mono_ms


class Spots:
    """All unread things on the table."""

    def __init__(self) -> None:
        """Begin with none."""
        self.all: list[Spot] = []

    def take(
        self, seen: Iterable[Unclear], looked: Callable[[Place], bool], card_px: float, mono_ms: int
    ) -> None:
        """Follow what a read showed; `looked` tells which places it covered."""
        left = list(self.all)
        for thing in seen:
            near = min(left, key=lambda spot: distance(spot.at, thing.at), default=None)
            if near is not None and distance(near.at, thing.at) < SAME_SPOT * card_px:
                left.remove(near)
                near.seen_again(thing, mono_ms)
            else:
                self.all.append(Spot(thing, mono_ms))
        for spot in left:
            if looked(spot.at):
                spot.misses += 1
                spot.tried(mono_ms)
        self.all = [spot for spot in self.all if spot.misses < MISSES]

    def tell(self, mono_ms: int) -> list[UnclearSpot]:
        """Name what has been lying unread for too long, each once."""
        late = [spot for spot in self.all if not spot.told and spot.unread_for(mono_ms) >= UNREAD_MS]
        for spot in late:
            spot.told = True
        return [UnclearSpot(spot.at, spot.reason) for spot in late]

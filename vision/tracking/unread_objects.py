"""Objects that lie there unread: kept with their reasons until they are read or gone, and reported once."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from vision.reading import PointPx, Unclear, UnclearReason
from vision.tracking.card_pose import distance_px
from vision.tracking.events import UNREAD_MS, UNREAD_READS, UnclearSpot
from vision.tracking.track import wait_ms


class UnreadRule(NamedTuple):
    """Limits for one unread object. Source: no measurement on record."""

    same: float = 0.4
    """Spots this near, in card lengths, are one object."""

    misses: int = 3
    """An object that so many reads in a row did not show is gone."""

    reads: int = 3
    """Reads in a row that name the same rank before it is worth a hint; as many of a thing that was laid."""


_UNREAD_RULE: Final = UnreadRule()

EXPECTED: Final[frozenset[UnclearReason]] = frozenset({"cut_card"})
"""What lies on a table by right: never reported."""


class UnreadObject:
    """Something that could not be read."""

    def __init__(self, seen: Unclear, mono_ms: int) -> None:
        """Begin when it was first seen."""
        self.at = seen.at
        self.reason = seen.reason
        self.rank = seen.rank
        self.p = seen.p
        self.agreed = 1
        self.since_ms = mono_ms
        self.reported = False
        self.misses = 0
        self.held = True
        """Whether no picture has shown it free of hands."""
        self.in_hand = False
        """Whether the last picture that could tell has shown a hand on it."""
        self.untouched = True
        """Whether nothing has moved over it since it was read last."""
        self._looks = 1
        self._tries = 0
        self._next_ms = mono_ms

    @property
    def judged(self) -> bool:
        """Whether to check for a hand on it: it is visible and no passing guess."""
        return self.held and not self.misses and self._looks >= _UNREAD_RULE.reads

    @property
    def hint(self) -> tuple[str | None, float]:
        """Return the likeliest rank and its probability, after enough equal reads in a row."""
        return (self.rank, self.p) if self.agreed >= _UNREAD_RULE.reads else (None, 0.0)

    def seen_again(self, seen: Unclear, mono_ms: int) -> None:
        """Count a read that showed it again."""
        self.agreed = self.agreed + 1 if seen.rank == self.rank else 1
        self.at, self.reason, self.rank, self.p = seen
        self._looks = 1 if self.misses else self._looks + 1
        self.misses, self.untouched = 0, True
        self.tried(mono_ms)

    def due(self, mono_ms: int) -> bool:
        """Whether to read it again now."""
        return self.reason not in EXPECTED and mono_ms >= self._next_ms

    def unread_for(self, mono_ms: int) -> int:
        """Return how long, in ms, it has lain undisturbed; 0 for an expected or hardly read object."""
        if self.reason in EXPECTED or self._tries < UNREAD_READS:
            return 0
        return mono_ms - self.since_ms

    def tried(self, mono_ms: int) -> None:
        """Note that its place was read."""
        self._next_ms = mono_ms + wait_ms(self._tries)
        self._tries += 1

    def disturbed(self, mono_ms: int) -> None:
        """Note that something moved over it: its time begins anew."""
        self.untouched = False
        self.since_ms, self._looks, self._tries, self._next_ms = mono_ms, 0, 0, mono_ms


class UnreadObjects:
    """All unread objects on the table."""

    def __init__(self) -> None:
        """Begin with none."""
        self.all: list[UnreadObject] = []

    def take(
        self, seen: Iterable[Unclear], looked: Callable[[PointPx], bool], card_px: float, mono_ms: int
    ) -> list[PointPx]:
        """Update the objects with a reading; `looked` tells whether a place was read.

        `card_px` is a card's long side. Returns the places of dropped objects with no motion over them:
        nothing lay there.
        """
        left = list(self.all)
        for spot in seen:
            near = min(left, key=lambda known: distance_px(known.at, spot.at), default=None)
            if near is not None and distance_px(near.at, spot.at) < _UNREAD_RULE.same * card_px:
                left.remove(near)
                near.seen_again(spot, mono_ms)
            else:
                self.all.append(UnreadObject(spot, mono_ms))
        for known in left:
            if looked(known.at):
                known.misses += 1
                known.tried(mono_ms)
        over = [known for known in self.all if known.misses >= _UNREAD_RULE.misses]
        self.all = [known for known in self.all if known not in over]
        return [known.at for known in over if known.untouched]

    def report_late(self, mono_ms: int) -> list[UnclearSpot]:
        """Report objects that stayed unread for too long, each once."""
        late = [known for known in self.all if not known.reported and known.unread_for(mono_ms) >= UNREAD_MS]
        for known in late:
            known.reported = True
        return [UnclearSpot(known.at, known.reason) for known in late]

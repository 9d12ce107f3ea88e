"""Cards that pass a shoe's mouth: one event for each that leaves, and a doubt where nobody could tell.

Pure: pictures in, as `Glimpse`s in their order, and events out. A card counts when it has left on its way out
of the shoe, as with a shoe that reads by itself. Its name is told only when several pictures of it agree.

Whether a card was one or two follows from places and times: an index that was out of sight while things
moved, for longer than a card needs to make room for the next one, or that is suddenly further back, may be
another card's. Of another name it is, where both are certain; otherwise nobody can tell.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

from vision.shoe_mouth.events import CutLeft, Doubt, Doubtful, Event, Glimpse, Left, PulledBack, Sight
from vision.tracking.events import CardName
from vision.tracking.votes import Votes

READS_LEAST: Final = 3
"""Fewest pictures that must name a card."""

EXCHANGE_MS: Final = 100
"""No card makes room for the next one's index in less: a card's length at nearly a metre a second."""

LONG_UNSEEN_MS: Final = 250
"""An index that comes back in its place or further on, as that of a card on its way, may be another then."""

STEADY: Final = 0.05
"""Within this share of the picture an index is at its place."""

JUMP: Final = 0.25
"""An index this share of the picture further back than a picture ago is another card's, or was pushed."""

EMPTY_MS: Final = 25
"""An empty mouth counts when the next picture, so much later, shows it too."""

BLIND_MS: Final = 150
"""Under a cover, in the dark or in glare for longer than this, a card may have passed unseen."""

GAP_MS: Final = 200
"""Without a picture for longer than this, a card may have passed unseen."""

Way = Literal["out", "back"]


@dataclass
class _Pass:
    """What is known of the sheet in the mouth.

    `rival` is what may be the next card's index, `adrift_ms` how long things have moved unread.
    `entered` is where its middle was when it was first seen at the exit alone: a fast card, or something that
    comes from the felt. `odd`: it came from there, or was there before anything was seen.
    """

    odd: bool = False
    entered: float | None = None
    votes: Votes = field(default_factory=Votes)
    rival: Votes = field(default_factory=Votes)
    way: Way | None = None
    reached_exit: bool = False
    last: Sight | None = None
    adrift_ms: int = 0
    cuts: int = 0
    doubted: bool = False


class MouthPasses:
    """Follows one mouth. Time is that of the pictures and never goes back."""

    def __init__(self, gap_ms: int = GAP_MS) -> None:
        """Without a picture for longer than `gap_ms` a card may have passed unseen."""
        self._gap_ms = gap_ms
        self._at_ms: int | None = None
        self._pass: _Pass | None = None
        self._empty_ms: int | None = None
        self._blind_ms: int | None = None
        self._told_blind = False

    @property
    def named(self) -> CardName | None:
        """The card in the mouth, None while it is not certain or none is there."""
        one = self._pass
        return None if one is None or not one.votes.agreed(READS_LEAST) else one.votes.best

    def take(self, glimpse: Glimpse) -> list[Event]:
        """Take the next picture."""
        events = self._missed(glimpse.mono_ms)
        since_ms = None if self._at_ms is None else glimpse.mono_ms - self._at_ms
        self._at_ms = glimpse.mono_ms
        match glimpse.view.sees:
            case "sheet":
                self._blind_ms = None
                return events + self._sheet(glimpse, since_ms)
            case "empty":
                self._blind_ms = None
                return events + self._empty(glimpse.mono_ms)
            case about:
                return events + self._blind(about, glimpse.mono_ms)

    def _missed(self, now_ms: int) -> list[Event]:
        if self._at_ms is None or now_ms - self._at_ms <= self._gap_ms:
            return []
        if self._pass is not None:
            self._pass.way = None
        return [Doubt("gap")]

    def _blind(self, about: Doubtful, now_ms: int) -> list[Event]:
        """Tell once what hides the mouth, when a card could have passed behind it."""
        self._empty_ms = None
        if self._blind_ms is None:
            self._blind_ms, self._told_blind = now_ms, False
        if self._told_blind or now_ms - self._blind_ms < BLIND_MS:
            return []
        self._told_blind = True
        if self._pass is not None:
            self._pass.way = None
        return [Doubt(about)]

    def _empty(self, now_ms: int) -> list[Event]:
        if self._pass is None:
            return []
        if self._empty_ms is None:
            self._empty_ms = now_ms
        if now_ms - self._empty_ms < EMPTY_MS:
            return []
        gone, self._pass = self._pass, None
        return _ended(gone)

    def _sheet(self, glimpse: Glimpse, since_ms: int | None) -> list[Event]:
        self._empty_ms = None
        view = glimpse.view
        if self._pass is None:
            from_exit = view.at_exit and not view.at_entry
            self._pass = _Pass(odd=since_ms is None, entered=view.middle if from_exit else None)
        one = self._pass
        if one.entered is not None and view.middle < one.entered - STEADY:
            one.odd = True
        if view.at_entry:
            one.entered = None
        if view.at_entry != view.at_exit:
            one.way = "out" if view.at_exit else "back"
        one.reached_exit |= view.at_exit
        one.cuts += view.cut
        if len({sight.name for sight in glimpse.sights}) > 1:
            return _doubt_two(one)
        best = max(glimpse.sights, key=lambda sight: sight.p, default=None)
        if best is not None:
            return self._read(one, best)
        if view.moving:
            one.adrift_ms += min(since_ms or 0, EXCHANGE_MS)
        return []

    def _read(self, one: _Pass, sight: Sight) -> list[Event]:
        """Count a read for the card in the mouth, or for the one that may have come after it."""
        if not _may_be_next(one, sight):
            one.votes.add(sight.name, sight.p, 1)
            one.last, one.adrift_ms = sight, 0
            return []
        if sight.name == one.votes.best:
            one.last, one.adrift_ms = sight, 0
            return _doubt_two(one)
        one.rival.add(sight.name, sight.p, 1)
        if one.rival.best != sight.name or one.rival.reads < 2:
            return []
        return self._follow(one, sight)

    def _follow(self, one: _Pass, sight: Sight) -> list[Event]:
        """Go on with the card of another name; what was before it counts where it was certain."""
        after = _Pass(votes=one.rival, last=sight)
        self._pass = after
        return [_left(one)] if one.votes.agreed(READS_LEAST) else _doubt_two(after)


def _may_be_next(one: _Pass, sight: Sight) -> bool:
    """Whether this index may be another card's than the one read last."""
    if one.last is None:
        return False
    if sight.along < one.last.along - JUMP:
        return True
    further = sight.name == one.votes.best and sight.along >= one.last.along - STEADY
    return one.adrift_ms >= (LONG_UNSEEN_MS if further else EXCHANGE_MS)


def _doubt_two(one: _Pass) -> list[Event]:
    """Say once of a sheet that it may be two."""
    if one.doubted:
        return []
    one.doubted = True
    return [Doubt("two")]


def _ended(one: _Pass) -> list[Event]:
    """Say what became of the sheet that is no longer there."""
    if one.way == "back":
        return [PulledBack()] if one.last is not None or one.reached_exit else []
    if one.odd and one.last is None:
        # It came from the felt's side and went there again: no card, as far as anybody could see.
        return [Doubt("unclear")]
    doubts = _doubt_two(one) if one.rival.reads else []
    if one.way is None or one.odd:
        doubts.append(Doubt("unclear"))
    return [*doubts, _left(one)]


def _left(one: _Pass) -> Left | CutLeft:
    if one.cuts >= READS_LEAST - 1 and one.last is None:
        return CutLeft()
    if not one.votes.agreed(READS_LEAST):
        return Left(None, 0.0)
    return Left(one.votes.best, one.votes.p)

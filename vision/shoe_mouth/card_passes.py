"""Count cards that pass a shoe's mouth: one event for each, and an `Uncertain` where it is unknown.

Pure: observations go in in order, events come out. A card counts when it has left the shoe, as with a shoe
that reads by itself. Its name is reported only when several pictures of it agree.

Whether there were one or two cards follows from places and times. An index may be another card's when it
was out of sight in motion for longer than one card needs to make room for the next, or is suddenly further
back. Two certain names mean two cards; otherwise it stays unknown.
"""

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from vision.looks import Looks, look_of_read
from vision.reading import CardName
from vision.shoe_mouth.events import (
    CardLeft,
    CutCardLeft,
    IndexDetection,
    MouthEvent,
    MouthObservation,
    PulledBack,
    Uncertain,
    UncertainAbout,
)


class PassRule(NamedTuple):
    """Limits for a passed card and for an unknown one. Shares are of the picture's length.

    Source: no measurement on record for the single numbers; docs/measurements/reader.md, A camera at the
    shoe's mouth, has their joint effect.
    """

    reads: int = 3
    """Fewest pictures that must name a card."""

    cut_reads: int = 2
    """Fewest pictures that must show the cut card's colour."""

    rival_reads: int = 2
    """Fewest pictures that must name another card before it is taken for the next one."""

    exchange_ms: int = 100
    """No card makes room for the next one's index in less: a card's length at nearly a metre a second."""

    unseen_ms: int = 250
    """An index that comes back in its place or further on, as that of a card on its way, may be another
    then."""

    steady: float = 0.05
    """Within this share an index is at its place."""

    jump: float = 0.25
    """An index so much further back than a picture ago is another card's, or was pushed."""

    empty_ms: int = 25
    """An empty mouth counts when the next picture, so much later, shows it too."""

    blind_ms: int = 150
    """Under a cover, in the dark or in glare for longer than this, a card may have passed unseen."""


_PASS_RULE: Final = PassRule()

GAP_MS: Final = 200
"""Without a picture for longer than this, a card may have passed unseen; a table's configuration may say
another.

Source: no measurement on record.
"""

PassDirection = Literal["out", "back"]


@dataclass
class _Pass:
    """The state of the sheet in the mouth.

    `rival` is an index that may be the next card's; `adrift_ms` is the time of unread motion. `entered` is
    the sheet's middle when it was first seen at the exit alone: a fast card, or an object from the felt.
    `odd`: it came from the felt, or was there before the first picture.
    """

    odd: bool = False
    entered: float | None = None
    looks: Looks = field(default_factory=Looks)
    rival: Looks = field(default_factory=Looks)
    way: PassDirection | None = None
    reached_exit: bool = False
    last: IndexDetection | None = None
    adrift_ms: int = 0
    cuts: int = 0
    doubted: bool = False


class CardPasses:
    """Follows one mouth. Time is that of the pictures and never goes back."""

    def __init__(self, gap_ms: int = GAP_MS) -> None:
        """Without a picture for longer than `gap_ms` a card may have passed unseen."""
        self._gap_ms = gap_ms
        self._at_ms: int | None = None
        self._pass: _Pass | None = None
        self._empty_ms: int | None = None
        self._blind_ms: int | None = None
        self._named_blind = False

    @property
    def named(self) -> CardName | None:
        """The card in the mouth, None while it is not certain or none is there."""
        one = self._pass
        return one.looks.best if one is not None and one.looks.agreed(_PASS_RULE.reads) else None

    def take(self, observation: MouthObservation) -> list[MouthEvent]:
        """Take the next picture; return its events."""
        events = self._after_gap(observation.mono_ms)
        since_ms = None if self._at_ms is None else observation.mono_ms - self._at_ms
        self._at_ms = observation.mono_ms
        match observation.foreground.state:
            case "sheet":
                self._blind_ms = None
                return events + self._sheet(observation, since_ms)
            case "empty":
                self._blind_ms = None
                return events + self._empty(observation.mono_ms)
            case about:
                return events + self._blind(about, observation.mono_ms)

    def _after_gap(self, now_ms: int) -> list[MouthEvent]:
        if self._at_ms is None or now_ms - self._at_ms <= self._gap_ms:
            return []
        if self._pass is not None:
            self._pass.way = None
        return [Uncertain("gap")]

    def _blind(self, about: UncertainAbout, now_ms: int) -> list[MouthEvent]:
        """Report once what hides the mouth, when a card could have passed behind it."""
        self._empty_ms = None
        if self._blind_ms is None:
            self._blind_ms, self._named_blind = now_ms, False
        if self._named_blind or now_ms - self._blind_ms < _PASS_RULE.blind_ms:
            return []
        self._named_blind = True
        if self._pass is not None:
            self._pass.way = None
        return [Uncertain(about)]

    def _empty(self, now_ms: int) -> list[MouthEvent]:
        if self._pass is None:
            return []
        if self._empty_ms is None:
            self._empty_ms = now_ms
        if now_ms - self._empty_ms < _PASS_RULE.empty_ms:
            return []
        gone, self._pass = self._pass, None
        return _ended(gone)

    def _sheet(self, observation: MouthObservation, since_ms: int | None) -> list[MouthEvent]:
        self._empty_ms = None
        shown, detections = observation.foreground, observation.detections
        if self._pass is None:
            from_exit = shown.at_exit and not shown.at_entry
            self._pass = _Pass(odd=since_ms is None, entered=shown.middle if from_exit else None)
        one = self._pass
        if one.entered is not None and shown.middle < one.entered - _PASS_RULE.steady:
            one.odd = True
        if shown.at_entry:
            one.entered = None
        if shown.at_entry != shown.at_exit:
            one.way = "out" if shown.at_exit else "back"
        one.reached_exit |= shown.at_exit
        one.cuts += shown.cut
        if len({detection.name for detection in detections}) > 1:
            return _uncertain_two(one)
        best = max(detections, key=lambda detection: detection.p, default=None)
        if best is not None:
            return self._read(one, best)
        if shown.moving:
            one.adrift_ms += min(since_ms or 0, _PASS_RULE.exchange_ms)
        return []

    def _read(self, one: _Pass, detection: IndexDetection) -> list[MouthEvent]:
        """Count a read for the card in the mouth, or for a possible next one."""
        if not _may_be_next(one, detection):
            one.looks.add(look_of_read(detection.name, detection.p, 1))
            one.last, one.adrift_ms = detection, 0
            return []
        if detection.name == one.looks.best:
            one.last, one.adrift_ms = detection, 0
            return _uncertain_two(one)
        one.rival.add(look_of_read(detection.name, detection.p, 1))
        if one.rival.best != detection.name or one.rival.reads < _PASS_RULE.rival_reads:
            return []
        return self._follow(one, detection)

    def _follow(self, one: _Pass, detection: IndexDetection) -> list[MouthEvent]:
        """Continue with the card of another name; the previous one counts where it was certain."""
        after = _Pass(looks=one.rival, last=detection)
        self._pass = after
        return [_left(one)] if one.looks.agreed(_PASS_RULE.reads) else _uncertain_two(after)


def _may_be_next(one: _Pass, detection: IndexDetection) -> bool:
    """Whether this index may belong to another card than the last one."""
    if one.last is None:
        return False
    if detection.along < one.last.along - _PASS_RULE.jump:
        return True
    further = detection.name == one.looks.best and detection.along >= one.last.along - _PASS_RULE.steady
    return one.adrift_ms >= (_PASS_RULE.unseen_ms if further else _PASS_RULE.exchange_ms)


def _uncertain_two(one: _Pass) -> list[MouthEvent]:
    """Say once of a sheet that it may be two."""
    if one.doubted:
        return []
    one.doubted = True
    return [Uncertain("two")]


def _ended(one: _Pass) -> list[MouthEvent]:
    """Return the events of a sheet that has gone."""
    if one.way == "back":
        return [PulledBack()] if one.last is not None or one.reached_exit else []
    if one.odd and one.last is None:
        # It came from the felt's side and went there again: no card, as far as anybody could see.
        return [Uncertain("unclear")]
    doubts = _uncertain_two(one) if one.rival.reads else []
    if one.way is None or one.odd:
        doubts.append(Uncertain("unclear"))
    return [*doubts, _left(one)]


def _left(one: _Pass) -> CardLeft | CutCardLeft:
    if one.cuts >= _PASS_RULE.cut_reads and one.last is None:
        return CutCardLeft()
    if not one.looks.agreed(_PASS_RULE.reads):
        return CardLeft(None, 0.0)
    return CardLeft(one.looks.best, one.looks.p_of(one.looks.best))

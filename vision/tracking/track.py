"""One card over time, its events, and objects that stay unread."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from vision.looks import LOOK_RULE, Looks, look_of_read
from vision.reading import CardName, Face, PointPx, Quad, ReadCard, Unclear, UnclearReason, may_be_one_card
from vision.tracking.change_gate import CardPose, carried, distance_px

Visibility = Literal["seen", "hidden", "covered"]
"""Read and unchanged since; under a hand or something else that is no felt; under another card."""


class TrackView(NamedTuple):
    """One physical card. `name` is None until its rank is locked, and while it lies face down.

    Its suit is None until that is locked; some pictures never show it. `quad` is None while its size is
    unknown. `p` is the probability of the name (of a back while face down). `identity_certain` becomes False
    for good once it may have been confused with a like card; place and name are right all the same. `perhaps`
    is the track of a hidden like card that may be this one.
    """

    track: int
    name: CardName | None
    face: Face
    state: Visibility
    at: PointPx
    quad: Quad | None
    p: float
    identity_certain: bool
    perhaps: int | None


class Appeared(NamedTuple):
    """A card that was not on the table before."""

    track: int
    at: PointPx


class Locked(NamedTuple):
    """A card's name is certain now, after so many reads. Where it has no suit, another one may follow."""

    track: int
    name: CardName
    reads: int


class Moved(NamedTuple):
    """A card lies elsewhere. `into` is the track that was thought to be another card there."""

    track: int
    start: PointPx
    end: PointPx
    into: int | None = None


class Covered(NamedTuple):
    """A card lies under another one now."""

    track: int


class Turned(NamedTuple):
    """A face-down card lies face up now; `Locked` follows or has gone before within the same scene."""

    track: int


class Gone(NamedTuple):
    """A card's place was seen, still and empty, and the card is nowhere else."""

    track: int


class Contradiction(NamedTuple):
    """The reader reads another card, again and again, where a locked one lies. The lock stays."""

    track: int
    locked: CardName
    reads_as: CardName
    at: PointPx


class UnclearSpot(NamedTuple):
    """Something has been lying still and unread for `UNREAD_MS` and `UNREAD_READS`; reported once."""

    at: PointPx
    reason: UnclearReason


class Corrected(NamedTuple):
    """A person named a card: who and why, for the audit trail."""

    track: int
    before: CardName | None
    after: CardName
    who: str
    why: str


TrackEvent = Appeared | Locked | Moved | Covered | Turned | Gone | Contradiction | UnclearSpot | Corrected


class TrackedScene(NamedTuple):
    """The state of the table after a picture.

    `cards` are the certain ones (locked, or face down), visible or not, as the reader gives them; `unclear`
    is everything else there. `events` occurred with this picture. `regions` counts the rectangles that were
    read in `read_ms` milliseconds; 0 without a change. `held`: places of tracks and unclear things that have
    not been seen free of hands since they were put there. `let_go`: places of things dropped as nothing,
    though nothing has moved over them.
    """

    mono_ms: int
    tracks: tuple[TrackView, ...]
    cards: tuple[ReadCard, ...]
    unclear: tuple[Unclear, ...]
    events: tuple[TrackEvent, ...]
    regions: int
    read_ms: float
    held: frozenset[PointPx] = frozenset()
    let_go: tuple[PointPx, ...] = ()


UNREAD_MS: Final = 1500
UNREAD_READS: Final = 6
"""What is still unread after this long and after so many reads is reported: a busy machine reads less often.

Source: no measurement on record.
"""

UNPROVEN: Final[UnclearReason] = "unproven"
"""Reason of a card that was read but not often enough to be certain."""


_WAITS_MS: Final = (0, 0, 0, 0, 0, 0, 0, 0, 100, 100, 200, 200, 300, 500, 500, 1000)
"""Waits between reads of a place that is still open: at first every picture, then more and more rarely.

Source: no measurement on record.
"""


class _Watched:
    """A place on the table that is read again while it is open.

    `misses` counts consecutive reads without the thing. `untouched`: nothing moved over it since it was read.
    `held`: no picture has shown it free of hands; `in_hand`: the last conclusive picture showed a hand on it.
    """

    def __init__(self, mono_ms: int) -> None:
        self.misses = 0
        self.reported = False
        self.untouched = True
        self.held = True
        self.in_hand = False
        self._tries = 0
        self._next_ms = mono_ms

    def tried(self, mono_ms: int) -> None:
        """Note that its place was read."""
        waits_ms = _WAITS_MS
        self._next_ms = mono_ms + waits_ms[min(self._tries, len(waits_ms) - 1)]
        self._tries += 1


class Track(_Watched):
    """A card's place, looks and certainty. Changed only by the tracker.

    `downs` counts reads face down. `on_back`: it may be the corner of a face-down card, lifted for a peek.
    `challenge`: reads of another name at a locked card's place. `touched`: something moved over it since it
    was read. `blocked`: its place is taken, and it was not read there.
    """

    def __init__(self, number: int, pose: CardPose, face: Face, mono_ms: int) -> None:
        """Begin at a card's first read."""
        super().__init__(mono_ms)
        self.number = number
        self.pose = pose
        self.down = face == "down"
        self.state: Visibility = "seen"
        self.looks = Looks()
        self.challenge = Looks()
        self.name: CardName | None = None
        self.corrected = False
        self.downs = 0
        self.identity_certain = True
        self.perhaps: int | None = None
        self.on_back = False
        self.reported_unclear = False
        self.reported_contradiction: CardName | None = None
        self.blocked = False
        self.placed_ms = mono_ms
        self.open_since_ms = mono_ms
        self.touched = False
        self.lifted_ms: int | None = None
        self.turning_ms: int | None = None

    @property
    def certain(self) -> bool:
        """Whether its name is locked, perhaps without the suit, or it is certainly a card face down."""
        # Limits for following a card. Source: no measurement on record.
        # 3: reads after which a card face down is believed.
        return self.name is not None or (self.down and self.downs >= 3)

    @property
    def best(self) -> CardName | None:
        """Return its locked name, or the likeliest one; None while it lies face down.

        The looks may know the suit of a name that is locked without one.
        """
        if self.down:
            return None
        open_name = self.name is None or self.name.suit is None
        return self.looks.best if open_name and not self.corrected else self.name

    @property
    def hint(self) -> tuple[str | None, float]:
        """Return the likeliest rank of three or more looks, and its probability; none for a possible back."""
        hidden = self.down or self.on_back
        if self.best is None or hidden or self.looks.reads < LOOK_RULE.two_corners:
            return None, 0.0
        return self.best.rank, self.looks.p_of(None)

    @property
    def judged(self) -> bool:
        """Whether to check for a hand on it: it is visible and no passing guess."""
        shown = self.certain or self.looks.reads + self.downs >= LOOK_RULE.two_corners
        return self.held and self.state == "seen" and shown

    @property
    def lifted(self) -> bool:
        """Whether its place was seen empty."""
        return self.lifted_ms is not None

    @property
    def open(self) -> bool:
        """Whether another read could add information."""
        doubted = bool(self.challenge.reads) and self.reported_contradiction is None
        # 16: A card whose suit is open is read so often without being disturbed: then the suit stays open.
        suit_open = self.name is not None and self.name.suit is None and self._tries < 16
        return not self.certain or doubted or self.blocked or self.turning_ms is not None or suit_open

    def due(self, mono_ms: int) -> bool:
        """Whether to read its place again without a change there."""
        return self.open and mono_ms >= self._next_ms

    def disturbed(self, mono_ms: int) -> None:
        """Note that something moves over its place: it is worth reading often again, and time begins anew."""
        self._tries, self._next_ms, self.open_since_ms = 0, mono_ms, mono_ms
        self.touched, self.untouched = True, False
        if self.state == "seen":
            self.state = "hidden"

    def uncovered(self) -> None:
        """Note that its place looks as it did when the card was last read there."""
        if not self.blocked and not self.challenge.reads:
            self.state = "seen"

    def unproven_for(self, mono_ms: int) -> int:
        """Return how long, in ms, it has been visible without becoming certain.

        0 once that was reported, and while it has hardly been read.
        """
        waiting = not self.certain and not self.reported_unclear and self.state == "seen"
        waiting = waiting and self._tries >= UNREAD_READS
        return mono_ms - self.open_since_ms if waiting else 0

    def read_as(self, card: ReadCard, mono_ms: int) -> None:
        """Count a read of this card."""
        self.misses, self.blocked, self.lifted_ms, self.state = 0, False, None, "seen"
        self.untouched = True
        name = card.name
        if name is None:
            self.downs += 1
            self.turning_ms, self.looks = None, Looks()
        else:
            self._read_up(name, card, mono_ms)
        self.pose = carried(self.pose, card.at, card.quad)

    def doubt(self, card: ReadCard) -> None:
        """Count a read of another card at this locked card's place, face up; this one is hidden meanwhile."""
        assert card.name is not None, card
        self._challenged_by(card.name, card)
        self.state, self.misses = "hidden", 0

    def lock(self, mono_ms: int) -> bool:
        """Take the best name as certain if the looks allow it; True when that happened now.

        A name that was locked without its suit is completed once the looks allow that.
        """
        name = self.looks.certain_name()
        if self.down or name is None or not self._completed_by(name):
            return False
        if self.on_back and not self._lies_open(self.placed_ms, mono_ms):
            return False
        self.name = name
        return True

    def _completed_by(self, name: CardName) -> bool:
        if self.name is None:
            return True
        return self.name.suit is None and name.suit is not None and name.rank == self.name.rank

    def correct(self, name: CardName) -> None:
        """Lock it to a name that a person gave.

        Contradicting reads, earlier ones too, are not reported again: a reader repeats its error.
        """
        overruled = self.challenge.best if self.challenge.best not in {None, name} else self.best
        self.name, self.corrected, self.reported = name, True, True
        self.challenge = Looks()
        self.reported_contradiction = None if overruled == name else overruled

    def turn(self, mono_ms: int) -> bool:
        """Take a card that was face down as turned if its looks allow it; True when that happened now."""
        if not self.down or self.turning_ms is None or not self.looks.certain:
            return False
        if not self._lies_open(self.turning_ms, mono_ms):
            return False
        self.down, self.turning_ms = False, None
        return True

    def view(self) -> TrackView:
        """Return its reportable state; no name while it lies face down."""
        # 0.999: what is reported as the probability of a card face down.
        p = 0.999 if self.down else 1.0 if self.corrected else self.looks.p_of(self.name)
        name = None if self.down else self.name
        face: Face = "down" if self.down else "up"
        at, quad = self.pose
        own = self.identity_certain, self.perhaps
        return TrackView(self.number, name, face, self.state, at, quad, p, *own)

    def as_read(self) -> ReadCard:
        """The card as the reader would give it; its `hand` is not reported here."""
        rank, suit = (None, None) if self.down or self.name is None else self.name
        view = self.view()
        return ReadCard(rank, suit, view.p, view.at, view.quad, view.face, 0)

    @property
    def at(self) -> PointPx:
        """Return the place of its last read."""
        return self.pose.at

    def _lies_open(self, since_ms: int, mono_ms: int) -> bool:
        """Whether it is a card face up, and not a corner of the hole card lifted for a peek."""
        # 2000: where a face-down card lies, one corner of a card that shows must be read for this long
        # before it counts: a corner that is lifted for a peek is no turned card.
        return self.looks.two_corners or mono_ms - since_ms >= 2000

    def _read_up(self, name: CardName, card: ReadCard, mono_ms: int) -> None:
        if self.down and self.turning_ms is None:
            self.turning_ms = mono_ms
        if self.challenge.reads:
            self._challenged_by(name, card)
            return
        if self.name is None or self.name.suit is None:
            self.looks.add(look_of_read(name, card.p, card.corners, card.joined))
        self.touched &= self.name is None

    def _challenged_by(self, name: CardName, card: ReadCard) -> None:
        self.challenge.add(look_of_read(name, card.p, card.corners))
        if may_be_one_card(self.challenge.certain_name(), self.name):
            self.challenge, self.touched = Looks(), False


_UNREAD_READS: Final = 3
"""Reads in a row that name the same rank before it is worth a hint; as many of a thing that was laid.

Source: no measurement on record.
"""


EXPECTED: Final[frozenset[UnclearReason]] = frozenset({"cut_card"})
"""What lies on a table by right: never reported."""


class UnreadObject(_Watched):
    """Something that could not be read."""

    def __init__(self, seen: Unclear, mono_ms: int) -> None:
        """Begin when it was first seen."""
        super().__init__(mono_ms)
        self.at = seen.at
        self.reason = seen.reason
        self.rank = seen.rank
        self.p = seen.p
        self.agreed = 1
        self.since_ms = mono_ms
        self._looks = 1

    @property
    def judged(self) -> bool:
        """Whether to check for a hand on it: it is visible and no passing guess."""
        return self.held and not self.misses and self._looks >= _UNREAD_READS

    @property
    def hint(self) -> tuple[str | None, float]:
        """Return the likeliest rank and its probability, after enough equal reads in a row."""
        return (self.rank, self.p) if self.agreed >= _UNREAD_READS else (None, 0.0)

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
            # Limits for one unread object. Source: no measurement on record.
            # 0.4: spots this near, in card lengths, are one object.
            if near is not None and distance_px(near.at, spot.at) < 0.4 * card_px:
                left.remove(near)
                near.seen_again(spot, mono_ms)
            else:
                self.all.append(UnreadObject(spot, mono_ms))
        for known in left:
            if looked(known.at):
                known.misses += 1
                known.tried(mono_ms)
        # 3: an object that so many reads in a row did not show is gone.
        over = [known for known in self.all if known.misses >= 3]
        self.all = [known for known in self.all if known not in over]
        return [known.at for known in over if known.untouched]

    def report_late(self, mono_ms: int) -> list[UnclearSpot]:
        """Report objects that stayed unread for too long, each once."""
        late = [known for known in self.all if not known.reported and known.unread_for(mono_ms) >= UNREAD_MS]
        for known in late:
            known.reported = True
        return [UnclearSpot(known.at, known.reason) for known in late]

"""The tracker's results: events, tracks and the scene. Places are pixels of the full picture."""

from typing import Final, Literal, NamedTuple

from vision.reading import CardName, Face, PointPx, Quad, ReadCard, Unclear, UnclearReason

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

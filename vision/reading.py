"""The reader's result for one picture, its names and its JSON object. Imports nothing of vision."""

from typing import Any, Final, Literal, NamedTuple

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = ("c", "d", "h", "s")
STATES: Final = ("index", "back", "cut", "joker", "none", "occluded")
"""What a crop shows: a readable index, a card's back, the cut card, a joker, none of these, a covered
index."""


PointPx = tuple[float, float]
"""x, y in pixels of the picture as given."""

Quad = tuple[PointPx, PointPx, PointPx, PointPx]
"""Four corners of a card, clockwise; from the upper left of the index that was read where the card is face
up."""

Face = Literal["up", "down"]

UnclearReason = Literal[
    "uncertain",  # an index that fails one of the limits of acceptance
    "occluded",  # an index that something partly covers
    "disagreement",  # two witnesses say different things
    "like_card",  # may be another corner of a like card that is reported
    "joker",
    "cut_card",
    "unread",  # a white thing of a card's size without an index
    "size",  # with a layout: not as large as a card is on this felt
    "missed",  # only the heat map sees an index or a face there
    "face_down",  # a back that something partly covers
    "order",  # a certain card, but not which one of its hand it lies on
    "unproven",  # over time: read, but not often enough yet
]
"""Why something is not certain."""


Step = Literal[
    "profile",  # read with the profile of a deck
    "card_size",  # a card's size was known
    "grey",  # without colours, so that its suits are open
    "pips_beside",  # read as of a deck with the pips beside the ranks
    "other_exposures",  # what was unclear was read again as other exposures show it
    "sequence",  # joined with the pictures before
]
"""What a picture was read with that not every picture is."""


class CardName(NamedTuple):
    """Rank (A, 2 to 10, J, Q, K) and suit (c, d, h, s; None: not known) of a card that lies face up."""

    rank: str
    suit: str | None


def may_be_one_card(one: tuple[object, object] | None, other: tuple[object, object] | None) -> bool:
    """Whether two names may belong to one card; a suit of None is any suit, a name of None a card face down.

    Names are ranks and suits, both as texts (`CardName`) or both as numbers (`vision.reading`).
    """
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and (one[1] == other[1] or None in {one[1], other[1]})


class ReadCard(NamedTuple):
    """One certain physical card.

    `rank` and `suit` are None face down; `suit` also where it is open. `p` (0..1) is the probability that the
    report is right. `at` is the centre of the read index, or of a card face down; `quad` its corners where
    known. `hand` numbers the groups of overlapping cards. `corners` counts the certain indices of the card.
    `track` identifies the card over the pictures of a sequence; None in a single picture. `joined`: only all
    looks together make it certain, not this picture.
    """

    rank: str | None
    suit: str | None
    p: float
    at: PointPx
    quad: Quad | None
    face: Face
    hand: int
    corners: int = 0
    track: int | None = None
    joined: bool = False

    @property
    def name(self) -> CardName | None:
        """Rank and suit, as far as it is known; None while face down."""
        return None if self.rank is None else CardName(self.rank, self.suit)


class Unclear(NamedTuple):
    """Something that was detected and is not certain.

    `rank` is the likeliest one where there is any, `p` (0..1) its probability: a hint for a person at the
    felt, never a card.
    """

    at: PointPx
    reason: UnclearReason
    rank: str | None = None
    p: float = 0.0


class Reading(NamedTuple):
    """One picture's result: certain cards by hand, each from the lowest; unclear spots; milliseconds."""

    cards: tuple[ReadCard, ...]
    unclear: tuple[Unclear, ...]
    ms: float
    steps: tuple[Step, ...] = ()


def _rounded(point: PointPx) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _card_object(card: ReadCard) -> dict[str, Any]:
    """`track` is reported in sequences only."""
    track = {} if card.track is None else {"track": card.track}
    return {
        "rank": card.rank,
        "suit": card.suit,
        "p": round(card.p, 4),
        "at": _rounded(card.at),
        "quad": None if card.quad is None else [_rounded(corner) for corner in card.quad],
        "face": card.face,
        "hand": card.hand,
        **track,
    }


def reading_object(file: str, width: int, height: int, reading: Reading) -> dict[str, Any]:
    """Return one picture's object: file, size in pixels, method, its cards by hand, unclear spots."""
    return {
        "file": file,
        "width": width,
        "height": height,
        "ms": round(reading.ms, 1),
        "steps": list(reading.steps),
        "cards": [_card_object(card) for card in reading.cards],
        "unclear": [{"at": _rounded(spot.at), "reason": spot.reason} for spot in reading.unclear],
    }

"""Papers that were laid down, matched with dealt cards by order; the distance of cards from a profile.

A round counts as a whole or not at all. With as many pieces as cards, the n-th piece is the n-th card; with
one too many or too few, the place of the gap is unknown.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from enum import StrEnum
from statistics import median
from typing import Final, Literal, NamedTuple

import cv2
import numpy as np

from vision.certainty import LIKELY_INDEX, SIZE_LIMITS
from vision.enrolment.named_indices import KnownCard
from vision.geometry import Image, Points, Rect, clipped, grown
from vision.indices import Index, poses_of, read_indices
from vision.networks import FEATURES, WITNESS_SURE, Networks, Prototypes, print_distances
from vision.proposal import coarse_sample, find_paper, propose_indices
from vision.reading import RANKS, CardName, PointPx
from vision.tracking import Blocks, ChangeGate


class LaidPaper(NamedTuple):
    """A piece of paper that was laid down, or turned, since the table was last at rest there.

    `rest` counts the pictures in which something new lay still; pieces of one rest have no known order.
    `image` (BGR) shows it with a margin, `before` the same place before. `place`: its left, top, right and
    foot in both. `area_px` is the area of new paper.
    """

    mono_ms: int
    rest: int
    image: Image
    before: Image
    place: Rect
    area_px: float

    def is_new(self, at: Points, size_px: float) -> bool:
        """Whether the print in a square of `size_px` around `at` (2) was not there before.

        A card laid partly over another darkens the visible rest of that one, and changes nothing else of it.
        """
        left, top, right, foot = self.place
        if not (left <= at[0] <= right and top <= at[1] <= foot):
            return False
        around = (round(at[0] - size_px / 2), round(at[1] - size_px / 2))
        rect = clipped((*around, around[0] + round(size_px), around[1] + round(size_px)), self.image.shape)
        now, then = (
            cv2.cvtColor(picture[rect[1] : rect[3], rect[0] : rect[2]], cv2.COLOR_BGR2GRAY)
            for picture in (self.image, self.before)
        )
        # 0.8: what correlates with what was there before by this much or more is the same print. Source: no
        # measurement on record; between these lie a print in other light (1) and any two indices (0.5).
        return float(cv2.matchTemplate(now, then, cv2.TM_CCOEFF_NORMED)[0, 0]) < 0.8


class PaperWatch:
    """Follow the pictures of one camera without naming cards, so it works for unreadable decks."""

    def __init__(self) -> None:
        """Begin before the first picture."""
        self._gate: ChangeGate | None = None
        self._known: Blocks = np.zeros((0, 0), bool)
        self._before: Image = np.zeros((0, 0, 3), np.uint8)
        self._rest = 0

    def look(self, image: Image, mono_ms: int) -> list[LaidPaper]:
        """Take the next picture (BGR) at `mono_ms`; return the papers laid down since the previous one."""
        gate = self._gate
        if gate is None or image.shape != self._before.shape:
            # A picture of another size resets the watch: papers on the table then have no known time.
            gate = self._gate = ChangeGate(image.shape)
            self._before, self._known = image.copy(), np.zeros((gate.rows, gate.columns), bool)
        due = gate.look(image, mono_ms).due
        if not due.any():
            return []
        gate.seen(due)
        new = due & self._known
        self._known = self._known | due
        self._rest += bool(new.any())
        pieces = list(self._pieces(image, mono_ms, new)) if new.any() else []
        size = image.shape[1::-1]
        cv2.copyTo(
            image, cv2.resize(due.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST), self._before
        )
        return pieces

    def _pieces(self, image: Image, mono_ms: int, new: Blocks) -> Iterator[LaidPaper]:
        """The blocks that are new and paper now, each island for itself."""
        found = find_paper(coarse_sample(image))
        if found is None:
            return
        rows, columns = new.shape
        share = cv2.resize(found.paper.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA)
        # 0.5: A block of the change gate is paper from this share of its cells on. Source: no measurement
        # on record.
        fresh = (new & (share >= 0.5)).astype(np.uint8)
        down, across = image.shape[0] / rows, image.shape[1] / columns
        _, _, boxes, _ = cv2.connectedComponentsWithStats(fresh, connectivity=8)
        for x, y, wide, tall, blocks in boxes[1:].tolist():
            island = (int(x * across), int(y * down), round((x + wide) * across), round((y + tall) * down))
            # 48: so much around a piece is kept: the search for paper compares it with what surrounds it.
            # Source: half of the window of `vision.proposal`, and an index that is cut by the piece's edge.
            left, top, right, foot = clipped(grown(island, 48), image.shape)
            now, then = (np.array(picture[top:foot, left:right]) for picture in (image, self._before))
            place = (island[0] - left, island[1] - top, island[2] - left, island[3] - top)
            yield LaidPaper(mono_ms, self._rest, now, then, place, blocks * across * down)


class DealtCard(NamedTuple):
    """A dealt card: time and name of its report; `name` is None where nobody named it.

    `down`: it was dealt face down. Once turned, it is dealt a second time, face up.
    """

    mono_ms: int
    name: CardName | None
    down: bool = False


class DealtRound(NamedTuple):
    """The cards of a round in the order dealt.

    `moved`: a pair was split, or the journal corrects a card's place or removes it. What is laid down after
    that is not always a new card.
    """

    cards: tuple[DealtCard, ...]
    moved: bool = False


class DoubtfulCard(StrEnum):
    """Why a card taught nothing."""

    MOVED = "moved"
    """In its round cards were moved."""

    COUNT = "count"
    """Its round has more or fewer pieces of paper than cards, or one that is no single card."""
    DIFFERS = "differs"
    """In its round the generic network is sure of another rank than the one that was reported."""
    TOGETHER = "together"
    """It came to lie together with another one, or long before or after it was reported."""
    UNNAMED = "unnamed"
    """No word but a camera's own says what it is."""
    NO_INDEX = "no_index"
    """No index was found on it, or more than a card has."""


class CardLook(NamedTuple):
    """Part of a picture with a card of a name beyond doubt: the centres of its indices."""

    image: Image
    cards: tuple[KnownCard, ...]


class RoundLooks(NamedTuple):
    """The usable cards of a round, and why the others are not usable."""

    looks: tuple[CardLook, ...]
    doubts: Counter[DoubtfulCard]


class DealtTable:
    """The cards of a table's rounds, matched with what one camera saw laid down."""

    def __init__(self, rounds: Sequence[DealtRound], papers: Sequence[LaidPaper]) -> None:
        """`rounds` with their cards, and `papers` in the order of time."""
        rests = Counter(paper.rest for paper in papers)
        self._alone = frozenset(rest for rest, count in rests.items() if count == 1)
        # Cards come one by one, chips are laid and taken away by the handful.
        areas = [paper.area_px for paper in papers if paper.rest in self._alone]
        self._usual_px = median(areas) if areas else 0.0
        self._rounds = [(one, self._in_time(one.cards, papers)) for one in rounds]
        with_backs, without = (
            sum(bool(_visible(one.cards, there, backs=backs)) for one, there in self._rounds)
            for backs in (True, False)
        )
        # With equal counts for and against, a missing card may be taken for a back.
        self._knows_backs = with_backs != without
        self._backs_are_paper = with_backs > without

    def looks(self, number: int, networks: Networks) -> RoundLooks:
        """Match the cards of a round, counted from 0, with the pieces laid down in its time."""
        dealt, papers = self._rounds[number]
        up = sum(not card.down for card in dealt.cards)
        if dealt.moved:
            return RoundLooks((), Counter({DoubtfulCard.MOVED: up}))
        pairs = _visible(dealt.cards, papers, backs=self._backs_are_paper)
        if not self._knows_backs and up < len(dealt.cards):
            pairs = []
        # Limits for an order beyond doubt. Source: no measurement on record, except where a field names one.
        if not pairs or any(paper.area_px > 1.4 * self._usual_px for _, paper in pairs):
            return RoundLooks((), Counter({DoubtfulCard.COUNT: up}))
        looks, doubts = [], Counter[DoubtfulCard]()
        for card, paper in pairs:
            indices = [] if card.name is None or card.down else _indices_on(paper, networks)
            if card.name is not None and _denied(card.name, indices):
                return RoundLooks((), Counter({DoubtfulCard.DIFFERS: up}))
            doubt = self._doubt(card, paper, indices)
            if doubt is not None and not card.down:
                doubts[doubt] += 1
            elif doubt is None and card.name is not None:
                known = tuple(KnownCard(card.name, None, index.centre) for index in indices)
                looks.append(CardLook(paper.image, known))
        return RoundLooks(tuple(looks), doubts)

    def _doubt(self, card: DealtCard, paper: LaidPaper, indices: Sequence[Index]) -> DoubtfulCard | None:
        if card.name is None:
            return DoubtfulCard.UNNAMED
        # 6_000: no card lies longer than this away from when it was reported.
        if paper.rest not in self._alone or abs(paper.mono_ms - card.mono_ms) > 6_000:
            return DoubtfulCard.TOGETHER
        return None if _of_one_card(indices) else DoubtfulCard.NO_INDEX

    def _in_time(self, cards: Sequence[DealtCard], papers: Sequence[LaidPaper]) -> list[LaidPaper]:
        """Return the pieces of a round in order, without those too small for a card."""
        # 0.6, 1.4: paper of less than this share of the usual piece is no card, of more than that it is
        # several. Source: of 700 pieces of a drawn table 0.89 to 1.3 were cards, also on others, 0.48 and
        # less chips.
        least_px = 0.6 * self._usual_px
        # 1_500, 2_500: A round's cards come to lie from so long before the first is reported until so long
        # after the last is: a shoe says a card that is still in the dealer's hand, a camera that deals one
        # that lies there already.
        first, last = cards[0].mono_ms - 1_500, cards[-1].mono_ms + 2_500
        return [paper for paper in papers if first <= paper.mono_ms <= last and paper.area_px >= least_px]


def _visible(
    cards: Sequence[DealtCard], papers: Sequence[LaidPaper], *, backs: bool
) -> list[tuple[DealtCard, LaidPaper]]:
    """Pair each card that shows paper (backs too with `backs`) with its piece; none for unequal counts."""
    seen = [card for card in cards if backs or not card.down]
    return list(zip(seen, papers, strict=True)) if len(seen) == len(papers) else []


def _indices_on(paper: LaidPaper, networks: Networks) -> list[Index]:
    indices, _ = read_indices(paper.image, propose_indices(paper.image), networks)
    return [
        index
        for index in indices
        if index.whole and index.p_index >= LIKELY_INDEX and paper.is_new(index.centre, index.index_px)
    ]


def _denied(name: CardName, indices: Sequence[Index]) -> bool:
    """Whether the generic network is certain of another rank."""
    sure = (index for index in indices if index.rank_agreed and index.p_rank >= WITNESS_SURE)
    return any(RANKS[index.rank] != name.rank for index in sure)


def _of_one_card(indices: Sequence[Index]) -> bool:
    """Whether the indices are one corner, or two that face opposite directions."""
    if len(indices) == 2:
        return float(np.dot(indices[0].down, indices[1].down)) < 0
    return len(indices) == 1


_PRINT_WORN_CARDS: Final = 40
"""From this median distance of so many cards on the deck is worn, or the picture has become worse.

Source: eight drawn decks enrolled with two spreads each; indices of 17 to 50 px of a third spread. Medians
of 40 cards of the same deck were 0.28 to 0.348 (99 of 100 draws), those of a softer picture (blur of 1.8
px) 0.32 to 0.38, those of seven other decks around 0.33 to 0.44. Of 24 cards of the same deck none was
beyond the reach. Of a deck with letters of another language more than 4 were in most draws, and 2 to 4 in
one of fifty. No measurement of real wear is on record.
"""

_PRINT_OTHER_CARDS: Final = 24
"""Of the latest so many cards this many beyond the reach show another design. Source: as above."""


class PrintNotice(NamedTuple):
    """A notice about the deck, with the figures behind it.

    `other`: that many of the latest `cards` measured cards are unlike the profile's deck. `worn`: `percent`
    is their median distance in percent of the reach. Both figures are given for either. `new`: there is no
    profile, and `beyond` of `cards` cards stayed unread.
    """

    what: Literal["worn", "other", "new"]
    cards: int
    beyond: int
    percent: int


def print_distance(image: Image, at: PointPx, networks: Networks, deck: Prototypes) -> float | None:
    """Return the distance of the index at a place (pixels) from the deck's prints; above 1 it is none.

    None where there is no whole index of sufficient size.
    """
    # When cards no longer look like the profile's deck. Distances are shares of the profile's `reach`.
    # Source: eight drawn decks enrolled with two spreads each; indices of 17 to 50 px of a third spread.
    # Medians of 40 cards of the same deck were 0.28 to 0.348 (99 of 100 draws), those of a softer picture
    # (blur of 1.8 px) 0.32 to 0.38, those of seven other decks around 0.33 to 0.44. Of 24 cards of the same
    # deck none was beyond the reach. Of a deck with letters of another language more than 4 were in most
    # draws, and 2 to 4 in one of fifty. No measurement of real wear is on record.
    # 120, 16: an index is looked for so far around its place, or in this part (1/n) of the picture's width.
    half = max(120, image.shape[1] // 16)
    left, top = (max(0, round(value) - half) for value in at)
    part = np.ascontiguousarray(image[top : round(at[1]) + half, left : round(at[0]) + half])
    indices, _ = read_indices(part, propose_indices(part), networks)
    least_px = max(SIZE_LIMITS.index_px, deck.index_px)
    place = np.array(at) - (left, top)
    near = [
        index
        for index in indices
        if index.p_index >= LIKELY_INDEX
        and index.index_px >= least_px
        and np.hypot(*(index.centre - place)) < index.index_px
    ]
    if not near:
        return None
    nearest = min(near, key=lambda index: float(np.hypot(*(index.centre - place))))
    heads = networks.indices.run_poses(part, poses_of([nearest])).heads
    return float(print_distances(heads[FEATURES].astype(np.float64), deck)[0])


class PrintWatch:
    """Remembers the distances of the latest cards of one camera, each card once; says each notice once.

    Another design may be reported again after a full window of cards of which none is beyond the reach.
    """

    def __init__(self) -> None:
        """Begin without a card."""
        self._latest: deque[float] = deque(maxlen=max(_PRINT_WORN_CARDS, _PRINT_OTHER_CARDS))
        self._reported: set[str] = set()

    def add(self, distance: float) -> PrintNotice | None:
        """Count a measured card; return a notice when it is raised for the first time."""
        self._latest.append(distance)
        if len(self._latest) >= _PRINT_OTHER_CARDS and not self._last_few().beyond:
            self._reported.discard("other")
        for notice in (self._other(), self._worn()):
            if notice is not None and notice.what not in self._reported:
                self._reported |= {"worn", notice.what}
                return notice
        return None

    def _last_few(self) -> PrintNotice:
        return _notice("other", list(self._latest)[-_PRINT_OTHER_CARDS:])

    def _other(self) -> PrintNotice | None:
        notice = self._last_few()
        return notice if notice.beyond >= 4 else None

    def _worn(self) -> PrintNotice | None:
        latest = list(self._latest)[-_PRINT_WORN_CARDS:]
        full = len(latest) == _PRINT_WORN_CARDS
        return _notice("worn", latest) if full and median(latest) >= 0.36 else None


def _notice(what: Literal["worn", "other"], latest: list[float]) -> PrintNotice:
    beyond = sum(distance > 1 for distance in latest)
    return PrintNotice(what, len(latest), beyond, round(100 * median(latest)))

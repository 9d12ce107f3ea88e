"""Match pieces of paper on the felt with the cards that a shoe or person named, by order alone.

A round counts as a whole or not at all. With as many pieces as cards, the n-th piece is the n-th card; with
one too many or too few, the place of the gap is unknown.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance import LIKELY_INDEX
from vision.classifier import WITNESS_SURE, Index, Networks, read_indices
from vision.enrolment.known_cards import KnownCard
from vision.enrolment.laid_papers import LaidPaper
from vision.geometry import Image
from vision.labels import RANKS
from vision.proposal import propose_indices
from vision.reading import CardName


class OrderRule(NamedTuple):
    """Limits for an order beyond doubt. Source: no measurement on record, except where a field names one."""

    before_ms: int = 1_500
    after_ms: int = 2_500
    """A round's cards come to lie from so long before the first is reported until so long after the last is:
    a shoe says a card that is still in the dealer's hand, a camera that deals one that lies there already."""

    apart_ms: int = 6_000
    """No card lies longer than this away from when it was reported."""

    small: float = 0.6
    large: float = 1.4
    """Paper of less than this share of the usual piece is no card, of more than that it is several.

    Source: of 700 pieces of a drawn table 0.89 to 1.3 were cards, also on others, 0.48 and less chips.
    """


_ORDER_RULE: Final = OrderRule()


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
        if not pairs or any(paper.area_px > _ORDER_RULE.large * self._usual_px for _, paper in pairs):
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
        if paper.rest not in self._alone or abs(paper.mono_ms - card.mono_ms) > _ORDER_RULE.apart_ms:
            return DoubtfulCard.TOGETHER
        return None if _of_one_card(indices) else DoubtfulCard.NO_INDEX

    def _in_time(self, cards: Sequence[DealtCard], papers: Sequence[LaidPaper]) -> list[LaidPaper]:
        """Return the pieces of a round in order, without those too small for a card."""
        rule, least_px = _ORDER_RULE, _ORDER_RULE.small * self._usual_px
        first, last = cards[0].mono_ms - rule.before_ms, cards[-1].mono_ms + rule.after_ms
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

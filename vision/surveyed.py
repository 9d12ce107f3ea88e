"""Compares what the survey sees with what was read: nothing may be missed without a word.

The survey names no card. Where it alone sees an index or paper, a card may have been missed; where it alone
sees none, a read is doubted.
"""

from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Points
from vision.cards import Card, all_inside
from vision.certain import certain_ones
from vision.deck import BELOW_RANGE, RIGHT_RANGE, SLANT_RANGE, Deck
from vision.survey import Survey
from vision.unexplained import BACK, CUT, FACE, Cover, Part

PEAK_SURE: Final = 0.4
"""Heat from which on an index is there for sure."""

PEAK_SURE_ON_CARD: Final = 0.5
"""The same on a card that is known: pips and court art are there."""

UNSEEN: Final = 0.01
"""Heat below which there is surely no index."""

SEEN_REACH: Final = 0.4
"""So far from an index's centre its peak may lie, in index heights."""

SAME_REACH: Final = 0.8
"""Peaks within so many index heights of a read index or an unclear spot are its own."""

CORNER_REACH: Final = 1.1
"""Peaks within so many index heights of where a card's other index should be are its own."""

SPOT_REACH: Final = 0.6
"""An unclear spot explains what lies around it, in long sides of a card."""

HEIGHTS_A_CARD: Final = 6.0
"""Long side of a card in index heights, where no card of the picture shows it."""

ALONE_REACH: Final = 1.3
"""The same of an index whose card's outline is not known."""


class Told(NamedTuple):
    """What the reader says of a picture so far.

    `cards` sure and unclear ones, `deck` their geometry, `spots` what is unclear (n x 2), `sheets` outlines
    of card-sized things that were told, `long_px` a card's long side where known.
    """

    cards: list[Card]
    deck: Deck | None
    spots: Points
    sheets: list[Points]
    long_px: float | None


class Missed(NamedTuple):
    """What nothing explains: places of indices and faces (n x 2), backs, and places of cut cards (n x 2)."""

    faces: Points
    backs: list[Part]
    cuts: Points


def unseen(survey: Survey, cards: list[Card]) -> set[int]:
    """Numbers of the cards none of whose certain indices the survey sees."""
    return {
        number
        for number, card in enumerate(cards)
        if all(
            survey.heat_near(index.centre, SEEN_REACH * index.height) < UNSEEN
            for index in certain_ones(card.indices)
        )
    }


def _own_places(card: Card, deck: Deck) -> Points:
    """Where a card's further indices should be, n x 2."""
    right, below = deck.right, deck.below
    steps = [(right, below)]
    if deck.four or deck.maybe_four:
        steps += [(-right, below), (right, 0.0), (-right, 0.0), (0.0, below)]
    return np.array(
        [
            index.centre + (index.right * across + index.down * down) * index.height
            for index in card.indices
            for across, down in steps
        ]
    )


def _may_be_own(card: Card, centre: Points) -> bool:
    """Whether a place may be the other corner of a card of unknown size."""
    apart = centre - card.best.centre
    right = abs(float(apart @ card.best.right)) / card.best.height
    below = float(apart @ card.best.down) / card.best.height
    wide, tall = RIGHT_RANGE[0] < right < RIGHT_RANGE[1], BELOW_RANGE[0] < below < BELOW_RANGE[1]
    return wide and tall and SLANT_RANGE[0] < right / below < SLANT_RANGE[1]


def _near(centre: Points, places: Points, reach: float) -> bool:
    return bool(len(places)) and bool((np.hypot(*(places - centre).T) < reach).any())


def _is_read(centre: Points, height: float, told: Told) -> bool:
    """Whether a peak is an index that was read, one of a read card's other corners, or told as unclear."""
    if _near(centre, told.spots, SAME_REACH * height):
        return True
    for card in told.cards:
        reach = max(height, card.best.height)
        if _near(centre, np.array([index.centre for index in card.indices]), SAME_REACH * reach):
            return True
        if told.deck is None:
            if _may_be_own(card, centre):
                return True
        elif _near(centre, _own_places(card, told.deck), CORNER_REACH * reach):
            return True
    return any(bool(all_inside(centre[None], sheet, 0.1)[0]) for sheet in told.sheets)


def missed_indices(survey: Survey, told: Told) -> list[Points]:
    """Places of indices that nothing explains."""
    peaks = survey.peaks(PEAK_SURE)
    missed = []
    outlines = [card.corners for card in told.cards if card.corners is not None]
    for centre, height, p in zip(*peaks, strict=True):
        on_card = any(bool(all_inside(centre[None], corners, 0.1)[0]) for corners in outlines)
        if on_card and p < PEAK_SURE_ON_CARD:
            continue
        if not _is_read(centre, float(height), told):
            missed.append(centre)
    return missed


def _cover(survey: Survey, told: Told, long_px: float) -> Cover:
    cover = Cover(survey, long_px)
    for card in told.cards:
        if card.corners is None:
            cover.disc(card.best.centre, ALONE_REACH)
        else:
            cover.outline(card.corners)
    for sheet in told.sheets:
        cover.outline(sheet)
    for spot in told.spots:
        cover.disc(spot, SPOT_REACH)
    return cover


def _long_px(survey: Survey, told: Told) -> float | None:
    """A card's long side: known, or guessed from the indices' heights."""
    if told.long_px is not None:
        return told.long_px
    heights = [card.best.height for card in told.cards] or list(survey.peaks(PEAK_SURE).heights)
    return HEIGHTS_A_CARD * float(np.median(heights)) if heights else None


def missed(survey: Survey, told: Told) -> Missed:
    """What the survey sees and nothing explains."""
    indices = missed_indices(survey, told)
    long_px = _long_px(survey, told)
    if long_px is None:
        return Missed(np.empty((0, 2)), [], np.empty((0, 2)))
    cover = _cover(survey, told, long_px)
    for centre in indices:
        cover.disc(centre, SPOT_REACH)
    faces = [*indices, *(part.middle for part in cover.parts(FACE))]
    cuts = [part.middle for part in cover.parts(CUT)]
    return Missed(np.array(faces).reshape(-1, 2), cover.parts(BACK), np.array(cuts).reshape(-1, 2))

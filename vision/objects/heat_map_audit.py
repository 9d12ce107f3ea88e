"""Compares what the survey sees with what was read: nothing may be missed without a word.

The survey names no card. Where it alone sees an index or paper, a card may have been missed; where it alone
sees none, a read is doubted.
"""

from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance.certainty import certain_ones
from vision.assembly.card_joining import Card
from vision.assembly.deck_geometry import BELOW_RANGE, RIGHT_RANGE, SLANT_RANGE, Deck
from vision.classifier.index_reading import frames_of
from vision.geometry.arrays import Points, within
from vision.geometry.outlines import inside_each
from vision.objects.unexplained import BACK, CUT, FACE, Cover, Part
from vision.proposal.heat_map import CELL, Survey
from vision.proposal.index_pairs import Candidates

PEAK_SURE: Final = 0.35
"""Heat from which on an index is there for sure."""

PEAK_SURE_ON_CARD: Final = 0.62
"""The same on a card that is known: pips and court art are there."""

UNSEEN: Final = 0.06
"""Heat below which there is surely no index."""

FACE_LEAST: Final = 0.2
"""Least probability of a face beside print that is half hidden."""

SEEN_REACH: Final = 0.4
"""So far from an index's centre its peak may lie, in index heights."""

SAME_REACH: Final = 0.5
"""Peaks within so many index heights of a read index or an unclear spot are its own."""

SIZE_SPAN: Final = 2.2
"""Peaks whose indices would be so many times as large or small as those that were read are a carpet's."""

ONE_REACH: Final = 1.0
"""Of peaks within so many index heights of each other one is told."""

CORNER_REACH: Final = 0.6
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
    centres = np.array([card.best.centre for card in cards]).reshape(-1, 2)
    cold = survey.heat_at(centres) < UNSEEN
    return {number for number in np.flatnonzero(cold).tolist() if _is_unseen(survey, cards[number])}


def _is_unseen(survey: Survey, card: Card) -> bool:
    return all(
        survey.heat_near(index.centre, SEEN_REACH * index.height) < UNSEEN
        for index in certain_ones(card.indices)
    )


def on_face(survey: Survey, centre: Points) -> bool:
    """Whether a card's face may be at a place: the tufts of a carpet look like half hidden print."""
    row, column = (int(part) for part in (centre[::-1] / (CELL * survey.scale)))
    around = survey.kind("face")[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
    return float(around.max(initial=0.0)) > FACE_LEAST


class _Indices(NamedTuple):
    """All indices of some cards, and the height of each one's card's best."""

    frames: Candidates
    best: Points


def _indices(cards: list[Card]) -> _Indices:
    rows = [(card, index) for card in cards for index in card.indices]
    best = np.array([card.best.height for card, _ in rows])
    return _Indices(frames_of([index for _, index in rows]), best)


def _own_places(known: _Indices, deck: Deck) -> tuple[Points, Points]:
    """Where the cards' further indices should be, n x 2, and the heights of their cards' best ones."""
    right, below = deck.right, deck.below
    steps = [(right, below)]
    if deck.four or deck.maybe_four:
        steps += [(-right, below), (right, 0.0), (-right, 0.0), (0.0, below)]
    places = [known.frames.beside(across, down) for across, down in steps]
    return np.concatenate(places), np.tile(known.best, len(steps))


def _may_be_own(centres: Points, cards: list[Card]) -> Points:
    """Which of n x 2 places may be the other corner of a card of unknown size."""
    best = frames_of([card.best for card in cards])
    apart = centres[:, None] - best.centres
    right = np.abs((apart * best.rights).sum(2)) / best.heights
    below = (apart * best.downs).sum(2) / best.heights
    fits = (
        (right > RIGHT_RANGE[0])
        & (right < RIGHT_RANGE[1])
        & (below > BELOW_RANGE[0])
        & (below < BELOW_RANGE[1])
    )
    slant = right / np.where(fits, below, 1.0)
    return np.asarray((fits & (slant > SLANT_RANGE[0]) & (slant < SLANT_RANGE[1])).any(1))


class _Places(NamedTuple):
    """Places that explain peaks: m x 2, within how many index heights, heights known there (m; 0 is none)."""

    centres: Points
    reach: float
    heights: Points


def _near(centres: Points, heights: Points, known: list[_Places]) -> Points:
    """Which of n x 2 peaks lie near one of some places, in the larger of both heights."""
    places = np.concatenate([part.centres for part in known])
    reach = np.concatenate([np.full(len(part.centres), part.reach) for part in known])
    tall = np.maximum(heights[:, None], np.concatenate([part.heights for part in known]))
    return np.asarray(within(centres, places, reach * tall).any(1))


def _read(centres: Points, heights: Points, told: Told) -> Points:
    """Which peaks are indices that were read, read cards' other corners, or told as unclear."""
    spots, known = told.spots.reshape(-1, 2), _indices(told.cards)
    places = [
        _Places(spots, SAME_REACH, np.zeros(len(spots))),
        _Places(known.frames.centres, SAME_REACH, known.best),
    ]
    if told.deck is not None:
        own, best = _own_places(known, told.deck)
        places.append(_Places(own, CORNER_REACH, best))
    read = _near(centres, heights, places) | _in_any(centres, told.sheets)
    return read if told.deck is not None else read | _may_be_own(centres, told.cards)


def _in_any(centres: Points, outlines: list[Points]) -> Points:
    """Which of n x 2 centres lie in one of some outlines, or a little beside."""
    return np.asarray(inside_each(centres, np.array(outlines).reshape(-1, 4, 2), 0.1).any(1))


def _of_known_size(heights: Points, cards: list[Card]) -> Points:
    """Which heights are about those of the indices that were read; all where none was."""
    if not cards:
        return np.ones(len(heights), bool)
    usual = median(card.best.height for card in cards)
    return np.asarray((heights > usual / SIZE_SPAN) & (heights < usual * SIZE_SPAN))


def missed_indices(survey: Survey, told: Told) -> list[Points]:
    """Places of indices that nothing explains."""
    peaks = survey.peaks(PEAK_SURE)
    on_card = _in_any(peaks.centres, [card.corners for card in told.cards if card.corners is not None])
    open_ones = ~(on_card & (peaks.p < PEAK_SURE_ON_CARD)) & ~_read(peaks.centres, peaks.heights, told)
    open_ones &= _of_known_size(peaks.heights, told.cards)
    missed: list[Points] = []
    for number in np.flatnonzero(open_ones)[np.argsort(-peaks.p[open_ones])]:
        centre, reach = peaks.centres[number], ONE_REACH * peaks.heights[number]
        if on_face(survey, centre) and all(np.hypot(*(centre - other)) > reach for other in missed):
            missed.append(centre)
    return missed


def _cover(survey: Survey, told: Told, long_px: float) -> Cover:
    cover = Cover(survey, long_px)
    cover.outlines([card.corners for card in told.cards if card.corners is not None] + told.sheets)
    for card in told.cards:
        if card.corners is None:
            cover.disc(card.best.centre, ALONE_REACH)
    for spot in told.spots:
        cover.disc(spot, SPOT_REACH)
    return cover


def _long_px(survey: Survey, told: Told) -> float | None:
    """A card's long side: known, or guessed from the indices' heights."""
    if told.long_px is not None:
        return told.long_px
    heights = [card.best.height for card in told.cards] or survey.peaks(PEAK_SURE).heights.tolist()
    return HEIGHTS_A_CARD * median(heights) if heights else None


def missed(survey: Survey, told: Told) -> Missed:
    """What the survey sees and nothing explains."""
    indices = missed_indices(survey, told)
    long_px = _long_px(survey, told)
    if long_px is None:
        return Missed(np.empty((0, 2)), [], np.empty((0, 2)))
    cover = _cover(survey, told, long_px)
    backs, cuts = cover.parts(BACK), [part.middle for part in cover.parts(CUT)]
    for centre in indices:
        cover.disc(centre, SPOT_REACH)
    faces = [*indices, *(part.middle for part in cover.parts(FACE))]
    return Missed(np.array(faces).reshape(-1, 2), backs, np.array(cuts).reshape(-1, 2))

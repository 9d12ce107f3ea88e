"""Compare the heat map with what was read, so that no card is missed without a report.

Where the heat map alone shows an index or paper, a card may have been missed; where it shows none, a read
card is doubted.
"""

from statistics import median
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard
from vision.card_sized import lies_at
from vision.certainty import reported_indices
from vision.deck_geometry import KNOWN_DECKS, DeckGeometry
from vision.geometry import (
    CARD_ASPECT,
    OWN_CORNER,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPoses,
    Points,
    inside_each,
    scaled,
    within_reach,
)
from vision.heat_map import OUTPUT_CELL_PX, PATCH_PX, CellKind, HeatMap, HeatPeaks
from vision.indices import poses_of


class AreaRule(NamedTuple):
    """Limits for areas of one kind. Areas are in cards, lengths in long sides of a card."""

    kind: CellKind
    sure: float
    """Least probability of the kind."""

    least: float
    longest: float
    """Area and length: a tablecloth is larger."""

    filled: float
    """Least share of the rectangle around it: carpets and sleeves have less."""

    alone: float
    """Least area where no known card is near: chips are smaller."""


FACE_AREA: Final = AreaRule("face", 0.8, 0.25, 2.5, 0.62, 0.25)
BACK_AREA: Final = AreaRule("back", 0.5, 0.25, 1.6, 0.66, 0.42)
_CUT_CARD_AREA: Final = AreaRule("cut", 0.8, 0.4, 1.4, 0.72, 0.5)
"""Source: chosen on 120 drawn tables and a quarter of the photographs; docs/measurements/reader.md, What the
heat map adds, has what they do together. The single numbers have no measurement on record."""


class ExplainedMask:
    """The explained places, on the grid of a heat map's heat."""

    def __init__(self, heat_map: HeatMap, long_px: float) -> None:
        """Start with nothing explained; `long_px` is a card's long side in pixels of the picture."""
        self._heat_map = heat_map
        self._pixel = PATCH_PX * heat_map.scale
        self._mask: Image = np.zeros(heat_map.heat.shape, np.uint8)
        self._long = long_px / self._pixel

    def explain_cards(self, outlines: list[Points]) -> None:
        """Explain cards by their corners, 4 x 2 each."""
        corners = np.array(outlines).reshape(-1, 4, 2)
        # Shape limits of areas, in long sides of a card or shares of them. Source: as for the area rules.
        # `contact` and `chips` keep stacks of chips from being reported as cards face down, as they were on
        # every third full table of the demo's deck (history of this file).
        # 0.12: known outlines explain what lies so far beyond them, as a share of half their size.
        for outline in self._on_grid(scaled(corners, 1 + 0.12)):
            cv2.fillConvexPoly(self._mask, outline, 1)

    def explain_around(self, centre: Points, reach: float) -> None:
        """Mark the surroundings of a place as explained, `reach` in long sides of a card."""
        x, y = self._on_grid(centre).tolist()
        cv2.circle(self._mask, (x, y), max(1, round(reach * self._long)), 1, -1)

    def unexplained(self, rule: AreaRule) -> list[Points]:
        """Places (2 each) near the middles of unexplained areas of a kind that lie wholly in the picture."""
        card = CARD_ASPECT * self._long**2
        there = self._there(rule)
        if cv2.countNonZero(there) < rule.least * card:
            return []
        # 0.12: strips narrower than this are the rims of outlines that do not quite fit.
        width = max(1, round(0.12 * self._long))
        there = cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((width, width), np.uint8))
        _, labels, stats, _ = cv2.connectedComponentsWithStats(there)
        areas = stats[1:, cv2.CC_STAT_AREA] / card
        chosen = np.flatnonzero(areas >= rule.least) + 1
        found = (self._middle((labels == number).astype(np.uint8), rule) for number in chosen)
        return [middle for middle in found if middle is not None]

    def _there(self, rule: AreaRule) -> Image:
        """1 where a kind surely is and nothing explains it."""
        rows, columns = self._heat_map.heat.shape
        likely = self._heat_map.kind(rule.kind)
        if likely.max(initial=0.0) <= rule.sure:
            return np.zeros((rows, columns), np.uint8)
        smooth = cv2.resize(likely, (columns, rows), interpolation=cv2.INTER_LINEAR)
        return np.asarray((smooth > rule.sure) & (self._mask == 0), np.uint8)

    def _middle(self, mask: Image, rule: AreaRule) -> Points | None:
        """A place near an area's middle; None when the border cuts it or its shape is no card's or pile's."""
        rows, columns = np.nonzero(mask)
        points = np.stack([columns, rows], 1)
        if (points.min(0) <= 1).any() or (points.max(0) >= np.array(mask.shape[::-1]) - 2).any():
            return None
        rectangle = cv2.minAreaRect(points.astype(np.float32))
        short, long = sorted(side + 1 for side in rectangle[1])
        filled = len(points) / (short * long)
        if not self._counts(mask, rule, (short, long), filled, len(points)):
            return None
        middle = points[np.argmin(((points - points.mean(0)) ** 2).sum(1))]
        return np.asarray((middle + 0.5) * self._pixel - 0.5)

    def _counts(
        self, mask: Image, rule: AreaRule, sides: tuple[float, float], filled: float, size: int
    ) -> bool:
        """Whether an area is a partly covered card, or a card or pile by itself."""
        (short, long) = sides
        cards = size / (CARD_ASPECT * self._long**2)
        below = short < 0.95 * self._long and long < 1.25 * self._long
        contact = cv2.countNonZero(cv2.dilate(mask, np.ones((3, 3), np.uint8)) & self._mask)
        # 0.8: so far what lies below a known card runs along it: chips touch it at a point.
        below &= contact > 0.8 * self._long
        # 0.4, (0.95, 1.25): what a known card leaves of another one below it fills so much of the rectangle
        # around it, at least, and fits into a card.
        if filled < (0.4 if below else rule.filled) or long > rule.longest * self._long:
            return False
        # (0.7, 0.6): what is wider than the first share of its length and smaller than so many cards is a
        # stack of chips.
        is_chips = short > 0.7 * long and cards < 0.6
        return not ((cards < rule.alone and not below) or is_chips)

    def _on_grid(self, points: Points) -> Image:
        """Places of the picture in whole cells of the grid."""
        return np.asarray(np.round((points + 0.5) / self._pixel - 0.5).astype(np.int32))


_HEAT_PEAK: Final = 0.35
"""From here on an index is there for sure.

Source: docs/measurements/reader.md, What the heat map adds, Peaks and `disagreement`.
"""

_HEAT_PEAK_ON_CARD: Final = 0.62
"""The same on a card that is known: pips and court art are there. Source: with it five of 120 full tables
of the demo's deck hold a false spot, with 0.60 seven (history of this file)."""

_HEAT_FAINT: Final = 0.25
"""From here on a place is worth another look, though nothing is said of it. Source: of ten photographs that
lack a card and say nothing unclear five have such a place, with 0.20 six, with 0.15 nine; of 25 drawn
tables with nothing unclear 11, 12 and 17, and each costs a reading."""


class Reaches(NamedTuple):
    """Distances at which things belong together, in index heights unless said otherwise.

    Source: chosen on the tables and photographs named in docs/measurements/reader.md, What the heat map adds;
    the single numbers have no measurement on record.
    """

    seen: float = 0.4
    """So far from an index's centre its peak may lie."""

    one: float = 1.0
    """Of peaks so near to each other one is reported."""

    spot_cards: float = 0.6
    """An unclear spot explains what lies around it, in long sides of a card."""

    alone_cards: float = 1.3
    """So does an index whose card's outline is not known, in long sides of a card."""

    on_card: float = -0.06
    """A peak lies on a card whose outline, made so much larger (share of its half size), holds it. At the
    edge lies the index of the card below, of which little shows: no card's own is there.

    Source: on 80 drawn tables of eight decks left out, read with their profiles, 149 peaks lie more than 0.3
    heights from the card's own indices and no deeper within its outline than 0.1 heights: of all but a dozen
    another card's index is within 1.2 heights.
    """

    card_heights: float = 6.0
    """Long side of a card in heights of its index, where no card of the picture shows it."""


REACHES: Final = Reaches()


class AccountedFor(NamedTuple):
    """Everything reported of a picture so far.

    `cards`: certain and unclear cards; `deck`: their geometry; `spots`: places of unclear things (n x 2);
    `outlines` (4 x 2 each): reported cards face down; `long_px`: a card's long side where known. `rough`:
    outlines may be off by an index, as with pips beside the ranks, and then explain nothing. `things`: as for
    `things_on_felt`.
    """

    cards: list[AssembledCard]
    deck: DeckGeometry | None
    spots: Points
    outlines: list[Points]
    long_px: float | None
    rough: bool = False
    things: Image | None = None


def cards_without_heat(heat_map: HeatMap, cards: list[AssembledCard]) -> set[int]:
    """Return numbers of the cards without heat at any certain index."""
    centres = np.array([card.best.centre for card in cards]).reshape(-1, 2)
    cold = heat_map.heat_at(centres) < [_least_heat(card) for card in cards]
    return {number for number in np.flatnonzero(cold).tolist() if _is_cold(heat_map, cards[number])}


def is_strange_deck(heat_map: HeatMap, cards: list[AssembledCard]) -> bool:
    """Whether too few of the heat map's indices were read, certain or not, for a known layout."""
    peaks = len(heat_map.peaks(_HEAT_PEAK).p)
    # When the layout of a deck's indices is unknown to the reader, so that it reads hardly any. Source: an
    # outside drawn deck with the pip beside the rank shows 34 to 56 peaks a table; on 24 tables one index
    # was read, a rank with another card's pip. Of 113 photographs those with the fewest peaks read had one
    # of 5 and two of 10. With a limit of 12 peaks three of 333 cards among clutter became unclear.
    # 24: fewest peaks that say anything.
    # 0.25: least share of them that is read of a deck that the reader knows.
    return peaks >= 24 and sum(len(card.indices) for card in cards) <= 0.25 * peaks


def may_have_pips_beside(heat_map: HeatMap, acceptance: Acceptance) -> bool:
    """Whether there are indices and none or too few are accepted, as with pips beside the ranks."""
    if not acceptance.accepted:
        return bool(len(heat_map.peaks(_HEAT_PEAK).p))
    return is_strange_deck(heat_map, acceptance.shown)


def _least_heat(card: AssembledCard) -> float:
    """Return the heat below which a card is doubted.

    A card with one corner and an open suit needs more. Half a pip above a whole one was a certain four at a
    heat of 0.24. Of 93 such cards that were right, of 43 drawn tables, one was as cold.
    """
    # Limits of heat, 0..1. Source: docs/measurements/reader.md, What the heat map adds, Peaks and
    # `disagreement`.
    # 0.06: below it there is surely no index: the least heat at a right read was 0.10 on photographs.
    return _HEAT_FAINT if card.best.suit_open and len(card.indices) == 1 else 0.06


def _is_cold(heat_map: HeatMap, card: AssembledCard) -> bool:
    return all(
        heat_map.heat_near(index.centre, REACHES.seen * index.index_px) < _least_heat(card)
        for index in reported_indices(card.indices)
    )


def face_likely_at(heat_map: HeatMap, centre: Points, things: Image | None = None) -> bool:
    """Whether a card's face may be at a place: carpet tufts and letters of the felt look like covered print.

    `things` as for `things_on_felt`.
    """
    if not lies_at(things, centre):
        return False
    row, column = (int(part) for part in (centre[::-1] / (OUTPUT_CELL_PX * heat_map.scale)))
    around = heat_map.kind("face")[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
    # 0.2: least probability of a face beside print that is partly covered. Source:
    # docs/measurements/reader.md, What a limit is worth.
    return float(around.max(initial=0.0)) > 0.2


def is_unlikely_index(heat_map: HeatMap, centre: Points, card: AssembledCard, *, exact: bool = False) -> bool:
    """Whether the heat map shows no sure index at a place of a card, apart from its pips and art.

    With `exact` outlines a visible, half hidden index belongs to another card: with `_HEAT_PEAK_ON_CARD` as
    the limit hands of two tight fans were short.
    """
    least = _HEAT_PEAK if exact else _HEAT_PEAK_ON_CARD
    return heat_map.heat_near(centre, REACHES.seen * card.best.index_px) < least


def is_own_corner(centre: Points, cards: list[AssembledCard], deck: DeckGeometry | None) -> bool:
    """Whether a place is a further corner of one of the cards."""
    if deck is None:
        return bool(_may_be_other_corners(centre[None], cards).any())
    corners, best_px = _other_corners(_indices_of(cards), deck)
    return bool((np.hypot(*(corners - centre).T) < OWN_CORNER * best_px).any())


_EVERYWHERE: Final = 1e6 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
"""An outline that holds every place of a picture. Source: no tuned number."""


class _AuditedIndices(NamedTuple):
    """Poses of all indices of some cards; of each one's card the best index's height (pixels), the outline.

    Outlines (n x 4 x 2) that are not known hold everything.
    """

    poses: IndexPoses
    best_px: Points
    outlines: Points


def _indices_of(cards: list[AssembledCard]) -> _AuditedIndices:
    rows = [(card, index) for card in cards for index in card.indices]
    best_px = np.array([card.best.index_px for card, _ in rows])
    outlines = [_EVERYWHERE if card.corners is None else card.corners for card, _ in rows]
    poses = poses_of([index for _, index in rows])
    return _AuditedIndices(poses, best_px, np.array(outlines).reshape(-1, 4, 2))


def _other_corners(known: _AuditedIndices, deck: DeckGeometry, rough: bool = False) -> tuple[Points, Points]:
    """Return expected places of the cards' further indices, n x 2, and heights of their best ones.

    With `rough` outlines, a fan's next card stands where a fourth corner would.
    """
    right, below = deck.right, deck.below
    steps = [(right, below)]
    if (deck.four or deck.maybe_four) and not rough:
        steps += [(-right, below), (right, 0.0), (-right, 0.0), (0.0, below)]
    places = [known.poses.beside(across, down) for across, down in steps]
    return np.concatenate(places), np.tile(known.best_px, len(steps))


def _may_be_other_corners(centres: Points, cards: list[AssembledCard]) -> Points:
    """Return which of n x 2 places may be the other corner of a card of unknown size."""
    best = poses_of([card.best for card in cards])
    apart = centres[:, None] - best.centres
    right = np.abs((apart * best.rights).sum(2)) / best.index_px
    below = (apart * best.downs).sum(2) / best.index_px
    decks = KNOWN_DECKS
    fits = (right > decks.right[0]) & (right < decks.right[1])
    fits &= (below > decks.below[0]) & (below < decks.below[1])
    slant = right / np.where(fits, below, 1.0)
    return np.asarray((fits & (slant > decks.slant[0]) & (slant < decks.slant[1])).any(1))


class _Explanations(NamedTuple):
    """Places that explain peaks (m x 2), within how many heights, and heights there (m, px; 0: unknown).

    Only peaks within their `outlines` (m x 4 x 2) may be theirs, unless they surely are.
    """

    centres: Points
    reach: float
    index_px: Points
    outlines: Points


def _everywhere(places: Points) -> Points:
    return np.tile(_EVERYWHERE, (len(places), 1, 1))


def _near(peaks: HeatPeaks, known: list[_Explanations]) -> Points:
    """Return which peaks (n, bool) are explained; of two peaks at one place only the nearer one.

    Reaches are in heights of the index read there, or in those of the peak.
    """
    places = np.concatenate([part.centres for part in known])
    if not len(places):
        return np.zeros(len(peaks.p), bool)
    index_px = np.concatenate([part.index_px for part in known])
    reach = np.concatenate([np.full(len(part.centres), part.reach) for part in known])
    tall = np.where(index_px > 0, index_px, peaks.index_px[:, None])
    surely = within_reach(peaks.centres, places, SURELY_SAME * tall)
    near = within_reach(peaks.centres, places, reach * tall) & ~surely.any(0)
    near &= inside_each(peaks.centres, np.concatenate([part.outlines for part in known]), REACHES.on_card)
    return np.asarray((near | surely).any(1))


def _explained(peaks: HeatPeaks, accounted: AccountedFor) -> Points:
    """Return which peaks are read indices, other corners of read cards, or reported as unclear."""
    spots, known = accounted.spots.reshape(-1, 2), _indices_of(accounted.cards)
    explanations = [
        _Explanations(spots, SAME_INDEX, np.zeros(len(spots)), _everywhere(spots)),
        _Explanations(known.poses.centres, SAME_INDEX, known.best_px, known.outlines),
    ]
    if accounted.deck is not None and (accounted.deck.pairs or not accounted.rough):
        lone = [card for card in accounted.cards if len(card.indices) == 1]
        wanting = _indices_of(lone) if accounted.rough else known
        corners, best_px = _other_corners(wanting, accounted.deck, accounted.rough)
        explanations.append(_Explanations(corners, OWN_CORNER, best_px, _everywhere(corners)))
    explained = _near(peaks, explanations) | _in_any(peaks.centres, accounted.outlines)
    if accounted.deck is not None or accounted.rough:
        return explained
    return explained | _may_be_other_corners(peaks.centres, accounted.cards)


def _in_any(centres: Points, outlines: list[Points]) -> Points:
    """Return which of n x 2 centres lie inside any outline, away from its edge."""
    corners = np.array(outlines).reshape(-1, 4, 2)
    return np.asarray(inside_each(centres, corners, REACHES.on_card).any(1))


def _outlines(cards: list[AssembledCard]) -> list[Points]:
    return [card.corners for card in cards if card.corners is not None]


def _unexplained_peaks(heat_map: HeatMap, accounted: AccountedFor) -> list[Points]:
    """Places (2 each) of indices that nothing accounts for, the hottest first."""
    peaks = heat_map.peaks(_HEAT_PEAK)
    outlines = [] if accounted.rough else _outlines(accounted.cards)
    on_card = _in_any(peaks.centres, outlines)
    open_ones = ~(on_card & (peaks.p < _HEAT_PEAK_ON_CARD)) & ~_explained(peaks, accounted)
    missed: list[Points] = []
    for number in np.flatnonzero(open_ones)[np.argsort(-peaks.p[open_ones])]:
        centre, reach = peaks.centres[number], REACHES.one * peaks.index_px[number]
        if face_likely_at(heat_map, centre, accounted.things) and all(
            np.hypot(*(centre - other)) > reach for other in missed
        ):
            missed.append(centre)
    return missed


def faint_places(heat_map: HeatMap, cards: list[AssembledCard], deck: DeckGeometry | None) -> Points:
    """Places (n x 2) apart from these cards where the heat map sees an index faintly, or better."""
    peaks = heat_map.peaks(_HEAT_FAINT)
    accounted = AccountedFor(cards, deck, np.empty((0, 2)), [], None)
    apart = ~_in_any(peaks.centres, _outlines(cards)) & ~_explained(peaks, accounted)
    return np.asarray(peaks.centres[apart])


def likely_long_px(heat_map: HeatMap, accounted: AccountedFor) -> float | None:
    """A card's long side: known, or guessed from the indices' heights."""
    if accounted.long_px is not None:
        return accounted.long_px
    read_px = [card.best.index_px for card in accounted.cards]
    heights_px = read_px or heat_map.peaks(_HEAT_PEAK).index_px.tolist()
    return REACHES.card_heights * median(heights_px) if heights_px else None


def find_missed(heat_map: HeatMap, accounted: AccountedFor) -> tuple[list[Points], ...]:
    """Return places (2 each) of faces, of backs and of cut cards that no report explains."""
    indices = _unexplained_peaks(heat_map, accounted)
    long_px = likely_long_px(heat_map, accounted)
    if long_px is None:
        return indices, [], []
    mask = ExplainedMask(heat_map, long_px)
    mask.explain_cards(_outlines(accounted.cards) + accounted.outlines)
    for card in accounted.cards:
        if card.corners is None:
            mask.explain_around(card.best.centre, REACHES.alone_cards)
    for spot in accounted.spots:
        mask.explain_around(spot, REACHES.spot_cards)
    backs = mask.unexplained(BACK_AREA)
    cut_cards = mask.unexplained(_CUT_CARD_AREA)
    for centre in indices:
        mask.explain_around(centre, REACHES.spot_cards)
    return [*indices, *mask.unexplained(FACE_AREA)], backs, cut_cards

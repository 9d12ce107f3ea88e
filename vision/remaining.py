"""A picture's content besides accepted cards: cards face down, leftover paper, unclear spots.

The networks know backs by appearance, and not every deck's: leftover paper is reported by outline alone.
"""

from collections.abc import Iterator
from statistics import median
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard
from vision.card_sized import (
    STROKE,
    CardSizedObject,
    ObjectKind,
    find_card_sized_objects,
    lies_at,
    opened,
    reclassified,
    rims,
    things_on_felt,
)
from vision.certainty import OTHER_LETTERS_RULE
from vision.deck_geometry import LEFT, DeckGeometry, outline_around
from vision.geometry import (
    CARD_ASPECT,
    OWN_CORNER,
    PARALLEL,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPlace,
    Points,
    in_one_fan,
    inside,
    scaled,
)
from vision.hands import as_point, as_quad
from vision.heat_map import HeatMap
from vision.heat_map_audit import (
    REACHES,
    AccountedFor,
    face_likely_at,
    find_missed,
    is_own_corner,
    is_unlikely_index,
    likely_long_px,
)
from vision.indices import Index, poses_of
from vision.networks import LIKELIER, IndexNetwork
from vision.proposal import SAMPLE_STEP_PX
from vision.reading import RANKS, ReadCard, Unclear, UnclearReason


def leftover_papers(mask: Image, explained: list[Points], long_px: float) -> list[Points]:
    """The middles (2 each) of things in a card's measures, in pixels of the picture.

    `mask` is a `foreground_mask`; `explained` are the outlines (4 x 2) of all that was read or reported, and
    `long_px` is a card's long side.
    """
    long = long_px / SAMPLE_STEP_PX
    known = np.zeros(mask.shape, np.uint8)
    # Limits of a card's size, open or partly covered by another card. Lengths are in long sides of a card.
    # Source: `python -m tests.measures.backs` for what is found, drawn tables of decks left out and
    # photographs for false alarms; docs/measurements/reader.md, Backs.
    # 0.08: known outlines explain what lies so far beyond them, as a share of half their size.
    outlines = scaled(np.array(explained).reshape(-1, 4, 2), 1 + 0.08) / SAMPLE_STEP_PX
    for corners in np.rint(outlines).astype(np.int32):
        cv2.fillConvexPoly(known, corners, 255)
    found: list[Points] = []
    # (0.12, STROKE): what is narrower is left out: rims of outlines that do not quite fit, print.
    for width in (0.12, STROKE):
        for part in _parts(opened(mask & ~known, width * long / 2), long):
            middle = _middle(part, known, long)
            if middle is not None and _is_apart(middle, found, long_px):
                found.append(middle)
    for middle in _holding_a_card(mask & ~known, long):
        if _is_apart(middle, found, long_px):
            found.append(middle)
    return found


def _is_apart(middle: Points, found: list[Points], long_px: float) -> bool:
    """Whether a thing is another one than all that was found."""
    # 0.4: what is found so near to another find, in long sides of a card, is the same thing. Source: no
    # measurement on record; cards beside each other are 0.65 apart.
    return all(float(np.hypot(*(middle - one))) > 0.4 * long_px for one in found)


def _holding_a_card(left: Image, long: float) -> Iterator[Points]:
    """Points of what is left where a whole card fits in, in pixels of the picture."""
    # 20.0: A card's long side where it is fitted in. Source: no tuned number, time.
    scale = min(1.0, 20.0 / long)
    high_px, wide_px = (max(1, round(side * scale)) for side in left.shape)
    small = cv2.resize(left, (wide_px, high_px), interpolation=cv2.INTER_NEAREST)
    # 0.85, 15, 2.0: A thing that holds a card of this share, turned in such steps, is one that print or
    # stripes of light touch, where what is left without them is no larger than so many cards. Source:
    # docs/measurements/reader.md, Tight fans and lone backs.
    high = 0.85 * long * scale
    room: Image = np.zeros(small.shape, np.uint8)
    for degrees in range(0, 180, 15):
        corners = cv2.boxPoints(((0.0, 0.0), (CARD_ASPECT * high, high), degrees))
        corners -= corners.min(0)
        kernel = np.zeros(np.ceil(corners.max(0)).astype(int)[::-1] + 1, np.uint8)
        cv2.fillConvexPoly(kernel, np.rint(corners).astype(np.int32), 1)
        held = cv2.morphologyEx(small, cv2.MORPH_OPEN, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        room = cv2.bitwise_or(room, held)
    _, parts, stats, centres = cv2.connectedComponentsWithStats(room)
    areas = stats[:, cv2.CC_STAT_AREA] / (CARD_ASPECT * (long * scale) ** 2)
    for number in range(1, len(centres)):
        if areas[number] < 2.0 and not _is_cut(parts == number):
            yield np.asarray((centres[number] + 0.5) * SAMPLE_STEP_PX / scale - 0.5)


def _is_cut(part: Image) -> bool:
    """Whether the picture's border cuts a thing."""
    return bool(part[0].any() or part[-1].any() or part[:, 0].any() or part[:, -1].any())


def _parts(left: Image, long: float) -> Iterator[Image]:
    """Yield the connected parts as masks (1 inside), without those too small or cut by the border."""
    _, parts, stats, _ = cv2.connectedComponentsWithStats(left)
    areas = stats[:, cv2.CC_STAT_AREA] / (CARD_ASPECT * long**2)
    # 0.12: area, in cards: the strip that a card leaves of the one below it.
    for number in np.flatnonzero(areas >= 0.12).tolist():
        part = (parts == number).astype(np.uint8)
        if number and not _is_cut(part):
            yield part


def _middle(part: Image, known: Image, long: float) -> Points | None:
    """Return a point of the part near its middle; None where it has not a card's size."""
    points = np.argwhere(part)[:, ::-1]
    filled, sides = _best_rectangle(points, part | known)
    # 0.82: least share of the smallest rectangle around it that it fills, with the known cards that lie
    # there: a round thing fills 0.79 of its own.
    if filled < 0.82 or not _is_as_large(part, known, (sides + 1) / long, long):
        return None
    middle = points[np.argmin(((points - points.mean(0)) ** 2).sum(1))]
    return np.asarray((middle + 0.5) * SAMPLE_STEP_PX - 0.5)


def _best_rectangle(points: Points, there: Image) -> tuple[float, Points]:
    """Return the filled share and the sides of the best filled rectangle along the part's edges.

    The smallest rectangle lies askew around a card that another covers on two sides.
    """
    hull = cv2.convexHull(points.astype(np.float32)).reshape(-1, 2)
    # 1.5: the edges of a thing's outline are straight to so many pixels of the sample. Source: no
    # measurement on record; a rounded corner of a card is as large.
    edges = cv2.approxPolyDP(hull, 1.5, closed=True).reshape(-1, 2)
    best, sides = 0.0, np.zeros(2)
    for edge in np.roll(edges, -1, 0) - edges:
        across = edge / max(float(np.hypot(*edge)), 1.0)
        axes = np.array([across, (-across[1], across[0])])
        least, most = (hull @ axes.T).min(0), (hull @ axes.T).max(0)
        square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
        around = np.zeros(there.shape, np.uint8)
        corners = (least + square * (most - least)) @ axes
        cv2.fillConvexPoly(around, np.rint(corners).astype(np.int32), 1)
        filled = cv2.countNonZero(around & there) / max(cv2.countNonZero(around), 1)
        if filled > best:
            best, sides = filled, most - least
    return best, sides


def _is_as_large(part: Image, known: Image, sides: Points, long: float) -> bool:
    """Whether such sides fit a card, or the visible rest of a card under a known one."""
    (shorter, longer) = sorted(sides.tolist())
    contact = cv2.countNonZero(cv2.dilate(part, np.ones((3, 3), np.uint8)) & known)
    thick = cv2.countNonZero(part) / (longer * long**2)
    # 0.35: what a known card covers runs so far along it, at least: chips and print touch it at a point.
    # 0.18: its area by its longer side. The rims that an outline leaves which is off by a sixth are thinner.
    if contact >= 0.35 * long and thick > 0.18:
        # (0.5, 1.25): the longer side of what a known card covers. A chip of 40 mm has 0.45, a card's short
        # side 0.65.
        return bool(0.5 < longer < 1.25)
    # 0.5, (0.75, 2.2): both sides of what no known card touches: whole words of print are not as high.
    return bool(shorter > 0.5 and 0.75 < longer < 2.2)


_OBJECT_REASONS: Final[dict[ObjectKind, UnclearReason]] = {
    "joker": "joker",
    "cut": "cut_card",
    "paper": "unread",
    "hollow": "face_down",
    "thing": "face_down",
}
"""What is reported of an object of a card's shape; a back is a card face down."""


_DETAIL_SPOT_SLACK: Final = 0.05
"""How far beyond a card's outline (share of its half size) an index, and covered print, is still on the
card.

Source: no measurement on record.
"""


_LIKELY_MARGINS: Final = (0.8, 0.4)
"""Width of a card that its two indices leave, and paper above and below them, in heights of an index.

Source: no measurement on record; usual decks have half a rank's width and a fifth of a height at each side.
"""


class PictureEvidence(NamedTuple):
    """A picture's evidence besides readable indices.

    `objects` of a card's shape, partly `covered` indices, the heat map, the foreground. `beside`: the deck
    has its pips beside the ranks. `card_px`: a card's long side, where the camera's pose gives it. `place`:
    the position of an index on it, where the deck gives that as well.
    """

    image: Image
    objects: list[CardSizedObject]
    covered: list[Index]
    heat_map: HeatMap
    foreground: Image
    beside: bool = False
    card_px: float | None = None
    place: IndexPlace | None = None


def _on_a_card(covered: Index, acceptance: Acceptance, evidence: PictureEvidence) -> bool:
    """Whether a covered index belongs to an accepted or unclear card, or is a cold part of its face.

    In a fan the next card lies within the outline of the card that it covers. A hot place may be its index; a
    place level with a read index certainly is.
    """
    centre, known = covered.centre, acceptance.shown
    read, place = poses_of([index for card in known for index in card.indices]), poses_of([covered])
    apart = np.hypot(*(read.centres - centre).T)
    if (apart < SURELY_SAME * read.index_px).any() or _in_own_corner(covered, acceptance, evidence):
        return True
    if evidence.beside or in_one_fan(place, read).any():
        return False  # outlines are off by as much as a fan's next index is away
    if evidence.place is None and (apart < SAME_INDEX * read.index_px).any():
        return True
    on = [
        card
        for card in known
        if card.corners is not None and inside(centre, card.corners, _DETAIL_SPOT_SLACK)
    ]
    exact = evidence.place is not None
    return bool(on) and is_unlikely_index(evidence.heat_map, centre, on[0], exact=exact)


def _in_own_corner(covered: Index, acceptance: Acceptance, evidence: PictureEvidence) -> bool:
    """Whether the covered index stands at a further corner of an accepted or unclear card."""
    outlined = [card for card in acceptance.shown if card.corners is not None]
    if evidence.place is not None:
        ends = evidence.place.at_both_ends(np.array([card.corners for card in outlined]).reshape(-1, 4, 2))
        return bool((np.hypot(*(ends.centres - covered.centre).T) < OWN_CORNER * ends.index_px).any())
    on = [
        card
        for card in outlined
        if card.corners is not None and inside(covered.centre, card.corners, _DETAIL_SPOT_SLACK)
    ]
    return bool(on) and is_own_corner(covered.centre, on, acceptance.deck)


def _may_be_second_corner(index: Index, best: Index, deck: DeckGeometry) -> bool:
    """Whether an index may be a further corner of a card; one beside the card's own is a fan's like card."""
    turned = float(index.down @ best.down) < 0
    return index.rank == best.rank and (turned or deck.four or deck.maybe_four)


def _is_detail(card: AssembledCard, acceptance: Acceptance) -> bool:
    """Whether a doubtful index is no index, or only the second corner of an accepted card."""
    index = card.best
    if index.p_shown < LIKELIER:
        return True
    for other in acceptance.accepted:
        if other.corners is None or acceptance.deck is None:
            continue
        # When a doubtful index is only a detail of a reported card. Source: no measurement on record.
        # 0.02, 0.05: how far beyond a card's outline (share of its half size) an index, and covered print,
        # is still on the card.
        if inside(index.centre, other.corners, 0.02):
            # A detail has no rank of its own, and no letter that may be none of the thirteen. A fully visible
            # six of a tight fan stood that close to a three's corner.
            other_letter = index.known < OTHER_LETTERS_RULE.known and index.p_shown >= LIKELIER
            if (other_letter or index.p_rank * index.p_shown >= LIKELIER) and not _may_be_second_corner(
                index, other.best, acceptance.deck
            ):
                continue
            parallel = abs(float(index.down @ other.best.down)) > PARALLEL
            if parallel and is_own_corner(index.centre, [other], acceptance.deck):
                return True
    return False


def _worth_reporting(
    acceptance: Acceptance, heat_map: HeatMap, things: Image | None
) -> list[tuple[AssembledCard, UnclearReason]]:
    """The unclear cards that are no detail of another, and why; covered ones only where a face may be.

    None is on bare felt; `things` as for `things_on_felt`.
    """
    reported: list[tuple[AssembledCard, UnclearReason]] = []
    for card, reason in acceptance.unclear:
        covered, centre = card.best.p_index < LIKELIER, card.best.centre
        if _is_detail(card, acceptance) or not lies_at(things, centre):
            continue
        if covered and not face_likely_at(heat_map, centre):
            continue
        reported.append((card, "occluded" if covered and reason == "uncertain" else reason))
    return reported


def _hint(index: Index, reason: UnclearReason) -> tuple[str | None, float]:
    """Return the likeliest rank and its probability, where the index is only not certain.

    No hint where two readings contradict each other, or the corner may be another card's: it would mislead.
    """
    if reason != "uncertain":
        return None, 0.0
    return RANKS[index.rank], index.p_rank * index.p_index


def _long_px(cards: list[AssembledCard]) -> float | None:
    """Return the median long side of the cards with a known outline, in pixels."""
    known = np.array([card.corners for card in cards if card.corners is not None]).reshape(-1, 4, 2)
    sides = np.hypot(*(known[:, 3] - known[:, 0]).T).tolist()
    return median(sides) if sides else None


def _as_face_down(found: CardSizedObject) -> ReadCard:
    at = as_point(found.corners.mean(0))
    return ReadCard(None, None, found.p, at, as_quad(found.corners), "down", 0)


def unexplained_objects(
    image: Image, mask: Image, acceptance: Acceptance, network: IndexNetwork, card_px: float | None
) -> list[CardSizedObject]:
    """Return card-shaped objects that no index explains; `mask` as for `find_card_sized_objects`.

    `card_px` as in `PictureEvidence`, for a picture without a read card.
    """
    known = acceptance.accepted + [card for card, _ in acceptance.unclear]
    outlines = [card.corners for card in known if card.corners is not None]
    long_px = _long_px(acceptance.accepted) or card_px
    rimmed = [] if card_px is None else rims(image, mask.copy(), outlines, card_px, network)
    found = find_card_sized_objects(image, mask, outlines, long_px, network)
    found += [one for one in rimmed if not any(inside(one.corners.mean(0), other.corners) for other in found)]
    return [one for one in found if not any(inside(card.best.centre, one.corners) for card in known)]


def lone_papers(
    image: Image, mask: Image, acceptance: Acceptance, network: IndexNetwork, card_px: float
) -> Points:
    """Return outlines (n x 4 x 2) of white, card-sized objects that are no accepted card.

    The arguments are as for `unexplained_objects`.
    """
    outlines = [card.corners for card in acceptance.accepted if card.corners is not None]
    found = find_card_sized_objects(image, mask, outlines, card_px, network)
    return np.array([one.corners for one in found if one.kind == "paper"]).reshape(-1, 4, 2)


def remaining_objects(
    evidence: PictureEvidence, acceptance: Acceptance
) -> tuple[list[ReadCard], list[Unclear]]:
    """Everything besides accepted cards: cards face down, of no hand yet (`hand` 0), and unclear spots."""
    heat_map = evidence.heat_map
    things = things_on_felt(evidence.foreground, acceptance.accepted, evidence.card_px)
    unclear = _worth_reporting(acceptance, heat_map, things)
    down, spots = _of_card_shape(evidence.objects, heat_map)
    spots += [Unclear(as_point(card.best.centre), why, *_hint(card.best, why)) for card, why in unclear]
    spots += [
        Unclear(as_point(index.centre), "occluded")
        for index in evidence.covered
        if face_likely_at(heat_map, index.centre, things) and not _on_a_card(index, acceptance, evidence)
    ]
    known = [
        _with_likely_outline(card, evidence.card_px)
        for card in (*acceptance.accepted, *(card for card, _ in unclear))
    ]
    long_px = evidence.card_px or _long_px(known)
    accounted = _accounted_for(known, acceptance.deck, down, spots, long_px)
    accounted = accounted._replace(rough=evidence.beside, things=things)
    faces, backs, cut_cards = find_missed(heat_map, accounted)
    spots += [Unclear(as_point(place), "missed") for place in faces]
    spots += [Unclear(as_point(place), "face_down") for place in backs]
    spots += [Unclear(as_point(place), "cut_card") for place in cut_cards]
    accounted = _accounted_for(known, acceptance.deck, down, spots, long_px)
    return down, [*spots, *_leftovers(evidence, accounted)]


def _with_likely_outline(card: AssembledCard, card_px: float | None) -> AssembledCard:
    """Return the card; without a second corner its outline is placed by `card_px` around its index.

    Without an outline, everything around an index counts as that card. A back beside it is then cut short or
    passed over.
    """
    if card.corners is not None or card_px is None:
        return card
    tall = card_px / card.best.index_px
    right, below = tall * CARD_ASPECT - _LIKELY_MARGINS[0], tall - 1 - _LIKELY_MARGINS[1]
    deck = DeckGeometry(right, below, False, False, card.best.index_px, 0, _LIKELY_MARGINS[1] / 2)
    return card._replace(corners=outline_around(card.best, deck, LEFT))


def _leftovers(evidence: PictureEvidence, accounted: AccountedFor) -> list[Unclear]:
    """Return unexplained things of a card's size: probably backs unknown to the networks."""
    long_px = likely_long_px(evidence.heat_map, accounted)
    if long_px is None:
        return []
    outlines = accounted.outlines + [card.corners for card in accounted.cards if card.corners is not None]
    alone = [card.best.centre for card in accounted.cards if card.corners is None]
    places = [place for place in accounted.spots if not any(inside(place, one) for one in outlines)]
    outlines += [_square(place, REACHES.spot_cards * long_px) for place in alone + places]
    found = leftover_papers(evidence.foreground, outlines, long_px)
    return [Unclear(as_point(place), "face_down") for place in found]


def _square(at: Points, half: float) -> Points:
    return at + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def _of_card_shape(objects: list[CardSizedObject], heat_map: HeatMap) -> tuple[list[ReadCard], list[Unclear]]:
    """Return cards face down, and unclear things of a card's shape."""
    known = [reclassified(one, heat_map) for one in objects]
    spots = [
        Unclear(as_point(one.corners.mean(0)), _OBJECT_REASONS[one.kind])
        for one in known
        if one.kind in _OBJECT_REASONS
    ]
    return [_as_face_down(one) for one in known if one.kind == "back"], spots


def _accounted_for(
    known: list[AssembledCard],
    deck: DeckGeometry | None,
    down: list[ReadCard],
    spots: list[Unclear],
    long_px: float | None,
) -> AccountedFor:
    places = np.array([spot.at for spot in spots]).reshape(-1, 2)
    return AccountedFor(known, deck, places, [np.array(card.quad) for card in down], long_px)

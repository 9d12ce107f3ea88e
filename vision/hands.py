"""Overlapping cards, their order, and the hands that are reported."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.assembly import AssembledCard
from vision.deck_geometry import DeckGeometry
from vision.geometry import NEXT_CORNER, Image, Points, all_inside, inside_each, overlap
from vision.indices import poses_of
from vision.reading import RANKS, SUITS, PointPx, Quad, ReadCard

_REACH_UNKNOWN: Final = 4
"""Cards of unknown size overlap where their indices are nearer than so many heights of the index.

Source: no measurement on record.
"""

_PROOF_MARGIN: Final = 0.06
"""So near to an outline's edge, as a share of its half size, nothing is inside for sure: corners are
estimated.

Source: no measurement on record.
"""

_AROUND: Final = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])


class Overlaps(NamedTuple):
    """The cards of a picture and their overlaps.

    `pairs` are numbers i < j of overlapping cards. `proofs` (n x n) counts the indices that prove that card i
    lies on card j.
    """

    cards: list[AssembledCard]
    deck: DeckGeometry | None
    image: Image
    pairs: set[tuple[int, int]]
    proofs: Points


def _overlap(one: AssembledCard, other: AssembledCard) -> bool:
    """Whether two cards' outlines share any area; without outlines, whether their indices are near.

    Cards that only touch side by side are separate hands, as split hands are.
    """
    if one.corners is None or other.corners is None:
        reach = _REACH_UNKNOWN * max(one.best.index_px, other.best.index_px)
        return float(np.hypot(*(one.best.centre - other.best.centre))) < reach
    return overlap(one.corners, other.corners)


def find_overlaps(cards: list[AssembledCard], deck: DeckGeometry | None, image: Image) -> Overlaps:
    """Find the overlapping cards of a BGR picture and what their indices prove."""
    points = np.empty((len(cards), 4, 2))
    for number, card in enumerate(cards):
        reach = _REACH_UNKNOWN * card.best.index_px
        points[number] = card.best.centre + _AROUND * reach if card.corners is None else card.corners
    boxes = np.concatenate([points.min(1), points.max(1)], 1)
    apart = (boxes[:, None, :2] > boxes[None, :, 2:]).any(2)
    near = np.argwhere(np.triu(~(apart | apart.T), 1)).tolist()
    return Overlaps(
        cards, deck, image, {(i, j) for i, j in near if _overlap(cards[i], cards[j])}, _proofs(cards, deck)
    )


def _proofs(cards: list[AssembledCard], deck: DeckGeometry | None) -> Points:
    """For card i lying on card j: i's print shows where j lies (2 each), j's is hidden where i lies (1)."""
    proofs = np.zeros((len(cards), len(cards)))
    outlined = [number for number, card in enumerate(cards) if card.corners is not None]
    if deck is None or not outlined:
        return proofs
    outlines = np.array([cards[number].corners for number in outlined])
    owners = np.array([number for number, card in enumerate(cards) for _ in card.indices])
    centres = np.array([index.centre for card in cards for index in card.indices])
    shown = np.zeros((len(cards), len(outlined)))
    np.add.at(shown, owners, inside_each(centres, outlines, -_PROOF_MARGIN))
    proofs[:, outlined] += 2.0 * shown
    # The expected place of each card's unseen index, n x 2; NaN where several were seen.
    places = np.full((len(cards), 2), np.nan)
    lone = [number for number, card in enumerate(cards) if len(card.indices) == 1]
    if lone:
        places[lone] = poses_of([cards[number].best for number in lone]).beside(deck.right, deck.below)
    proofs[outlined] += inside_each(places, outlines, -_PROOF_MARGIN).T
    np.fill_diagonal(proofs, 0)
    return proofs


def proven_order(overlaps: Overlaps, one: int, other: int) -> float:
    """Return the order that indices prove: 1 when card `one` lies on `other`, -1 for the reverse, else 0."""
    if overlaps.cards[one].corners is None or overlaps.cards[other].corners is None:
        return 0.0
    proof = overlaps.proofs[one, other] - overlaps.proofs[other, one]
    return float(np.sign(proof)) if abs(proof) >= 1 else 0.0


def covered_cards(overlaps: Overlaps) -> set[int]:
    """Numbers of the cards on which another one lies, as the indices alone prove it."""
    return {
        number
        for one, other in overlaps.pairs
        for number, upper in ((one, other), (other, one))
        if proven_order(overlaps, upper, number) > 0
    }


_EDGE_ACROSS_PX: Final = 6
"""To so many pixels on both sides of the edge brightness is taken. Source: no measurement on record."""

_EDGE_POINTS_MIN: Final = 4
"""Fewer points of an edge say nothing. Source: no measurement on record."""


_OFFSETS: Final = np.arange(-_EDGE_ACROSS_PX, _EDGE_ACROSS_PX + 1)[:, None]

COURT: Final = frozenset("JQK")


def _step(profiles: Points) -> float:
    """Grey levels of the sharpest step across a line that three quarters of its points show: no pip's."""
    profile = np.sort(profiles, axis=0)[len(profiles) * 3 // 4].astype(int)
    return float(np.abs(profile[2:] - profile[:-2]).max())


def _edge_lines(corners: Points) -> Points:
    """Points along the four edges of a card, 4 x samples x 2."""
    # Parameters of the search for a card's edge on another card. Source: no measurement on record.
    # 20, (0.08, 0.92): points along each edge, and between which shares of it: corners are rounded.
    along = np.linspace(0.08, 0.92, 20)[None, :, None]
    return np.asarray(corners[:, None] + (corners[NEXT_CORNER] - corners)[:, None] * along)


def _visible_edge(overlaps: Overlaps, number: int, host: int) -> float | None:
    """Return the contrast of a card's faintest edge inside its host's outline; None without any edge."""
    card, below = overlaps.cards[number].corners, overlaps.cards[host].corners
    assert card is not None
    assert below is not None
    lines = _edge_lines(card)
    points = lines.reshape(-1, 2)
    # -0.08: points nearer than this to the other card's own edge (share of its half size) do not count.
    inner = all_inside(points, below, -0.08)
    if inner.sum() < _EDGE_POINTS_MIN:
        return None
    free = _not_on_others(overlaps, points, inner, number, host)
    steps = []
    # Brightness of the darkest channel across each edge at each of its points, 4 x samples x offsets.
    along = lines[:, -1] - lines[:, 0]
    normals = np.stack([-along[:, 1], along[:, 0]], 1) / np.hypot(*along.T)[:, None]
    places = np.rint(lines[:, :, None] + _OFFSETS * normals[:, None, None]).astype(np.intp)
    x, y = (
        places[..., 0].clip(0, overlaps.image.shape[1] - 1),
        places[..., 1].clip(0, overlaps.image.shape[0] - 1),
    )
    profiles = np.asarray(overlaps.image[y, x].min(3))
    for profile, within, open_part in zip(profiles, inner.reshape(4, -1), free.reshape(4, -1), strict=True):
        chosen = open_part if open_part.sum() >= _EDGE_POINTS_MIN else within
        if chosen.sum() >= _EDGE_POINTS_MIN:
            steps.append(_step(profile[chosen]))
    return min(steps, default=None)


def _not_on_others(overlaps: Overlaps, points: Points, inner: Points, number: int, host: int) -> Points:
    """Return which inner points lie outside every third card that overlaps the host."""
    free = inner.copy()
    for third, card in enumerate(overlaps.cards):
        near = (min(third, host), max(third, host)) in overlaps.pairs
        if near and third not in {number, host} and card.corners is not None:
            free &= ~all_inside(points, card.corners)
    return free


def order_by_edges(overlaps: Overlaps, one: int, other: int) -> float:
    """1 when card `one` shows its edge where `other` does not, -1 for the reverse, 0 where neither is sure.

    An outline that is not known, and court art with its own lines, say nothing.
    """
    if overlaps.cards[one].corners is None or overlaps.cards[other].corners is None:
        return 0.0
    mine, theirs = (
        None if RANKS[overlaps.cards[host].best.rank] in COURT else _visible_edge(overlaps, card, host)
        for card, host in ((one, other), (other, one))
    )
    if mine is None or theirs is None:
        return 0.0
    # 20.0, 12.0: grey levels of a step that is surely an edge, and of one that surely is none.
    if max(mine, theirs) < 20.0 or min(mine, theirs) > 12.0:
        return 0.0
    return 1.0 if mine > theirs else -1.0


def group_hands(overlaps: Overlaps) -> list[list[int]]:
    """Numbers of the cards of each hand; hands from left to right by their leftmost index."""
    home = list(range(len(overlaps.cards)))

    def root(number: int) -> int:
        while home[number] != number:
            number = home[number]
        return number

    for one, other in overlaps.pairs:
        home[root(other)] = root(one)
    hands: dict[int, list[int]] = {}
    for number in range(len(overlaps.cards)):
        hands.setdefault(root(number), []).append(number)
    return sorted(
        hands.values(), key=lambda hand: min(float(overlaps.cards[card].best.centre[0]) for card in hand)
    )


def _order_by_custom(one: AssembledCard, other: AssembledCard) -> float:
    """A weak guess: later cards are laid to the right of and above earlier ones, seen upright."""
    apart = one.best.centre - other.best.centre
    sign = 1.0 if other.best.down[1] >= 0 else -1.0
    # 0.1: what the dealers' custom counts against a visible edge or a proof, which count 1: it only breaks
    # ties.
    return 0.1 * float(np.sign(sign * (apart @ other.best.right - apart @ other.best.down)))


def seen_orders(overlaps: Overlaps) -> dict[tuple[int, int], float]:
    """Return the order that the picture shows for each overlapping pair: as `lies_on`, without the custom."""
    return {(one, other): _seen_order(overlaps, one, other) for one, other in overlaps.pairs}


def _order_by_openness(overlaps: Overlaps, one: int, other: int) -> float:
    """Return 1 when card `one` is uncovered and `other` is not, -1 for the reverse, else 0.

    A third card may cover the other one. Then this card has to reach far over or under it: it would otherwise
    not look open below it.
    """
    cards = overlaps.cards[one], overlaps.cards[other]
    if cards[0].lies_open is None or cards[1].lies_open is None:
        return 0.0
    apart = cards[0].lies_open - cards[1].lies_open
    # 0.5: A card lies on another one when it lies open so much more surely. Source: of 607 overlapping
    # pairs of drawn tables 56 % are so far apart, one of them the wrong way round; the indices prove 53 %
    # of them, 2.6 % of these wrongly.
    if abs(apart) <= 0.5:
        return 0.0
    covered = other if apart > 0 else one
    alone = sum(covered in pair for pair in overlaps.pairs) == 1
    # 0.35: cards of which a third one covers one share at least so much of their area, if openness says
    # their order. Source: on the 11 overhead photographs it reported 65 pairs rightly and 3 wrongly, edges
    # 47 and none; two of the three are reported by their edges, the third shares 0.28.
    return float(np.sign(apart)) if alone or _shared_part(*cards) >= 0.35 else 0.0


def _shared_part(one: AssembledCard, other: AssembledCard) -> float:
    """The part of a card that it shares with another one; 0 where an outline is not known."""
    if one.corners is None or other.corners is None:
        return 0.0
    outlines = one.corners.astype(np.float32), other.corners.astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(*outlines)
    return shared / max(cv2.contourArea(outlines[0]), 1e-6)


def _seen_order(overlaps: Overlaps, one: int, other: int) -> float:
    """Return the order of two overlapping cards from indices, then edges, then bodies; 0 for unknown."""
    order = proven_order(overlaps, one, other)
    if not order and overlaps.deck is not None:
        order = order_by_edges(overlaps, one, other)
    return order or _order_by_openness(overlaps, one, other)


def lies_on(overlaps: Overlaps, one: int, other: int) -> float:
    """Positive when card `one` lies on card `other`, negative for the reverse, 0 when they do not overlap."""
    if (min(one, other), max(one, other)) not in overlaps.pairs:
        return 0.0
    seen = _seen_order(overlaps, one, other)
    return seen or _order_by_custom(overlaps.cards[one], overlaps.cards[other])


class _Below:
    """The known part of the order of a hand's cards, by their places in it."""

    def __init__(self, count: int) -> None:
        self.sets = [set[int]() for _ in range(count)]

    def put(self, lower: int, upper: int) -> None:
        """Note that one card lies on another one, and on all that lies below that."""
        for card, under in enumerate(self.sets):
            if card == upper or upper in under:
                under |= {lower, *self.sets[lower]}

    def has(self, one: int, other: int) -> bool:
        """Whether there is any evidence of the order of two cards, even a contradictory one."""
        return one in self.sets[other] or other in self.sets[one]

    def upwards(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Pairs that are known, the lower card first."""
        return [(i, j) if i in self.sets[j] else (j, i) for i, j in pairs]

    def knows(self, one: int, other: int) -> bool:
        """Whether the order of two cards is known without contradiction."""
        return (one in self.sets[other]) != (other in self.sets[one])


def order_hand(
    overlaps: Overlaps, hand: list[int], seen: dict[tuple[int, int], float], custom: float = 0.0
) -> tuple[list[int], set[int]]:
    """Sort a hand's cards from the lowest up; return also the cards whose position is a guess.

    Repeatedly takes the card that lies on none of the rest.

    The order of two cards (`seen_orders`) also holds for the cards on or below them. A pair without evidence
    follows the direction in which the rest of its fan grows. Without such a direction the table's `custom`
    decides. Where that is 0, the dealers' custom decides, and the position is a guess.
    """
    if len(hand) == 1:
        return hand, set()
    slots = {card: slot for slot, card in enumerate(hand)}
    orders = {(slots[one], slots[other]): seen[one, other] for one, other in sorted(seen) if one in slots}
    below, pairs = _seen_below(orders, len(hand)), list(orders)
    # Note the open pairs that follow the way of their fan; most hands have none.
    cards = [overlaps.cards[card] for card in hand]
    open_pairs = [(i, j) for i, j in pairs if not below.has(i, j)]
    if open_pairs:
        known = below.upwards([pair for pair in pairs if below.knows(*pair)])
        for lower, upper in _in_line_with_fan(open_pairs, known, [_middle(card) for card in cards]):
            below.put(lower, upper)
    guessed = [(i, j) for i, j in pairs if not below.knows(i, j)]
    for i, j in guessed:
        if not below.has(i, j):
            on = (custom or 1.0) * _order_by_custom(overlaps.cards[hand[i]], overlaps.cards[hand[j]]) > 0
            below.put(*((j, i) if on else (i, j)))
    if custom:
        guessed = [(i, j) for i, j in guessed if not below.knows(i, j)]
    # Numbers of the cards that were guessed to lie on another one.
    later = {hand[j if i in below.sets[j] else i] for i, j in guessed}
    return [hand[slot] for slot in _from_lowest(below)], later


def _seen_below(orders: dict[tuple[int, int], float], count: int) -> _Below:
    """Collect the seen orders of `count` cards; 1 means that the first of a pair lies on the second."""
    below = _Below(count)
    for (i, j), order in orders.items():
        if order:
            below.put(*((j, i) if order > 0 else (i, j)))
    return below


def _middle(card: AssembledCard) -> Points:
    return card.best.centre if card.corners is None else np.asarray(card.corners.mean(0))


def _in_line_with_fan(
    open_pairs: list[tuple[int, int]], known: list[tuple[int, int]], middles: list[Points]
) -> list[tuple[int, int]]:
    """Open pairs, the lower card first, that follow the one way in which all known pairs of a fan grow."""
    if not known:
        return []
    ways = np.array([middles[upper] - middles[lower] for lower, upper in known])
    ways /= np.maximum(np.hypot(*ways.T), 1e-9)[:, None]
    found = []
    for i, j in open_pairs:
        way = middles[j] - middles[i]
        along = ways @ way / max(float(np.hypot(*way)), 1e-9)
        # 0.5: A pair goes the way of its fan where the cosine between its step and all known ones is above
        # this. Source: no measurement on record.
        if abs(along).min() > 0.5 and abs(np.sign(along).sum()) == len(along):
            found.append((i, j) if along[0] > 0 else (j, i))
    return found


def _from_lowest(below: _Below) -> list[int]:
    left, order = list(range(len(below.sets))), list[int]()
    while left:
        lowest = min(left, key=lambda slot: len(below.sets[slot].intersection(left) - {slot}))
        left.remove(lowest)
        order.append(lowest)
    return order


def as_point(place: Points) -> PointPx:
    """A place (2) as plain numbers."""
    x, y = place.tolist()
    return x, y


def as_quad(corners: Points | None) -> Quad | None:
    """Corners of a card (4 x 2) as plain numbers; None stays None."""
    if corners is None:
        return None
    first, second, third, fourth = corners.tolist()
    return tuple(first), tuple(second), tuple(third), tuple(fourth)


def _as_read(card: AssembledCard, hand: int) -> ReadCard:
    index = card.best
    at, quad = as_point(index.centre), as_quad(card.corners)
    suit = None if index.suit_open else SUITS[index.suit]
    name, certain = (RANKS[index.rank], suit), card.certain
    return ReadCard(*name, index.p, at, quad, "up", hand, certain, joined=card.joined)


class ReadHands(NamedTuple):
    """Cards by hand, each hand from its lowest card, and the places (2 each) of cards in guessed order."""

    cards: list[ReadCard]
    guessed: list[PointPx]


def face_up_cards(overlaps: Overlaps) -> ReadHands:
    """The cards by hand; hands are numbered from 1, from left to right."""
    read, guessed = list[ReadCard](), list[PointPx]()
    seen, hands = seen_orders(overlaps), group_hands(overlaps)
    # 1 where the dealer lays cards by the custom, -1 where by its reverse, 0 where that is not known.
    shown = {pair for pair, order in seen.items() if order}
    follow = {
        np.sign(seen[pair]) * np.sign(_order_by_custom(*(overlaps.cards[card] for card in pair)))
        for pair in shown
    }
    several = sum(any(pair[0] in hand for pair in shown) for hand in hands) > 1
    # 3: so many pairs of which the picture shows the order, in more than one hand, show the custom of its
    # table, if all of them agree. Source: the 11 overhead photographs show 3 to 9 such pairs each and all
    # follow the custom; of 18 outside drawn tables 9 show one way only.
    custom = float(follow.pop()) if len(shown) >= 3 and several and len(follow) == 1 else 0.0
    for number, hand in enumerate(hands, start=1):
        ordered, unsure = order_hand(overlaps, hand, seen, custom)
        read += [_as_read(overlaps.cards[card], number) for card in ordered]
        guessed += [as_point(overlaps.cards[card].best.centre) for card in sorted(unsure)]
    return ReadHands(read, guessed)

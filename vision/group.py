"""Puts cards that lie on each other into hands and finds out which card lies on which."""

from typing import Final, NamedTuple

import numpy as np

from vision.arrays import Image, Points
from vision.cards import Card, Deck, all_inside, inside
from vision.labels import RANKS

TOUCH: Final = 0.04
"""Cards whose outlines, grown by this share, overlap lie in one hand."""

EDGE_SAMPLES: Final = 28
EDGE_REACH_PX: Final = 6
EDGE_LEAST: Final = 5
"""Fewest samples of an edge that say anything."""

EDGE_SHOWN: Final = 20.0
EDGE_HIDDEN: Final = 12.0
"""Grey levels of a step that is surely an edge, and of one that surely is none."""

COURT: Final = frozenset("JQK")


class Pile(NamedTuple):
    """The cards of a picture, their deck's geometry, the picture's darkest channel, the pairs that touch."""

    cards: list[Card]
    deck: Deck | None
    dark: Image
    touch: set[tuple[int, int]]


def _overlap(one: Points, other: Points) -> bool:
    """Separating axes over both outlines' edges."""
    for quad in (one, other):
        edges = np.roll(quad, -1, 0) - quad
        normals = np.stack([-edges[:, 1], edges[:, 0]], 1)
        first, second = one @ normals.T, other @ normals.T
        if ((first.max(0) < second.min(0)) | (second.max(0) < first.min(0))).any():
            return False
    return True


def _grown(corners: Points) -> Points:
    middle = corners.mean(0)
    return np.asarray(middle + (corners - middle) * (1 + TOUCH))


def touching(one: Card, other: Card) -> bool:
    """Whether two cards overlap; without outlines, whether their indices are near."""
    if one.corners is None or other.corners is None:
        reach = 4 * max(one.best.height, other.best.height)
        return float(np.hypot(*(one.best.centre - other.best.centre))) < reach
    return _overlap(_grown(one.corners), _grown(other.corners))


def _boxes(cards: list[Card]) -> Points:
    """Upright bounds of each card, n x 4: left, top, right, foot; generous where no outline is known."""
    bounds = []
    for card in cards:
        reach = 4 * card.best.height
        corners = np.array([card.best.centre - reach, card.best.centre + reach])
        points = corners if card.corners is None else _grown(card.corners)
        bounds.append(np.concatenate([points.min(0), points.max(0)]))
    return np.array(bounds).reshape(-1, 4)


def touching_pairs(cards: list[Card]) -> set[tuple[int, int]]:
    """All pairs i < j of cards that touch."""
    boxes = _boxes(cards)
    apart = (boxes[:, None, :2] > boxes[None, :, 2:]).any(2)
    near = np.triu(~(apart | apart.T), 1)
    return {(int(i), int(j)) for i, j in np.argwhere(near) if touching(cards[i], cards[j])}


def make_pile(cards: list[Card], deck: Deck | None, dark: Image) -> Pile:
    """Finds out which cards touch."""
    return Pile(cards, deck, dark, touching_pairs(cards))


def hands_of(pile: Pile) -> list[list[int]]:
    """Numbers of the cards of each hand; hands from left to right by their leftmost index."""
    home = list(range(len(pile.cards)))

    def root(number: int) -> int:
        while home[number] != number:
            number = home[number]
        return number

    for one, other in pile.touch:
        home[root(other)] = root(one)
    hands: dict[int, list[int]] = {}
    for number in range(len(pile.cards)):
        hands.setdefault(root(number), []).append(number)
    return sorted(
        hands.values(), key=lambda hand: min(float(pile.cards[card].best.centre[0]) for card in hand)
    )


def _hidden_corner(card: Card, deck: Deck) -> Points | None:
    """Where the card's unseen index should be; None when several were seen."""
    if len(card.indices) > 1:
        return None
    index = card.best
    return np.asarray(index.centre + (index.right * deck.right + index.down * deck.below) * index.height)


def _by_indices(upper: Card, lower: Card, deck: Deck) -> float:
    """How strongly indices say that one card lies on another: its print shows where the other lies."""
    assert upper.corners is not None
    assert lower.corners is not None
    shown = sum(inside(index.centre, lower.corners, -0.06) for index in upper.indices)
    hidden = _hidden_corner(lower, deck)
    covered = hidden is not None and inside(hidden, upper.corners, -0.06)
    return 2.0 * shown + 1.0 * covered


def _step(dark: Image, points: Points, normal: Points) -> float:
    """The sharpest step of brightness across a line, pips apart (median along it)."""
    offsets = np.arange(-EDGE_REACH_PX, EDGE_REACH_PX + 1)
    spots = np.round(points[:, None] + offsets[None, :, None] * normal).astype(int)
    x, y = spots[..., 0].clip(0, dark.shape[1] - 1), spots[..., 1].clip(0, dark.shape[0] - 1)
    profile = np.median(dark[y, x], axis=0).astype(float)
    return float(np.abs(profile[2:] - profile[:-2]).max())


def _edge_shown(pile: Pile, number: int, other: int) -> float | None:
    """How clearly a card's edges show inside another's outline (the faintest one); None without any."""
    card, host = pile.cards[number].corners, pile.cards[other].corners
    assert card is not None
    assert host is not None
    rest = [
        third.corners
        for k, third in enumerate(pile.cards)
        if k not in {number, other}
        and third.corners is not None
        and (min(k, other), max(k, other)) in pile.touch
    ]
    steps = []
    for start, end in zip(card, np.roll(card, -1, 0), strict=True):
        line = start + (end - start) * np.linspace(0.08, 0.92, EDGE_SAMPLES)[:, None]
        within = line[all_inside(line, host, -0.08)]
        free = np.ones(len(within), bool)
        for quad in rest:
            free &= ~all_inside(within, quad)
        points = within[free] if free.sum() >= EDGE_LEAST else within
        if len(points) >= EDGE_LEAST:
            along = (end - start) / np.hypot(*(end - start))
            steps.append(_step(pile.dark, points, np.array([-along[1], along[0]])))
    return min(steps, default=None)


def _by_edges(pile: Pile, one: int, other: int) -> float:
    """One card's edge shows where the other's does not; court art has lines of its own and says nothing."""
    mine, theirs = (
        0.0 if RANKS[pile.cards[host].best.rank] in COURT else _edge_shown(pile, card, host) or 0.0
        for card, host in ((one, other), (other, one))
    )
    if max(mine, theirs) < EDGE_SHOWN or min(mine, theirs) > EDGE_HIDDEN:
        return 0.0
    return 1.0 if mine > theirs else -1.0


def _by_custom(one: Card, other: Card) -> float:
    """A weak guess: later cards are laid to the right of and above earlier ones, seen upright."""
    apart = one.best.centre - other.best.centre
    sign = 1.0 if other.best.down[1] >= 0 else -1.0
    return 0.1 * float(np.sign(sign * (apart @ other.best.right - apart @ other.best.down)))


def _proven(pile: Pile, one: int, other: int) -> float:
    """What the indices alone say: positive when card `one` lies on card `other`, 0 when they say nothing."""
    first, second = pile.cards[one], pile.cards[other]
    if pile.deck is None or first.corners is None or second.corners is None:
        return 0.0
    proof = _by_indices(first, second, pile.deck) - _by_indices(second, first, pile.deck)
    return float(np.sign(proof)) if abs(proof) >= 1 else 0.0


def above(pile: Pile, one: int, other: int) -> float:
    """Positive when card `one` lies on card `other`, negative for the reverse, 0 when they do not touch."""
    if (min(one, other), max(one, other)) not in pile.touch:
        return 0.0
    proof = _proven(pile, one, other)
    if proof or pile.deck is None:
        return proof or _by_custom(pile.cards[one], pile.cards[other])
    return _by_edges(pile, one, other) or _by_custom(pile.cards[one], pile.cards[other])


def _closure(on: Image) -> Image:
    """What lies on what when a card on a card on a third one lies on the third."""
    for middle in range(len(on)):
        on = on | (on[:, middle : middle + 1] & on[middle : middle + 1])
    return on


def lowest_first(pile: Pile, hand: list[int]) -> list[int]:
    """The hand's cards from the lowest to the topmost: again and again the one that lies on nothing left.

    Edges and custom are asked only where the indices, also through third cards, leave a pair open.
    """
    slots = {card: slot for slot, card in enumerate(hand)}
    pairs = [pair for pair in pile.touch if pair[0] in slots]
    on = np.zeros((len(hand), len(hand)), bool)
    for one, other in pairs:
        proof = _proven(pile, one, other)
        on[slots[one], slots[other]], on[slots[other], slots[one]] = proof > 0, proof < 0
    known = _closure(on)
    weight = np.where(known, 1.0, 0.0)
    for one, other in pairs:
        i, j = slots[one], slots[other]
        if not known[i, j] and not known[j, i]:
            guess = above(pile, one, other)
            weight[i, j], weight[j, i] = max(guess, 0.0), max(-guess, 0.0)
    left, order = list(range(len(hand))), []
    while left:
        lowest = min(left, key=lambda slot: float(weight[slot, left].sum()))
        left.remove(lowest)
        order.append(hand[lowest])
    return order

"""Puts cards that lie on each other into hands and finds out which card lies on which."""

from typing import Final, NamedTuple

import numpy as np

from vision.assembly.card_joining import Card
from vision.assembly.deck_geometry import Deck
from vision.classifier.index_reading import frames_of
from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import NEXT, all_inside, inside_each, overlap
from vision.labels import RANKS

NEAR: Final = 4
"""Cards of unknown size touch where their indices are nearer than so many index heights."""

FAR_CORNERS: Final = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])

PROOF_MARGIN: Final = 0.06
"""So near to an outline's edge (share of its half size) nothing is inside for sure."""

EDGE_SAMPLES: Final = 20
EDGE_OFFSETS: Final = np.arange(-6, 7)[:, None]
"""Distances from an edge, in pixels, at which its brightness is taken."""

EDGE_LEAST: Final = 4
"""Fewest samples of an edge that say anything."""

EDGE_SHOWN: Final = 20.0
EDGE_HIDDEN: Final = 12.0
"""Grey levels of a step that is surely an edge, and of one that surely is none."""

COURT: Final = frozenset("JQK")


class Pile(NamedTuple):
    """The cards of a picture, their deck's geometry, the picture, the pairs that touch, what proofs say.

    `proofs[i, j]` counts what the indices say for card i lying on card j.
    """

    cards: list[Card]
    deck: Deck | None
    image: Image
    touch: set[tuple[int, int]]
    proofs: Points


def _bounds(cards: list[Card]) -> Points:
    """Upright bounds of each card, n x 4: left, top, right, foot; generous where no outline is known."""
    points = np.empty((len(cards), 4, 2))
    for number, card in enumerate(cards):
        reach = NEAR * card.best.height
        points[number] = card.best.centre + FAR_CORNERS * reach if card.corners is None else card.corners
    return np.concatenate([points.min(1), points.max(1)], 1)


def _touch(one: Card, other: Card) -> bool:
    """Whether two cards' outlines share any area; without outlines, whether their indices are near.

    Cards that only lie beside each other are hands of their own: split hands do.
    """
    if one.corners is None or other.corners is None:
        reach = NEAR * max(one.best.height, other.best.height)
        return float(np.hypot(*(one.best.centre - other.best.centre))) < reach
    return overlap(one.corners, other.corners)


def touching_pairs(cards: list[Card]) -> set[tuple[int, int]]:
    """All pairs i < j of cards that touch."""
    boxes = _bounds(cards)
    apart = (boxes[:, None, :2] > boxes[None, :, 2:]).any(2)
    near = np.argwhere(np.triu(~(apart | apart.T), 1)).tolist()
    return {(i, j) for i, j in near if _touch(cards[i], cards[j])}


def make_pile(cards: list[Card], deck: Deck | None, image: Image) -> Pile:
    """Finds out which cards of a BGR picture touch."""
    return Pile(cards, deck, image, touching_pairs(cards), _proofs(cards, deck))


def covered_cards(pile: Pile) -> set[int]:
    """Numbers of the cards on which another one lies, as the indices alone prove it."""
    return {
        number
        for one, other in pile.touch
        for number, upper in ((one, other), (other, one))
        if _proven(pile, upper, number) > 0
    }


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


def _unseen_corners(cards: list[Card], deck: Deck) -> Points:
    """Where each card's unseen index should be, n x 2; NaN where several were seen."""
    places = np.full((len(cards), 2), np.nan)
    lone = [number for number, card in enumerate(cards) if len(card.indices) == 1]
    if lone:
        places[lone] = frames_of([cards[number].best for number in lone]).beside(deck.right, deck.below)
    return places


def _proofs(cards: list[Card], deck: Deck | None) -> Points:
    """For card i lying on card j: i's print shows where j lies, j's is hidden where i lies."""
    proofs = np.zeros((len(cards), len(cards)))
    outlined = [number for number, card in enumerate(cards) if card.corners is not None]
    if deck is None or not outlined:
        return proofs
    outlines = np.array([cards[number].corners for number in outlined])
    owners = np.array([number for number, card in enumerate(cards) for _ in card.indices])
    centres = np.array([index.centre for card in cards for index in card.indices])
    shown = np.zeros((len(cards), len(outlined)))
    np.add.at(shown, owners, inside_each(centres, outlines, -PROOF_MARGIN))
    proofs[:, outlined] += 2.0 * shown
    proofs[outlined] += inside_each(_unseen_corners(cards, deck), outlines, -PROOF_MARGIN).T
    np.fill_diagonal(proofs, 0)
    return proofs


def _profiles(image: Image, lines: Points) -> Points:
    """Brightness of the darkest channel across each edge at each of its points, 4 x EDGE_SAMPLES x n."""
    along = lines[:, -1] - lines[:, 0]
    normals = np.stack([-along[:, 1], along[:, 0]], 1) / np.hypot(*along.T)[:, None]
    spots = np.rint(lines[:, :, None] + EDGE_OFFSETS * normals[:, None, None]).astype(np.intp)
    x, y = spots[..., 0].clip(0, image.shape[1] - 1), spots[..., 1].clip(0, image.shape[0] - 1)
    return np.asarray(image[y, x].min(3))


def _step(profiles: Points) -> float:
    """The sharpest step across a line that three quarters of its points show: pips do not count."""
    profile = np.sort(profiles, axis=0)[len(profiles) * 3 // 4].astype(int)
    return float(np.abs(profile[2:] - profile[:-2]).max())


def _edge_lines(corners: Points) -> Points:
    """Points along the four edges of a card, 4 x EDGE_SAMPLES x 2, without its rounded corners."""
    along = np.linspace(0.08, 0.92, EDGE_SAMPLES)[None, :, None]
    return np.asarray(corners[:, None] + (corners[NEXT] - corners)[:, None] * along)


def _edge_shown(pile: Pile, number: int, other: int) -> float | None:
    """How clearly a card's edges show inside another's outline (the faintest one); None without any."""
    card, host = pile.cards[number].corners, pile.cards[other].corners
    assert card is not None
    assert host is not None
    lines = _edge_lines(card)
    points = lines.reshape(-1, 2)
    within = all_inside(points, host, -0.08)
    if within.sum() < EDGE_LEAST:
        return None
    free = within.copy()
    for third, rest in enumerate(pile.cards):
        near = (min(third, other), max(third, other)) in pile.touch
        if near and third not in {number, other} and rest.corners is not None:
            free &= ~all_inside(points, rest.corners)
    steps = []
    profiles = _profiles(pile.image, lines)
    for profile, inner, open_part in zip(profiles, within.reshape(4, -1), free.reshape(4, -1), strict=True):
        chosen = open_part if open_part.sum() >= EDGE_LEAST else inner
        if chosen.sum() >= EDGE_LEAST:
            steps.append(_step(profile[chosen]))
    return min(steps, default=None)


def _by_edges(pile: Pile, one: int, other: int) -> float:
    """One card's edge shows where the other's does not; court art has lines of its own and says nothing."""
    mine, theirs = (
        None if RANKS[pile.cards[host].best.rank] in COURT else _edge_shown(pile, card, host)
        for card, host in ((one, other), (other, one))
    )
    if mine is None or theirs is None:
        return 0.0
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
    if pile.cards[one].corners is None or pile.cards[other].corners is None:
        return 0.0
    proof = pile.proofs[one, other] - pile.proofs[other, one]
    return float(np.sign(proof)) if abs(proof) >= 1 else 0.0


def above(pile: Pile, one: int, other: int) -> float:
    """Positive when card `one` lies on card `other`, negative for the reverse, 0 when they do not touch."""
    if (min(one, other), max(one, other)) not in pile.touch:
        return 0.0
    proof = _proven(pile, one, other)
    if proof or pile.deck is None:
        return proof or _by_custom(pile.cards[one], pile.cards[other])
    return _by_edges(pile, one, other) or _by_custom(pile.cards[one], pile.cards[other])


def _closure(below: list[set[int]]) -> list[set[int]]:
    """What lies below what, when a card on a card on a third one lies on the third."""
    below = [set(cards) for cards in below]
    for middle, deeper in enumerate(below):
        for cards in below:
            if middle in cards:
                cards.update(deeper)
    return below


def lowest_first(pile: Pile, hand: list[int]) -> list[int]:
    """The hand's cards from the lowest to the topmost: again and again the one that lies on nothing left.

    Edges and custom are asked only where the indices, also through third cards, leave a pair open.
    """
    slots = {card: slot for slot, card in enumerate(hand)}
    pairs = [(slots[one], slots[other]) for one, other in pile.touch if one in slots]
    proven = [set[int]() for _ in hand]
    for i, j in pairs:
        proof = _proven(pile, hand[i], hand[j])
        if proof:
            proven[i if proof > 0 else j].add(j if proof > 0 else i)
    below = _closure(proven)
    weights = [dict.fromkeys(cards, 1.0) for cards in below]
    for i, j in pairs:
        if j not in below[i] and i not in below[j]:
            guess = above(pile, hand[i], hand[j])
            weights[i][j], weights[j][i] = max(guess, 0.0), max(-guess, 0.0)
    left, order = list(range(len(hand))), []
    while left:
        lowest = min(left, key=lambda slot: sum(weights[slot].get(other, 0.0) for other in left))
        left.remove(lowest)
        order.append(hand[lowest])
    return order

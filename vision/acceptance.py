"""Decide which cards of a picture are reported, and what contradicts them.

Of two cards that exclude each other, one pairs its rank with another card's pip; so does an index whose
height differs from its neighbours'. A second network reads the whole card with the index blanked: it never
names a card by itself, and where it is certain of another name the card is not certain.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from vision.assembly import RIVAL_FIT, AssembledCard, assemble_cards, shared_outline
from vision.certainty import (
    BLACK_SUITS,
    LIKELY_INDEX,
    OTHER_LETTERS_RULE,
    PROBABILITY_LIMITS,
    is_certain,
    is_suit_certain,
    reported_indices,
)
from vision.deck_geometry import (
    GEOMETRY_RULE,
    PAIRS_KNOWN,
    CornerOffset,
    DeckGeometry,
    corner_misfit,
    cosine,
    mean_index_px,
    offset,
    same_rank_and_suit,
)
from vision.faces import WHOLE_CARD_CROP, blank_corners, crop_whole_cards
from vision.geometry import OWN_CORNER, PARALLEL, Image, Points, squared_distances, within_reach
from vision.indices import Index, poses_of
from vision.networks import LIKELIER, STATE_INDEX, Scores
from vision.reading import RANKS, SUITS, UnclearReason

_CONTRADICTION_ANY_RANK_MISFIT: Final = GEOMETRY_RULE.fit / 3
"""An index of whatever rank that stands so exactly in another card's corner contradicts it.

Source: docs/measurements/reader.md, What a limit is worth.
"""

_CONTRADICTION_ALONG: Final = 0.75
"""Indices nearer to each other than this share ink: centres across and along them, in their heights.

Source: docs/measurements/reader.md, What a limit is worth.
"""


_CHECK_RANK: Final = 0.9
"""Least probabilities of lying open, and of another rank or another suit.

Source: docs/measurements/reader.md, What a limit is worth.
"""


_TURNED_ALIKE: Final = frozenset({RANKS.index("6"), RANKS.index("9")})
"""Each is the other's rank upside down: the pip alone tells them apart, where it stands below the rank."""

_TURNED_TEN: Final = frozenset({RANKS.index("10"), RANKS.index("Q")})
"""A lower ten that stands upright, its pip above, looks like a queen upside down, of which the 1 is lost."""

_SAME_TURNED: Final = RANKS.index("8")
"""A rank that turned looks as it does upright."""


def find_contradictions(cards: list[AssembledCard], deck: DeckGeometry | None) -> set[int]:
    """Numbers of the cards that contradict another one, clearly read.

    Of a card with more than one corner in sight the corners have found each other: it is never doubted.
    """
    clear = [number for number, card in enumerate(cards) if _p_shown(card.best) >= LIKELIER]
    lone = [number for number in clear if len(cards[number].indices) == 1]
    others = [(number, index) for number in clear for index in cards[number].indices]
    doubted: set[int] = set()
    for slot, place in np.argwhere(_neighbours(cards, lone, others, deck)).tolist():
        one, (other, index) = lone[slot], others[place]
        if one != other and _contradict(cards[one].best, index, deck):
            doubted |= {one, other} & set(lone)
    # Limits for two indices that contradict each other. Source: docs/measurements/reader.md, What a limit
    # is worth.
    # 0.85: lone indices of two ranks that face each other contradict where their outlines share so much of
    # the smaller one: they are one card's. Source: of the lone cards of 60 drawn tables of decks left out
    # no two shared more than 0.81.
    on_each_other = (
        {one, other}
        for one, other in combinations(lone, 2)
        if cards[one].best.rank != cards[other].best.rank and shared_outline(cards[one], cards[other]) > 0.85
    )
    return doubted.union(*on_each_other)


def find_maybe_turned(cards: list[AssembledCard]) -> set[int]:
    """Return numbers of sixes and nines with one read corner, where the deck's turning is unknown.

    Some decks print the lower index upright with the pip above it: turned, it looks like the other rank.
    """
    if any(len(card.indices) > 1 and card.best.rank not in {*_TURNED_ALIKE, _SAME_TURNED} for card in cards):
        return set()
    lone = (number for number, card in enumerate(cards) if len(card.indices) == 1)
    return {number for number in lone if cards[number].best.rank in _TURNED_ALIKE}


def _neighbours(
    cards: list[AssembledCard], lone: list[int], others: list[tuple[int, Index]], deck: DeckGeometry | None
) -> Points:
    """Return which indices may concern which lone cards: close to it, facing it or of its rank."""
    best, indices = [cards[number].best for number in lone], [index for _, index in others]
    mine, theirs = poses_of(best), poses_of(indices)
    close = within_reach(mine.centres, theirs.centres, _CONTRADICTION_ALONG * theirs.index_px)
    if deck is None:
        return close
    one_rank = np.equal.outer([index.rank for index in best], [index.rank for index in indices])
    facing = mine.downs @ theirs.downs.T <= -PARALLEL
    return np.asarray(close | one_rank | facing)


def _p_shown(index: Index) -> float:
    """Return the probability (0..1) of the index's name, partly covered or not."""
    named = index.p_rank if index.suit_open else index.p_rank * index.p_suit
    return named * index.p_shown


def _contradict(one: Index, other: Index, deck: DeckGeometry | None) -> bool:
    """Whether a lone card's index and another card's index exclude each other."""
    whole = one.p >= LIKELIER and other.p >= LIKELIER
    if whole and _share_ink(one, other):
        return True
    if deck is None or same_rank_and_suit(one, other):
        return False
    foot = CornerOffset(deck.right, deck.below, turned=True)
    misfit = GEOMETRY_RULE.fit if {one.rank, other.rank} == _TURNED_ALIKE else _CONTRADICTION_ANY_RANK_MISFIT
    if {one.rank, other.rank} == _TURNED_TEN:
        misfit = RIVAL_FIT
    if whole and corner_misfit(one, other, foot, deck) < misfit:
        return True
    return one.rank == other.rank and _in_own_corner(other, one, deck)


def _share_ink(one: Index, other: Index) -> bool:
    right, below = (abs(part) for part in offset(one, other, mean_index_px(one, other)))
    # 0.25, 0.75: indices nearer to each other than this share ink: centres across and along them, in their
    # heights.
    close = right < 0.25 and below < _CONTRADICTION_ALONG
    return close and abs(cosine(one, other)) > PARALLEL


def _in_own_corner(one: Index, other: Index, deck: DeckGeometry) -> bool:
    """Whether an index stands at a corner position of the other index's card."""
    right, below = offset(one, other, mean_index_px(one, other))
    turned = cosine(one, other)
    if abs(turned) < PARALLEL:
        return False
    places = [(deck.right, deck.below)] if turned < 0 else []
    if deck.four:
        right = abs(right)
        places = [(deck.right, deck.below), (0.0, deck.below)] if turned < 0 else [(deck.right, 0.0)]
    return any(np.hypot(right - x, below - y) < OWN_CORNER for x, y in places)


def size_outliers(cards: Sequence[AssembledCard], deck: DeckGeometry | None) -> set[int]:
    """Return numbers of cards whose index height differs from the others', or from their deck's."""
    if deck is None or not deck.pairs:
        return _beside_others(cards)
    odd = {number for number, card in enumerate(cards) if _may_be_cut_off(card, deck)}
    if deck.pairs >= PAIRS_KNOWN:
        odd |= {number for number, card in enumerate(cards) if _of_another_size(card, deck)}
    return odd | _beside_others(cards)


def _of_another_size(card: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether an index, the only one of its card, is far from the usual height of its deck."""
    # Limits on how far an index may differ in height from the others. Source: `smallest` and `largest` on
    # 150 drawn tables that leaned up to 40 degrees: of 1,166 right cards with one visible corner 99.8 %
    # were within them, four of seven wrong ones were not. The others have no measurement on record.
    # 1.45: greatest ratio to the usual height of a well known deck, either way, of a card with one index in
    # sight: pips beside each other can look like an index of another size. Seen from aside a near card is
    # that much larger than a far one, so corners that fit one card count for more than its size. Source: of
    # the cards that this doubted on 6,400 drawn tables, certain otherwise, 15 of 100 were wrong where one
    # corner was in sight, none of four where more were.
    share, most = card.best.index_px / deck.index_px, 1.45
    return len(card.indices) == 1 and not 1 / most < share < most


def _may_be_cut_off(card: AssembledCard, deck: DeckGeometry) -> bool:
    """Whether an index, the only one of its card, is small enough to lack part of its pip, and not sure."""
    # 0.8, 0.98: an index this small, by the usual height, may lack part of its pip: it is reported from
    # this probability of being an index on. Source: a seven of clubs on an outside close-up, half of its
    # pip in view, was reported as a spade (share 0.70, probability 0.967).
    small = card.best.index_px < 0.8 * deck.index_px and len(card.indices) == 1
    return small and card.best.p_index < 0.98


def _beside_others(cards: Sequence[AssembledCard]) -> set[int]:
    """Cards with one index in sight that is larger or smaller than its neighbours' are."""
    poses = poses_of([card.best for card in cards])
    known = np.array([card.best.p >= LIKELIER for card in cards], bool)
    if known.sum() <= 5:
        return set()
    apart = squared_distances(poses.centres, poses.centres)
    apart[:, ~known] = np.inf
    np.fill_diagonal(apart, np.inf)
    # 6, 5: so many of the nearest cards say how large an index is there; fewer say nothing.
    nearest = np.argsort(apart, axis=1)[:, : min(6, int(known.sum()) - 1)]
    share = poses.index_px / _row_medians(poses.index_px[nearest])
    # 0.80, 1.21: height over the middle one of the neighbours: tilt makes them differ, but less.
    odd = (share < 0.80) | (share > 1.21)
    return {int(number) for number in np.flatnonzero(odd) if len(cards[int(number)].indices) == 1}


def _row_medians(rows: Points) -> Points:
    """The median of each row; numpy's own takes four times as long for so few values."""
    ranked, count = np.sort(rows, axis=1), rows.shape[1]
    return np.asarray((ranked[:, (count - 1) // 2] + ranked[:, count // 2]) / 2)


EIGHT: Final = RANKS.index("8")


def _has_unknown_letter(card: AssembledCard) -> bool:
    rule = OTHER_LETTERS_RULE
    return all(
        index.known < rule.unknown and index.p_index >= LIKELY_INDEX and index.whole for index in card.indices
    )


def doubt_like_letters(cards: list[AssembledCard]) -> list[AssembledCard]:
    """The same cards; an index that may be another letter than the reader's has no certain name.

    Beside one card with such a letter that is an eight, beside two any.
    """
    rule = OTHER_LETTERS_RULE
    others = sum(map(_has_unknown_letter, cards))
    if not others:
        return cards

    def named(index: Index) -> Index:
        least = rule.known if others >= rule.cards else rule.eight if index.rank == EIGHT else -math.inf
        return index if index.known >= least else index.unnamed()

    return [card._replace(indices=tuple(map(named, card.indices))) for card in cards]


class Acceptance(NamedTuple):
    """Cards split by certainty, why the rest is not certain, and the geometry of their deck."""

    accepted: list[AssembledCard]
    unclear: list[tuple[AssembledCard, UnclearReason]]
    deck: DeckGeometry | None

    @property
    def shown(self) -> list[AssembledCard]:
        """All of them, certain or not."""
        return [*self.accepted, *(card for card, _ in self.unclear)]

    def without(self, numbers: set[int]) -> "Acceptance":
        """The same, but these of the accepted cards are unclear: another witness disagrees."""
        kept = [card for number, card in enumerate(self.accepted) if number not in numbers]
        more: list[tuple[AssembledCard, UnclearReason]] = [
            (self.accepted[number], "disagreement") for number in sorted(numbers)
        ]
        return self._replace(accepted=kept, unclear=[*self.unclear, *more])

    def without_rivals(self) -> "Acceptance":
        """Return the acceptance with possible corners of an unreported, surer like card marked unclear.

        For sequences: the next picture may report the surer card, and the same card would count twice.
        """
        kept = [card for card in self.accepted if not card.rivals]
        more: list[tuple[AssembledCard, UnclearReason]] = [
            (card, "like_card") for card in self.accepted if card.rivals
        ]
        return self._replace(accepted=kept, unclear=[*self.unclear, *more]) if more else self


def _as_certain(card: AssembledCard, cards: Sequence[AssembledCard]) -> AssembledCard | None:
    """Return the card as it may be reported; None when not even its rank may be.

    Corners that are likeliest to have two suits leave the suit open, however sure one of them is. So does a
    lone corner beside another of the picture's `cards`: the pip beside its rank may be that card's.
    """
    one_suit = len({index.suit for index in card.indices}) == 1
    covered = len(card.indices) == 1 and card.best.p_index < PROBABILITY_LIMITS.p_index_suit
    certain = reported_indices(card.indices)
    if not one_suit or (covered and _is_beside_another(card, cards)):
        certain = [index._replace(suit_open=True) for index in certain]
    return _with_first(card, certain) if certain else None


def _is_beside_another(card: AssembledCard, cards: Sequence[AssembledCard]) -> bool:
    """Whether another card has an index within _NEIGHBOUR heights of this card's."""
    best = card.best
    # 1.0: heights of an index within which another card's pip may stand beside its rank. Source: indices of
    # drawn fans of decks left out stand 0.35 to 0.8 heights apart.
    return any(
        float(np.hypot(*(index.centre - best.centre))) < 1.0 * best.index_px
        for other in cards
        if other is not card
        for index in other.indices
    )


def _with_first(card: AssembledCard, certain: list[Index]) -> AssembledCard:
    """Return the card with the surest `certain` index first; an index with a certain suit ranks higher."""
    first = card.indices[0].centre
    own = [index for index in certain if card.contested and index.centre is first]
    best = max(own or certain, key=lambda index: (not index.suit_open, index.p))
    surest = {id(index.centre): index for index in certain}
    rest = [surest.get(id(index.centre), index) for index in card.indices if index.centre is not best.centre]
    return card._replace(indices=(best, *rest), certain=len(certain))


def accept_cards(
    indices: list[Index], image: Image | None = None, *, same_size: bool = True, grey: bool = False
) -> Acceptance:
    """Assemble cards from indices and decide which are certain; `image` as for `assemble_cards`.

    `same_size`: all indices of the deck have the same height, rank and pip together. `grey`: the picture has
    no colours, and no suit is certain. Of like cards that may be one card, only the surest reportable one is
    reported: no card is reported twice.
    """
    indices = [index._replace(agreed=False) for index in indices] if grey else indices
    judged = [index._replace(suit_open=not is_suit_certain(index)) for index in indices]
    cards, deck = assemble_cards(judged, image)
    cards = doubt_like_letters(cards)
    contradicted = find_contradictions(cards, deck) | find_maybe_turned(cards)
    odd = size_outliers(cards, deck) if same_size else set()
    accepted: list[AssembledCard] = []
    unclear: list[tuple[AssembledCard, UnclearReason]] = []
    reported: set[int] = set()
    for number, card in enumerate(cards):
        certain = None if number in odd else _as_certain(card, cards)
        if number in contradicted:
            unclear.append((card, "disagreement"))
        elif certain is None or any(id(rival.centre) in reported for rival in card.rivals):
            reason: UnclearReason = "like_card" if card.rivals else "uncertain"
            unclear.append((card._replace(odd_size=number in odd), reason))
        else:
            accepted.append(certain)
            reported |= {id(index.centre) for index in card.indices}
    return Acceptance(accepted, unclear, deck)


def _shows_both_ends(card: AssembledCard) -> bool:
    """Whether two of its indices are certain, each by itself, and face each other."""
    certain = [index for index in card.indices if is_certain(index)]
    return any(float(one.down @ other.down) < 0 for one, other in combinations(certain, 2))


def has_pips_beside(read: Acceptance) -> bool:
    """Whether these cards, read as having their pips beside the ranks, show that they have.

    A rank with another card's pip beside it looks like such an index, so one read proves nothing.
    """
    cards = [card for card in read.accepted if not card.best.suit_open]
    # Evidence required before a deck counts as having pips beside its ranks. Source: chosen by reasoning,
    # not measured; see docs/measurements/reader.md.
    # 1: so many accepted cards show the same at two opposite corners, or
    # 4: so many are accepted at all.
    return len(cards) >= 4 or sum(map(_shows_both_ends, cards)) >= 1


COURT: Final = [RANKS.index(rank) for rank in "JQK"]
"""Every deck draws its courts in its own way: a whole card says a court card, not which one."""


ACE: Final = RANKS.index("A")


class WholeCardDoubts(NamedTuple):
    """Numbers of cards that contradict their indices, and of those with a doubtful suit."""

    cards: set[int]
    suits: set[int]


class WholeCardCrops(NamedTuple):
    """Numbers of some cards, and their crops: n x height x width x 3, uint8, corners blanked."""

    numbers: list[int]
    crops: Image


def _as_one(rank: int) -> int:
    return COURT[0] if rank in COURT else rank


def _differs(index: Index, suit: int) -> bool:
    """Whether a suit contradicts an index's suit; where that is open, its colour counts."""
    return _is_black(suit) != _is_black(index.suit) if index.suit_open else suit != index.suit


def _is_black(suit: int) -> bool:
    return SUITS[suit] in BLACK_SUITS


def whole_cards_to_check(image: Image, cards: list[AssembledCard], covered: set[int]) -> WholeCardCrops:
    """Return crops of the cards whose outline is known, in a BGR picture.

    `covered` are numbers of cards that surely lie under another; they are left out.
    """
    known = [
        number for number, card in enumerate(cards) if card.corners is not None and number not in covered
    ]
    if not known:
        return WholeCardCrops([], np.empty((0, *WHOLE_CARD_CROP, 3), np.uint8))
    outlines = np.array([cards[number].corners for number in known]).reshape(-1, 4, 2)
    long_px = np.hypot(*(outlines[:, 3] - outlines[:, 0]).T)
    shares = np.array([cards[number].best.index_px for number in known]) / long_px
    return WholeCardCrops(known, blank_corners(crop_whole_cards(image, outlines), shares))


def with_whole_cards(
    cards: list[AssembledCard], numbers: list[int], scores: Scores, suits: set[int]
) -> list[AssembledCard]:
    """The cards, the numbered ones with how surely they lie open; the suits of those in `suits` left open."""
    openness = dict(zip(numbers, scores.state[:, STATE_INDEX].tolist(), strict=True))
    known = [card._replace(lies_open=openness.get(number)) for number, card in enumerate(cards)]
    return [
        card._replace(indices=tuple(index._replace(suit_open=True) for index in card.indices))
        if number in suits
        else card
        for number, card in enumerate(known)
    ]


def doubts_of_whole_cards(cards: list[AssembledCard], numbers: list[int], scores: Scores) -> WholeCardDoubts:
    """Return the contradictions between the crops' scores and the indices of the numbered cards."""
    # Limits for a whole card that contradicts its index. Source: docs/measurements/reader.md, What a limit
    # is worth.
    # 0.9, 0.9, 0.95: least probabilities of lying open, and of another rank or another suit.
    lies_open = scores.state[:, STATE_INDEX] > 0.9
    # Rank probabilities (n x 13) with all court cards counted as the jack.
    ranks = scores.rank.copy()
    ranks[:, COURT[0]] = scores.rank[:, COURT].sum(1)
    ranks[:, COURT[1:]] = 0
    indices = np.array([cards[number].best.rank for number in numbers], int)
    # Ranks by their indices of the open cards that look like aces.
    aces = indices[lies_open][ranks[lies_open][:, ACE] > _CHECK_RANK]
    # 3: so many cards of different ranks that all look like aces belong to a deck with one large pip on each
    # card. Source: of 180 cards of an outside drawn deck of that kind 30 % were unclear for this alone.
    ranks[:, ACE] *= len(set(aces.tolist()) - {ACE}) < 3
    doubts = WholeCardDoubts(set(), set())
    for slot in np.flatnonzero(lies_open).tolist():
        card = cards[numbers[slot]]
        rank, suit = int(ranks[slot].argmax()), int(scores.suit[slot].argmax())
        other_rank = ranks[slot, rank] > _CHECK_RANK and rank != _as_one(card.best.rank)
        other_suit = scores.suit[slot, suit] > 0.95 and _differs(card.best, suit)
        # 2: so many certain corners keep their card's rank against another suit of its colour on the whole
        # card. Source: twelve of 3,630 cards of the photographs were unclear for their suit alone, eleven
        # of them jacks of hearts; all of them show two certain corners or more, and all their ranks and
        # suits are right.
        rank_stays = card.certain >= 2 and _is_black(suit) == _is_black(card.best.suit)
        if other_rank or (other_suit and not rank_stays):
            doubts.cards.add(numbers[slot])
        elif other_suit:
            doubts.suits.add(numbers[slot])
    return doubts

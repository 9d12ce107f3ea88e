"""Read a picture again at other exposures, and add the cards that only these show.

Proposals look for ink by contrast, and the network reads crops of fixed tones: both lose bleached and dark
print, though the pixels still contain it. Exposures are no independent evidence: they can only add cards,
and where they disagree nothing is certain.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import cv2
import numpy as np

from vision.acceptance import Acceptance, find_contradictions
from vision.assembly import AssembledCard
from vision.deck_geometry import may_have_one_name
from vision.geometry import CARD_REACH, SAME_INDEX, Image, Points, within_reach
from vision.indices import INDEX_LIKELY, Index, read_indices
from vision.networks import LIKELIER, Networks
from vision.proposal import propose_indices

_CONTRAST_LIMIT: Final = 3.0
_CONTRAST_TILES: Final = 8
"""How far contrast is evened out, and in how many tiles a side.

Source: of 177 cards of the photographs that one reading lacks the two exposures here show 69; other limits,
tiles and gammas, and contrast evened out of the picture doubled in size, showed up to seven more or fewer.
"""

_DARKENING_GAMMA: Final = 2.2
"""Exponent of the darker exposure's tones. Source: as above."""


_DARKER: Final = np.clip((np.arange(256) / 255) ** _DARKENING_GAMMA * 255 + 0.5, 0, 255).astype(np.uint8)


def with_even_contrast(image: Image) -> Image:
    """The picture with its contrast evened out locally (CLAHE on the lightness of L*a*b*), hues kept."""
    lab = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
    evened = cv2.createCLAHE(_CONTRAST_LIMIT, (_CONTRAST_TILES, _CONTRAST_TILES)).apply(lab[..., 0])
    lab[..., 0] = evened
    return cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)


def darkened(image: Image) -> Image:
    """The picture as a shorter exposure would show it."""
    return _DARKER[image]


_EXPOSURES: Final[tuple[Callable[[Image], Image], ...]] = (with_even_contrast, darkened)


def read_exposures(image: Image, indices: Sequence[Index], places: Points, networks: Networks) -> list[Index]:
    """Return a picture's indices joined with those of its other exposures near `places` (n x 2).

    Partly covered indices do not count, not even at two opposite corners: a drawn ace of clubs was reported
    as an ace of spades, because of another card's pip beside its rank.
    """
    joined = list(indices)
    for exposure in _EXPOSURES:
        shown = exposure(image)
        proposals = propose_indices(shown)
        # CARD_REACH: places further than so many of their heights from what is unclear are not read again.
        # Source: of 41 cards that are reported without this limit on 127 photographs 40 are with it, 36
        # with 6 and 24 with 3; a photograph takes 141 ms in the median, 128 and 117, without 162, a drawn
        # table up to 2.3 s without.
        near = within_reach(proposals.centres, places, CARD_REACH * proposals.index_px[:, None]).any(1)
        more, _ = read_indices(shown, proposals.take(np.flatnonzero(near)), networks)
        joined = join_indices(joined, (index for index in more if index.p_index >= INDEX_LIKELY))
    return joined


def join_indices(indices: Sequence[Index], more: Iterable[Index]) -> list[Index]:
    """Join indices with `more` of another exposure: the surest of a place stays, open where they differ."""
    joined = list(indices)
    for index in more:
        near = [number for number, other in enumerate(joined) if _at_one_place(index, other)]
        if near:
            joined[near[0]] = _fused([index, *(joined[number] for number in near)])
            joined = [other for number, other in enumerate(joined) if number not in near[1:]]
        else:
            joined.append(index)
    return joined


def _fused(here: list[Index]) -> Index:
    """Return the surest index of one place; rank or suit is open where a likely index differs."""
    best = max(here, key=_p_named)
    fair = [index for index in here if _p_named(index) >= LIKELIER]
    if len({index.rank for index in fair}) > 1 or not all(index.rank_agreed for index in fair):
        return best.unnamed()
    suits = {index.suit for index in fair if index.p_suit >= LIKELIER}
    return best._replace(agreed=False) if len(suits) > 1 else best


def _at_one_place(one: Index, other: Index) -> bool:
    apart = float(np.hypot(*(one.centre - other.centre)))
    return apart < SAME_INDEX * max(one.index_px, other.index_px)


def _p_named(index: Index) -> float:
    return index.p_rank * index.p_index


def with_added_cards(plain: Acceptance, joined: Acceptance) -> Acceptance:
    """Return `plain` with the cards of `joined` that it lacks.

    `plain` is the picture's acceptance, `joined` that of picture and exposures together. No like card is
    added within `CARD_REACH` of another: it may be another corner of it. Returns `plain` itself where nothing
    is added, or where the two estimates of the card size contradict each other.
    """
    kept = plain.accepted if plain.deck else [_as_outlined(card, joined) for card in plain.accepted]
    outlined = joined.deck is not None
    if any((card.corners is not None) != outlined for card in kept):
        return plain
    added: list[AssembledCard] = []
    for card in joined.accepted:
        # No exposure overrules a disagreement of the picture itself at the card's place.
        if (
            not card.rivals
            and not any(why == "disagreement" and _share_place(card, other) for other, why in plain.unclear)
            and not any(_may_be_one(card, other) for other in (*kept, *added))
        ):
            added.append(card)
    doubted = find_contradictions([*kept, *added], plain.deck or joined.deck)
    added = [card for number, card in enumerate(added, start=len(kept)) if number not in doubted]
    if not added:
        return plain
    indices = [index for card in added for index in card.indices]
    unclear = [(card, why) for card, why in plain.unclear if _nearest(card.indices, indices) >= SAME_INDEX]
    return Acceptance([*kept, *added], unclear, plain.deck or joined.deck)


def _as_outlined(card: AssembledCard, joined: Acceptance) -> AssembledCard:
    """The card with the outline that it has where more of the picture was read, if it has one there."""
    same = (one for one in joined.accepted if one.best.rank == card.best.rank and _share_place(one, card))
    return card._replace(corners=next((one.corners for one in same), None))


def _may_be_one(card: AssembledCard, other: AssembledCard) -> bool:
    """Whether two cards share an index, or are alike and near enough to be one card."""
    near = _nearest(card.indices, other.indices)
    return near < SAME_INDEX or (near < CARD_REACH and may_have_one_name(card.best, other.best))


def _share_place(card: AssembledCard, other: AssembledCard) -> bool:
    return _nearest(card.indices, other.indices) < SAME_INDEX


def _nearest(indices: Iterable[Index], others: Sequence[Index]) -> float:
    """The least distance between one of the indices and one of the others, in heights of the larger."""
    return min(
        float(np.hypot(*(one.centre - other.centre))) / max(one.index_px, other.index_px)
        for one in indices
        for other in others
    )

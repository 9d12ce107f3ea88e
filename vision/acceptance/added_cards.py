"""Cards that only other exposures of a picture show, added to those that the picture itself shows.

What the picture itself says stays reported, and nothing becomes unclear that was not: the other exposures can
only say more. They are made from the same pixels, so they are no witness against them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from vision.acceptance.card_acceptance import Acceptance
from vision.acceptance.contradiction import find_contradictions
from vision.assembly import AssembledCard, may_have_one_name
from vision.classifier import Index
from vision.geometry import CARD_REACH, SAME_INDEX


def with_added_cards(plain: Acceptance, joined: Acceptance) -> Acceptance:
    """What the picture itself shows, and more of `joined`, what its exposures show together.

    Of like cards within `CARD_REACH` no second one is added: it may be another corner of the first.

    It is `plain` itself where nothing is added, or where the outlines of the two would not go together.
    """
    kept = plain.accepted if plain.deck else [_as_outlined(card, joined) for card in plain.accepted]
    outlined = joined.deck is not None
    if any((card.corners is not None) != outlined for card in kept):
        return plain
    added: list[AssembledCard] = []
    for card in joined.accepted:
        if (
            not card.rivals
            and not _is_contradicted(card, plain)
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


def _is_contradicted(card: AssembledCard, plain: Acceptance) -> bool:
    """Whether the picture itself shows that it cannot be what it looks like: no exposure says otherwise."""
    return any(why == "disagreement" and _at_one_place(card, other) for other, why in plain.unclear)


def _as_outlined(card: AssembledCard, joined: Acceptance) -> AssembledCard:
    """The card with the outline that it has where more of the picture was read, if it has one there."""
    same = (one for one in joined.accepted if one.best.rank == card.best.rank and _at_one_place(one, card))
    return card._replace(corners=next((one.corners for one in same), None))


def _may_be_one(card: AssembledCard, other: AssembledCard) -> bool:
    """Whether they share an index, or are alike and so near to each other that they may."""
    near = _nearest(card.indices, other.indices)
    return near < SAME_INDEX or (near < CARD_REACH and may_have_one_name(card.best, other.best))


def _at_one_place(card: AssembledCard, other: AssembledCard) -> bool:
    return _nearest(card.indices, other.indices) < SAME_INDEX


def _nearest(indices: Iterable[Index], others: Sequence[Index]) -> float:
    """The least distance between one of the indices and one of the others, in heights of the larger."""
    return min(
        float(np.hypot(*(one.centre - other.centre))) / max(one.index_px, other.index_px)
        for one in indices
        for other in others
    )

"""Add to a picture's cards those that only its other exposures show.

What the picture shows stays reported, and no card becomes unclear: the other exposures can only add. They
are computed from the same pixels, so they are not independent evidence against the picture.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from vision.acceptance.card_acceptance import Acceptance
from vision.acceptance.contradiction import find_contradictions
from vision.assembly import AssembledCard, may_have_one_name
from vision.classifier import Index
from vision.geometry import CARD_REACH, SAME_INDEX


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
    """Whether the picture itself has a disagreement at the card's place; no exposure overrules that."""
    return any(why == "disagreement" and _at_one_place(card, other) for other, why in plain.unclear)


def _as_outlined(card: AssembledCard, joined: Acceptance) -> AssembledCard:
    """The card with the outline that it has where more of the picture was read, if it has one there."""
    same = (one for one in joined.accepted if one.best.rank == card.best.rank and _at_one_place(one, card))
    return card._replace(corners=next((one.corners for one in same), None))


def _may_be_one(card: AssembledCard, other: AssembledCard) -> bool:
    """Whether two cards share an index, or are alike and near enough to be one card."""
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

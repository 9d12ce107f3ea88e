"""One quad, one card: where deck and camera say how large a card is, each index shows its whole outline."""

from itertools import combinations
from typing import Final

import numpy as np

from vision.acceptance.card_acceptance import Acceptance
from vision.assembly import AssembledCard
from vision.classifier import poses_of
from vision.geometry import PARALLEL, IndexPlace, Points

SAME: Final = 0.12
"""Card lengths between the middles of two outlines of one card, each around one index.

Source: cards of the tightest fans are 0.2 apart; an index is short, so its card's middle may be off by 0.05.
"""


def outlined_by_place(acceptance: Acceptance, place: IndexPlace, card_px: float) -> Acceptance:
    """The same cards, with the outline of a card that has their indices there.

    What the picture itself shows of the deck's measures is off by up to a sixth of a card.
    """
    accepted = _outlined(acceptance.accepted, place, card_px)
    unclear = _outlined([card for card, _ in acceptance.unclear], place, card_px)
    whys = [why for _, why in acceptance.unclear]
    return acceptance._replace(accepted=accepted, unclear=list(zip(unclear, whys, strict=True)))


def _outlined(cards: list[AssembledCard], place: IndexPlace, card_px: float) -> list[AssembledCard]:
    return [card._replace(corners=_outline(card, place, card_px)) for card in cards]


def _outline(card: AssembledCard, place: IndexPlace, card_px: float) -> Points:
    """Around its best index, and as far around one that faces it where there is one."""
    around = place.around(poses_of(card.indices), card_px)
    facing = [
        number for number, index in enumerate(card.indices) if float(index.down @ card.best.down) < -PARALLEL
    ]
    outlines = [around[0], *(around[number][[2, 3, 0, 1]] for number in facing[:1])]
    return np.asarray(np.mean(outlines, 0))


def one_card_a_quad(acceptance: Acceptance, card_px: float) -> Acceptance:
    """Of two reported indices of one card the surer is reported, or neither where their ranks differ."""
    differ, again = set[int](), dict[int, int]()
    lone = [(number, card) for number, card in enumerate(acceptance.accepted) if len(card.indices) == 1]
    for (one, card), (other, second) in combinations(lone, 2):
        if not _are_one(card, second, card_px):
            continue
        if card.best.rank != second.best.rank:
            differ |= {one, other}
        else:
            less, more = sorted((one, other), key=lambda number: acceptance.accepted[number].best.p)
            again[less] = more
    reported = [*acceptance.accepted]
    for less, more in again.items():
        if reported[less].best.suit != reported[more].best.suit:
            best = reported[more].best._replace(suit_open=True)
            reported[more] = reported[more]._replace(indices=(best,))
    acceptance = acceptance._replace(accepted=reported).without(differ)
    gone = {id(reported[less].best.centre) for less in again.keys() - differ}
    kept = [card for card in acceptance.accepted if id(card.best.centre) not in gone]
    return acceptance._replace(accepted=kept)


def _are_one(one: AssembledCard, other: AssembledCard, card_px: float) -> bool:
    if one.corners is None or other.corners is None:
        return False
    middles: tuple[Points, Points] = one.corners.mean(0), other.corners.mean(0)
    facing = float(one.best.down @ other.best.down) < -PARALLEL
    return facing and float(np.hypot(*(middles[0] - middles[1]))) < SAME * card_px

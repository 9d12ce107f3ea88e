"""Find cards face down: card-shaped things that the heat map shows as backs, and the hand of a back."""

from typing import Final, NamedTuple

import numpy as np

from vision.geometry import overlap, scaled
from vision.objects.card_sized import CardSizedObject
from vision.proposal import HeatMap
from vision.reading import ReadCard


class BackRule(NamedTuple):
    """Limits for a card's back.

    Source: chosen on the tables and photographs named in docs/measurements/reader.md, What the heat map adds;
    the single numbers have no measurement on record.
    """

    share: float = 0.75
    """Mean probability of a back, in the heat map, over an object of a card's shape that makes it one."""

    shrunk: float = 0.1
    """Cards whose outlines, made smaller by this share, overlap lie in one hand: those of a heat map are
    rough."""


_BACK_RULE: Final = BackRule()


def reclassified(found: CardSizedObject, heat_map: HeatMap) -> CardSizedObject:
    """Return a thing as a back where the heat map shows one; a cut card as `hollow`, which may be a back.

    From afar a dense print is as plain as a cut card, and a card face down must not count as one.
    """
    if found.kind not in {"thing", "cut"}:
        return found
    share = heat_map.mean_within(found.corners, "back")
    if share <= _BACK_RULE.share:
        return found
    return found._replace(kind="back" if found.kind == "thing" else "hollow", p=share)


def _overlaps(one: ReadCard, other: ReadCard) -> bool:
    if one.quad is None or other.quad is None:
        return False
    return overlap(*(scaled(np.array(card.quad), 1 - _BACK_RULE.shrunk) for card in (one, other)))


def assign_to_hands(cards: list[ReadCard], down: list[ReadCard]) -> list[ReadCard]:
    """All cards by hand; a card face down that overlaps one of a hand is its last, others are hands alone."""
    number = max((card.hand for card in cards), default=0)
    placed: list[ReadCard] = []
    for back in down:
        host = next((card.hand for card in cards if _overlaps(card, back)), None)
        number += host is None
        placed.append(back._replace(hand=number if host is None else host))
    return sorted([*cards, *placed], key=lambda card: card.hand)

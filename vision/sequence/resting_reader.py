"""Read parts of a watched table's pictures; repeated looks at a resting card settle what one leaves open."""

from collections.abc import Callable
from functools import partial

import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard, as_point
from vision.geometry import Image, Points
from vision.looks import LOOK_RULE
from vision.reading import PointPx, Reading, UnclearReason, may_be_one_card
from vision.sequence.followed_cards import (
    FollowedCard,
    FollowedCards,
    Sighting,
    look_at,
    named,
    sighting,
)
from vision.sequence.judged_reader import JudgedReader


class RestingReader:
    """The reader of one camera's tracker (`tracking.PictureReader`). For one thread at a time.

    Results of a single picture are reported unchanged: the tracker joins the looks. An index that only size
    or probability keeps from being reported is reported once all looks at it agree.
    """

    def __init__(self, reader: JudgedReader) -> None:
        """Begin with an empty memory."""
        self._reader = reader
        # The frame rate is not used here: the tracker reports motion.
        self._known = FollowedCards(1.0)
        self._misses: dict[int, int] = {}

    def read(self, image: Image, left: int = 0, top: int = 0, card_px: float | None = None) -> Reading:
        """Read a part of the camera's picture that begins at `left`, `top`; places count from there.

        `card_px` is a card's long side, where the camera's place says so.
        """
        corner = np.array([left, top], float)
        height, width = image.shape[:2]
        seen: set[int] = set()
        reading = self._reader.read(image, partial(self._judge, corner, seen), card_px=card_px)
        self._count_misses(seen, corner, np.array([left + width, top + height], float))
        return reading

    def forget(self, moved: Callable[[PointPx], bool]) -> None:
        """Forget the looks at places (pixels of the whole picture) where something has moved since."""
        self._known.drop(lambda card: any(moved(as_point(place)) for place in card.last.places))

    def _judge(self, corner: Points, seen: set[int], acceptance: Acceptance) -> Acceptance:
        """Accept what the picture makes certain, and what all looks together make certain.

        To save time, cards with a certain suit are followed only where an earlier picture left them open.
        """
        acceptance = acceptance.without_rivals()
        accepted = [card for card in acceptance.accepted if not card.best.suit_open]
        rank_alone = [card for card in acceptance.accepted if card.best.suit_open]
        if not rank_alone and not acceptance.unclear and not self._known.all:
            return acceptance
        unclear: list[tuple[AssembledCard, UnclearReason]] = []
        again = [*rank_alone, *_near(accepted, self._places() - corner)]
        shown = [*((card, None) for card in again), *acceptance.unclear]
        followed = self._known.follow([_moved(sighting(card), corner) for card, _ in shown])
        for known, (card, reason) in zip(followed, shown, strict=True):
            seen.add(known.number)
            look = look_at(card, reason)
            known.looks.add(look)
            if look.suit_certain:
                continue
            name = known.looks.certain_name() if look.sound else None
            if name is not None and may_be_one_card(name, look.name):
                accepted.append(named(card, known, name))
            elif reason is not None:
                unclear.append((card, reason))
            else:
                accepted.append(card)
        return acceptance._replace(accepted=accepted, unclear=unclear)

    def _places(self) -> Points:
        """Return centres (n x 2) of the indices of followed cards."""
        return np.concatenate([np.empty((0, 2)), *(card.last.places for card in self._known.all)])

    def _count_misses(self, seen: set[int], start: Points, end: Points) -> None:
        """Drop cards that enough reads of their place no longer show; the reads cover `start` to `end`."""

        def gone(card: FollowedCard) -> bool:
            inside = bool(((card.last.places[0] > start) & (card.last.places[0] < end)).all())
            self._misses[card.number] += inside
            return self._misses[card.number] >= LOOK_RULE.joined

        self._misses = {
            card.number: 0 if card.number in seen else self._misses.get(card.number, 0)
            for card in self._known.all
        }
        self._known.drop(lambda card: card.number not in seen and gone(card))


def _near(cards: list[AssembledCard], places: Points) -> list[AssembledCard]:
    """The cards of which an index stands at one of some places (n x 2)."""
    if not cards or not len(places):
        return []
    indices = [(number, index) for number, card in enumerate(cards) for index in card.indices]
    apart = np.abs(np.array([index.centre for _, index in indices])[:, None] - places).max(2).min(1)
    near = apart < [index.index_px for _, index in indices]
    return [cards[number] for number in sorted({indices[slot][0] for slot in np.flatnonzero(near)})]


def _moved(seen: Sighting, by: Points) -> Sighting:
    """A sighting in a part of a picture as one in the whole."""
    corners = None if seen.corners is None else seen.corners + by
    return seen._replace(places=seen.places + by, corners=corners)

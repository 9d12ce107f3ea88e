"""Match cards between pictures of a resting camera."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import is_sound, least_p_suit, least_score, rank_score
from vision.assembly import AssembledCard
from vision.geometry import SAME_INDEX, Image, Points, inside_each
from vision.labels import RANKS, SUITS
from vision.looks import JoinedName, Look, Looks, log_odds
from vision.reading import CardName, ReadCard, UnclearReason, may_be_one_card


class FollowRule(NamedTuple):
    """Limits for equal cards. Source: no measurement on record."""

    same_card: float = 0.12
    """Cards of one name whose middles are this near, in long sides, are one, whichever corner was read."""

    alike: float = 0.5
    noise: float = 4.0
    """A place looks as it did when the difference is below this share of its own contrast, or below so many
    grey levels."""

    patch: int = 12
    """A place is compared as so many cells a side, around the index."""

    gone_after_ms: int = 240
    """A card is gone when for so long something else has rested there: an arm seldom does."""

    kept_ms: int = 2000
    """A card that was not shown for so long is forgotten: so long a hand may lie over it."""


_FOLLOW_RULE: Final = FollowRule()


class Sighting(NamedTuple):
    """A card's place in one picture.

    `places` (n x 2) are the centres of its indices, the best first, or its own centre face down; `height_px`
    is their height. `name` is the apparent name, None for a back.
    """

    places: Points
    height_px: float
    name: CardName | None
    corners: Points | None


def sighting(card: AssembledCard) -> Sighting:
    """Return the place of a card that lies face up."""
    best = card.best
    places = np.array([index.centre for index in card.indices])
    name = CardName(RANKS[best.rank], None if best.suit_open else SUITS[best.suit])
    return Sighting(places, best.index_px, name, card.corners)


def look_at(card: AssembledCard, reason: UnclearReason | None) -> Look:
    """Return one picture's look at a card; `reason` is None where the picture alone makes it certain."""
    index = card.best
    sound = reason in {None, "uncertain"} and not card.odd_size and is_sound(index)
    return Look(
        CardName(RANKS[index.rank], SUITS[index.suit]),
        log_odds(index.p_rank),
        log_odds(index.p_suit),
        reason is None,
        reason is None and not index.suit_open,
        sound,
        sound and index.agreed,
        index.p_index,
        index.index_px,
    )


def within_limits(joined: JoinedName) -> tuple[bool, bool]:
    """Whether joined looks reach the certainty of one reportable picture, for rank and for suit."""
    asked = least_score(joined.p_index, joined.index_px)
    rank = rank_score(joined.p_rank, joined.p_index, joined.index_px) >= asked
    suit = SUITS.index(joined.name.suit or SUITS[0])
    return rank, joined.p_suit >= least_p_suit(suit, joined.index_px)


def named(card: AssembledCard, known: "FollowedCard", name: CardName) -> AssembledCard:
    """The card with the name and the certainty of all looks at it."""
    joined, best = known.looks.joined_name(name), card.best
    best = best._replace(
        rank=RANKS.index(name.rank),
        suit=best.suit if name.suit is None else SUITS.index(name.suit),
        p_rank=joined.p_rank,
        p_suit=joined.p_suit,
        p_index=joined.p_index,
        suit_open=name.suit is None,
    )
    indices = (best, *card.indices[1:])
    return card._replace(indices=indices, certain=max(card.certain, 1), joined=True)


class FollowedCard:
    """One physical card over the pictures; `number` identifies it.

    `looks` are those at its face, `reported` is its last report. It was seen in `sightings` of the `pictures`
    since it appeared.
    """

    def __init__(self, number: int, seen: Sighting) -> None:
        """Begin with its first sighting."""
        self.number = number
        self.last = seen
        self.looks = Looks(within_limits)
        self.sightings = 0
        self.pictures = 0
        self.reported: ReadCard | None = None
        self._unseen = 0
        self._resting_otherwise = 0
        self._patch: Image | None = None
        self._latest: Image | None = None

    def seen(self, seen: Sighting) -> None:
        """Count a picture that shows it."""
        corners = self.last.corners if seen.corners is None else seen.corners
        self.last = seen._replace(corners=corners)
        self.sightings += 1
        self.pictures += 1
        self._unseen = self._resting_otherwise = 0

    def remember(self, image: Image) -> None:
        """Store the appearance of its place in the picture that shows it."""
        self._patch = self._latest = _patch(image, self.last)

    def miss(self, image: Image) -> None:
        """Count a picture that does not show it, and compare what lies at its place."""
        now = _patch(image, self.last)
        resting = _alike(now, self._latest) and not _alike(now, self._patch)
        self._resting_otherwise = self._resting_otherwise + 1 if resting else 0
        self._unseen += 1
        self.pictures += 1
        self._latest = now

    def gone(self, fps: float) -> bool:
        """Whether something else rests at its place, or it has long not been seen."""
        resting_ms, unseen_ms = (count * 1000 / fps for count in (self._resting_otherwise, self._unseen))
        return resting_ms >= _FOLLOW_RULE.gone_after_ms or unseen_ms > _FOLLOW_RULE.kept_ms

    def apart(self, seen: Sighting) -> float | None:
        """Return the distance of a sighting from this card, in heights; None for another card."""
        if (seen.name is None) != (self.last.name is None):
            return None
        away = np.hypot(*(self.last.places[:, None] - seen.places).transpose(2, 0, 1))
        apart = float(away.min()) / max(self.last.height_px, seen.height_px)
        if apart < SAME_INDEX:
            return apart
        return SAME_INDEX if self._other_corner(seen) else None

    def is_part_of(self, seen: Sighting) -> bool:
        """Whether the sighting of a like card has an index at its place."""
        return self._is_alike(seen) and self.apart(seen) is not None

    def _other_corner(self, seen: Sighting) -> bool:
        """Whether an alike card's outline has nearly the same centre."""
        if self.last.corners is None or seen.corners is None or not self._is_alike(seen):
            return False
        long_px = float(np.hypot(*(self.last.corners[3] - self.last.corners[0])))
        middles = self.last.corners.mean(0) - seen.corners.mean(0)
        return float(np.hypot(*middles)) < _FOLLOW_RULE.same_card * long_px

    def _is_alike(self, seen: Sighting) -> bool:
        """Whether both lie face down, or may have one name."""
        return may_be_one_card(self.last.name, seen.name)


def _patch(image: Image, seen: Sighting) -> Image:
    """Return the surroundings of a place, small and grey, minus their mean."""
    reach = max(seen.height_px, 4.0)
    (left, top), (right, foot) = (
        np.rint(seen.places[0] + side * reach).astype(int).clip(0, image.shape[1::-1]) for side in (-1, 1)
    )
    part, side = image[top:foot, left:right], _FOLLOW_RULE.patch
    if not part.size:
        return np.zeros((side, side), np.float32)
    small = cv2.resize(part, (side, side), interpolation=cv2.INTER_AREA).mean(2)
    return np.asarray(small - small.mean())


def _alike(now: Image, before: Image | None) -> bool:
    if before is None:
        return False
    most = max(_FOLLOW_RULE.noise, _FOLLOW_RULE.alike * float(before.std()))
    return float((now - before).std()) < most


class FollowedCards:
    """Cards that the pictures have shown. Numbers are never used again."""

    def __init__(self, fps: float) -> None:
        """Begin without any; `fps` is pictures a second."""
        self.all: list[FollowedCard] = []
        self._fps = fps
        self._numbers = 0

    def forget(self) -> None:
        """Forget all cards, but not their numbers."""
        self.all = []

    def drop(self, gone: Callable[[FollowedCard], bool]) -> None:
        """Forget some cards."""
        self.all = [card for card in self.all if not gone(card)]

    def follow(self, sightings: Sequence[Sighting]) -> list[FollowedCard]:
        """Return the followed card of each sighting, in order; new sightings get new cards."""
        pairs = sorted(
            (apart, number, known)
            for number, seen in enumerate(sightings)
            for known, card in enumerate(self.all)
            if (apart := card.apart(seen)) is not None
        )
        found: dict[int, FollowedCard] = {}
        used: set[int] = set()
        for _, number, known in pairs:
            if number not in found and known not in used:
                found[number] = self.all[known]
                used.add(known)
        return [self._seen(found.get(number), seen) for number, seen in enumerate(sightings)]

    def _seen(self, card: FollowedCard | None, seen: Sighting) -> FollowedCard:
        if card is None:
            self._numbers += 1
            card = FollowedCard(self._numbers, seen)
            self.all.append(card)
        card.seen(seen)
        return card

    def look_after(self, seen: set[int], outlines: Points, image: Image) -> None:
        """Store the appearance of all places; `seen` are numbers of the cards that the picture shows.

        Cards that are gone are dropped, except those under one of m x 4 x 2 `outlines`. So are cards that
        turn out to be another corner of a visible card.
        """
        shown = [card.last for card in self.all if card.number in seen]
        self.all = [
            card for card in self.all if card.number in seen or not any(card.is_part_of(one) for one in shown)
        ]
        for card in self.all:
            if card.number in seen:
                card.remember(image)
            elif not inside_each(card.last.places[:1], outlines).any():
                card.miss(image)
        self.all = [card for card in self.all if not card.gone(self._fps)]

"""Read the pictures of one camera in order: looks at a card are joined over the pictures."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import cv2
import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard
from vision.certainty import is_sound, least_p_suit, least_score, rank_score
from vision.geometry import SAME_INDEX, Image, Points, inside_each
from vision.hands import as_point
from vision.looks import LOOK_RULE, JoinedName, Look, Looks, log_odds
from vision.reader import Judge
from vision.reading import (
    RANKS,
    SUITS,
    CardName,
    PointPx,
    ReadCard,
    Reading,
    Unclear,
    UnclearReason,
    may_be_one_card,
)


class JudgedReader(Protocol):
    """A reader of pictures with a judge; `vision.reader.CardReader` is one."""

    def read(
        self,
        image: Image,
        judge: Judge | None = None,
        *,
        card_px: float | None = None,
    ) -> Reading:
        """Read one BGR picture; `card_px` is a card's long side."""
        ...


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
        # Limits for equal cards. Source: no measurement on record.
        # 240: A card is gone when for so long something else has rested there: an arm seldom does.
        # 2000: A card that was not shown for so long is forgotten: so long a hand may lie over it.
        return resting_ms >= 240 or unseen_ms > 2000

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
        # 0.12: cards of one name whose middles are this near, in long sides, are one, whichever corner was
        # read.
        return float(np.hypot(*middles)) < 0.12 * long_px

    def _is_alike(self, seen: Sighting) -> bool:
        """Whether both lie face down, or may have one name."""
        return may_be_one_card(self.last.name, seen.name)


def _patch(image: Image, seen: Sighting) -> Image:
    """Return the surroundings of a place, small and grey, minus their mean."""
    reach = max(seen.height_px, 4.0)
    (left, top), (right, foot) = (
        np.rint(seen.places[0] + side * reach).astype(int).clip(0, image.shape[1::-1]) for side in (-1, 1)
    )
    # 12: A place is compared as so many cells a side, around the index.
    part, side = image[top:foot, left:right], 12
    if not part.size:
        return np.zeros((side, side), np.float32)
    small = cv2.resize(part, (side, side), interpolation=cv2.INTER_AREA).mean(2)
    return np.asarray(small - small.mean())


def _alike(now: Image, before: Image | None) -> bool:
    if before is None:
        return False
    # 0.5, 4.0: A place looks as it did when the difference is below this share of its own contrast, or
    # below so many grey levels.
    most = max(4.0, 0.5 * float(before.std()))
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


FollowedRead = tuple[FollowedCard, ReadCard]
"""A followed card and how it is reported."""


class HandMemory:
    """The hands of the picture before, each from its lowest card."""

    def __init__(self) -> None:
        """Begin without any."""
        self._hands: list[list[int]] = []

    def ordered(self, shown: list[FollowedRead], hidden: list[FollowedRead]) -> list[FollowedRead]:
        """All cards by hand, each hand from its lowest card; `shown` are in such an order already."""
        hands: dict[int, list[FollowedRead]] = {}
        for reported in shown:
            hands.setdefault(reported[1].hand, []).append(reported)
        for reported in sorted(hidden, key=lambda one: self._rank_before(one[0].number)):
            self._insert(hands, reported)
        self._hands = [[known.number for known, _ in cards] for cards in hands.values()]
        return [
            (known, card._replace(hand=number)) for number, cards in hands.items() for known, card in cards
        ]

    def _before(self, number: int) -> list[int]:
        return next((hand for hand in self._hands if number in hand), [number])

    def _rank_before(self, number: int) -> int:
        return self._before(number).index(number)

    def _insert(self, hands: dict[int, list[FollowedRead]], reported: FollowedRead) -> None:
        """Put a card behind the last one of its hand that lay below it."""
        old = self._before(reported[0].number)
        below = set(old[: old.index(reported[0].number)])
        for cards in hands.values():
            mates = [place for place, (known, _) in enumerate(cards) if known.number in old]
            if mates:
                lower = [place for place in mates if cards[place][0].number in below]
                cards.insert(lower[-1] + 1 if lower else mates[0], reported)
                return
        hands[max(hands, default=0) + 1] = [reported]


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
        # Centres (n x 2) of the indices of followed cards.
        again = [
            *rank_alone,
            *_near(
                accepted,
                np.concatenate([np.empty((0, 2)), *(card.last.places for card in self._known.all)]) - corner,
            ),
        ]
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


Shown = list[tuple[AssembledCard, UnclearReason | None]]
"""Cards of a picture, and why each is not certain by it."""


class SequenceReader:
    """Reads one sequence. May be used by one thread at a time."""

    def __init__(self, reader: JudgedReader, fps: float) -> None:
        """Begin with an empty memory; `fps` is above 0, pictures a second."""
        self._reader = reader
        self._known = FollowedCards(fps)
        self._hands = HandMemory()
        self._shape: tuple[int, ...] = ()
        self._faces: dict[PointPx, FollowedCard] = {}
        self._rivals: dict[int, set[int]] = {}
        self._firm: set[int] = set()

    def read(self, image: Image, card_px: float | None = None) -> Reading:
        """Take the next picture (BGR); return the cards certain so far, each with its track.

        `card_px` is a card's long side, where the camera's pose gives it. A picture of another size comes
        from another camera: all tracks are dropped.
        """
        if image.shape != self._shape:
            self._shape, self._hands = image.shape, HandMemory()
            self._known.forget()
        self._faces = {}
        reading = self._reader.read(image, self._judge, card_px=card_px)
        backs, unproven = self._backs(reading.cards)
        shown = [(self._faces[card.at], card) for card in reading.cards if card.face == "up"]
        shown = sorted([*shown, *backs], key=lambda reported: reported[1].hand)
        for known, card in shown:
            known.reported = card
        seen = {known.number for known in [*self._faces.values(), *unproven, *(known for known, _ in shown)]}
        quads = [card.quad for _, card in shown if card.quad is not None]
        self._known.look_after(seen, np.array(quads).reshape(-1, 4, 2), image)
        reported = self._hands.ordered(shown, self._hidden(shown, unproven))
        spots = [Unclear(as_point(known.last.places[0]), "unproven") for known in unproven]
        cards = tuple(card._replace(track=known.number) for known, card in reported)
        unclear, steps = (*reading.unclear, *spots), (*reading.steps, "sequence")
        return reading._replace(cards=cards, unclear=unclear, steps=steps)

    def _judge(self, acceptance: Acceptance) -> Acceptance:
        """Accept what all pictures so far make certain, and nothing else."""
        acceptance = acceptance.without_rivals()
        shown: Shown = [(card, None) for card in acceptance.accepted]
        shown += acceptance.unclear
        accepted: list[AssembledCard] = []
        unclear: list[tuple[AssembledCard, UnclearReason]] = []
        followed = self._known.follow([sighting(card) for card, _ in shown])
        self._faces = {
            as_point(card.best.centre): known for known, (card, _) in zip(followed, shown, strict=True)
        }
        for known, (card, reason) in zip(followed, shown, strict=True):
            # Remember which like cards may be one: pictures say now the one, now the other.
            for rival in card.rivals:
                other = self._faces.get(as_point(rival.centre))
                if other is not None:
                    self._rivals.setdefault(known.number, set()).add(other.number)
                    self._rivals.setdefault(other.number, set()).add(known.number)
            known.looks.add(look_at(card, reason))
            name = known.looks.certain_name()
            if name is None:
                unclear.append((card, reason or "unproven"))
            elif self._has_firm_rival(known):
                unclear.append((card, "like_card"))
            else:
                self._firm.add(known.number)
                accepted.append(named(card, known, name))
        return acceptance._replace(accepted=accepted, unclear=unclear)

    def _has_firm_rival(self, known: FollowedCard) -> bool:
        """Whether a card that may be this one is certain and still there."""
        there = {one.number for one in self._known.all} & self._firm
        return not there.isdisjoint(self._rivals.get(known.number, ()))

    def _backs(self, cards: Iterable[ReadCard]) -> tuple[list[FollowedRead], list[FollowedCard]]:
        """The cards face down, and those of too few looks so far."""
        down = [card for card in cards if card.face == "down"]
        reported = list(
            zip(self._known.follow([_sighting_of_back(card) for card in down]), down, strict=True)
        )
        certain = [(known, card) for known, card in reported if _surely_down(known)]
        return certain, [known for known, _ in reported if not _surely_down(known)]

    def _hidden(self, shown: list[FollowedRead], unproven: list[FollowedCard]) -> list[FollowedRead]:
        """The cards that were reported before and that this picture does not show: something covers them."""
        seen = {known.number for known in [*self._faces.values(), *unproven, *(known for known, _ in shown)]}
        hidden: list[FollowedRead] = []
        for known in self._known.all:
            card = known.reported
            if known.number in seen or card is None:
                continue
            if not any(_may_be_one(known, card, other) for _, other in [*shown, *hidden]):
                hidden.append((known, card))
        return hidden


def _sighting_of_back(card: ReadCard) -> Sighting:
    corners = np.array(card.quad)
    return Sighting(np.array([card.at]), _long_px(corners) / 2, None, corners)


def _surely_down(known: FollowedCard) -> bool:
    """Whether enough looks for certainty, and most pictures, show its back."""
    return known.sightings >= LOOK_RULE.two_corners and 2 * known.sightings > known.pictures


def _long_px(corners: np.typing.NDArray[np.float64]) -> float:
    return float(np.hypot(*(corners[3] - corners[0])))


def _may_be_one(known: FollowedCard, card: ReadCard, other: ReadCard) -> bool:
    """Whether a hidden and a visible card are alike and near enough to be one."""
    if not may_be_one_card(card.name, other.name):
        return False
    if known.last.corners is None:
        return True
    apart = float(np.hypot(*np.subtract(card.at, other.at)))
    # 1.5: A card that a picture does not show is not reported where it shows a like one within so many long
    # sides: both may be corners of one card. Source: a card's diagonal is 1.2 times its long side; the rest
    # is slack for the tilt.
    return apart < 1.5 * _long_px(known.last.corners)

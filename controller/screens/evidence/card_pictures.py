"""What the cameras can show a person who is asked for a card: a picture, and a hint that is marked as one.

Nothing is stored and nothing is counted. A hint is given only where the camera knows every other card of the
box, so that what it cannot read can be no other card than the one that is asked for.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from controller.domain import Card
from controller.runtime.contradictions import take_match
from controller.runtime.witness.tracked_cards import NO_CAMERAS, CameraSight, TrackedCard, TrackedCards

GUESS_LEAST: Final = 0.6
"""A less probable rank is not marked: it would invite to tap it without a look."""

PER_CENT_MOST: Final = 99
PICTURES_MAX: Final = 16
WHOLE_MAX: Final = 16
"""Whole pictures that are kept; they do not push out those of single cards."""

PATH: Final = "/api/pictures/"


class PictureHint(NamedTuple):
    """Where to get a picture of an unread card, and the rank that it seems to have, with its per cent."""

    picture: str | None = None
    guesses: tuple[tuple[str, int], ...] = ()


class Mismatch(NamedTuple):
    """What one camera sees at a box beside the cards that the table knows there.

    `strangers` are certain cards, `unread` is what it cannot read, `missing` what it should see and does not.
    """

    strangers: tuple[TrackedCard, ...]
    unread: tuple[TrackedCard, ...]
    missing: tuple[Card, ...]


class CardPictures:
    """The cameras as the screens ask them; keeps the last few pictures that a screen may fetch."""

    def __init__(self, spots: TrackedCards) -> None:
        """`spots` answers which cards the running cameras see."""
        self._spots = spots
        self._pictures: dict[str, bytes] = {}
        self._whole: dict[str, bytes] = {}

    @property
    def watching(self) -> bool:
        """Whether there is any camera over the table."""
        return self._spots.watching

    def at(self, box: int) -> tuple[TrackedCard, ...]:
        """See `TrackedCards.at`."""
        return self._spots.at(box)

    def unread(self, box: int, others: Sequence[Card]) -> PictureHint:
        """Look at the one card of a box that nobody has read; `others` are the rest of the box's cards."""
        if any(card.rank is None for card in others):
            return PictureHint()
        found = [lying for lying in mismatches_at(self.at(box), others) if lying.strangers or lying.unread]
        if not found:
            return PictureHint()
        ideas = {guess for lying in found if (guess := _guess(lying)) is not None}
        agreed = ideas if len({rank for rank, _ in ideas}) == 1 else set()
        return PictureHint(self.picture((*found[0].strangers, *found[0].unread)), tuple(sorted(agreed)[-1:]))

    def picture(self, spots: tuple[TrackedCard, ...]) -> str | None:
        """Take a picture of spots of one camera; the path under which a screen gets it."""
        data = self._spots.picture(spots)
        if data is None:
            return None
        name = hashlib.sha256(data).hexdigest()[:32]
        if name not in self._pictures:
            self._pictures = dict([*self._pictures.items()][1 - PICTURES_MAX :])
            self._pictures[name] = data
        return PATH + name

    def crop(self, spots: tuple[TrackedCard, ...]) -> bytes | None:
        """Take a picture of spots of one camera from its very last one; nothing of it is kept here."""
        return self._spots.picture(spots, at_once=True)

    async def sights(self, *, hides_dealer: bool) -> tuple[tuple[CameraSight, str], ...]:
        """The whole picture of each camera, with the path under which a screen gets it for some seconds."""
        found = await asyncio.to_thread(self._spots.sights, hides_dealer=hides_dealer)
        return tuple(zip(found, self.keep(sight.jpeg for sight in found), strict=True))

    def keep(self, jpegs: Iterable[bytes]) -> tuple[str, ...]:
        """Keep whole pictures for some seconds; the path of each under which a screen gets it."""
        named = [(hashlib.sha256(jpeg).hexdigest()[:32], jpeg) for jpeg in jpegs]
        self._whole = dict([*self._whole.items(), *named][-WHOLE_MAX:])
        return tuple(PATH + name for name, _ in named)

    def fetch(self, name: str) -> bytes | None:
        """Give a picture by the last part of its path; None when it is no longer kept."""
        return self._pictures.get(name) or self._whole.get(name)


def mismatches_at(spots: Iterable[TrackedCard], known: Sequence[Card]) -> list[Mismatch]:
    """Compare what each camera sees at a box with the cards that the table knows there."""
    cameras = defaultdict[str, list[TrackedCard]](list)
    for spot in spots:
        cameras[spot.camera].append(spot)
    return [_lying(of_one, known) for of_one in cameras.values()]


def _lying(spots: list[TrackedCard], known: Sequence[Card]) -> Mismatch:
    left = sorted(known, key=lambda card: card.suit is None)
    beyond = [spot for spot in spots if spot.card is not None and not take_match(left, spot.card)]
    strangers = tuple(spot for spot in beyond if spot.in_sight and spot.seen is None)
    return Mismatch(strangers, tuple(spot for spot in spots if spot.card is None), tuple(left))


def _guess(lying: Mismatch) -> tuple[str, int] | None:
    """The rank that all unexplained cards seem to have, with its per cent; None where they differ."""
    things = (*lying.strangers, *lying.unread)
    ideas = [(spot.card.rank if spot.card else spot.rank, spot.p) for spot in things]
    ranks = {rank for rank, _ in ideas if rank is not None}
    p = max(p for _, p in ideas)
    if lying.missing or len(ranks) != 1 or len(lying.strangers) > 1 or p < GUESS_LEAST:
        return None
    return ranks.pop(), min(int(100 * p), PER_CENT_MOST)


NO_PICTURES: Final = CardPictures(NO_CAMERAS)
"""A table without cameras."""

"""Read the pictures of a resting camera in order, and report the cards certain so far."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from vision.acceptance import Acceptance
from vision.assembly import AssembledCard, as_point
from vision.geometry import Image
from vision.looks import LOOK_RULE
from vision.reading import PointPx, ReadCard, Reading, Unclear, UnclearReason, may_be_one_card
from vision.sequence.followed_cards import (
    FollowedCard,
    FollowedCards,
    Sighting,
    look_at,
    named,
    sighting,
)
from vision.sequence.hand_memory import FollowedRead, HandMemory
from vision.sequence.judged_reader import JudgedReader

Shown = list[tuple[AssembledCard, UnclearReason | None]]
"""Cards of a picture, and why each is not certain by it."""

_LIKE_REACH: Final = 1.5
"""A card that a picture does not show is not reported where it shows a like one within so many long sides:
both may be corners of one card.

Source: a card's diagonal is 1.2 times its long side; the rest is slack for the tilt.
"""


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
        self._look_after(shown, unproven, image)
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
            self._note_rivals(known, card)
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

    def _note_rivals(self, known: FollowedCard, card: AssembledCard) -> None:
        """Remember which like cards may be one: pictures say now the one, now the other."""
        for rival in card.rivals:
            other = self._faces.get(as_point(rival.centre))
            if other is not None:
                self._rivals.setdefault(known.number, set()).add(other.number)
                self._rivals.setdefault(other.number, set()).add(known.number)

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

    def _look_after(self, shown: list[FollowedRead], unproven: list[FollowedCard], image: Image) -> None:
        seen = {known.number for known in [*self._faces.values(), *unproven, *(known for known, _ in shown)]}
        quads = [card.quad for _, card in shown if card.quad is not None]
        self._known.look_after(seen, np.array(quads).reshape(-1, 4, 2), image)

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
    return apart < _LIKE_REACH * _long_px(known.last.corners)

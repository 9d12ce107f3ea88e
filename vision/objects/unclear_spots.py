"""What is told of a picture: cards by hand, cards face down, and what is unclear, each with its reason."""

from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance.card_acceptance import DOUBT, Verdict
from vision.assembly.card_joining import Card
from vision.assembly.deck_geometry import Deck
from vision.assembly.overlaps import Pile, hands_of, lowest_first
from vision.classifier.index_reading import Index
from vision.classifier.networks import IndexNetwork
from vision.geometry.arrays import Image, Points
from vision.geometry.outlines import inside
from vision.labels import RANKS, SUITS
from vision.objects.card_sized import Sheet, find_sheets
from vision.objects.face_down import lone_back, surveyed
from vision.objects.heat_map_audit import Missed, Told, missed, on_face
from vision.proposal.heat_map import Survey
from vision.reading import Place, ReadCard, Unclear

SHEET_REASONS: Final = {"joker": "joker", "cut": "cut_card", "paper": "unread"}


class Seen(NamedTuple):
    """What a picture shows besides indices: card-sized things, places of half hidden print, the survey."""

    image: Image
    sheets: list[Sheet]
    hidden: Points
    survey: Survey


def _place(point: Points) -> Place:
    x, y = point.tolist()
    return x, y


def _quad(corners: Points | None) -> tuple[Place, Place, Place, Place] | None:
    if corners is None:
        return None
    first, second, third, fourth = corners.tolist()
    return tuple(first), tuple(second), tuple(third), tuple(fourth)


def _on_a_card(centre: Points, verdict: Verdict) -> bool:
    """Whether a place lies on a card that was named or is told as unclear anyway."""
    known = [*verdict.sure, *(card for card, _ in verdict.unclear)]
    near = any(np.hypot(*(card.best.centre - centre)) < card.best.height for card in known)
    return near or any(inside(centre, card.corners, 0.05) for card in known if card.corners is not None)


def _near_own_corner(index: Index, card: Card) -> bool:
    """Whether the index lies at one of the four corners of a card."""
    assert card.corners is not None
    return bool((np.hypot(*(card.corners - index.centre).T) < 1.3 * card.best.height).any())


def _is_explained(card: Card, sure: list[Card], deck: Deck | None) -> bool:
    """Whether a doubtful index is only the second corner or an inner detail of a certain card."""
    if card.best.p_shown < DOUBT:
        return True
    for other in sure:
        if other.corners is not None and deck is not None and inside(card.best.centre, other.corners, 0.02):
            facing = abs(float(card.best.down @ other.best.down))
            if facing > 0.94 and _near_own_corner(card.best, other):
                return True
    return False


def _worth_telling(verdict: Verdict, survey: Survey) -> list[tuple[Card, str]]:
    """The unclear cards that nothing explains, and why; half hidden ones only where a face may be."""
    told = []
    for card, reason in verdict.unclear:
        half = card.best.p_index < DOUBT
        if _is_explained(card, verdict.sure, verdict.deck) or (
            half and not on_face(survey, card.best.centre)
        ):
            continue
        told.append((card, "occluded" if half and reason == "uncertain" else reason))
    return told


def _hint(index: Index, reason: str) -> tuple[str | None, float]:
    """The likeliest rank and its probability, where the index is merely not certain.

    Where two readings contradict each other, or a corner may be another card's, either would mislead.
    """
    if reason != "uncertain":
        return None, 0.0
    return RANKS[index.rank], index.p_rank * index.p_index


def _as_read(card: Card, hand: int) -> ReadCard:
    index = card.best
    place, quad = _place(index.centre), _quad(card.corners)
    return ReadCard(RANKS[index.rank], SUITS[index.suit], index.p, place, quad, "up", hand, card.certain)


def _long_side(cards: list[Card]) -> float | None:
    known = np.array([card.corners for card in cards if card.corners is not None]).reshape(-1, 4, 2)
    sides = np.hypot(*(known[:, 3] - known[:, 0]).T).tolist()
    return median(sides) if sides else None


def _as_down(sheet: Sheet) -> ReadCard:
    return ReadCard(None, None, sheet.p, _place(sheet.corners.mean(0)), _quad(sheet.corners), "down", 0)


def _holds_an_index(sheet: Sheet, cards: list[Card]) -> bool:
    return any(inside(card.best.centre, sheet.corners) for card in cards)


def face_up(pile: Pile) -> list[ReadCard]:
    """The cards of a pile by hand, from the lowest to the topmost."""
    read = []
    for number, hand in enumerate(hands_of(pile), start=1):
        read += [_as_read(pile.cards[card], number) for card in lowest_first(pile, hand)]
    return read


def lone_sheets(image: Image, things: Image, verdict: Verdict, network: IndexNetwork) -> list[Sheet]:
    """Card-sized things that no index explains; `things` as for `find_sheets`."""
    known = verdict.sure + [card for card, _ in verdict.unclear]
    explained = [card.corners for card in known if card.corners is not None]
    sheets = find_sheets(image, things, explained, _long_side(verdict.sure), network)
    return [sheet for sheet in sheets if not _holds_an_index(sheet, known)]


def besides(seen: Seen, verdict: Verdict, network: IndexNetwork) -> tuple[list[ReadCard], list[Unclear]]:
    """All that is told besides certain cards: cards face down, which are no hand's yet, and unclear spots."""
    survey, told = seen.survey, _worth_telling(verdict, seen.survey)
    down, spots = _sheets(seen.sheets, survey)
    spots += [Unclear(_place(card.best.centre), why, *_hint(card.best, why)) for card, why in told]
    half = [place for place in seen.hidden if on_face(survey, place) and not _on_a_card(place, verdict)]
    spots += [Unclear(_place(place), "occluded") for place in half]
    known = verdict.sure + [card for card, _ in told]
    more, doubts = _missed(seen.image, missed(survey, _told(known, verdict.deck, down, spots)), network)
    return down + more, [*spots, *doubts]


def _sheets(sheets: list[Sheet], survey: Survey) -> tuple[list[ReadCard], list[Unclear]]:
    """Cards face down, and what is of a card's size and unclear."""
    known = [surveyed(sheet, survey) for sheet in sheets]
    others = [sheet for sheet in known if sheet.kind in SHEET_REASONS]
    return [_as_down(sheet) for sheet in known if sheet.kind == "back"], [
        Unclear(_place(sheet.corners.mean(0)), SHEET_REASONS[sheet.kind]) for sheet in others
    ]


def _missed(image: Image, seen: Missed, network: IndexNetwork) -> tuple[list[ReadCard], list[Unclear]]:
    """What only the survey sees: cards face down where they lie alone, else unclear spots."""
    backs = [(part, lone_back(image, part, network)) for part in seen.backs]
    down = [_as_down(sheet) for _, sheet in backs if sheet is not None]
    covered = [part.middle for part, sheet in backs if sheet is None]
    reasons = (("missed", seen.faces), ("face_down", covered), ("cut_card", seen.cuts))
    return down, [Unclear(_place(place), reason) for reason, places in reasons for place in places]


def _told(known: list[Card], deck: Deck | None, down: list[ReadCard], spots: list[Unclear]) -> Told:
    places = np.array([spot.at for spot in spots]).reshape(-1, 2)
    return Told(known, deck, places, [np.array(card.quad) for card in down], _long_side(known))

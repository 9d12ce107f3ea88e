"""Report a picture's content besides accepted cards: cards face down, and unclear spots with reasons."""

from statistics import median
from typing import Final, NamedTuple

import numpy as np

from vision.acceptance import OTHER_LETTERS_RULE, Acceptance
from vision.assembly import LEFT, AssembledCard, DeckGeometry, as_point, as_quad, outline_around
from vision.classifier import LIKELIER, Index, IndexNetwork, poses_of
from vision.geometry import (
    CARD_ASPECT,
    OWN_CORNER,
    PARALLEL,
    SAME_INDEX,
    SURELY_SAME,
    Image,
    IndexPlace,
    Points,
    in_one_fan,
    inside,
)
from vision.labels import RANKS
from vision.objects.card_sized import (
    CardSizedObject,
    ObjectKind,
    find_card_sized_objects,
    lies_at,
    things_on_felt,
)
from vision.objects.face_down import reclassified
from vision.objects.heat_map_audit import (
    REACHES,
    AccountedFor,
    face_likely_at,
    find_missed,
    is_own_corner,
    is_unlikely_index,
    likely_long_px,
)
from vision.objects.leftover_paper import leftover_papers
from vision.objects.rims import rims
from vision.proposal import HeatMap
from vision.reading import ReadCard, Unclear, UnclearReason

_OBJECT_REASONS: Final[dict[ObjectKind, UnclearReason]] = {
    "joker": "joker",
    "cut": "cut_card",
    "paper": "unread",
    "hollow": "face_down",
    "thing": "face_down",
}
"""What is reported of an object of a card's shape; a back is a card face down."""


class DetailRule(NamedTuple):
    """When a doubtful index is only a detail of a reported card. Source: no measurement on record."""

    outline_slack: float = 0.02
    spot_slack: float = 0.05
    """How far beyond a card's outline (share of its half size) an index, and covered print, is still on the
    card."""


_DETAIL_RULE: Final = DetailRule()


_LIKELY_MARGINS: Final = (0.8, 0.4)
"""Width of a card that its two indices leave, and paper above and below them, in heights of an index.

Source: no measurement on record; usual decks have half a rank's width and a fifth of a height at each side.
"""


class PictureEvidence(NamedTuple):
    """A picture's evidence besides readable indices.

    `objects` of a card's shape, partly `covered` indices, the heat map, the foreground. `beside`: the deck
    has its pips beside the ranks. `card_px`: a card's long side, where the camera's pose gives it. `place`:
    the position of an index on it, where the deck gives that as well.
    """

    image: Image
    objects: list[CardSizedObject]
    covered: list[Index]
    heat_map: HeatMap
    foreground: Image
    beside: bool = False
    card_px: float | None = None
    place: IndexPlace | None = None


def _on_a_card(covered: Index, acceptance: Acceptance, evidence: PictureEvidence) -> bool:
    """Whether a covered index belongs to an accepted or unclear card, or is a cold part of its face.

    In a fan the next card lies within the outline of the card that it covers. A hot place may be its index; a
    place level with a read index certainly is.
    """
    centre, known = covered.centre, acceptance.shown
    read, place = poses_of([index for card in known for index in card.indices]), poses_of([covered])
    apart = np.hypot(*(read.centres - centre).T)
    if (apart < SURELY_SAME * read.index_px).any() or _in_own_corner(covered, acceptance, evidence):
        return True
    if evidence.beside or in_one_fan(place, read).any():
        return False  # outlines are off by as much as a fan's next index is away
    if evidence.place is None and (apart < SAME_INDEX * read.index_px).any():
        return True
    on = [
        card
        for card in known
        if card.corners is not None and inside(centre, card.corners, _DETAIL_RULE.spot_slack)
    ]
    exact = evidence.place is not None
    return bool(on) and is_unlikely_index(evidence.heat_map, centre, on[0], exact=exact)


def _in_own_corner(covered: Index, acceptance: Acceptance, evidence: PictureEvidence) -> bool:
    """Whether the covered index stands at a further corner of an accepted or unclear card."""
    outlined = [card for card in acceptance.shown if card.corners is not None]
    if evidence.place is not None:
        ends = evidence.place.at_both_ends(np.array([card.corners for card in outlined]).reshape(-1, 4, 2))
        return bool((np.hypot(*(ends.centres - covered.centre).T) < OWN_CORNER * ends.index_px).any())
    on = [
        card
        for card in outlined
        if card.corners is not None and inside(covered.centre, card.corners, _DETAIL_RULE.spot_slack)
    ]
    return bool(on) and is_own_corner(covered.centre, on, acceptance.deck)


def _has_own_name(index: Index) -> bool:
    """Whether an index has a rank, or a letter that may be none of the thirteen: a detail has neither.

    A fully visible six of a tight fan stood that close to a three's corner.
    """
    other_letter = index.known < OTHER_LETTERS_RULE.known and index.p_shown >= LIKELIER
    return other_letter or index.p_rank * index.p_shown >= LIKELIER


def _may_be_second_corner(index: Index, best: Index, deck: DeckGeometry) -> bool:
    """Whether an index may be a further corner of a card; one beside the card's own is a fan's like card."""
    turned = float(index.down @ best.down) < 0
    return index.rank == best.rank and (turned or deck.four or deck.maybe_four)


def _is_detail(card: AssembledCard, acceptance: Acceptance) -> bool:
    """Whether a doubtful index is no index, or only the second corner of an accepted card."""
    rule, index = _DETAIL_RULE, card.best
    if index.p_shown < LIKELIER:
        return True
    for other in acceptance.accepted:
        if other.corners is None or acceptance.deck is None:
            continue
        if inside(index.centre, other.corners, rule.outline_slack):
            if _has_own_name(index) and not _may_be_second_corner(index, other.best, acceptance.deck):
                continue
            parallel = abs(float(index.down @ other.best.down)) > PARALLEL
            if parallel and is_own_corner(index.centre, [other], acceptance.deck):
                return True
    return False


def _worth_reporting(
    acceptance: Acceptance, heat_map: HeatMap, things: Image | None
) -> list[tuple[AssembledCard, UnclearReason]]:
    """The unclear cards that are no detail of another, and why; covered ones only where a face may be.

    None is on bare felt; `things` as for `things_on_felt`.
    """
    reported: list[tuple[AssembledCard, UnclearReason]] = []
    for card, reason in acceptance.unclear:
        covered, centre = card.best.p_index < LIKELIER, card.best.centre
        if _is_detail(card, acceptance) or not lies_at(things, centre):
            continue
        if covered and not face_likely_at(heat_map, centre):
            continue
        reported.append((card, "occluded" if covered and reason == "uncertain" else reason))
    return reported


def _hint(index: Index, reason: UnclearReason) -> tuple[str | None, float]:
    """Return the likeliest rank and its probability, where the index is only not certain.

    No hint where two readings contradict each other, or the corner may be another card's: it would mislead.
    """
    if reason != "uncertain":
        return None, 0.0
    return RANKS[index.rank], index.p_rank * index.p_index


def _long_px(cards: list[AssembledCard]) -> float | None:
    """Return the median long side of the cards with a known outline, in pixels."""
    known = np.array([card.corners for card in cards if card.corners is not None]).reshape(-1, 4, 2)
    sides = np.hypot(*(known[:, 3] - known[:, 0]).T).tolist()
    return median(sides) if sides else None


def _as_face_down(found: CardSizedObject) -> ReadCard:
    at = as_point(found.corners.mean(0))
    return ReadCard(None, None, found.p, at, as_quad(found.corners), "down", 0)


def unexplained_objects(
    image: Image, mask: Image, acceptance: Acceptance, network: IndexNetwork, card_px: float | None
) -> list[CardSizedObject]:
    """Return card-shaped objects that no index explains; `mask` as for `find_card_sized_objects`.

    `card_px` as in `PictureEvidence`, for a picture without a read card.
    """
    known = acceptance.accepted + [card for card, _ in acceptance.unclear]
    outlines = [card.corners for card in known if card.corners is not None]
    long_px = _long_px(acceptance.accepted) or card_px
    rimmed = [] if card_px is None else rims(image, mask.copy(), outlines, card_px, network)
    found = find_card_sized_objects(image, mask, outlines, long_px, network)
    found += [one for one in rimmed if not any(inside(one.corners.mean(0), other.corners) for other in found)]
    return [one for one in found if not any(inside(card.best.centre, one.corners) for card in known)]


def lone_papers(
    image: Image, mask: Image, acceptance: Acceptance, network: IndexNetwork, card_px: float
) -> Points:
    """Return outlines (n x 4 x 2) of white, card-sized objects that are no accepted card.

    The arguments are as for `unexplained_objects`.
    """
    outlines = [card.corners for card in acceptance.accepted if card.corners is not None]
    found = find_card_sized_objects(image, mask, outlines, card_px, network)
    return np.array([one.corners for one in found if one.kind == "paper"]).reshape(-1, 4, 2)


def remaining_objects(
    evidence: PictureEvidence, acceptance: Acceptance
) -> tuple[list[ReadCard], list[Unclear]]:
    """Everything besides accepted cards: cards face down, of no hand yet (`hand` 0), and unclear spots."""
    heat_map = evidence.heat_map
    things = things_on_felt(evidence.foreground, acceptance.accepted, evidence.card_px)
    unclear = _worth_reporting(acceptance, heat_map, things)
    down, spots = _of_card_shape(evidence.objects, heat_map)
    spots += [Unclear(as_point(card.best.centre), why, *_hint(card.best, why)) for card, why in unclear]
    spots += [
        Unclear(as_point(index.centre), "occluded")
        for index in evidence.covered
        if face_likely_at(heat_map, index.centre, things) and not _on_a_card(index, acceptance, evidence)
    ]
    known = [
        _with_likely_outline(card, evidence.card_px)
        for card in (*acceptance.accepted, *(card for card, _ in unclear))
    ]
    long_px = evidence.card_px or _long_px(known)
    accounted = _accounted_for(known, acceptance.deck, down, spots, long_px)
    accounted = accounted._replace(rough=evidence.beside, things=things)
    missed = find_missed(heat_map, accounted)
    spots += [Unclear(as_point(place), "missed") for place in missed.faces]
    spots += [Unclear(as_point(place), "face_down") for place in missed.backs]
    spots += [Unclear(as_point(place), "cut_card") for place in missed.cut_cards]
    accounted = _accounted_for(known, acceptance.deck, down, spots, long_px)
    return down, [*spots, *_leftovers(evidence, accounted)]


def _with_likely_outline(card: AssembledCard, card_px: float | None) -> AssembledCard:
    """Return the card; without a second corner its outline is placed by `card_px` around its index.

    Without an outline, everything around an index counts as that card. A back beside it is then cut short or
    passed over.
    """
    if card.corners is not None or card_px is None:
        return card
    tall = card_px / card.best.index_px
    right, below = tall * CARD_ASPECT - _LIKELY_MARGINS[0], tall - 1 - _LIKELY_MARGINS[1]
    deck = DeckGeometry(right, below, False, False, card.best.index_px, 0, _LIKELY_MARGINS[1] / 2)
    return card._replace(corners=outline_around(card.best, deck, LEFT))


def _leftovers(evidence: PictureEvidence, accounted: AccountedFor) -> list[Unclear]:
    """Return unexplained things of a card's size: probably backs unknown to the networks."""
    long_px = likely_long_px(evidence.heat_map, accounted)
    if long_px is None:
        return []
    outlines = accounted.outlines + [card.corners for card in accounted.cards if card.corners is not None]
    alone = [card.best.centre for card in accounted.cards if card.corners is None]
    places = [place for place in accounted.spots if not any(inside(place, one) for one in outlines)]
    outlines += [_square(place, REACHES.spot_cards * long_px) for place in alone + places]
    found = leftover_papers(evidence.foreground, outlines, long_px)
    return [Unclear(as_point(place), "face_down") for place in found]


def _square(at: Points, half: float) -> Points:
    return at + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def _of_card_shape(objects: list[CardSizedObject], heat_map: HeatMap) -> tuple[list[ReadCard], list[Unclear]]:
    """Return cards face down, and unclear things of a card's shape."""
    known = [reclassified(one, heat_map) for one in objects]
    spots = [
        Unclear(as_point(one.corners.mean(0)), _OBJECT_REASONS[one.kind])
        for one in known
        if one.kind in _OBJECT_REASONS
    ]
    return [_as_face_down(one) for one in known if one.kind == "back"], spots


def _accounted_for(
    known: list[AssembledCard],
    deck: DeckGeometry | None,
    down: list[ReadCard],
    spots: list[Unclear],
    long_px: float | None,
) -> AccountedFor:
    places = np.array([spot.at for spot in spots]).reshape(-1, 2)
    return AccountedFor(known, deck, places, [np.array(card.quad) for card in down], long_px)

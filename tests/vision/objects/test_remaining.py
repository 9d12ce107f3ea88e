"""What is told besides the accepted cards: why, where, and with which hint."""

import numpy as np
import pytest

from tests.vision.index_kit import DOWN, card, named, pairs_of_corners
from vision.acceptance import Acceptance
from vision.assembly import AssembledCard, assemble_cards
from vision.card_sized import CardSizedObject, ObjectKind
from vision.heat_map import CELL_KINDS, HeatMap
from vision.indices import Index
from vision.reading import ReadCard, Unclear, UnclearReason
from vision.remaining import PictureEvidence, remaining_objects

CORNERS = np.array([(300.0, 60.0), (368, 60), (368, 156), (300, 156)])
PLACE = (334.0, 108.0)
"""A card of the size of `index_kit.pairs_of_corners`, and its middle."""


class Told:
    """What is told of a picture whose heat map sees a face everywhere, or nowhere, and no index."""

    def __call__(
        self,
        *unclear: tuple[Index, UnclearReason],
        objects: tuple[CardSizedObject, ...] = (),
        covered: tuple[Index, ...] = (),
        face: float = 0.5,
        paper: tuple[slice, slice] | None = None,
        card_px: float | None = None,
    ) -> tuple[list[ReadCard], list[Unclear]]:
        kinds = np.zeros((40, 60, len(CELL_KINDS)), np.float32)
        kinds[..., CELL_KINDS.index("face")] = face
        heat_map = HeatMap(kinds, np.zeros((80, 120), np.float32), np.full((40, 60), 24.0), 1.0)
        picture = np.full((320, 480, 3), 40, np.uint8)
        cards, deck = assemble_cards(pairs_of_corners())
        acceptance = Acceptance(cards, [(alone(index), why) for index, why in unclear], deck)
        felt = np.zeros((80, 120), np.uint8)
        if paper is not None:
            felt[paper] = 255
        evidence = PictureEvidence(picture, [*objects], [*covered], heat_map, felt, card_px=card_px)
        return remaining_objects(evidence, acceptance)


def alone(index: Index) -> AssembledCard:
    return card(index)


@pytest.fixture(scope="module")
def told() -> Told:
    return Told()


def test_an_uncertain_index_is_told_with_its_likeliest_rank(told: Told) -> None:
    _, (spot,) = told((named("7h", *PLACE, p_rank=0.9, p_index=0.8), "uncertain"))
    assert (spot.at, spot.reason, spot.rank) == (PLACE, "uncertain", "7")
    assert spot.p == pytest.approx(0.72)


@pytest.mark.parametrize("reason", ["disagreement", "like_card"])
def test_a_contradiction_gives_no_hint(told: Told, reason: UnclearReason) -> None:
    _, (spot,) = told((named("7h", *PLACE), reason))
    assert (spot.reason, spot.rank, spot.p) == (reason, None, 0.0)


def test_an_index_that_is_mostly_covered_is_told_as_covered_where_a_face_may_be(told: Told) -> None:
    covered = named("7h", *PLACE, p_index=0.3, p_shown=0.9)
    assert [spot.reason for spot in told((covered, "uncertain"))[1]] == ["occluded"]
    assert told((covered, "uncertain"), face=0.1) == ([], [])


def test_what_hardly_looks_like_an_index_is_not_told(told: Told) -> None:
    assert told((named("7h", *PLACE, p_index=0.3, p_shown=0.4), "uncertain")) == ([], [])


def test_the_other_corner_of_an_accepted_card_is_not_told_again(told: Told) -> None:
    corner = named("7h", 68, 139, down=np.array(DOWN), p_rank=0.5)
    assert told((corner, "uncertain")) == ([], [])
    aslant = corner._replace(down=np.array([1.0, 0.0]))
    assert [spot.reason for spot in told((aslant, "uncertain"))[1]] == ["uncertain"]


def test_covered_print_is_told_beside_cards_and_not_on_them(told: Told) -> None:
    beside, on_card = named("7h", *PLACE), named("7h", 44.0, 108.0)
    assert [(spot.at, spot.reason) for spot in told(covered=(beside,))[1]] == [(PLACE, "occluded")]
    assert told(covered=(beside,), face=0.1) == ([], [])
    assert told(covered=(on_card,)) == ([], [])


def test_covered_print_level_with_an_index_is_told_as_the_next_card_of_a_tight_fan(told: Told) -> None:
    """It stands on the lower card, within that card's outline, and no further than half its height away."""
    level, below = (named("7h", x, y)._replace(index_px=24.0) for x, y in ((31.0, 77.0), (31.0, 88.0)))
    assert [spot.reason for spot in told(covered=(level,))[1]] == ["occluded"]
    assert told(covered=(below,)) == ([], [])


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("joker", "joker"), ("cut", "cut_card"), ("paper", "unread"), ("thing", "face_down")],
)
def test_a_thing_of_a_cards_shape_is_told_as_what_it_is(told: Told, kind: ObjectKind, reason: str) -> None:
    down, (spot,) = told(objects=(CardSizedObject(CORNERS, kind, 0.95),))
    assert (down, spot.at, spot.reason) == ([], PLACE, reason)


def test_a_back_is_a_card_face_down_of_no_hand_yet(told: Told) -> None:
    (down,), spots = told(objects=(CardSizedObject(CORNERS, "back", 0.95),))
    assert (down.at, down.face, down.p, down.hand, down.rank) == (PLACE, "down", 0.95, 0, None)
    assert np.array_equal(np.array(down.quad), CORNERS)
    assert spots == []


def test_a_strip_beside_a_card_is_measured_by_the_size_that_the_camera_knows(told: Told) -> None:
    """One pair of corners may make a card a tenth too long, and the strip of another below it too narrow."""
    strip = np.s_[17:38, 66:70]
    assert told(paper=strip, face=0.0)[1] == []
    assert [spot.reason for spot in told(paper=strip, face=0.0, card_px=84.0)[1]] == ["face_down"]


@pytest.mark.parametrize(
    ("paper", "card_px", "asked"),
    [
        (np.s_[12:44, 0:74], 84.0, []),
        (np.s_[12:44, 0:74], None, ["occluded"]),
        (np.s_[12:44, 0:94], 84.0, ["occluded"]),
        (np.s_[12:44, 24:74], 84.0, ["occluded"]),
    ],
    ids=[
        "print of the felt",
        "no card's size is known",
        "something lies there",
        "a read card stands out as little",
    ],
)
def test_nothing_is_asked_of_bare_felt(
    told: Told, paper: tuple[slice, slice], card_px: float | None, asked: list[UnclearReason]
) -> None:
    """Letters that are printed on the felt look like indices that something covers."""
    _, spots = told(covered=(named("7h", *PLACE),), paper=paper, card_px=card_px)
    assert [spot.reason for spot in spots if spot.at == PLACE] == asked


def test_a_back_beside_a_lone_index_is_not_taken_for_its_card(told: Told) -> None:
    """All around an index of no known outline counted as its card, and a back there was cut short."""
    corner, back = named("8s", 372.0, 120.0, index_px=24.0, p_rank=0.9), np.s_[26:47, 74:89]
    _, spots = told((corner, "uncertain"), paper=back, face=0.0, card_px=84.0)
    assert [spot.reason for spot in spots] == ["uncertain", "face_down"]
    assert spots[1].at == pytest.approx((325.5, 145.5), abs=4)

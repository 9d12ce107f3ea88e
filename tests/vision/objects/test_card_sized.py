"""Things of a card's shape: what each is told as, and what is none."""

import cv2
import numpy as np
import pytest

from tests.vision.objects.table_kit import near, placed, table
from vision.card_sized import find_card_sized_objects, foreground_mask
from vision.geometry import Image
from vision.proposal import coarse_sample
from vision.reader import CardReader
from vision.synth import CASINO_STYLE, CardArt, DrawnCard, card_quad, draw_cut_card, draw_joker, take_picture


def laid(art: CardArt, x: float = 960, y: float = 400, angle: float = 20) -> DrawnCard:
    return DrawnCard(art, x, y, angle, 130, face="cut")


def blank() -> CardArt:
    """White paper of a card's size."""
    joker = draw_joker(CASINO_STYLE, 276)
    return joker._replace(image=np.full_like(joker.image, 245))


JOKER, CUT_CARD, PAPER = draw_joker(CASINO_STYLE, 276), draw_cut_card(CASINO_STYLE, 276), blank()


def kinds(reader: CardReader, picture: Image, known: list[DrawnCard], long_px: float | None) -> list[str]:
    """What is found in a picture in which some cards are known."""
    network, mask = reader.networks.indices, foreground_mask(coarse_sample(picture))
    outlines = [card_quad(card, None) for card in known]
    return [one.kind for one in find_card_sized_objects(picture, mask, outlines, long_px, network)]


@pytest.mark.parametrize(
    ("art", "reason"),
    [(JOKER, "joker"), (CUT_CARD, "cut_card"), (PAPER, "unread")],
    ids=["joker", "cut", "paper"],
)
def test_it_is_told_as_what_it_is(reader: CardReader, art: CardArt, reason: str) -> None:
    read = reader.read(take_picture(table(laid(art))).frame)
    assert near(read, (960, 400), 30) == {reason}
    assert len(read.cards) == 3


def test_a_card_that_was_read_is_no_object_again(reader: CardReader) -> None:
    cards = [placed(700, 400, 20, None), placed(1200, 400, 80, None)]
    picture = take_picture(table(*cards)).frame
    rest = [placed(250 + 200 * n, 850, 3.0 * n, None) for n in range(3)]
    assert kinds(reader, picture, rest, None) == ["back", "back"]
    assert kinds(reader, picture, [*rest, cards[0]], None) == ["back"]


@pytest.mark.parametrize(("long_px", "found"), [(130, 1), (190, 1), (220, 0), (90, 0)])
def test_what_is_not_as_large_as_the_cards_is_none(reader: CardReader, long_px: float, found: int) -> None:
    picture = take_picture(table(placed(960, 400, 20, None))).frame
    rest = [placed(250 + 200 * n, 850, 3.0 * n, None) for n in range(3)]
    assert len(kinds(reader, picture, rest, long_px)) == found


@pytest.mark.parametrize("shape", ["strip", "square", "chip", "speck"])
def test_other_shapes_are_none(reader: CardReader, shape: str) -> None:
    picture: Image = np.full((600, 800, 3), (60, 100, 30), np.uint8)
    far = {"strip": (440, 560), "square": (520, 320), "speck": (420, 230)}
    if shape == "chip":
        cv2.circle(picture, (450, 250), 50, (40, 40, 200), -1)
    else:
        cv2.rectangle(picture, (400, 200), far[shape], (40, 40, 200), -1)
    assert kinds(reader, picture, [], None) == []


def test_no_picture_holds_nothing(reader: CardReader) -> None:
    assert foreground_mask(np.zeros((0, 0, 3), np.uint8)).size == 0
    assert kinds(reader, np.zeros((1, 1, 3), np.uint8), [], None) == []


def test_a_frame_with_felt_within_is_no_card_face_down(reader: CardReader) -> None:
    """A box's outline is printed so, and a back whose middle is cut out looks like nothing else."""
    back = placed(960, 400, 20, None)
    height, width = back.art.image.shape[:2]
    alpha = back.art.alpha.copy()
    alpha[height // 6 : -height // 6, width // 5 : -width // 5] = 0
    framed = back._replace(art=back.art._replace(alpha=alpha))
    assert near(reader.read(take_picture(table(framed)).frame), (960, 400), 60) <= {"face_down"}
    told = [card.face for card in reader.read(take_picture(table(framed)).frame).cards]
    assert told.count("down") == 0
    assert [card.face for card in reader.read(take_picture(table(back)).frame).cards].count("down") == 1


def test_a_plain_sheet_in_a_strong_colour_is_a_cut_card(reader: CardReader) -> None:
    sheet = CUT_CARD._replace(image=np.full_like(CUT_CARD.image, (40, 200, 235)))
    read = reader.read(take_picture(table(laid(sheet))).frame)
    assert near(read, (960, 400), 30) == {"cut_card"}
    assert len(read.cards) == 3

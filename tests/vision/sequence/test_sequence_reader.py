"""Pictures of a resting camera through the real reader: small cards, a passing hand, a card that is taken."""

import cv2
import numpy as np

from tests.vision.index_kit import card, named
from vision.acceptance import Acceptance
from vision.geometry import Image
from vision.hands import as_point
from vision.reader import CardReader, Judge
from vision.reading import ReadCard, Reading
from vision.sequence import SequenceReader
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

CARDS = (
    TableHand(2, 1, (TableCard("6", "h"), TableCard("5", "c"))),
    TableHand(3, 1, (TableCard("K", "s"), TableCard("10", "d"))),
)
NAMES = {"6h", "5c", "Ks", "10d"}
TRUE = NAMES | {name[:-1] for name in NAMES}
"""What may be told: a suit may be left open."""


def frame(view: DrawnTableView, number: int, share: float = 1.0) -> Image:
    """Part of the demo's table as a camera of `share` of its pixels sees it, shaken by less than a pixel."""
    picture = render_frame(table_scene(view, seed=5), number)[60:420, 240:880]
    shake = np.random.default_rng((17, number)).uniform(-0.7, 0.7, 2)
    moved = np.array([[1, 0, shake[0]], [0, 1, shake[1]]])
    shaken = cv2.warpAffine(
        picture, moved, (picture.shape[1], picture.shape[0]), borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.resize(shaken, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))


def names(reading: Reading) -> dict[str, int | None]:
    return {name_of(card): card.track for card in reading.cards}


def name_of(card: ReadCard) -> str:
    return "down" if card.face == "down" else f"{card.rank}{card.suit or ''}"


def waved(picture: Image, number: int) -> Image:
    """The same with a hand over some of its cards."""
    covered = picture.copy()
    cv2.ellipse(covered, (150 + 60 * number, 220), (110, 90), 20, 0, 360, (118, 148, 205), -1)
    return covered


def test_cards_too_small_for_one_picture_are_told_in_time_and_never_wrongly(reader: CardReader) -> None:
    view = DrawnTableView(CARDS)
    sequence, told = SequenceReader(reader, 25.0), [set[str]()]
    for number in range(12):
        picture = frame(view, number, share=0.55)
        alone = set(names(reader.read(picture)))
        assert alone <= TRUE
        assert not alone >= NAMES
        told.append(set(names(sequence.read(picture))))
        assert told[-1] <= TRUE
    assert told[-1] == NAMES


def test_a_passing_hand_hides_no_card_and_changes_no_number(reader: CardReader) -> None:
    view, sequence = DrawnTableView(CARDS), SequenceReader(reader, 25.0)
    for number in range(6):
        before = names(sequence.read(frame(view, number)))
    assert set(before) == NAMES
    for number in range(6, 12):
        assert names(sequence.read(waved(frame(view, number), number - 6))) == before
    assert names(sequence.read(frame(view, 12))) == before


def test_a_card_that_is_taken_is_told_no_more(reader: CardReader) -> None:
    sequence = SequenceReader(reader, 25.0)
    for number in range(6):
        sequence.read(frame(DrawnTableView(CARDS), number))
    for number in range(6, 16):
        last = sequence.read(frame(DrawnTableView(CARDS[1:]), number))
    assert set(names(last)) == {"Ks", "10d"}


def test_a_card_face_down_is_told_after_some_pictures_and_never_named(reader: CardReader) -> None:
    hole = DrawnTableView((TableHand(2, 1, (TableCard("6", "h", "down"),)), *CARDS[1:]))
    sequence = SequenceReader(reader, 25.0)
    readings = [sequence.read(frame(hole, number)) for number in range(5)]
    assert [("down" in names(reading)) for reading in readings] == [False, False, True, True, True]
    assert "unproven" in {spot.reason for spot in readings[0].unclear}
    assert "6h" not in names(readings[-1])


def test_a_picture_of_another_size_is_another_camera(reader: CardReader) -> None:
    view, sequence = DrawnTableView(CARDS), SequenceReader(reader, 25.0)
    for number in range(4):
        before = names(sequence.read(frame(view, number)))
    later = [names(sequence.read(frame(view, number)[:, 4:])) for number in range(4, 8)]
    assert later[0] == {}
    assert set(later[-1]) == NAMES
    assert not set(later[-1].values()) & set(before.values())


class OtherCorner:
    """Reads two like indices: one certain, the other perhaps its card's; from the ninth on the other way."""

    def __init__(self) -> None:
        self._pictures = 0
        self._corners = [named("Kd", 100, 100), named("Kd", 160, 190, down=np.array([0.0, -1.0]))]

    def read(
        self,
        _: Image,
        judge: Judge | None = None,
        *,
        card_px: float | None = None,  # noqa: ARG002 - as `JudgedReader` has it
    ) -> Reading:
        self._pictures += 1
        one, other = self._corners if self._pictures < 9 else self._corners[::-1]
        doubted = card(other)._replace(rivals=(one,))
        assert judge is not None
        judged = judge(Acceptance([card(one)], [(doubted, "like_card")], None))
        places = [as_point(told.best.centre) for told in judged.accepted]
        return Reading(tuple(ReadCard("K", "d", 1.0, at, None, "up", 1) for at in places), (), 0.0)


def test_a_card_that_is_read_by_one_corner_and_then_by_the_other_is_told_once() -> None:
    sequence, picture = SequenceReader(OtherCorner(), 25.0), np.zeros((300, 300, 3), np.uint8)
    assert [len(sequence.read(picture).cards) for _ in range(25)][3:] == [1] * 22

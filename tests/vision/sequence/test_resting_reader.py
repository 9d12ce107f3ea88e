"""Cards too small for one picture, through the live tracker: locked by joined looks, never wrongly."""

import cv2
import numpy as np

from tests.vision.sequence.test_sequence_reader import CARDS, NAMES, TRUE, name_of
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import Reading
from vision.sequence import RestingReader
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.tracking import CardTracker
from vision.tracking.track import Locked

SHARE = 0.5
STEP_MS = 40


def small(view: DrawnTableView, number: int) -> Image:
    """Part of the demo's table, as a camera with half of its pixels sees it that does not shake."""
    picture = render_frame(table_scene(view, seed=5), number)[60:420, 240:880]
    return np.asarray(cv2.resize(picture, None, fx=SHARE, fy=SHARE, interpolation=cv2.INTER_AREA))


def told(reading: Reading) -> set[str]:
    return {name_of(card) for card in reading.cards}


def test_the_tracker_locks_what_no_single_picture_tells(reader: CardReader) -> None:
    view, tracker, locked = DrawnTableView(CARDS), CardTracker(RestingReader(reader)), dict[str, int]()
    single = told(reader.read(small(view, 0)))
    assert single <= TRUE
    assert not single >= NAMES
    for number in range(18):
        scene = tracker.update(small(view, number), number * STEP_MS)
        for event in scene.events:
            if isinstance(event, Locked):
                locked[event.name.rank + (event.name.suit or "")] = number * STEP_MS
    assert NAMES <= set(locked) <= TRUE
    # Still at 90 ms, then eight looks.
    assert max(locked.values()) <= 560


def test_looks_before_something_moved_count_no_more(reader: CardReader) -> None:
    view, resting = DrawnTableView(CARDS), RestingReader(reader)
    alone = told(reader.read(small(view, 0)))
    looks = [told(resting.read(small(view, number))) for number in range(5)]
    assert all(seen == alone for seen in looks)
    resting.forget(lambda at: at[0] < 320 * SHARE)
    again = [told(resting.read(small(view, number))) for number in range(5, 11)]
    left = {"6h", "5c"} - alone
    assert left
    assert not any(seen & left for seen in again[:5])
    assert again[-1] == NAMES


def test_looks_at_one_card_never_name_another_that_takes_its_place(reader: CardReader) -> None:
    resting = RestingReader(reader)
    other = DrawnTableView((TableHand(2, 1, (TableCard("6", "h"), TableCard("5", "s"))), CARDS[1]))
    for number in range(8):
        resting.read(small(DrawnTableView(CARDS), number))
    later = [told(resting.read(small(other, number))) for number in range(8, 30)]
    assert not any("5c" in seen for seen in later)


def test_a_part_of_the_picture_is_looked_at_with_what_the_whole_has_shown(reader: CardReader) -> None:
    view, resting = DrawnTableView(CARDS), RestingReader(reader)
    for number in range(5):
        resting.read(small(view, number))
    part = np.ascontiguousarray(small(view, 5)[20:, 10:])
    assert told(resting.read(part, 10, 20)) == NAMES

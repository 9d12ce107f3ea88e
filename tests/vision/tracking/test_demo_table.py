"""The demo's table through the real reader: dealt, hidden by a hand, doubled across, turned, cleared."""

import cv2

from tests.vision.tracking.stage_kit import STEP_MS, names
from vision.geometry import Image
from vision.reader import CardReader
from vision.sequence import RestingReader
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.tracking import CardTracker, TrackedScene
from vision.tracking.track import Gone, Locked, TrackEvent, Turned, UnclearSpot

WIDTH_PX, LEFT_PX = 640, 240
"""The part of the picture that is looked at: two boxes and none of the others' felt."""


class Table:
    """A camera that sees part of the demo's table."""

    def __init__(self, reader: CardReader) -> None:
        self.watcher = CardTracker(RestingReader(reader))
        self.now_ms = 0
        self.events: list[TrackEvent] = []

    def show(self, view: DrawnTableView, pictures: int, *, hand: bool = False) -> TrackedScene:
        scene = table_scene(view, seed=5)
        for number in range(pictures):
            picture = render_frame(scene, self.now_ms)[60:420, LEFT_PX : LEFT_PX + WIDTH_PX]
            self.now_ms += STEP_MS
            seen = self.watcher.update(self.waved(picture, number) if hand else picture, self.now_ms)
            self.events += seen.events
        return seen

    @staticmethod
    def waved(picture: Image, number: int) -> Image:
        waved = picture.copy()
        cv2.ellipse(waved, (60 + 9 * number, 220), (110, 80), 20, 0, 360, (118, 148, 205), -1)
        cv2.ellipse(waved, (60 + 9 * number, 220), (60, 30), 20, 0, 360, (98, 128, 180), -1)
        return waved


def hands(*cards: TableCard) -> DrawnTableView:
    return DrawnTableView((TableHand(2, 1, cards), TableHand(3, 1, (TableCard("K", "s"),))))


def test_a_round_is_followed_from_the_deal_to_the_clearing(reader: CardReader) -> None:
    table = Table(reader)
    table.show(DrawnTableView(()), 6)
    dealt = hands(TableCard("6", "h"), TableCard("5", "c"))
    before = names(table.show(dealt, 12))
    assert sorted(before.values()) == ["5c", "6h", "Ks"]
    assert [table.show(dealt, 1).regions for _ in range(16)][-8:] == [0] * 8

    assert names(table.show(dealt, 12, hand=True)) == before
    assert names(table.show(dealt, 8)) == before
    doubled = hands(TableCard("6", "h"), TableCard("5", "c"), TableCard("10", "d", across=True))
    after = names(table.show(doubled, 12))
    assert before.items() <= after.items()
    assert sorted(after.values()) == ["10d", "5c", "6h", "Ks"]
    assert sum(isinstance(event, Locked) for event in table.events) == 4

    assert table.show(DrawnTableView(()), 8).tracks == ()
    table.show(DrawnTableView(()), 64)
    assert sum(isinstance(event, Gone) for event in table.events) == 4
    assert not any(isinstance(event, UnclearSpot) for event in table.events)


def test_the_hole_card_says_nothing_until_it_is_turned_and_stays_itself(reader: CardReader) -> None:
    table = Table(reader)
    down = TableCard("Q", "h", face="down")
    dealt = DrawnTableView((TableHand(2, 1, (TableCard("9", "s"),)), TableHand(3, 1, (down,))))
    before = table.show(dealt, 12)
    hole = next(track.track for track in before.tracks if track.face == "down")
    assert [card.rank for card in before.cards if card.face == "down"] == [None]
    up = dealt._replace(hands=(dealt.hands[0], TableHand(3, 1, (down._replace(face="up"),))))
    after = table.show(up, 12)
    assert names(after)[hole] == "Qh"
    assert [event for event in table.events if isinstance(event, Turned)] == [Turned(hole)]

"""A live table whose camera looks at a drawn felt: through tracker, follower and the table's door."""

from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np

from controller.acts.catalogue import Bet, Close, Observation, ShoeLoaded
from controller.devices.cameras.deck import DeckEnrolment
from controller.devices.cameras.follower import FrameFollower, calibrate_in_place
from controller.devices.cameras.setup import CameraPlan
from controller.devices.cameras.tracker import CameraTracker
from controller.ports import Frame
from controller.runtime.api import Accepted, Observe
from controller.runtime.felt_witness import WitnessPlan
from tests.witnesses.live_round import FeltClock, LiveTable
from tests.witnesses.simulated_felt import USUAL, SimulatedFelt
from vision.calibration import load_layout
from vision.geometry import Image, Points
from vision.reader import CardReader
from vision.sequence import RestingReader
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

LAYOUT: Final = Path(__file__).resolve().parents[2] / "examples/layout.toml"
STEP_MS: Final = 100
BOXES: Final = (2, 5)
PICTURES: Final = 8
"""Of each card: it is taken with the fifth, and nothing follows with three more."""


class DrawnTable:
    """Boxes 2 and 5 of a table of the house `nl`; cards lie where the demo's camera draws them."""

    def __init__(self, folder: Path) -> None:
        self.layout = folder / "layout.toml"
        self.layout.write_bytes(LAYOUT.read_bytes())
        layout = load_layout(self.layout)
        self.time = SimulatedFelt(Random(1), USUAL)
        reader = RestingReader(CardReader.open(threads=1))
        calibration = partial(calibrate_in_place, self.layout, FeltClock(self.time))
        enrolment = DeckEnrolment(self.layout.with_suffix(".profile"))
        self.tracker = CameraTracker(reader, layout, deals=True, calibration=calibration, enrolment=enrolment)
        witness = WitnessPlan("overhead")
        self.table = LiveTable("nl", folder / "t.journal", self.time, witness, camera=self.tracker)
        plan = CameraPlan("overhead", self.tracker.box_at, 300, 0.98)
        self.follower = FrameFollower(self.tracker, plan)
        self.hands: dict[int, list[TableCard]] = {}
        self.bump = (0.0, 0.0, 0.0)
        self.light = 1.0
        self.over: list[tuple[int, int]] = []
        self.spread: Image | None = None
        self.number = 0
        self.shown: tuple[TableHand, ...] = ()
        self.pictures: dict[tuple[tuple[TableHand, ...], int], Image] = {}
        lines: list[Observation] = [ShoeLoaded(1)]
        lines += [Bet(box, 0, 1000) for box in BOXES]
        for line in (*lines, Close()):
            told = self.table.ask(Observe(line))
            assert isinstance(told, Accepted), told

    def drawn(self) -> Image:
        """One of three pictures of the cards that lie there."""
        hands = tuple(TableHand(box, 1, tuple(cards)) for box, cards in self.hands.items())
        if (hands, number := self.number % 3) not in self.pictures:
            if hands != self.shown:
                self.shown, self.pictures = hands, {}
            self.pictures[hands, number] = render_frame(table_scene(DrawnTableView(hands, BOXES), 5), number)
        return self.pictures[hands, number]

    def picture(self) -> Image:
        drawn = self.drawn().copy()
        if self.spread is not None:
            height, width = self.spread.shape[:2]
            drawn[100 : 100 + height, 300 : 300 + width] = self.spread
        for x, y in self.over:
            cv2.ellipse(drawn, (x, y), (110, 60), 80, 0, 360, (90, 120, 190), -1)
            cv2.line(drawn, (x, y), (x + 200, y + 1200), (40, 40, 50), 110)
        if any(self.bump):
            drawn = cv2.warpAffine(drawn, self.way(), (1920, 1080), borderMode=cv2.BORDER_REPLICATE)
        return drawn if self.light == 1.0 else np.asarray(cv2.convertScaleAbs(drawn, alpha=self.light))

    def way(self) -> Points:
        """How the bump moves the picture (2 x 3)."""
        right, down, turn_deg = self.bump
        way = cv2.getRotationMatrix2D((960, 540), turn_deg, 1)
        way[:, 2] += np.array((right, down))
        return np.asarray(way)

    def moved(self, places: Points) -> Points:
        """Where pixels of the camera in its place lie now."""
        way = self.way()
        return np.asarray(places @ way[:, :2].T + way[:, 2])

    def look(self, pictures: int = 1) -> None:
        for _ in range(pictures):
            self.number += 1
            self.time.now_ms += STEP_MS
            now_ns = self.time.now_ms * 1_000_000
            for told in self.follower.take(Frame(self.picture(), now_ns, self.number), now_ns):
                self.table.door.take(told)

    def lay(self, box: int, *cards: str, pictures: int = PICTURES) -> None:
        for card in cards:
            face = "down" if card == "?" else "up"
            name = TableCard(None, None, "down") if face == "down" else TableCard(card[:-1], card[-1])
            self.hands.setdefault(box, []).append(name)
            self.look(pictures)

    def deal(self) -> None:
        self.look(4)
        for box, card in ((2, "10h"), (5, "8c"), (0, "9d"), (2, "6s"), (5, "7d")):
            self.lay(box, card)
        self.lay(0, "?")

    @property
    def holds(self) -> list[str]:
        return [hold.code for hold in self.table.run.holds]

    def cards(self) -> dict[int, list[str]]:
        state = self.table.run.state
        boxes = {box.box: [str(one.card) for hand in box.hands for one in hand.cards] for box in state.boxes}
        return {**boxes, 0: [str(seen.card) for seen in state.dealer.cards]}

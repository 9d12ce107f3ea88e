"""The felt of a simulated round as the demo's camera draws it, read by the real reader.

    python -m tests.witnesses.drawn_felt 4 nl de --seed 1 [--deck FILE] [--keep FOLDER]

plays so many rounds of each house and tells how they were followed.
"""

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np

from controller.devices.cameras.felt_camera import FeltCamera, open_felt_camera
from controller.domain.cards import Card
from controller.domain.observations import Face
from controller.witnesses import FeltView
from tests.witnesses.simulated_felt import USUAL
from tests.witnesses.simulated_round import SimulatedRound
from vision.geometry import Image
from vision.synth import CASINO_STYLE, DrawnCard, Scene, draw_back, draw_card, take_picture
from vision.synth.demo_table import DEMO_ART_PX, felt_with_print

MM_A_PX: Final = 0.9565217391304348
"""As in examples/layout.toml."""
CARD_PX: Final = 92.0
LAYOUT: Final = Path(__file__).resolve().parents[2] / "examples/layout.toml"


@dataclass
class Drawn:
    card: Card
    box: int
    at_mm: tuple[float, float]
    turn_deg: float
    face: Face


@dataclass
class DrawnFelt:
    """As `SimulatedFelt`, with pictures."""

    chance: Random
    camera: FeltCamera
    keep: Path | None = None
    now_ms: int = 1000
    laid: dict[int, Drawn] = field(default_factory=dict)
    tracks: dict[int, int] = field(default_factory=dict)
    picture: Image | None = None

    def lay(self, n: int, card: Card, box: int, at_mm: tuple[float, float], turn: float, face: Face) -> None:
        gauss = self.chance.gauss
        at = (at_mm[0] + gauss(0, 1.5), at_mm[1] + gauss(0, 1.5))
        self.laid[n] = Drawn(card, box, at, turn - 90 + gauss(0, 2.5), face)
        self.picture = None

    def move(self, n: int, at_mm: tuple[float, float]) -> None:
        self.laid[n].at_mm = at_mm
        self.picture = None

    def turn_up(self, n: int) -> None:
        self.laid[n].face = "up"
        self.picture = None

    def take_away(self, numbers: list[int]) -> None:
        for n in numbers:
            self.laid.pop(n, None)
        self.picture = None

    def view(self) -> FeltView:
        if self.picture is None:
            self.picture = self.draw()
        noise = np.random.default_rng(self.now_ms).integers(0, 4, self.picture.shape, np.uint8)
        frame = np.asarray(cv2.add(self.picture, noise), np.uint8)
        if self.keep is not None:
            cv2.imwrite(str(self.keep / f"table_{self.now_ms:07d}.jpg"), frame)
        view = self.camera.look(frame, self.now_ms)
        for card in (*view.cards, *view.unread):
            near = min(
                self.laid, key=lambda n: np.hypot(*np.subtract(self.laid[n].at_mm, card.at_mm)), default=0
            )
            self.tracks.setdefault(card.track, near)
        return view

    def draw(self) -> Image:
        cards = []
        for one in self.laid.values():
            x, y = one.at_mm[0] / MM_A_PX, one.at_mm[1] / MM_A_PX
            rank, suit = str(one.card.rank), str(one.card.suit)
            down = one.face == "down"
            art = (
                draw_back(CASINO_STYLE, DEMO_ART_PX)
                if down
                else draw_card(CASINO_STYLE, rank, suit, DEMO_ART_PX)
            )
            cards.append(DrawnCard(art, x, y, one.turn_deg, CARD_PX, rank, suit, one.face))
        return take_picture(Scene(1920, 1080, felt_with_print(), tuple(cards))).frame


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("rounds", type=int)
    asked.add_argument("houses", nargs="+")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--deck", type=Path)
    asked.add_argument("--keep", type=Path)
    asked.add_argument("--shoe", action="store_true")
    options = asked.parse_args()
    for house in options.houses:
        verdicts: Counter[str] = Counter()
        for seed in range(options.seed, options.seed + options.rounds):
            began = time.process_time()
            played = SimulatedRound(house, seed, USUAL, shoe=options.shoe)
            folder = None if options.keep is None else options.keep / f"{house}_{seed}"
            if folder is not None:
                (folder / "frames").mkdir(parents=True, exist_ok=True)
            frames = None if folder is None else folder / "frames"
            played.felt = DrawnFelt(played.chance, open_felt_camera(LAYOUT, options.deck), frames)  # type: ignore[assignment]  # the same face
            outcome = played.play()
            verdicts[outcome.verdict] += 1
            if folder is not None:
                played.write(folder, "round")
            took = round(time.process_time() - began, 1)
            sys.stdout.write(
                json.dumps([house, seed, outcome.verdict, outcome.codes, outcome.asked, took]) + "\n"
            )
        sys.stdout.write(f"{house} {dict(verdicts)}\n")


if __name__ == "__main__":
    main()

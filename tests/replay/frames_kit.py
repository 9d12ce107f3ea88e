"""Drawn rounds as folders of pictures: part of the demo's table, seen by a camera with its own layout."""

import json
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.geometry import Image
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

LEFT, TOP, WIDTH, HEIGHT = 520, 100, 640, 960
"""The part of the demo's picture that is kept: box 3 and the dealer."""

MM_A_PX: Final = 0.9565217391304348
"""As in examples/layout.toml."""

STEP_MS: Final = 100
HEADER: Final = {"feed": 1, "table": "BJ1", "rules": "spielbank", "started_at": "2026-11-20T19:00:00Z"}


def write_layout(path: Path, *, box: bool = True) -> Path:
    """The layout of the camera that sees this part of the table."""
    corners = {"box": (530, 110, 850, 700), "dealer": (600, 900, 1155, 1050)}
    zones = [zone for zone in corners if box or zone == "dealer"]
    text = f"layout = 1\n[camera]\nwidth = {WIDTH}\nheight = {HEIGHT}\n[plane]\nhomography = [\n"
    text += f"[{MM_A_PX}, 0.0, {LEFT * MM_A_PX}], [0.0, {MM_A_PX}, {TOP * MM_A_PX}], [0.0, 0.0, 1.0]]\n"
    text += "[cards]\nsize_mm = [63, 88]\nindex_mm = 15.0\n"
    for zone in zones:
        x0, y0, x1, y1 = (round(side * MM_A_PX, 1) for side in corners[zone])
        number = "box = 3\n" if zone == "box" else ""
        text += f'[[zone]]\nkind = "{zone}"\n{number}outline_mm = '
        text += f"[[{x0}, {y0}], [{x1}, {y0}], [{x1}, {y1}], [{x0}, {y1}]]\n"
    text += '[origin]\ndate = "2026-11-22"\nmethod = "hand"\nresidual_px = 0.0\n'
    path.write_text(text)
    return path


def card(name: str, *, face: str = "up", across: bool = False) -> TableCard:
    """A card by its name, such as 10h."""
    return TableCard(name[:-1], name[-1], face, across)


class Filmed:
    """Lays cards and films them, six pictures after each change."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.now_ms = 1000
        self.hands: dict[tuple[int, int], list[TableCard]] = {}
        self.film(5)

    def lay(self, box: int, hand: int, laid: TableCard) -> int:
        """Lay a card; the time from which it shows."""
        began = self.now_ms
        self.hands.setdefault((box, hand), []).append(laid)
        self.film()
        return began

    def film(self, pictures: int = 6) -> None:
        """Take pictures of what lies there, with noise of their own."""
        hands = tuple(TableHand(*place, tuple(cards)) for place, cards in self.hands.items())
        frame = render_frame(table_scene(DrawnTableView(hands, (3,)), 5), 1)
        part = frame[TOP : TOP + HEIGHT, LEFT : LEFT + WIDTH]
        for _ in range(pictures):
            noise = np.random.default_rng(self.now_ms).integers(0, 3, part.shape, np.uint8)
            self.write(cv2.add(part, noise))

    def write(self, picture: Image) -> None:
        """Keep one picture, named by its time."""
        cv2.imwrite(str(self.folder / f"table_{self.now_ms:07d}.jpg"), picture)
        self.now_ms += STEP_MS


def write_feed(path: Path, *lines: dict[str, Any], **header: Any) -> Path:
    """A feed with these lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in ({**HEADER, **header}, *lines)))
    return path

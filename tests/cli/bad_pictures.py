"""A folder of files that are no good pictures, good ones first and last."""

import struct
import zlib
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image as Pillow

from vision.geometry import Image
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene

CARDS: Final = (("A", "s"), ("10", "h"))
"""What lies in the pictures that are good."""

READ: Final = frozenset({"good.jpg", "good.png", "cmyk.jpg", "grey.png", "odd.png"})
"""Files that can be opened, whatever they show; the others each get a sentence."""


def frame() -> Image:
    """A table with two cards."""
    view = DrawnTableView((TableHand(DEALER, 1, tuple(TableCard(*card) for card in CARDS)),))
    return render_frame(table_scene(view, 1), 1)


def _claims(width: int, height: int) -> bytes:
    """The start of a PNG that says it is that large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def make(folder: Path) -> list[Path]:
    """Writes the set; good pictures come first and last, so that nothing before them stops the batch."""
    picture = frame()
    cv2.imwrite(str(folder / "good.jpg"), picture)
    cv2.imwrite(str(folder / "good.png"), picture)
    cv2.imwrite(str(folder / "grey.png"), cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    cv2.imwrite(str(folder / "odd.png"), np.full((33, 4000, 3), 200, np.uint8))
    cv2.imwrite(str(folder / "deep.png"), np.full((64, 64, 3), 40000, np.uint16))
    cv2.imwrite(str(folder / "dot.png"), np.zeros((1, 1, 3), np.uint8))
    good = (folder / "good.jpg").read_bytes()
    (folder / "cut.jpg").write_bytes(good[: len(good) // 2])
    (folder / "head.jpg").write_bytes(good[:3])
    (folder / "text.png").write_text("not a picture")
    (folder / "empty.jpg").touch()
    (folder / "noise.jpg").write_bytes(np.random.default_rng(1).bytes(5000))
    (folder / "bomb.png").write_bytes(_claims(100_000, 100_000))
    (folder / "folder.jpg").mkdir()
    rgb = Pillow.fromarray(picture[..., ::-1])
    rgb.convert("CMYK").save(folder / "cmyk.jpg")
    rgb.save(folder / "moving.gif", save_all=True, append_images=[rgb])
    others = sorted(set(folder.iterdir()) - {folder / "good.jpg", folder / "good.png"})
    return [folder / "good.jpg", *others, folder / "missing.png", folder / "good.png"]

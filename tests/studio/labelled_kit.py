"""A folder of drawn pictures to label, and the page over it with the real reader."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from controller.ports import SystemClock
from controller.studio.labelling.folder import LabelFolder
from controller.studio.labelling.label_app import create_labelling
from controller.studio.labelling.read_pictures import ReadPictures, pictures_below
from tests.studio.studio_kit import LocalServer
from vision.reader import CardReader
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene


def draw(path: Path, *cards: tuple[str, str]) -> Path:
    """A picture of a table at which the dealer has these cards, as a camera's JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hand = TableHand(DEALER, 1, tuple(TableCard(rank, suit) for rank, suit in cards))
    drawn = render_frame(table_scene(DrawnTableView((hand,)), 1), 1)
    assert cv2.imwrite(str(path), drawn)
    return path


def rows(folder: Path, name: str = "labels.jsonl") -> list[dict[str, Any]]:
    """The objects of a file of lines."""
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


@contextmanager
def labelling(folder: Path) -> Iterator[LocalServer]:
    """The page over a folder, served until it is left."""
    pictures = ReadPictures(pictures_below(folder), CardReader.open(threads=1).read)
    try:
        labels = LabelFolder(folder, pictures, "test", SystemClock())
        with LocalServer(partial(create_labelling, labels)) as server:
            yield server
    finally:
        pictures.close()

"""Files that are no good pictures are named; small and odd ones are still read."""

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.domain import TableError
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene


def png(path: Path, image: np.ndarray) -> Path:
    cv2.imwrite(str(path), image)
    return path


def frame() -> np.ndarray:
    view = DrawnTableView((TableHand(DEALER, 1, (TableCard("A", "s"), TableCard("10", "h"))),))
    return render_frame(table_scene(view, 1), 1)


def code_of(path: Path) -> str:
    with pytest.raises(TableError) as caught:
        load_picture(path)
    assert caught.value.params["file"] == str(path)
    return caught.value.code


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.touch()
    assert code_of(path) == "PICTURE_EMPTY"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert code_of(tmp_path / "none.png") == "PICTURE_MISSING"


def test_a_folder_and_a_text_are_no_pictures(tmp_path: Path) -> None:
    text = tmp_path / "a.png"
    text.write_text("not a picture")
    assert code_of(text) == code_of(tmp_path) == "PICTURE_NOT_A_PICTURE"


@pytest.mark.parametrize("suffix", ["jpg", "png"])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.98])
def test_a_cut_off_picture_is_refused(tmp_path: Path, suffix: str, share: float) -> None:
    path = png(tmp_path / f"a.{suffix}", frame())
    data = path.read_bytes()
    path.write_bytes(data[: max(8, int(len(data) * share))])
    assert code_of(path) == "PICTURE_TRUNCATED"


def test_sixteen_bits_are_refused(tmp_path: Path) -> None:
    assert code_of(png(tmp_path / "a.png", np.full((64, 64, 3), 40000, np.uint16))) == "PICTURE_DEPTH"


def test_a_picture_that_claims_a_huge_size_is_not_decoded(tmp_path: Path) -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk)
    assert code_of(path) == "PICTURE_TOO_LARGE"


def test_a_tiny_picture_is_refused(tmp_path: Path) -> None:
    assert code_of(png(tmp_path / "a.png", np.zeros((8, 200, 3), np.uint8))) == "PICTURE_TOO_SMALL"


@pytest.mark.parametrize("shape", [(33, 400), (400, 33), (64, 64)])
def test_odd_sizes_are_read_without_cards(tmp_path: Path, shape: tuple[int, int], reader: CardReader) -> None:
    image = load_picture(png(tmp_path / "a.png", np.full((*shape, 3), 200, np.uint8)))
    assert reader.read(image).cards == ()

"""Files that are no good pictures: named, and the rest of the batch is still read."""

import json
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from controller.cli.read import read
from controller.domain.errors import TableError
from vision.pictures.files import load_picture
from vision.synth import DEALER, TableCard, TableHand, TableView, render_frame, table_scene


def png(path: Path, image: np.ndarray) -> Path:
    cv2.imwrite(str(path), image)
    return path


def frame() -> np.ndarray:
    view = TableView((TableHand(DEALER, 1, (TableCard("A", "s"), TableCard("10", "h"))),))
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
def test_odd_sizes_are_read_without_cards(tmp_path: Path, shape: tuple[int, int], reader: object) -> None:
    image = load_picture(png(tmp_path / "a.png", np.full((*shape, 3), 200, np.uint8)))
    assert reader.read(image).cards == ()  # type: ignore[attr-defined]  # the fixture is typed in conftest


def command() -> typer.Typer:
    app = typer.Typer()
    app.command()(read)
    return app


def test_a_bad_picture_does_not_stop_the_batch(tmp_path: Path) -> None:
    good, bad = png(tmp_path / "good.png", frame()), tmp_path / "bad.jpg"
    bad.write_text("?")
    result = CliRunner().invoke(command(), ["--json", str(bad), str(good)])
    assert result.exit_code == 1
    (line,) = (json.loads(line) for line in result.stdout.splitlines())
    assert [(card["rank"], card["suit"]) for card in line["cards"]] == [("A", "s"), ("10", "h")]
    assert str(bad) in result.stderr


def test_json_has_the_fields_of_the_feed_format(tmp_path: Path) -> None:
    path = png(tmp_path / "good.png", frame())
    result = CliRunner().invoke(command(), ["--json", str(path)])
    assert result.exit_code == 0
    line = json.loads(result.stdout)
    assert (line["file"], line["width"], line["height"]) == (str(path), 1920, 1080)
    assert line["ms"] > 0
    assert line["unclear"] == []
    card = line["cards"][0]
    assert set(card) == {"rank", "suit", "p", "at", "quad", "face", "hand"}
    assert 0.5 < card["p"] <= 1
    assert np.shape(card["quad"]) == (4, 2)


def test_people_get_a_table(tmp_path: Path) -> None:
    result = CliRunner().invoke(command(), [str(png(tmp_path / "good.png", frame()))])
    assert result.exit_code == 0
    assert "A♠" in result.stdout
    assert "10♥" in result.stdout

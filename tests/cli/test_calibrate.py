"""`stand17 calibrate` as a technician calls it: sheets to print, a layout that reads, refusals in words."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from controller.cli.read import calibrate
from tests.vision.calibration.table_kit import Shot, felt, lay_sheet, shoot
from vision.calibration.layout import load_layout, load_reference
from vision.calibration.sheets import find_sheets
from vision.geometry import Image
from vision.pictures import load_picture

SHOT = Shot(1280, 720, view_mm=640, tilt_deg=8, axis_deg=60)
PLAN = """
plan = 1
[cards]
index_mm = 13
[[sheet]]
name = "A4-1"
at_mm = [794, 420]
[[zone]]
kind = "box"
box = 4
outline_mm = [[800, 430], [1000, 430], [1000, 600], [800, 600]]
[[zone]]
kind = "dealer"
outline_mm = [[100, 30], [200, 30], [200, 130], [100, 130]]
"""


@cache
def table() -> Image:
    canvas = felt()
    lay_sheet(canvas, "A4-1", (794, 420))
    return canvas


@cache
def picture(seed: int) -> Image:
    return shoot(table(), SHOT, seed)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    for number in (1, 2):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(number))
    return tmp_path


def run(*arguments: str, language: str = "en") -> Result:
    app = typer.Typer()
    app.command()(calibrate)
    return CliRunner().invoke(app, [*arguments], env={"LC_ALL": f"{language}_XX.UTF-8"})


def test_a_good_set_up_becomes_a_layout_that_says_where_it_came_from(folder: Path) -> None:
    done = run("1.png", "2.png", "--plan", "plan.toml", "--boxes", "4", "--picture", "found.jpg")
    assert done.exit_code == 0, done.output
    assert "box 4" in done.output
    layout = load_layout(folder / "layout.toml")
    assert [zone.number for zone in layout.zone] == [4]
    assert (layout.camera.width, layout.camera.height) == (1280, 720)
    assert (layout.origin.method, layout.origin.residual_px < 0.3) == ("sheet", True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", layout.origin.date)
    reference = load_reference(layout, folder / "layout.toml")
    assert reference is not None
    assert (reference == load_picture(folder / "1.png")).all()
    assert load_picture(folder / "found.jpg").shape == (720, 1280, 3)
    place = layout.flat.to_mm(SHOT.plane().to_px(np.array([[900.0, 500.0]])))[0]
    assert np.hypot(*(place - (900, 500))) < 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Turn or raise the camera"),
        ("nl", "Draai of verhoog de camera"),
        ("de", "Kamera drehen"),
        ("fr", "Tournez ou relevez"),
        ("it", "Girare o alzare"),
    ],
)
def test_a_refusal_says_what_to_do_in_the_user_s_language(folder: Path, language: str, words: str) -> None:
    (folder / "layout.toml").write_text("mine")
    done = run("1.png", "--plan", "plan.toml", "--picture", "found.png", "--force", language=language)
    assert done.exit_code == 1
    assert words in done.stderr
    assert (folder / "layout.toml").read_text() == "mine"
    assert (folder / "found.png").exists()
    assert not list(folder.glob("*.reference.png"))


def test_boxes_may_be_marked_in_the_picture(folder: Path) -> None:
    marks = ("--mark", "2=420,330", "--mark", "0=860,330", "--reach-mm", "60")
    done = run("1.png", "2.png", *marks, "--index-mm", "15", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["type"], told["file"], told["found"]) == ("calibration", "layout.toml", ["A4-1"])
    assert [(zone["kind"], zone["box"]) for zone in told["zones"]] == [("dealer", None), ("box", 2)]
    layout = load_layout(folder / "layout.toml")
    assert {zone.number for zone in layout.zone} == {0, 2}
    assert layout.cards.rank_mm == 15
    middles = {zone.number: layout.flat.to_px(zone.corners()).mean(0) for zone in layout.zone}
    assert np.hypot(*(middles[2] - (420, 330))) < 6


def test_marks_that_overlap_are_refused(folder: Path) -> None:
    done = run("1.png", "--mark", "2=420,330", "--mark", "3=440,330")
    assert done.exit_code == 1
    assert "zones overlap" in done.stderr
    told = json.loads(run("1.png", "--mark", "2=420,330", "--mark", "3=440,330", "--json").stdout)
    assert told["file"] is None
    assert any(one["refuses"] and "zones overlap" in one["message"] for one in told["complaints"])
    assert not (folder / "layout.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--plan", "plan.toml"), "No pictures"),
        (("1.png",), "where the boxes are"),
        (("1.png", "--plan", "none.toml"), "none.toml cannot be opened"),
        (("1.png", "--mark", "8=1,2"), "8=1,2 is no mark"),
        (("1.png", "--plan", "plan.toml", "--boxes", "1-4"), "1-4 is no mark"),
        (("plan.toml", "--plan", "plan.toml"), "plan.toml is wrong at"),
        (("1.png", "--plan", "plan.toml", "--print", "1.png"), "no known size"),
        (("text.png", "--plan", "plan.toml"), "not a JPEG or PNG"),
        (("--make-sheet", "a.gif"), "a.gif"),
        (("--make-sheet", "a.pdf", "--sheet", "A5-1"), "A5-1"),
        (("1.png", "--plan", "plan.toml", "--boxes", "4", "--out", "none/l.toml"), "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_named(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    (folder / "text.png").write_text("not a picture")
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_camera_of_a_configuration_is_asked_for_pictures(folder: Path) -> None:
    (folder / "frames").mkdir()
    for number in (1, 2):
        (folder / f"{number}.png").rename(folder / "frames" / f"{number}.png")
    camera = "[camera]\nsource = 'frames'\nfps = 30\nloop = true\nlayout = 'layout.toml'\n"
    table = "[table]\nname = 'T'\nrules = 'de'\n[journal]\nfile = 'j'\n[shoe]\nport = 'socket://[::1]:1'\n"
    (folder / "table.toml").write_text(table + camera)
    done = run("table.toml", "--plan", "plan.toml", "--boxes", "4", "--count", "3")
    assert done.exit_code == 0, done.output
    assert load_layout(folder / "layout.toml").camera.width == 1280


@pytest.mark.parametrize("name", ["A4-3", "A3-1"])
def test_a_printed_sheet_has_its_true_size(folder: Path, name: str) -> None:
    done = run("--make-sheet", "sheet.png", "--sheet", name)
    assert done.exit_code == 0
    (written,) = folder.glob(f"sheet.{name}.*mm.png")
    data = written.read_bytes()
    at = data.index(b"pHYs")
    px_per_mm = int.from_bytes(data[at + 4 : at + 8], "big") / 1000
    image = load_picture(written)
    width = {"A4-3": 297, "A3-1": 420}[name]
    assert image.shape[1] / px_per_mm == pytest.approx(width, rel=0.001)
    small = cv2.resize(image, None, fx=0.3, fy=0.3, interpolation=cv2.INTER_AREA)
    (seen,) = find_sheets(small).values()
    assert (seen.sheet.name, seen.share) == (name, 1.0)
    apart = np.hypot(*(seen.pixels[-1] - seen.pixels[0])) / (0.3 * px_per_mm)
    assert apart == pytest.approx(np.hypot(*(seen.places_mm[-1] - seen.places_mm[0])), rel=0.002)


def test_the_pdf_of_a_sheet_shows_the_same(folder: Path) -> None:
    assert run("--make-sheet", "sheet.pdf").exit_code == 0
    data = (folder / "sheet.A4-1.297x210mm.pdf").read_bytes()
    box = re.search(rb"MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert box is not None
    assert [float(side) / 72 * 25.4 for side in box.groups()] == pytest.approx([297, 210], abs=0.01)
    image = np.full((2100, 2970), 255, np.uint8)
    for found in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re", data):
        x, y, width, height = (float(value) for value in found)
        rows = slice(round((210 - y - height) * 10), round((210 - y) * 10))
        image[rows, round(x * 10) : round((x + width) * 10)] = 0
    (seen,) = find_sheets(cv2.resize(image, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)).values()
    assert (seen.sheet.name, seen.share) == ("A4-1", 1.0)


def test_the_command_is_listed() -> None:
    program = [sys.executable, "-c", "from controller.cli import main; main()", "--help"]
    assert "calibrate" in subprocess.run(program, capture_output=True, text=True, check=True).stdout

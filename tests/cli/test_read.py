"""The command that reads pictures: its table, its JSON, and a bad picture among good ones."""

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import typer
from typer.testing import CliRunner

from controller.cli.read import read
from tests.cli import bad_pictures
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene


def picture(path: Path, share: float = 1.0) -> Path:
    """A drawn table, at `share` of its size: the dealer has the ace of spades and the ten of hearts."""
    view = DrawnTableView((TableHand(DEALER, 1, (TableCard("A", "s"), TableCard("10", "h"))),))
    drawn = render_frame(table_scene(view, 1), 1)
    cv2.imwrite(str(path), cv2.resize(drawn, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))
    return path


def command() -> typer.Typer:
    app = typer.Typer()
    app.command()(read)
    return app


def test_every_bad_picture_gets_a_sentence_and_the_good_ones_are_read(tmp_path: Path) -> None:
    files = bad_pictures.make(tmp_path)
    command = [sys.executable, "-c", "from controller.cli import main; main()", "read", "--json"]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    lines = (json.loads(line) for line in done.stdout.splitlines())
    cards = {Path(line["file"]).name: [card["rank"] for card in line["cards"]] for line in lines}
    assert set(cards) == bad_pictures.READ
    assert [cards[name] for name in ("good.jpg", "good.png", "cmyk.jpg")] == [["A", "10"]] * 3
    refused = {file for file in files for line in done.stderr.splitlines() if line.startswith(str(file))}
    assert {file.name for file in refused} | set(cards) == {file.name for file in files}
    assert len(done.stderr.splitlines()) == len(refused)


def test_json_has_the_fields_of_the_feed_format(tmp_path: Path) -> None:
    path = picture(tmp_path / "good.png")
    result = CliRunner().invoke(command(), ["--json", str(path)])
    assert result.exit_code == 0
    line = json.loads(result.stdout)
    assert (line["file"], line["width"], line["height"]) == (str(path), 1920, 1080)
    assert line["ms"] > 0
    assert line["steps"] == ["other_exposures"]
    assert line["unclear"] == []
    card = line["cards"][0]
    assert set(card) == {"rank", "suit", "p", "at", "quad", "face", "hand"}
    assert 0.5 < card["p"] <= 1
    assert np.shape(card["quad"]) == (4, 2)


def test_a_layout_hands_the_size_of_a_card_to_the_reader(tmp_path: Path) -> None:
    path, layout = picture(tmp_path / "good.png"), Path(__file__).parents[2] / "examples/layout.toml"
    told = CliRunner().invoke(command(), ["--json", "--layout", str(layout), str(path)])
    assert json.loads(told.stdout)["steps"] == ["card_size", "other_exposures"]
    joined = CliRunner().invoke(command(), ["--json", "--sequence", "--layout", str(layout), str(path)])
    assert json.loads(joined.stdout)["steps"] == ["card_size", "sequence"]


def test_a_card_too_small_for_its_suit_is_told_by_its_rank(tmp_path: Path) -> None:
    path = str(picture(tmp_path / "small.png", share=0.5))
    told = CliRunner().invoke(command(), ["--json", path])
    assert [(card["rank"], card["suit"]) for card in json.loads(told.stdout)["cards"]] == [
        ("A", None),
        ("10", "h"),
    ]
    shown = CliRunner().invoke(command(), [path]).stdout
    assert "│ A  " in shown


def test_people_get_a_table(tmp_path: Path) -> None:
    result = CliRunner().invoke(command(), [str(picture(tmp_path / "good.png"))])
    assert result.exit_code == 0
    assert "A♠" in result.stdout
    assert "10♥" in result.stdout


def test_frames_of_a_sequence_tell_each_card_with_its_track(tmp_path: Path) -> None:
    path = picture(tmp_path / "good.png")
    result = CliRunner().invoke(command(), ["--json", "--sequence", "--fps", "30", *[str(path)] * 5])
    assert result.exit_code == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["file"] for line in lines] == [str(path)] * 5
    assert lines[0]["cards"] == []
    assert {spot["reason"] for spot in lines[0]["unclear"]} == {"unproven"}
    told = [{(card["rank"], card["suit"]): card["track"] for card in line["cards"]} for line in lines]
    assert told[-1] == told[-2]
    assert set(told[-1]) == {("A", "s"), ("10", "h")}
    assert len(set(told[-1].values())) == 2


def test_people_get_a_table_of_a_sequence(tmp_path: Path) -> None:
    result = CliRunner().invoke(command(), ["--sequence", *[str(picture(tmp_path / "good.png"))] * 3])
    assert result.exit_code == 0
    assert "A♠" in result.stdout

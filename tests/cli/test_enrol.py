"""The command that makes deck profiles: its file, its answer, its refusals, and reading with it."""

import json
from pathlib import Path

import cv2
import pytest
import typer
from typer.testing import CliRunner

from controller.cli.enrol import enrol_deck
from controller.cli.read import read
from tests.vision.enrolment.deck_kit import ENGLISH, ORDER, spread


def run(*args: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command("enrol")(enrol_deck)
    app.command("read")(read)
    result = CliRunner().invoke(app, list(args))
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("deck")
    paths = [folder / f"{number}.png" for number in range(2)]
    for number, path in enumerate(paths):
        cv2.imwrite(str(path), spread(ENGLISH, number).image)
    return [str(path) for path in paths]


IN_ORDER = " ".join(f"{name.rank}{name.suit}" for name in ORDER)


def test_a_proven_profile_is_written_told_and_read_with(pictures: list[str], tmp_path: Path) -> None:
    out = tmp_path / "deck.profile"
    code, said, _ = run("enrol", *pictures, "--order", IN_ORDER, "-o", str(out), "--json")
    assert code == 0
    answer = json.loads(said)
    assert (answer["proven"], answer["cards"], answer["figures"]["wrong"]) == (True, 52, 0)
    assert [picture["file"] for picture in answer["pictures"]] == ["0.png", "1.png"]
    assert answer["sha256"] == json.loads(out.read_text())["sha256"]
    code, said, _ = run("read", "--json", "--deck", str(out), pictures[0])
    names = {(card["rank"], card["suit"]) for card in json.loads(said)["cards"]}
    assert code == 0
    assert len(names) > 40


def test_no_file_where_the_profile_cannot_prove_itself(pictures: list[str], tmp_path: Path) -> None:
    out = tmp_path / "deck.profile"
    code, said, complaint = run("enrol", *pictures, "--order", "As 2s 3s", "-o", str(out), "--json")
    assert (code, out.exists()) == (1, False)
    assert json.loads(said)["proven"] is False
    assert "no profile" in complaint


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--order", "As", "--labels", "x"],
        ["--order", "As Zz"],
        ["--labels", "nowhere.jsonl"],
    ],
    ids=["neither", "both", "no card", "no labels"],
)
def test_wrong_labels_are_named_before_anything_is_read(
    pictures: list[str], tmp_path: Path, args: list[str]
) -> None:
    out = tmp_path / "deck.profile"
    code, _, complaint = run("enrol", *pictures, *args, "-o", str(out))
    assert (code, out.exists()) == (2, False)
    assert complaint


def test_a_picture_without_labels_is_named(pictures: list[str], tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"file":"0.png","cards":[]}\n')
    code, _, complaint = run("enrol", *pictures, "--labels", str(labels), "-o", str(tmp_path / "o"))
    assert (code, "1.png" in complaint) == (2, True)


def test_a_bad_picture_makes_no_profile(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_text("?")
    code, _, complaint = run("enrol", str(bad), "--order", IN_ORDER, "-o", str(tmp_path / "o"))
    assert (code, "bad.jpg" in complaint) == (1, True)


def test_reading_with_a_profile_that_is_none_ends_before_a_picture(
    tmp_path: Path, pictures: list[str]
) -> None:
    code, said, complaint = run("read", "--deck", str(tmp_path / "none"), pictures[0])
    assert (code, said) == (2, "")
    assert "none" in complaint

"""The command that makes deck profiles: its file, its answer, its refusals, and reading with it."""

import json
from pathlib import Path

import cv2
import pytest
import typer
from typer.testing import CliRunner

from controller.cli.read import enrol, read
from controller.i18n import with_signs
from tests.replay.dealt_kit import Laid, dealt_rounds, drawn, filmed, place_of
from tests.vision.enrolment.deck_kit import ENGLISH, ORDER, spread


def run(*args: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command("enrol")(enrol)
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
    """The pictures are those of the table's own camera, of a spread for each."""
    out, table = tmp_path / "deck.profile", tmp_path / "table.toml"
    camera = f"[camera]\nsource = '{Path(pictures[0]).parent}'\nfps = 30\nloop = true\nlayout = 'l'\n"
    table.write_text(
        "[table]\nname = 'T'\nrules = 'de'\n[journal]\nfile = 'j'\n[shoe]\nport = 'socket://[::1]:1'\n"
        + camera
    )
    code, said, complaint = run("enrol", str(table), "--order", IN_ORDER, "-o", str(out), "--json")
    assert code == 0, complaint
    answer = json.loads(said)
    assert (answer["proven"], answer["cards"], answer["figures"]["wrong"]) == (True, 52, 0)
    assert [picture["file"] for picture in answer["pictures"]] == ["camera 1", "camera 2"]
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


@pytest.mark.night
def test_some_recorded_rounds_of_a_table_make_a_profile(tmp_path: Path) -> None:
    recording = filmed(dealt_rounds(tmp_path / "table", 9), tmp_path / "evening.mcap")
    out = tmp_path / "deck.profile"
    code, said, _ = run("enrol", str(recording), "-o", str(out), "--json")
    answer = json.loads(said)
    assert (code, answer["proven"], answer["cards"], answer["figures"]["wrong"]) == (0, True, 52, 0)
    assert [picture["file"] for picture in answer["pictures"]] == ["evening.mcap"]
    assert (answer["recorded"]["used"], answer["recorded"]["not_shown"]) == (9, [])
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), drawn([("Kh", place_of(0), False), ("4s", place_of(1), False)]))
    code, said, _ = run("read", "--json", "--deck", str(out), str(picture))
    assert {(card["rank"], card["suit"]) for card in json.loads(said)["cards"]} == {("K", "h"), ("4", "s")}


def test_too_few_rounds_say_what_is_still_missing(tmp_path: Path) -> None:
    """A folder of recordings stands for those in it."""
    filmed(dealt_rounds(tmp_path / "table", 3), tmp_path / "shift.mcap")
    out = tmp_path / "deck.profile"
    (tmp_path / "shift").mkdir()
    (tmp_path / "shift.mcap").rename(tmp_path / "shift" / "a.mcap")
    code, said, complaint = run("enrol", str(tmp_path / "shift"), "-o", str(out), "--json")
    answer = json.loads(said)
    assert (code, out.exists(), answer["code"]) == (1, False, "ENROL_MORE_ROUNDS")
    assert set(answer["names"].split()) & set("A23456789JQK")
    assert f"({with_signs(answer['cards'])})" in complaint
    assert answer["missing"] == len(answer["cards"].split()) > 20


def test_a_shoe_that_names_other_cards_than_the_camera_sees_makes_no_profile(tmp_path: Path) -> None:
    recording = filmed(dealt_rounds(tmp_path / "table", 2), tmp_path / "a.mcap", told_wrongly)
    out = tmp_path / "deck.profile"
    code, said, complaint = run("enrol", str(recording), "-o", str(out), "--json")
    answer = json.loads(said)
    assert (code, out.exists(), answer["code"]) == (1, False, "ENROL_ROUNDS_DIFFER")
    assert answer["recorded"]["used"] == 0
    assert "shoe" in complaint


def told_wrongly(_: int, laid: Laid) -> Laid:
    """Twos and threes of spades lie there, whatever the shoe says."""
    return [("2s" if number % 2 else "3s", at, down) for number, (_, at, down) in enumerate(laid)]


def test_a_recording_needs_no_order(tmp_path: Path) -> None:
    recording = tmp_path / "a.mcap"
    recording.write_bytes(b"")
    code, _, complaint = run("enrol", str(recording), "--order", "As", "-o", str(tmp_path / "o"))
    assert (code, bool(complaint)) == (2, True)
    code, _, complaint = run("enrol", str(recording), "-o", str(tmp_path / "o"))
    assert (code, "a.mcap" in complaint) == (2, True)

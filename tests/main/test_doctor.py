"""`stand17 doctor` tries everything before a table opens, and says what is wrong and how to mend it."""

import json
import socket
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from controller.cli.devices import doctor
from controller.config import load_config
from controller.devices.cameras.setup import camera_setups
from controller.domain import ConfigError
from controller.i18n import LANGUAGES, catalogue
from controller.main.doctor import before_opening, examine
from controller.ports import SystemClock
from drivers.simulated import PtyShoe
from tests import people_kit

EXAMPLE = Path(__file__).parents[2] / "examples" / "layout.toml"

CONFIG = """
[table]
name = "BJ1"
rules = "{rules}"
[journal]
file = "table.journal"
[web]
port = {port}
[software]
allow_unreleased = true
[recording]
disk_budget_mb = {budget}
[shoe]
port = "{shoe}"
[camera]
source = "pictures"
loop = true
fps = 30
layout = "layout.toml"
"""


def table(folder: Path, **told: object) -> Path:
    """A table's folder whose camera sees an empty, well lit felt."""
    layout = EXAMPLE.read_text(encoding="utf-8")
    (folder / "layout.toml").write_text(layout, encoding="utf-8")
    (folder / "pictures").mkdir()
    draw(folder, felt=90, paper=200)
    path = folder / "table.toml"
    known = {"rules": "spielbank", "port": 0, "budget": 64, "shoe": "/dev/ttyNONE", **told}
    path.write_text(CONFIG.format(**known), encoding="utf-8")
    return path


def draw(folder: Path, felt: int, paper: int) -> None:
    image = np.full((1080, 1920, 3), felt, np.uint8)
    image[:, :200] = paper
    cv2.imwrite(str(folder / "pictures" / "0.png"), image)


def asked(config: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    app = typer.Typer()
    app.command()(doctor)
    done = CliRunner().invoke(app, [str(config), "--json", *arguments])
    return done.exit_code, json.loads(done.stdout)


def found(told: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Check, level and code of everything that is not fine."""
    return {(one["check"], one["level"], one["code"]) for one in told["findings"] if one["level"] != "fine"}


def test_a_table_that_lacks_nothing_may_open(tmp_path: Path) -> None:
    shoe = PtyShoe()
    people_kit.people_file(tmp_path)
    try:
        status, told = asked(table(tmp_path, shoe=shoe.port))
    finally:
        shoe.close()
    assert (status, told["ok"]) == (0, True), found(told)
    assert {code for _, _, code in found(told)} <= {
        "CLOCK_UNSYNCHRONISED",
        "REFERENCE_MISSING",
        "RANK_TOO_SMALL",
    }
    assert sorted(one["subject"] for one in told["findings"] if one["check"] == "devices") == [
        "camera",
        "shoe",
    ]
    ranks = {
        one["params"]["box"]: float(one["params"]["px"]) for one in told["findings"] if "px" in one["params"]
    }
    assert set(ranks) == set(range(8))
    assert all(abs(px - 15.7) < 0.1 for px in ranks.values()), ranks


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config = table(
            tmp_path, rules="casino", port=taken.getsockname()[1], budget=1 << 40, shoe="/dev/ttyNONE"
        )
        draw(tmp_path, felt=20, paper=60)
        journal = tmp_path / "table.journal"
        journal.touch()
        journal.chmod(0o644)
        status, told = asked(config, "--language", "de", "--seconds", "5")
    assert (status, told["ok"]) == (1, False)
    assert found(told) >= {
        ("rules", "problem", "RULES_UNKNOWN"),
        ("people", "problem", "PEOPLE_MISSING"),
        ("port", "problem", "PORT_BUSY"),
        ("disk", "advice", "DISK_SMALL"),
        ("files", "advice", "FILE_OPEN_TO_OTHERS"),
        ("devices", "problem", "NOT_THERE"),
        ("camera", "advice", "LIGHT_LOW"),
    }
    (small,) = (one["text"] for one in told["findings"] if one["code"] == "DISK_SMALL")
    assert str(tmp_path) in small
    assert "MB" in small
    assert small != catalogue("en")["doctor.DISK_SMALL"]
    assert journal.read_bytes() == b""


def test_retired_settings_are_named_with_what_replaces_them(tmp_path: Path) -> None:
    config = table(tmp_path)
    with config.open("a", encoding="utf-8") as file:
        file.write('[[notify]]\nurls = ["ntfys://user:secret@ntfy.example/pit"]\n')
    app = typer.Typer()
    app.command()(doctor)
    done = CliRunner().invoke(app, [str(config), "--seconds", "0"], env={"COLUMNS": "300", "LC_ALL": "en"})
    assert "[[notify]] has no effect any more" in done.stdout
    assert "[on_alert]" in done.stdout
    assert "secret" not in done.stdout


NEAR = """
name = "wide"
[[camera]]
name = "near"
source = "pictures"
layout = "near.toml"
[witnesses]
source = "both"
camera = ["wide", "near"]
"""


def with_second_camera(folder: Path, near_mm: float = 0.0) -> Path:
    """A table with a camera that sees boxes 1 to 4 twice as large; its box 4 lies so far beside the plan."""
    config = table(folder)
    text = (folder / "layout.toml").read_text(encoding="utf-8")
    kept = text[: text.index('[[zone]]\nkind = "box"\nbox = 5')].replace(
        "0.9565217391304348", "0.4782608695652174"
    )
    kept = kept.replace("789.7", f"{789.7 + near_mm}").replace("1044.1", f"{1044.1 + near_mm}")
    (folder / "near.toml").write_text(kept + text[text.index("[origin]") :], encoding="utf-8")
    config.write_text(
        config.read_text(encoding="utf-8").replace("[camera]", "[[camera]]") + NEAR, encoding="utf-8"
    )
    return config


def test_which_camera_owns_each_box_is_told(tmp_path: Path) -> None:
    told = examine(load_config(with_second_camera(tmp_path)), tmp_path, SystemClock(), 0)
    owned = {
        one.params["box"]: (one.subject, one.params["px"]) for one in told if one.key == "doctor.BOX_OWNED"
    }
    near, wide = ("near", "2.09"), ("wide", "1.04")
    assert owned == {0: wide, **dict.fromkeys(range(1, 5), near), **dict.fromkeys(range(5, 8), wide)}


def test_layouts_that_do_not_share_a_plan_keep_the_table_closed(tmp_path: Path) -> None:
    config = load_config(with_second_camera(tmp_path, 14.0))
    (wrong,) = (
        one
        for one in examine(config, tmp_path, SystemClock(), 0)
        if one.check == "camera" and one.level == "problem"
    )
    assert (wrong.code, wrong.params) == (
        "LAYOUTS_APART",
        {"camera": "wide", "other": "near", "box": 4, "mm": 14},
    )
    with pytest.raises(ConfigError) as caught:
        camera_setups(config)
    assert caught.value.code == "LAYOUTS_APART"


@pytest.mark.parametrize(("rank_mm", "code"), [(14.0, "RANK_TOO_SMALL"), (20.0, "RANK_SMALL"), (30.0, "")])
def test_ranks_are_told_with_their_height(rank_mm: float, code: str, tmp_path: Path) -> None:
    config = table(tmp_path)
    layout = tmp_path / "layout.toml"
    text = layout.read_text(encoding="utf-8")
    layout.write_text(text.replace("index_mm = 15.0", f"index_mm = {rank_mm}"), encoding="utf-8")
    told = examine(load_config(config), tmp_path, SystemClock(), 0)
    assert {one.code for one in told if "px" in one.params} == {code}


def test_the_share_of_a_burnt_picture_is_told(tmp_path: Path) -> None:
    config = table(tmp_path)
    draw(tmp_path, felt=255, paper=255)
    told = examine(load_config(config), tmp_path, SystemClock(), 5)
    assert [one.params["percent"] for one in told if one.code == "LIGHT_BURNT"] == [100]


def test_advice_keeps_no_table_closed_and_a_full_disk_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = load_config(table(tmp_path, budget=1 << 40))
    people = people_kit.people_file(tmp_path)
    people.chmod(0o644)
    asked = examine(config, tmp_path, SystemClock(), 0)
    assert str(people) in {one.subject for one in asked if one.code == "FILE_OPEN_TO_OTHERS"}
    before_opening(config)
    logged = [json.loads(line) for line in "".join(capsys.readouterr()).splitlines()]
    assert any(str(people) in line["text"] for line in logged if line["code"] == "FILE_OPEN_TO_OTHERS")
    # Said once: from now on nobody else reads it.
    assert people.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr("controller.main.doctor.ROOM_MB_MIN", 1 << 40)
    with pytest.raises(ConfigError, match="DOCTOR_REFUSES"):
        before_opening(config)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_findings_are_read_in_the_language_of_the_terminal(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    app = typer.Typer()
    app.command()(doctor)
    done = CliRunner().invoke(app, [str(table(tmp_path)), "--seconds", "0"])
    assert done.exit_code == 1
    assert catalogue(language)["doctor.not_ok"] in done.stdout.replace("\n", " ")
    assert catalogue(language)["doctor.level.problem"] in done.stdout

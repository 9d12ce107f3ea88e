"""`stand17 init` writes a configuration that can be loaded, from answers, and never over another."""

import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from controller.cli.init import init
from controller.config import load_config
from controller.domain import ConfigError
from controller.i18n import LANGUAGES, catalogue


def called(*arguments: object, typed: str = "") -> Result:
    app = typer.Typer()
    app.command()(init)
    return CliRunner().invoke(app, [str(one) for one in arguments], input=typed, catch_exceptions=True)


def answers(folder: Path, **told: object) -> Path:
    path = folder / "answers.json"
    path.write_text(
        json.dumps({key.replace("__", "."): value for key, value in told.items()}), encoding="utf-8"
    )
    return path


def refused(done: Result) -> ConfigError:
    assert isinstance(done.exception, ConfigError), done.output
    return done.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_become_a_commented_file_that_loads(language: str, tmp_path: Path) -> None:
    file = tmp_path / "bj1.toml"
    told = answers(
        tmp_path,
        table__name="BJ 7",
        table__rules="nl",
        web__port=8100,
        cards="both",
        shoe__port="/dev/ttyUSB0",
        camera__source='http://a:"b@10.0.0.9/x',
        camera__deck="house.profile",
        second__source="/dev/video2",
    )
    done = called(file, "--answers", told, "--language", language)
    assert done.exit_code == 0, done.output
    config = load_config(file)
    assert (config.table.name, config.table.rules, config.web.port) == ("BJ 7", "nl", 8100)
    camera, second = config.table_cameras
    assert (second.layout, config.dealing_cameras) == (tmp_path / "second.layout.toml", (camera, second))
    assert (camera.source, camera.layout) == ('http://a:"b@10.0.0.9/x', tmp_path / "layout.toml")
    assert (config.witnesses.source, camera.deck) == ("both", tmp_path / "house.profile")
    assert f"# {catalogue(language)['init.ask.table.rules']}" in file.read_text(encoding="utf-8").splitlines()
    assert file.stat().st_mode & 0o077 == 0
    assert f"{file} --camera second --out second.layout.toml" in done.output
    assert f"stand17 doctor {file}" in done.output


def test_a_person_is_asked_and_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    mouth = tmp_path / "mouth"
    mouth.touch()
    typed = ["BJ2", "casino", "fr", "euro", "EUR", "", "mouth", "/dev/v4l/mouth", "n", str(mouth), "-"]
    done = called(file, "--language", "en", typed="\n".join(typed) + "\n")
    assert done.exit_code == 0, done.output
    assert "/dev/v4l/mouth" in done.output
    assert "usb-" not in done.output, "no device is offered that is not plugged in"
    config = load_config(file)
    assert (config.table.rules, config.journal.file) == ("fr", tmp_path / config.journal.file.name)
    assert re.fullmatch(r"BJ2-\d{4}-\d\d-\d\d\.journal", config.journal.file.name)
    assert config.shoe is None
    assert config.shoe_mouth is not None
    assert config.shoe_mouth.source == str(mouth)
    # The tests run from sources, which nobody has signed.
    assert config.software.allow_unreleased


def test_what_is_there_stays_and_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text("mine", encoding="utf-8")
    port = {"shoe__port": "/dev/ttyUSB0"}
    assert refused(called(file, "--answers", answers(tmp_path, **port))).code == "OUTPUT_EXISTS"
    assert file.read_text(encoding="utf-8") == "mine"
    file.unlink()
    wrong = {
        "INIT_ANSWER_UNKNOWN": {"table__nmae": "BJ1"},
        "INIT_ANSWER_BAD": {"table__name": "BJ\n[web]"},
        "INIT_ANSWER_MISSING": {"table__name": "BJ1"},
        "CONFIG_NO_CURRENCY": {"table__currency": "euro"},
    }
    for code, told in wrong.items():
        assert refused(called(file, "--answers", answers(tmp_path, **told))).code == code
    (tmp_path / "answers.json").write_text("[" * 50_000, encoding="utf-8")
    assert refused(called(file, "--answers", tmp_path / "answers.json")).code == "INIT_ANSWERS_UNREADABLE"
    assert not file.exists()

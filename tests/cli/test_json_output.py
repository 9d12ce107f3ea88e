"""`--json` everywhere: each command answers a program, and says to it what is wrong, in fields that stay."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from controller.cli import COMMANDS
from controller.cli.application import build
from tests.cli.test_commands import write_config
from tests.replay.replay_kit import FEEDS, Json, Said, call, objects

DOCS: Final = Path(__file__).parents[2] / "docs" / "json.md"
JOURNAL: Final = FEEDS.parent / "journals" / "release_0.1.0_six_rounds.journal"
RECORDING: Final = FEEDS.parent / "recordings" / "line-lost-in-play.mcap"

WITHOUT: Final = {
    "run": "serves the table's page until Ctrl-C, and logs in JSON as it is",
    "demo": "serves a page until Ctrl-C",
    "studio": "serves a page until Ctrl-C",
    "pit": "serves a page until Ctrl-C",
    "shadow": "serves the table's page until Ctrl-C, as run does",
    "docs": "shows a page for people",
    "config": "prints a file as it is",
    "setup": "asks and installs; its steps are commands that answer in JSON",
    "service install": "prints the files that it installs as they are",
    "witness": "takes heads until Ctrl-C; what it signs is a file",
}
"""Commands that answer nothing a program could read, each with the reason."""

DOCUMENTED: Final = set(re.findall(r'[`"]([a-z_]+)[`"]', DOCS.read_text(encoding="utf-8")))
"""Every type and every field of which the page speaks."""


def every_command() -> Iterator[tuple[str, Any]]:
    """Each command and sub-command by its words on the command line."""
    for name in COMMANDS:
        whole: Any = typer.main.get_command(build(name))
        command = whole.commands[name]
        inner = getattr(command, "commands", None)
        yield from ((f"{name} {sub}", one) for sub, one in inner.items()) if inner else [(name, command)]


def test_every_command_takes_json_but_those_that_serve_a_page() -> None:
    options = {words: {name for one in found.params for name in one.opts} for words, found in every_command()}
    assert len(options) > 30
    assert {words for words, names in options.items() if "--json" not in names} == set(WITHOUT)


def one_object(told: Said) -> Json:
    assert told.returncode == 0, told.stderr
    (answer,) = objects(told)
    assert words_of(answer) - DOCUMENTED == set()
    return answer


def words_of(answer: Json) -> set[str]:
    """The answer's type and the names of its fields, those of its rows too."""
    rows = (row for value in answer.values() if isinstance(value, list) for row in value)
    inner = {name for row in rows if isinstance(row, dict) for name in row}
    return {str(answer["type"]), *answer, *inner} - {"type"}


def test_what_a_house_sets_up_is_told_in_objects(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    added = one_object(call("people", "add", config, "P-9", "pit_manager", "--json", typed="194736\n"))
    assert (added["change"], added["id"]) == ("added", "P-9")
    disabled = one_object(call("people", "disable", config, "P-9", "--json"))
    assert disabled["change"] == "disabled"
    people = call("people", "list", config, "--json")
    rows = {row["id"]: row for row in one_object(people)["people"]}
    assert rows["P-9"] == {"id": "P-9", "role": "pit_manager", "name": "P-9", "disabled": True, "card": False}
    assert "argon2" not in people.stdout
    given = tmp_path / "answers.json"
    given.write_text('{"shoe.port": "/dev/ttyUSB0"}')
    made = one_object(call("init", tmp_path / "new.toml", "--answers", given, "--json"))
    assert (made["type"], Path(made["file"]).is_file()) == ("init", True)


def test_what_is_installed_is_told_in_an_object() -> None:
    answer = one_object(call("--version", "--json"))
    lines = call("--version").stdout
    assert answer["type"] == "version"
    assert f"stand17 {answer['version']}\n" in lines
    assert answer["digest"] in lines
    alone = call("--json", "rules", "list")
    assert (alone.returncode, json.loads(alone.stderr)["code"]) == (2, "COMMAND_LINE")


def test_what_is_written_out_is_told_in_an_object(tmp_path: Path) -> None:
    feed = tmp_path / "six.feed.jsonl"
    told = one_object(call("feed", JOURNAL, "--out", feed, "--json"))
    lines = feed.read_text().splitlines()
    assert (told["file"], told["lines"], told["misfit"]) == (str(feed), len(lines) - 1, None)
    assert told["rounds"] == len(Path(told["expect"]).read_text().splitlines())
    piped = call("feed", JOURNAL, "--json")
    assert piped.stdout.splitlines() == lines
    assert json.loads(piped.stderr) == told | {"file": None, "expect": None}
    cut = one_object(call("export", "1", "--out", tmp_path / "one.mcap", "--journal", JOURNAL, "--json"))
    assert cut["bytes"] == (tmp_path / "one.mcap").stat().st_size
    assert one_object(call("patterns", JOURNAL, "--json"))["days"] == 1
    nothing = call("shrink", feed, "--when", "alert=TOO_MANY_OF_A_KIND", "--json")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert json.loads(nothing.stderr) == {"type": "not_shown", "file": str(feed)}


BROKEN: Final = "broken.feed.jsonl"


@pytest.mark.parametrize(
    ("words", "code", "params"),
    [
        (("show", "nowhere.feed.jsonl", "--round", "1"), "FEED_NOT_FOUND", {"file": "nowhere.feed.jsonl"}),
        (("show", BROKEN, "--round", "1"), "FEED_NOT_JSON", None),
        (("calibrate", "--language", "nl"), "CALIBRATE_NO_ZONES", {}),
        (("show", "--nothing"), "COMMAND_LINE", None),
        (("people", "add"), "COMMAND_LINE", None),
    ],
)
def test_what_cannot_be_done_is_an_object_with_code_and_params(
    words: tuple[str, ...], code: str, params: Json | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(BROKEN).write_text('{"feed": 1, "rules": "nl"}\nnot json\n')
    plain, told = call(*words), call(*words, "--json")
    error = json.loads(told.stderr)
    assert (error["type"], error["code"], told.returncode) == ("error", code, plain.returncode)
    assert told.returncode
    assert params is None or error["params"] == params
    assert error["where"] == (f"{BROKEN}:2" if BROKEN in words else "")
    if code != "COMMAND_LINE":
        assert plain.stderr.strip() == error["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("replay", BROKEN),
        ("replay", "--jobs", "1", BROKEN),
        ("read", "nowhere.png"),
        ("enrol", "nowhere.png", "-o", "deck"),
    ],
)
def test_commands_that_had_json_all_along_keep_their_sentences(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(BROKEN).write_text('{"feed": 1, "rules": "nl"}\nnot json\n')
    plain, told = call(*words), call(*words, "--json")
    assert plain.stderr == told.stderr
    assert words[1 if words[0] != "replay" else -1] in told.stderr or words[0] == "enrol"
    assert told.returncode == plain.returncode

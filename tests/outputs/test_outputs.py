"""No command destroys what it reads, or what a table has left: every option that names a file to write."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from controller.cli import main
from controller.domain import ConfigError
from controller.outputs import FRESH, Outputs

ROOT: Final = Path(__file__).parents[2]
FEED: Final = ROOT / "tests/feeds/nl/ace_eleven_or_one.feed.jsonl"
HEAD: Final = {"seq": 9, "code": "c0", "signature": "s", "journal": "j"}

OUTPUTS: Final = {
    "feed": ("feed", "j.journal", "--out", "{}"),
    "feed expect": ("feed", "j.journal", "--out", "new.feed.jsonl", "--expect", "{}"),
    "shrink": ("shrink", "f.feed.jsonl", "--when", "paid[1]>=0", "-o", "{}"),
    "table": ("table", "f.feed.jsonl", "-o", "{}"),
    "junit": ("replay", "f.feed.jsonl", "--junit", "{}"),
    "state": ("replay", "f.feed.jsonl", "--state", "{}"),
    "export": ("export", "1", "--journal", "j.journal", "--out", "{}"),
    "enrol": ("enrol", "deck.png", "--order", "As", "-o", "{}"),
    "calibrate": ("calibrate", "deck.png", "--plan", "plan.toml", "--out", "{}"),
    "picture": ("calibrate", "deck.png", "--plan", "plan.toml", "--out", "l.toml", "--picture", "{}"),
    "init": ("init", "{}", "--answers", "answers.json"),
    "bench": ("bench", "reader", "--only", "photographs", "--json", "{}"),
}
EVIDENCE: Final = (
    "j.journal",
    "r.mcap",
    "old.mcap",
    "kept",
    "table.key",
    "renamed.csv",
    "to.csv",
    "to.mcap",
    "j.journal-wal",
    "j.journal.signed",
)
NAMES: Final = {"table": ".csv", "export": ".mcap"}
"""Endings that an option asks for."""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that a table leaves and a command reads."""
    folder = tmp_path_factory.mktemp("evidence")
    shutil.copy(ROOT / "tests/journals/release_0.1.0_six_rounds.journal", folder / "j.journal")
    shutil.copy(ROOT / "tests/recordings/line-lost-in-play.mcap", folder / "r.mcap")
    shutil.copy(FEED, folder / "f.feed.jsonl")
    shutil.copy(folder / "j.journal", folder / "renamed.csv")
    (folder / "kept").write_text(json.dumps(HEAD) + "\n")
    (folder / "table.key").write_text("-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----\n")
    (folder / "old.csv").write_text("round,box\n")
    (folder / "old.mcap").write_bytes(b"")
    (folder / "answers.json").write_text('{"shoe.port": "/dev/ttyUSB0"}')
    (folder / "plan.toml").write_text("")
    (folder / "deck.png").write_bytes(b"\x89PNG")
    for name in ("to.csv", "to.mcap"):
        (folder / name).symlink_to("f.feed.jsonl")
    return folder


def content(folder: Path) -> dict[str, str]:
    """Every file with what it holds, links with where they lead."""
    return {
        path.name: str(path.readlink()) if path.is_symlink() else sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }


class Called(NamedTuple):
    """How a command ended, and what it printed on standard error."""

    status: int
    stderr: str


@pytest.fixture
def called(
    evidence: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Called]:
    """Call a command on one output, in the folder of the evidence."""
    monkeypatch.chdir(evidence)

    def call(option: str, path: str, *more: str) -> Called:
        words = [word.format(path) for word in OUTPUTS[option]]
        monkeypatch.setattr(sys, "argv", ["stand17", *words, *more])
        with pytest.raises(SystemExit) as ended:
            main()
        return Called(int(ended.value.code or 0), capsys.readouterr().err)

    return call


@pytest.mark.parametrize("option", OUTPUTS)
def test_no_output_goes_onto_evidence_inputs_links_or_files_that_are_there(
    evidence: Path, called: Callable[..., Called], option: str
) -> None:
    ending, force = NAMES.get(option, ""), [] if option == "state" else ["--force"]
    inputs = [word for word in OUTPUTS[option] if word in content(evidence)]
    paths = [path for path in (*EVIDENCE, *inputs) if path.endswith(ending)]
    before = content(evidence)
    for path in paths:
        ended = called(option, path, *force)
        assert (ended.status, content(evidence)) == (2, before), (path, ended)
        assert path in ended.stderr.replace("\n", "")
    if ending != ".mcap":
        ended = called(option, "old.csv")
        assert (ended.status, content(evidence)) == (2, before), ended


def test_a_file_that_is_there_is_replaced_with_force_alone(
    evidence: Path, called: Callable[..., Called]
) -> None:
    for option in ("feed", "shrink", "table", "junit", "init"):
        old = evidence / "once.csv"
        old.write_text("")
        old.chmod(0o644)
        assert called(option, old.name).status == 2
        ended = called(option, old.name, "--force")
        assert (ended.status, old.stat().st_size > 0) == (0, True), ended
        old.unlink()
        (evidence / "once.csv.expect.jsonl").unlink(missing_ok=True)
    assert not [name for name in content(evidence) if name.endswith(".new")], "nothing is left beside"


def test_a_state_goes_on_and_takes_no_other_file_for_one(
    evidence: Path, called: Callable[..., Called]
) -> None:
    assert [called("state", "month.state").status for _ in range(2)] == [0, 0]
    kept = (evidence / "month.state").read_text()
    assert len(kept.splitlines()) == 2, "the second run found the first one's file done"
    (evidence / "month.state").write_text(kept.partition("\n")[2])
    ended = called("state", "month.state")
    assert (ended.status, (evidence / "month.state").read_text()) == (2, kept.partition("\n")[2])


def test_standard_output_pipes_and_devices_are_no_files(evidence: Path) -> None:
    """A log that standard output is appended to is not emptied by its name under /dev."""
    log = evidence / "log"
    log.write_text("before ")
    program = (
        "import sys, pathlib, controller.outputs as o; o.FRESH.write(pathlib.Path(sys.argv[1]), b'written ')"
    )
    write = f"{sys.executable} -c {shlex.quote(program)}"
    shell = (
        f"exec 3>> log; mkfifo pipe; {write} /dev/stdout >> log; {write} - >> log; {write} /dev/fd/3; "
        f"{write} /dev/null; ({write} pipe &) ; cat pipe >> log; {write} /dev/stdout | cat >> log"
    )
    subprocess.run(shell, shell=True, check=True, cwd=evidence, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert log.read_text() == f"before {'written ' * 5}"
    assert Path("/dev/null").is_char_device()
    assert not (evidence / "-").exists()


def test_what_fails_in_the_middle_leaves_neither_a_file_nor_half_of_one(tmp_path: Path) -> None:
    old = tmp_path / "old.csv"
    old.write_text("whole")
    with pytest.raises(ZeroDivisionError), Outputs(force=True).open(old) as stream:
        stream.write(b"half" * (1 // 0))
    with pytest.raises(ConfigError) as refused, FRESH.open(tmp_path / "late.csv"):
        (tmp_path / "late.csv").write_text("somebody else's")
    assert refused.value.code == "OUTPUT_EXISTS"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "old.csv": "whole",
        "late.csv": "somebody else's",
    }

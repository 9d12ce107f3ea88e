"""`stand17 record` as a user starts it."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.cli import main
from controller.recording.recording_reader import Recording, segments_in
from drivers.simulated import PtyShoe
from tests.forked_process import Forked

PATIENCE_S = 100.0

Call = Callable[..., "Done"]


@pytest.fixture
def shoe() -> Iterator[PtyShoe]:
    made = PtyShoe()
    yield made
    made.close()


def config_in(folder: Path, port: str, more: str = "") -> str:
    path = folder / "table.toml"
    path.write_text(
        f'[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "BJ1.journal"\n[shoe]\nport = "{port}"\n'
        f'[web]\npins = {{ p7 = "$argon2id$secret" }}\n' + (more or "[recording]\nreserve_mb = 0\n"),
        encoding="utf-8",
    )
    return str(path)


class Done(NamedTuple):
    """How a command ended and what it said."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command as `stand17` does, in this process."""

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["stand17", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_devices_are_recorded_until_ctrl_c_and_no_journal_is_made(tmp_path: Path, shoe: PtyShoe) -> None:
    out = tmp_path / "shoe.mcap"
    process = Forked("record", config_in(tmp_path, shoe.port), "--out", out)
    assert "Ctrl-C" in process.stdout.readline()
    partial = tmp_path / "shoe.mcap.partial"
    end_s = time.monotonic() + PATIENCE_S
    while not partial.exists() and time.monotonic() < end_s:
        time.sleep(0.02)
    for rank in ("K", "Q", "7"):
        shoe.deal(rank, "h")
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 0, process.stderr.read()
    told = process.stdout.read()
    assert "shoe: " in told
    assert str(out) in told
    with Recording(out) as recording:
        sent = b"".join(one.data for one in recording if one.kind == "rx")
        assert not recording.cut
        assert recording.session.mode == "record"
        assert "argon2id" not in recording.session.config
    assert sent.count(b"\x05") == 9
    assert not (tmp_path / "BJ1.journal").exists()


def test_a_recording_is_not_overwritten(tmp_path: Path, shoe: PtyShoe, call: Call) -> None:
    out = tmp_path / "shoe.mcap"
    out.write_bytes(b"somebody's")
    done = call("record", config_in(tmp_path, shoe.port), "--out", str(out))
    assert done.returncode == 2
    assert "not overwritten" in done.stderr
    assert out.read_bytes() == b"somebody's"


def test_a_folder_gets_a_named_file_and_a_device_that_is_not_there_is_said(
    tmp_path: Path, call: Call
) -> None:
    out = tmp_path / "recordings"
    out.mkdir()
    port = str(tmp_path / "no-shoe")
    done = call("record", config_in(tmp_path, port), "--out", str(out), "--seconds", "1")
    assert done.returncode == 0, done.stderr
    (path,) = segments_in(out)
    assert path.name.startswith("BJ1-")
    assert str(path) in done.stdout
    with Recording(path) as recording:
        assert [json.loads(one.data)["reason"] for one in recording] == ["NOT_THERE"]


def test_a_program_is_told_what_was_recorded(tmp_path: Path, call: Call) -> None:
    out = tmp_path / "shoe.mcap"
    config = config_in(tmp_path, str(tmp_path / "no-shoe"))
    done = call("record", config, "--out", str(out), "--seconds", "0.5", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    with Recording(out) as recording:
        count = len(list(recording))
    assert (told["type"], told["files"], told["messages"]) == ("record", [str(out)], count)
    (device,) = told["devices"]
    assert (device["name"], device["state"]) == ("shoe", "absent")


def test_nothing_is_said_to_be_recorded_where_a_device_cannot_be_made(tmp_path: Path, call: Call) -> None:
    camera = '[[camera]]\nname = "overhead"\nsource = "0"\nlayout = "none.toml"\n'
    done = call("record", config_in(tmp_path, "/dev/none", camera), "--out", str(tmp_path / "out.mcap"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "none.toml" in done.stderr


@pytest.mark.parametrize("more", ["[shoes]\nport = 1", "[recording]\nkeep_minutes = 2\nsegment_minutes = 5"])
def test_a_wrong_configuration_is_refused_before_anything_is_written(
    tmp_path: Path, more: str, call: Call
) -> None:
    done = call("record", config_in(tmp_path, "x", more), "--out", str(tmp_path / "x.mcap"))
    assert done.returncode == 2
    assert "recording" in done.stderr or "shoes" in done.stderr
    assert segments_in(tmp_path) == []


def test_a_place_that_cannot_be_written_is_said_in_one_sentence(
    tmp_path: Path, shoe: PtyShoe, call: Call
) -> None:
    (tmp_path / "file").write_text("")
    done = call("record", config_in(tmp_path, shoe.port), "--out", str(tmp_path / "file" / "x.mcap"))
    assert done.returncode == 2
    assert "Nothing can be recorded" in done.stderr
    assert "Traceback" not in done.stderr

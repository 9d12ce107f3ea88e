"""A file of rated guests from an earlier version: a name is erased, and nothing else changes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.application import build


def erase(file: Path, guest: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(build("guests"), ["guests", "erase", str(file), guest, "--json"])
    return done.exit_code, done.stdout, getattr(done.exception, "code", "")


def test_a_name_is_erased_and_the_others_stay(tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    file.write_text(json.dumps({"QWERTY23": "A. Able", "ASDFGH45": "B. Baker"}))
    status, told, _ = erase(file, "QWERTY23")
    assert (status, json.loads(told)["guest"]) == (0, "QWERTY23")
    assert json.loads(file.read_text()) == {"ASDFGH45": "B. Baker"}
    assert file.stat().st_mode & 0o777 == 0o600
    assert erase(file, "QWERTY23")[2] == "GUEST_UNKNOWN"


@pytest.mark.parametrize("data", [b"[]", b"no json", b'{"QWERTY23": 1}', None])
def test_a_file_that_is_none_is_refused_and_stays(tmp_path: Path, data: bytes | None) -> None:
    file = tmp_path / "names.json"
    if data is not None:
        file.write_bytes(data)
    assert erase(file, "QWERTY23")[0] != 0
    assert (file.read_bytes() if file.exists() else None) == data

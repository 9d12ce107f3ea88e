"""A wheel that is signed as a release: what it says of its files, and what a table makes of it."""

import asyncio
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from controller.cli.application import build as build_cli
from controller.config import TableConfig
from controller.domain import ConfigError
from controller.journal.head_file import TableKey
from controller.main.compose import TableSetup, run_table
from controller.main.program import holds_for
from controller.software import MANIFEST, SIGNATURE, check_software, root_of_this_program
from tests.limits.run_kit import CONFIG, Running
from tools.release import ReleaseProblem, sign_wheel
from tools.wheel import build

COMMIT: Final = "17" * 20


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> TableKey:
    return TableKey.load_or_make(tmp_path_factory.mktemp("key") / "release.pem", {})


@pytest.fixture(scope="module")
def wheel(key: TableKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = build("pure", tmp_path_factory.mktemp("wheel"))
    sign_wheel(made, key, COMMIT)
    return made


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """What the wheel puts beside other packages."""
    folder = tmp_path / "site-packages"
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_a_signed_wheel_is_installed_as_it_was_released(installed: Path, key: TableKey) -> None:
    report = check_software(installed, key.public)
    assert (report.state, report.commit, report.differences, report.ok) == ("released", COMMIT, (), True)
    assert holds_for(report) == []
    listed = json.loads((installed / MANIFEST).read_text())["files"]
    assert {
        "controller/rules/nl.toml",
        "controller/web/static/index.html",
        "vision/model/index/model.onnx",
    } < set(listed)
    assert {name.partition("/")[0] for name in listed} == {
        *("controller", "drivers", "stand17", "stand17_command", "vision"),
    }


def test_its_record_names_what_was_added(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        record = archive.read(next(name for name in archive.namelist() if name.endswith("/RECORD"))).decode()
        for name in (MANIFEST, SIGNATURE):
            content = archive.read(name)
            digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert f"{name},sha256={digest},{len(content)}\n" in record
        assert archive.testzip() is None


def test_a_wheel_is_signed_once(wheel: Path, key: TableKey) -> None:
    with pytest.raises(ReleaseProblem, match="signed already"):
        sign_wheel(wheel, key, COMMIT)


def append(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as file:
        file.write(b"\n")


CHANGES: Final[dict[str, tuple[str, Callable[[Path, str], None]]]] = {
    "controller/engine/settle.py": ("changed", append),
    "controller/rules/nl.toml": ("changed", append),
    "controller/rules/irregularities.toml": ("changed", append),
    "vision/model/index/model.onnx": ("changed", append),
    "controller/web/static/index.html": ("changed", append),
    "controller/i18n/it.json": ("missing", lambda folder, name: (folder / name).unlink()),
    "controller/engine/settle.so": ("added", append),
}


def test_what_differs_is_named_file_by_file(installed: Path, key: TableKey) -> None:
    for name, (_, change) in CHANGES.items():
        change(installed, name)
    report = check_software(installed, key.public)
    assert report.state == "released"
    assert {one.path: one.kind for one in report.differences} == {
        name: kind for name, (kind, _) in CHANGES.items()
    }
    assert not report.ok
    hold = holds_for(report)[0]
    assert (hold.code, dict(hold.params)["count"]) == ("SOFTWARE_DIFFERS", len(CHANGES))


def test_what_python_keeps_of_a_module_is_compared_with_its_source(installed: Path, key: TableKey) -> None:
    module = installed / "controller/outputs.py"
    other = installed / "controller/validation.py"
    for path in (module, other):
        subprocess.run([sys.executable, "-m", "py_compile", str(path)], check=True)
    kept = next(module.parent.glob("__pycache__/outputs.*.pyc"))
    assert check_software(installed, key.public, caches=True).ok
    kept.write_bytes(
        kept.read_bytes()[:16] + next(other.parent.glob("__pycache__/validation.*.pyc")).read_bytes()[16:]
    )
    report = check_software(installed, key.public, caches=True)
    assert [one.path for one in report.differences] == [kept.relative_to(installed).as_posix()]


def test_a_manifest_that_was_written_anew_is_forged(installed: Path, key: TableKey, tmp_path: Path) -> None:
    manifest = json.loads((installed / MANIFEST).read_text())
    append(installed, "controller/engine/settle.py")
    content = (installed / "controller/engine/settle.py").read_bytes()
    manifest["files"]["controller/engine/settle.py"] = hashlib.sha256(content).hexdigest()
    (installed / MANIFEST).write_text(json.dumps(manifest))
    report = check_software(installed, key.public)
    assert (report.state, report.differences) == ("forged", ())
    assert [hold.code for hold in holds_for(report)] == ["SOFTWARE_FORGED"]
    other = TableKey.load_or_make(tmp_path / "other.pem", {})
    assert check_software(installed, other.public).state == "forged"
    (installed / SIGNATURE).unlink()
    assert check_software(installed, key.public).state == "forged"
    (installed / MANIFEST).unlink()
    assert check_software(installed, key.public).state == "unreleased"


def test_the_command_names_what_differs_and_says_who_has_signed(installed: Path, key: TableKey) -> None:
    asked = ["verify", "--software", "--installed", str(installed), "--key", key.public]
    done = CliRunner().invoke(build_cli("verify"), asked)
    assert (done.exit_code, "signed by this key" in done.stdout) == (0, True)
    append(installed, "controller/rules/nl.toml")
    done = CliRunner().invoke(build_cli("verify"), asked)
    assert (done.exit_code, "Changed: controller/rules/nl.toml" in done.stdout) == (1, True)


def of(installed: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_live_table_runs_a_release_and_is_held_when_a_file_differs(
    installed: Path, key: TableKey, tmp_path: Path
) -> None:
    config = CONFIG.replace("allow_unreleased = true", f'release_key = "{key.public}"')
    work = tmp_path / "table"
    work.mkdir()
    append(installed, "controller/rules/nl.toml")
    with Running(work, of(installed), config=config):
        pass
    written = entries(work / "table.journal")
    started = next(body for kind, body in written if kind == "started")
    assert (started["release"], started["commit"]) == ("released", COMMIT)
    assert started["software_sha256"] == check_software(installed, key.public).digest
    holds = {body["code"]: body["params"] for kind, body in written if kind == "held"}
    assert holds == {"SOFTWARE_DIFFERS": {"count": 1, "names": "controller/rules/nl.toml"}}


def entries(journal: Path) -> list[tuple[str, Any]]:
    base = sqlite3.connect(journal)
    rows = base.execute("SELECT kind, CAST(body AS TEXT) FROM event ORDER BY seq").fetchall()
    base.close()
    return [(kind, json.loads(body)) for kind, body in rows]


@pytest.mark.parametrize("section", [{}, {"release_key": "00" * 32}])
def test_a_live_table_does_not_run_what_was_never_released_unless_it_may(
    tmp_path: Path, section: dict[str, Any]
) -> None:
    raw = {
        "table": {"name": "BJ1", "rules": "nl"},
        "journal": {"file": tmp_path / "table.journal"},
        "web": {"port": 0},
        "shoe": {"port": "/dev/null"},
        "software": section,
    }
    told: list[str] = []
    with pytest.raises(ConfigError) as refused:
        asyncio.run(run_table(TableSetup(TableConfig.model_validate(raw), tmp_path, told.append)))
    assert (refused.value.code, told, list(tmp_path.iterdir())) == ("SOFTWARE_UNRELEASED", [], [])


def test_sources_say_their_commit_and_one_hash_of_what_they_hold() -> None:
    report = check_software(root_of_this_program())
    assert report.state == "unreleased"
    assert len(report.digest) == 64

"""The shipped units of systemd are well formed, and give table and screen what they need and no more."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

UNITS: Final = Path(__file__).parents[2] / "hardware" / "systemd"
SERVER: Final = Path(__file__).parents[2] / "examples" / "floor" / "systemd"
LANDLOCK: Final = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"}


def settings(name: str) -> dict[str, list[str]]:
    """Each setting of a unit with its values, in order."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        key, mark, value = line.partition("=")
        if mark and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def allowed_calls(name: str) -> set[str]:
    """What the filter of a unit lets through."""
    return {call for value in settings(name)["SystemCallFilter"] for call in value.split()}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
def test_systemd_understands_every_line_of_them(tmp_path: Path) -> None:
    units = [*UNITS.iterdir(), *SERVER.iterdir()]
    for unit in units:
        shutil.copy(unit, tmp_path)
    instances = [str(tmp_path / unit.name.replace("@.", "@bj1.")) for unit in units]
    done = subprocess.run(
        ["systemd-analyze", "verify", *instances], capture_output=True, text=True, check=False
    )
    wrong = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "stand17" in line]
    # The programs need not be installed here.
    assert [line for line in wrong if not re.search(r"Command .* is not executable", line)] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
@pytest.mark.parametrize(
    ("unit", "tenths"),
    [
        (UNITS / "stand17@.service", 25),
        (UNITS / "stand17-kiosk@.service", 30),
        (SERVER / "stand17-archive.service", 25),
    ],
)
def test_they_leave_little_open(unit: Path, tenths: int) -> None:
    asked = ["systemd-analyze", "security", "--offline=yes", f"--threshold={tenths}", str(unit)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.splitlines()[-1]


def test_a_table_s_decoders_may_give_up_their_rights() -> None:
    assert {"@system-service", *LANDLOCK} <= allowed_calls("stand17@.service")


def test_the_screen_s_browser_may_lock_its_own_processes_away() -> None:
    assert {"@system-service", "chroot", "seccomp"} <= allowed_calls("stand17-kiosk@.service")
    assert settings("stand17-kiosk@.service")["RestrictNamespaces"] == ["user pid net"]


def test_the_screen_sees_the_page_and_none_of_the_table_s_files() -> None:
    kiosk, table = settings("stand17-kiosk@.service"), settings("stand17@.service")
    assert kiosk["User"] != table["User"]
    assert kiosk["InaccessiblePaths"] == [f"-/var/lib/{table['StateDirectory'][0]}"]
    (command,) = kiosk["ExecStart"]
    assert {"--kiosk", "--incognito", "${STAND17_PAGE}"} <= set(command.split())
    assert kiosk["Environment"] == ["STAND17_PAGE=http://127.0.0.1:8017/"]
    assert kiosk["Restart"] == ["always"]
    # A screen that is closed never takes the table with it.
    assert not set(table) & {"Requires", "BindsTo"}
    assert kiosk["PartOf"] == ["stand17@%i.service"]

"""The Debian packages: what the service installs, and how versions of the program stand side by side."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.cli import COMMANDS
from controller.software import way_to_install
from tools.compile import ROOT
from tools.debian import COMMAND, COMPLETIONS, MANUAL, PLACES, build_service, scripts

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no Debian")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("packages")
    return build_service("1.2.0", tmp_path_factory.mktemp("scratch"), made)


def test_the_service_puts_its_files_where_the_machine_looks_for_them(service: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", service, tmp_path], check=True)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir()}
    documents = {f"usr/share/doc/stand17-service/{name}" for name in ("copyright", "changelog.gz")}
    units = {f"{place}/{Path(source).name}" for source, place in PLACES.items()}
    assert files == {*units, *documents, *COMPLETIONS.values(), MANUAL, COMMAND}
    for source, place in PLACES.items():
        installed = tmp_path / place / Path(source).name
        assert installed.read_bytes() == (ROOT / "hardware" / source).read_bytes()
        assert installed.stat().st_mode & 0o777 == 0o644
    told = subprocess.run(["dpkg-deb", "--info", service], capture_output=True, text=True, check=True).stdout
    assert "Package: stand17-service" in told
    assert "Version: 1.2.0" in told


def test_the_command_is_on_the_path_with_its_completions_and_its_manual(
    service: Path, tmp_path: Path
) -> None:
    subprocess.run(["dpkg-deb", "--extract", service, tmp_path], check=True)
    # Of the version in use, whichever that is.
    assert str((tmp_path / COMMAND).readlink()) == "/opt/stand17/bin/stand17"
    for place in COMPLETIONS.values():
        assert "_STAND17_COMPLETE" in (tmp_path / place).read_text(encoding="utf-8")
    page = gzip.decompress((tmp_path / MANUAL).read_bytes()).decode()
    assert [name for name in COMMANDS if f"\n.B {name}\n" not in page] == []
    if shutil.which("man") is not None:
        shown = subprocess.run(
            ["man", "--warnings", "-l", tmp_path / MANUAL], capture_output=True, text=True, check=True
        )
        assert (shown.stderr, "takeover" in shown.stdout) == ("", True)


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="no systemd")
def test_program_and_screen_get_accounts_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    accounts = ROOT / "hardware" / "sysusers" / "stand17.conf"
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", str(accounts)], check=True)
    named = [line.split(":")[0] for line in (tmp_path / "etc/passwd").read_text().splitlines()]
    assert {"stand17", "stand17-kiosk"} <= set(named)


def unpacked(machine: Path, version: str, moment: str, word: str) -> str:
    """Run the program's script of that moment on a machine below a folder, as dpkg does; what it says."""
    (machine / "opt" / f"stand17-{version}").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["sh", "-c", scripts(version)[moment], "script", word],
        env={**os.environ, "DPKG_ROOT": str(machine)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_second_version_waits_until_somebody_takes_it(tmp_path: Path) -> None:
    link = tmp_path / "opt" / "stand17"
    assert unpacked(tmp_path, "1.1.0", "postinst", "configure") == ""
    assert str(link.readlink()) == "stand17-1.1.0"
    assert "ln -sfn stand17-1.2.0 /opt/stand17" in unpacked(tmp_path, "1.2.0", "postinst", "configure")
    assert str(link.readlink()) == "stand17-1.1.0"
    unpacked(tmp_path, "1.2.0", "prerm", "remove")
    assert str(link.readlink()) == "stand17-1.1.0"
    unpacked(tmp_path, "1.1.0", "prerm", "remove")
    assert not os.path.lexists(link)


@pytest.mark.parametrize(
    ("prefix", "extra", "named"),
    [
        ("/opt/stand17-1.2.0", "table", "apt install --reinstall ./stand17-table-1.2.0_*.deb"),
        ("/opt/stand17-1.2.0", "floor", "apt install --reinstall ./stand17-1.2.0_*.deb"),
        ("/home/a/.local/share/pipx/venvs/stand17", "table", "pipx runpip stand17 install"),
        ("/srv/own", "report", "/srv/own/bin/python -m pip install"),
    ],
)
def test_an_extra_is_named_as_the_installation_gets_it(prefix: str, extra: str, named: str) -> None:
    way = way_to_install(extra, prefix=Path(prefix))
    assert named in way
    for lock in re.findall(r"--require-hashes -r (\S+\.txt)", way):
        assert "--hash=sha256:" in Path(lock).read_text(encoding="utf-8")

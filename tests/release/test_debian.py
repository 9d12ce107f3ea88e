"""The Debian packages: what the service installs, and how versions of the program stand side by side."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.compile import ROOT
from tools.debian.program_package import scripts
from tools.debian.service_package import PLACES, build_service

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no Debian")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("packages")
    return build_service("1.2.0", tmp_path_factory.mktemp("scratch"), made)


def test_the_service_puts_its_files_where_the_machine_looks_for_them(service: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", service, tmp_path], check=True)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {f"{place}/{Path(source).name}" for source, place in PLACES.items()}
    for source, place in PLACES.items():
        installed = tmp_path / place / Path(source).name
        assert installed.read_bytes() == (ROOT / "hardware" / source).read_bytes()
        assert installed.stat().st_mode & 0o777 == 0o644
    told = subprocess.run(["dpkg-deb", "--info", service], capture_output=True, text=True, check=True).stdout
    assert "Package: stand17-service" in told
    assert "Version: 1.2.0" in told


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

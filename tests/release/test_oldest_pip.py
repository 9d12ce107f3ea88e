"""The oldest pip that a promised machine brings sets everything up, whatever is published after the locks.

The index is a folder of empty wheels. Each package asks for the next one of its lock with an extra, and each
has a newer release: pip before 23.3 takes that one, where no `--no-deps` tells it that the lock is complete.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import ZipFile, ZipInfo

import pytest
from packaging.markers import Marker

ROOT: Final = Path(__file__).resolve().parents[2]
OLDEST_PIP: Final = ROOT / ".venv/oldest-pip"
OTHERS: Final = [
    pytest.param(name, marks=pytest.mark.night) for name in ("bench", "dev", "table", "train", "train-cpu")
]
"""The locks besides `run` that hold more than one package."""

BACKEND: Final = '''\
"""The sources as a package without a build tool of their own."""
from pathlib import Path
from shutil import copy

def build_editable(folder, *_):
    return Path(copy("sources-1-py3-none-any.whl", folder)).name
'''


class Pin(NamedTuple):
    """What a lock says of one package on this machine."""

    name: str
    version: str


def pins(lock: str) -> list[Pin]:
    text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([a-z0-9-]+)==(\S+)(?: ; (.*?))?(?: \\)?$", text, re.MULTILINE)
    return [Pin(name, version) for name, version, marker in found if not marker or Marker(marker).evaluate()]


def wheel(folder: Path, pin: Pin, needs: Sequence[Pin] = (), extra: dict[str, str] | None = None) -> str:
    """Write a wheel that holds nothing but what it says of itself; its SHA-256."""
    stem = f"{pin.name.replace('-', '_')}-{pin.version}"
    asked = "".join(f"Requires-Dist: {need.name}[all]\n" for need in needs)
    files = {
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {pin.name}\nVersion: {pin.version}\n"
        f"Provides-Extra: all\n{asked}",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **{f"{stem}.data/scripts/{name}": text for name, text in (extra or {}).items()},
    }
    rows = []
    path = folder / f"{stem}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for name, text in files.items():
            entry = ZipInfo(name)
            entry.external_attr = 0o100755 << 16  # pip makes a script executable where its archive does
            archive.writestr(entry, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(text)}\n")
        archive.writestr(f"{stem}.dist-info/RECORD", "".join((*rows, f"{stem}.dist-info/RECORD,,\n")))
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Machine(NamedTuple):
    """A folder of sources with the locks, an environment with the oldest pip, an index of its own."""

    folder: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        index = str(self.folder / "index")
        own = {"PIP_NO_INDEX": "1", "PIP_FIND" + "_LINKS": index, "PIP_CONFIG_FILE": os.devnull}
        uv = {"UV_NO_INDEX": "1", "UV_FIND" + "_LINKS": index, "UV_NO_CONFIG": "1"}
        kept = {
            name: text for name, text in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL"))
        }
        environment = {
            **kept,
            **own,
            **uv,
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "PYTHONPATH": str(OLDEST_PIP),
        }
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip

    def pip(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(".venv/bin/python", "-m", "pip", *arguments)

    def installed(self) -> set[str]:
        return set(self.pip("freeze", "--all", "--exclude-editable").stdout.splitlines())


def machine(folder: Path, locks: Sequence[str]) -> Machine:
    for name in ("index", "requirements", "tools"):
        (folder / name).mkdir()
    # Not the wheel's: what runs is the uv that the development lock has put here.
    uv = f'#!/bin/sh\nexec "{ROOT / ".venv/bin/uv"}" "$@"\n'
    for lock in ("lock", *locks):
        wanted = pins(lock)
        lines = []
        for pin, following in zip_longest(wanted, wanted[1:]):
            needs = [following] if following else []
            wheel(folder / "index", Pin(pin.name, f"{pin.version.split('+')[0]}.post999"), needs)
            digest = wheel(folder / "index", pin, needs, {"uv": uv} if pin.name == "uv" else {})
            lines.append(f"{pin.name}=={pin.version} --hash=sha256:{digest}\n")
        (folder / f"requirements/{lock}.txt").write_text("".join(lines), encoding="utf-8")
    for name in ("build", "oldest-pip"):
        (folder / f"requirements/{name}.txt").touch()
    shutil.copy(ROOT / "tools/install", folder / "tools")
    wheel(folder, Pin("sources", "1"))
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n', encoding="utf-8"
    )
    venv.create(folder / ".venv", symlinks=True)
    return Machine(folder)


@pytest.mark.parametrize("lock", [pytest.param("run", marks=pytest.mark.night), "dev"])
def test_setting_up_installs_what_the_lock_pins(lock: str, tmp_path: Path) -> None:
    at = machine(tmp_path, [lock])
    done = at.run("tools/install", lock)
    assert (done.returncode, done.stderr) == (0, "")
    expected = {f"{pin.name}=={pin.version}" for pin in (*pins(lock), *pins("lock"))}
    assert {line.replace("_", "-") for line in at.installed()} >= expected


@pytest.mark.parametrize("lock", ["run", *OTHERS])
def test_pip_alone_needs_to_be_told_that_a_lock_is_complete(lock: str, tmp_path: Path) -> None:
    at = machine(tmp_path, [lock])
    hashed = ("install", "--dry-run", "--require-hashes", "-r", f"requirements/{lock}.txt")
    plain = at.pip(*hashed)
    assert plain.returncode
    assert "must have their versions pinned" in plain.stderr
    done = at.pip(*hashed, "--no-deps")
    assert done.returncode == 0, done.stderr


def test_the_pip_is_as_old_as_the_oldest_machine_has() -> None:
    had = [path.name for path in OLDEST_PIP.glob("pip-*.dist-info")]
    assert had == ["pip-23.0.1.dist-info" if sys.version_info < (3, 12) else "pip-23.2.1.dist-info"]

"""A release: its version, bare environments to try a wheel in, and signing.

`python -m tools.release --key release.pem dist/stand17-*.whl` signs wheels: each gets a manifest with the
hash of every file of the program and the signature of the key. The key is an Ed25519 key in PEM (`openssl
genpkey -algorithm ed25519 -out release.pem`), which stays with the publisher.
"""

import argparse
import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from controller.domain import TableError
from controller.journal.head_file import TableKey
from controller.software import MANIFEST, Manifest, commit_of, signed
from tools.compile import ROOT


def declared_version() -> str:
    """The version that pyproject.toml says."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


class ReleaseProblem(RuntimeError):
    """Something that has to be mended before a release; one sentence."""


def require(fits: bool, sentence: str) -> None:
    """Raise `ReleaseProblem` with the sentence unless it fits."""
    if not fits:
        raise ReleaseProblem(sentence)


class BareEnvironment(NamedTuple):
    """An environment, by its folder."""

    folder: Path

    @property
    def work(self) -> Path:
        """Return the working folder of commands and their output."""
        return self.folder / "work"

    def run(
        self, program: str, *arguments: str, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; raises ReleaseProblem where it fails."""
        command = [str(self.folder / "bin" / program), *arguments]
        done = subprocess.run(
            command,
            cwd=self.work,
            env=clean() | dict(extra or {}),
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        require(not done.returncode, f"{program} {' '.join(arguments)} gave {done.returncode}:\n{said}")
        return done


def clean() -> dict[str, str]:
    """Return this environment's variables without those that redirect Python."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}


def installed(folder: Path, lock: str, wheel: Path) -> BareEnvironment:
    """Make the environment: the lock's packages, each file by its hash, and the wheel."""
    venv.create(folder, with_pip=True, symlinks=True)
    environment = BareEnvironment(folder)
    environment.work.mkdir()
    quiet = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    # A lock is complete; a pip older than 23.3 would ask for newer releases beside it.
    pinned = ("--no-deps", "--require-hashes", "-r", str(ROOT / "requirements" / f"{lock}.txt"))
    environment.run("python", *quiet, *pinned)
    environment.run("python", *quiet, "--no-deps", str(wheel))
    environment.run("python", "-m", "pip", "check")
    found = environment.run("python", "-c", "import controller, vision; print(*controller.__path__)").stdout
    require(str(folder.resolve()) in str(Path(found.strip()).resolve()), f"Runs from {found}, not the wheel.")
    return environment


_INFORMATION: Final = ".dist-info/"


def sign_wheel(wheel: Path, key: TableKey, commit: str) -> None:
    """Put manifest and signature into a wheel, in place; raises ReleaseProblem where it has them already."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        require(MANIFEST not in names, f"{wheel.name} is signed already.")
        files = {
            name: hashlib.sha256(archive.read(name)).hexdigest() for name in names if _INFORMATION not in name
        }
        added = signed(Manifest(declared_version(), commit, files), key.sign)
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch) / wheel.name
            _copy(archive, made, added)
            shutil.copyfile(made, wheel)


def _copy(archive: ZipFile, made: Path, added: dict[str, bytes]) -> None:
    """Write the wheel with the added files, and list them in its RECORD."""
    with ZipFile(made, "w", ZIP_DEFLATED) as out:
        for item in archive.infolist():
            content = archive.read(item)
            if item.filename.endswith(f"{_INFORMATION}RECORD"):
                content = _recorded(content.decode(), added).encode()
            out.writestr(item, content)
        for name, content in added.items():
            out.writestr(name, content)


def _recorded(record: str, added: dict[str, bytes]) -> str:
    told = io.StringIO()
    lines = csv.writer(told, lineterminator="\n")
    for name, content in added.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.writerow((name, f"sha256={digest}", len(content)))
    return told.getvalue() + record


def _release_commit() -> str:
    """The commit that is released; raises ReleaseProblem where something was changed since."""
    commit = commit_of(ROOT)
    require(bool(commit), "No commit is known here: sign in the source folder of the release.")
    require(not commit.endswith("-dirty"), "Something was changed since the last commit: commit it first.")
    return commit


def main() -> None:
    """Sign the wheels that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--key", type=Path, required=True, help="The private key, a PEM.")
    asked = parser.parse_args()
    try:
        key, commit = TableKey.load(asked.key), _release_commit()
        for wheel in asked.wheels:
            sign_wheel(wheel, key, commit)
            sys.stdout.write(f"{wheel}: signed for {commit}\n")
    except (ReleaseProblem, TableError) as problem:
        sys.exit(str(problem))
    sys.stdout.write(f'release_key = "{key.public}"\n')


if __name__ == "__main__":
    main()

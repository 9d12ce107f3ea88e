"""A Debian package from a tree of files: its control file, its scripts, and `dpkg-deb`."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tools.release.problem import require


class Control(NamedTuple):
    """A package's control fields; `Debian Policy` chapter 5 lists them."""

    package: str
    version: str
    architecture: str
    depends: str
    recommends: str
    provides: str
    summary: str
    description: str

    def text(self, installed_kib: int) -> str:
        """The control file, for a tree of that size."""
        fields = {
            "Package": self.package,
            "Version": self.version,
            "Architecture": self.architecture,
            "Maintainer": "the stand17 project",
            "Installed-Size": str(installed_kib),
            "Depends": self.depends,
            "Recommends": self.recommends,
            "Provides": self.provides,
            "Section": "misc",
            "Priority": "optional",
            "Description": f"{self.summary}\n {self.description}",
        }
        return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def build(tree: Path, control: Control, scripts: Mapping[str, str], folder: Path) -> Path:
    """Write the package of a tree into a folder; raises ReleaseProblem with dpkg-deb's words where it fails.

    `scripts` are shell scripts by the name of the moment at which dpkg runs them. All files belong to root.
    """
    sizes = [path.lstat().st_size for path in tree.rglob("*") if not path.is_dir()]
    about = tree / "DEBIAN"
    about.mkdir()
    (about / "control").write_text(control.text(sum(sizes) // 1024), encoding="utf-8")
    for name, script in scripts.items():
        (about / name).write_text(script, encoding="utf-8")
    _open_to_all(tree)
    for name in scripts:
        (about / name).chmod(0o755)
    made = folder / f"{control.package}_{control.version}_{control.architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", str(tree), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    require(not done.returncode, done.stderr.strip())
    return made


def _open_to_all(tree: Path) -> None:
    """Make the installed files readable for all and writable for root only, whatever the builder's umask."""
    tree.chmod(0o755)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or os.access(path, os.X_OK)
            path.chmod(0o755 if runs else 0o644)

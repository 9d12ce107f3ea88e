"""The package `stand17-VERSION`: an environment with the compiled wheel, at /opt/stand17-VERSION.

Versions stand side by side, as a house that rolls back needs both; `/opt/stand17` leads to the one in use.
Only the first version on a machine sets that link: a table is never moved to another by an installation.
"""

import compileall
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from babel import Locale

from controller.i18n import LOCALES
from tools.compile import ROOT
from tools.debian.package_archive import Control, build
from tools.debian.user_files import put_documents
from tools.release.bare_environment import BareEnvironment, clean
from tools.release.problem import require

MINOR: Final = sys.version_info.minor
PYTHON: Final = f"/usr/bin/python3.{MINOR}"
"""Debian's own of the version that builds (12: 3.11, 13: 3.13); the compiled wheel runs on no other."""

LOCKS: Final = ("run.txt", "report.txt", "floor.txt")
"""A table reports its shifts on paper and may be on a floor's network; Parquet is a package of its own."""

_UNUSED: Final = (
    # Tests, headers, stubs, sources in C and static libraries, which developers of other programs need.
    *("**/tests", "**/*.pyi", "**/*.a", "fontTools/**/*.c", "numpy/**/include", "numpy/f2py"),
    *("numpy/distutils", "numpy/_core/*_tests.*", "numpy/_core/_simd.*"),
    # The interface for C programs, and network converters: Python's module contains its own runtime.
    *("onnxruntime/capi/libonnxruntime.so*", "onnxruntime/transformers", "onnxruntime/quantization"),
    *("onnxruntime/tools", "onnxruntime/datasets", "onnxruntime/backend"),
    # The second of two bindings, for Pythons that have no C interface.
    *("zstandard/_cffi*.so", "zstandard/backend_cffi.py"),
    # SQLite's programs for a shell, and the compiler of translations.
    *("apsw/sqlite_extra_binaries", "babel/messages"),
    # Pictures of a form that no report has, outlines of fonts that none embeds.
    *("PIL/_avif*.so", "pillow.libs/libavif*", "fontTools/cu2qu", "fontTools/qu2cu", "fontTools/ufoLib"),
    *("fontTools/merge", "fontTools/mtiLib", "fontTools/t1Lib", "fontTools/voltLib"),
    # A traceback is printed in Python's colours alone.
    *("pygments/lexers/[!_p]*", "pygments/lexers/p[!y]*", "pygments/lexers/_*_builtins.py"),
)
"""What of other packages no command of a table loads, below site-packages; 110 MB of 490."""

ENTRIES: Final = re.compile(r"\n(?=\S)")
"""Between the entries of a lock."""

_MACHINE: Final = platform.machine()
_ARCHITECTURE: Final = {"x86_64": "amd64", "aarch64": "arm64"}.get(_MACHINE, _MACHINE)
"""Debian's name of the machine that builds, for which the package is."""

_GLIBC: Final = re.compile(rf"manylinux_(\d+)_(\d+)_{_MACHINE}")

AFTER_UNPACKING: Final = """#!/bin/sh
set -e
link="$DPKG_ROOT/opt/stand17"
if [ "$1" = configure ]; then
    if [ ! -e "$link" ]; then
        ln -sfn {folder} "$link"
    elif [ "$(readlink "$link")" != {folder} ]; then
        echo "{folder} is installed, and not in use. With every table closed: ln -sfn {folder} /opt/stand17"
    fi
fi
"""

BEFORE_REMOVAL: Final = """#!/bin/sh
set -e
link="$DPKG_ROOT/opt/stand17"
if [ "$1" = remove ] && [ "$(readlink "$link")" = {folder} ]; then
    if [ -d /run/systemd/system ] && systemctl --quiet is-active 'stand17@*'; then
        echo "{folder} is what an open table runs. Close it first: systemctl stop 'stand17@*'" >&2
        exit 1
    fi
    rm -f "$link"
fi
"""


def scripts(version: str) -> dict[str, str]:
    """Give the program's scripts for dpkg, by the moment at which it runs them."""
    folder = f"stand17-{version}"
    return {"postinst": AFTER_UNPACKING.format(folder=folder), "prerm": BEFORE_REMOVAL.format(folder=folder)}


def build_program(version: str, wheel: Path, scratch: Path, folder: Path) -> Path:
    """Build it from a compiled wheel in an empty folder; the package is written into another.

    Raises ReleaseProblem where the wheel is not one for Debian's Python, or cannot be installed.
    """
    tag, python = _GLIBC.search(wheel.name), f"cp3{MINOR}"
    require(tag is not None and python in wheel.name, f"{wheel.name} is no compiled wheel for {python}.")
    assert tag is not None
    tree = scratch / "program"
    environment(tree, Path(f"/opt/stand17-{version}"), wheel)
    put_documents(tree, f"stand17-{version}", pages=True)
    control = Control(
        package=f"stand17-{version}",
        version=f"{version}+py3.{MINOR}",
        architecture=_ARCHITECTURE,
        depends=f"python3.{MINOR}, libc6 (>= {tag[1]}.{tag[2]})",
        recommends="stand17-service",
        provides="stand17",
        summary=f"blackjack table controller, version {version}",
        description="Reads cards from shoe and camera, applies the house's rules, keeps the journal.",
    )
    return build(tree, control, scripts(version), folder)


def build_parquet(version: str, scratch: Path, folder: Path) -> Path:
    """Build what `stand17 table` needs for Parquet, into the program's own environment."""
    tree, lock = scratch / "parquet", scratch / "pyarrow.txt"
    pinned = (ROOT / "requirements" / "table.txt").read_text(encoding="utf-8")
    lock.write_text(
        next(one for one in ENTRIES.split(pinned) if one.startswith("pyarrow==")), encoding="utf-8"
    )
    place = tree / f"opt/stand17-{version}/lib/python3.{MINOR}/site-packages"
    place.mkdir(parents=True)
    options = ("--quiet", "--no-compile", "--no-deps", "--require-hashes", "--target", str(place))
    _run(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *options, "-r", str(lock))
    trim(place)
    compileall.compile_dir(place, quiet=2, stripdir=str(tree), prependdir="/")
    put_documents(tree, f"stand17-table-{version}", pages=False)
    control = Control(
        package=f"stand17-table-{version}",
        version=f"{version}+py3.{MINOR}",
        architecture=_ARCHITECTURE,
        depends=f"stand17-{version} (= {version}+py3.{MINOR})",
        recommends="",
        provides="",
        summary=f"blackjack table controller, version {version}: Parquet",
        description="Lets stand17 table write Parquet; CSV needs nothing.",
    )
    return build(tree, control, {}, folder)


def environment(tree: Path, place: Path, wheel: Path) -> None:
    """Fill a tree with the environment for `place`: the packages of the lock, and the wheel."""
    here = tree / place.relative_to("/")
    _run(sys.executable, "-m", "venv", "--without-pip", str(here))
    python = here / "bin" / "python"
    quiet = ("-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check")
    for name in LOCKS:
        lock = str(ROOT / "requirements" / name)
        _run(sys.executable, *quiet, "--no-compile", "--no-deps", "--require-hashes", "-r", lock)
    _run(sys.executable, *quiet, "--no-compile", "--no-deps", str(wheel))
    trim(here / f"lib/python3.{MINOR}/site-packages")
    _try(BareEnvironment(here))
    _move(here, place)
    # Compiled here, since the installed place is read-only; tracebacks name the installed files.
    compileall.compile_dir(here / "lib", quiet=2, stripdir=str(tree), prependdir="/")


def trim(packages: Path) -> None:
    """Remove files that no command loads, unused languages, and debug symbols, as Debian does."""
    languages = {Locale.parse(name).language for name in LOCALES.values()}
    foreign = [
        path
        for path in packages.glob("babel/locale-data/*.dat")
        if path.stem.split("_")[0] not in {"root", *languages}
    ]
    for path in [*foreign, *(found for pattern in _UNUSED for found in packages.glob(pattern))]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    # Not the libraries beside them, whose headers were moved by the tool that renamed them.
    for module in (*packages.rglob("*.cpython-*.so"), *packages.glob("cryptography/**/*.abi3.so")):
        _run("strip", "--strip-unneeded", str(module))


def _try(environment: BareEnvironment) -> None:
    """Deal a round with camera and shoe, and print its shift, with the trimmed packages."""
    environment.work.mkdir()
    # At this speed the camera's pictures are read.
    dealing = ("--headless", "--source", "both", "--port", "0", "--rounds", "1", "--keep", "kept")
    environment.run("stand17", "demo", *dealing)
    environment.run("stand17", "report", "kept/demo.journal", "-o", "shift.pdf")
    environment.run("python", "-c", "import nats, psycopg")
    shutil.rmtree(environment.work)


def _move(here: Path, place: Path) -> None:
    """Have an environment name the folder at which it will stand, and Debian's Python."""
    for script in (here / "bin").iterdir():
        if script.name != "stand17":
            script.unlink()
    program = here / "bin" / "stand17"
    _, _, rest = program.read_text(encoding="utf-8").partition("\n")
    program.write_text(f"#!{place}/bin/python\n{rest}", encoding="utf-8")
    for name in ("python", "python3"):
        (here / "bin" / name).symlink_to(PYTHON)
    settings = f"home = {Path(PYTHON).parent}\ninclude-system-site-packages = false\nversion = 3.{MINOR}\n"
    (here / "pyvenv.cfg").write_text(settings, encoding="utf-8")


def _run(*command: str) -> None:
    done = subprocess.run(command, env=clean(), capture_output=True, text=True, check=False)
    require(not done.returncode, f"{' '.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

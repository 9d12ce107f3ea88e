"""Build Debian's packages into dist/: `python -m tools.debian`, with the wheel of dist/, signed where it is.

The program is a package `stand17-VERSION`: an environment with the compiled wheel, at /opt/stand17-VERSION.
Versions stand side by side, as a house that rolls back needs both; `/opt/stand17` leads to the one in use.
Only the first version on a machine sets that link: a table is never moved to another by an installation.
The service is a package that all versions share.
"""

import compileall
import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from babel import Locale
from typer._completion_shared import get_completion_script

from controller.cli import COMMANDS
from controller.cli.setup import FILES
from controller.i18n import LOCALES
from tools.compile import ROOT
from tools.release import BareEnvironment, ReleaseProblem, clean, declared_version, require
from tools.wheel import DIST


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


COMPLETIONS: Final = {
    "bash": "usr/share/bash-completion/completions/stand17",
    "zsh": "usr/share/zsh/vendor-completions/_stand17",
    "fish": "usr/share/fish/vendor_completions.d/stand17.fish",
}
"""Where Debian's shells look for completions."""

MANUAL: Final = "usr/share/man/man1/stand17.1.gz"
COMMAND: Final = "usr/bin/stand17"
_IN_USE: Final = "/opt/stand17/bin/stand17"
"""The command of the version in use."""

PAGE: Final = """.TH STAND17 1 "" "stand17 {version}" "User Commands"
.SH NAME
stand17 \\- the controller of a physical blackjack table
.SH SYNOPSIS
.B stand17
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Reads the cards of a real shoe and of cameras, applies the rules of the house, tells the dealer what to do
next and what each box is paid, and keeps a journal in which any later change shows.
.B stand17 \\-\\-version
says what is installed,
.B stand17 COMMAND \\-\\-help
what a command takes.
.SH COMMANDS
{commands}.SH EXIT STATUS
0 where all is well, 1 where a command found what it was asked to look for, 2 where it could not do its work.
.SH FILES
.TP
.I /etc/stand17/NAME.toml
the table that stand17@NAME.service runs
.TP
.I /var/lib/stand17
journals and recordings
.SH SEE ALSO
/usr/share/doc/stand17\\-{version}/docs
"""


def _put_on_the_path(tree: Path, version: str) -> None:
    """The command, its completions and its page of the manual, which follow the version in use."""
    _place(tree, COMMAND).symlink_to(_IN_USE)
    for shell, place in COMPLETIONS.items():
        script = get_completion_script(prog_name="stand17", complete_var="_STAND17_COMPLETE", shell=shell)
        _place(tree, place).write_text(f"{script}\n", encoding="utf-8")
    _place(tree, MANUAL).write_bytes(gzip.compress(manual(version).encode(), 9, mtime=0))


def manual(version: str) -> str:
    """The page of the manual: each command with its line."""
    lines = (f".TP\n.B {name}\n{_troff(entry.help)}\n" for name, entry in COMMANDS.items())
    return PAGE.format(version=_troff(version), commands="".join(lines))


def _put_documents(tree: Path, package: str, *, pages: bool) -> None:
    """Licence and changes of a package, with all `pages` of docs/ where it is the program's."""
    folder = Path("usr/share/doc") / package
    shutil.copyfile(ROOT / "LICENSE", _place(tree, folder / "copyright"))
    changes = (ROOT / "CHANGELOG.md").read_bytes()
    _place(tree, folder / "changelog.gz").write_bytes(gzip.compress(changes, 9, mtime=0))
    for name in _documents() if pages else ():
        shutil.copyfile(ROOT / name, _place(tree, folder / name))


def _documents() -> list[str]:
    """Return the pages of docs/ in the sources, and the notices of other software."""
    command = ["git", "-C", os.fspath(ROOT), "ls-files", "docs", "examples", "README.md", "THIRD_PARTY.md"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def _place(tree: Path, place: str | Path) -> Path:
    made = tree / place
    made.parent.mkdir(parents=True, exist_ok=True)
    return made


def _troff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


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

_AFTER_UNPACKING: Final = """#!/bin/sh
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

_BEFORE_REMOVAL: Final = """#!/bin/sh
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
    return {
        "postinst": _AFTER_UNPACKING.format(folder=folder),
        "prerm": _BEFORE_REMOVAL.format(folder=folder),
    }


def _build_program(version: str, wheel: Path, scratch: Path, folder: Path) -> Path:
    """Build it from a compiled wheel in an empty folder; the package is written into another.

    Raises ReleaseProblem where the wheel is not one for Debian's Python, or cannot be installed.
    """
    tag, python = _GLIBC.search(wheel.name), f"cp3{MINOR}"
    require(tag is not None and python in wheel.name, f"{wheel.name} is no compiled wheel for {python}.")
    assert tag is not None
    tree = scratch / "program"
    environment(tree, Path(f"/opt/stand17-{version}"), wheel)
    _put_documents(tree, f"stand17-{version}", pages=True)
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


def _build_parquet(version: str, scratch: Path, folder: Path) -> Path:
    """Build what `stand17 table` needs for Parquet, into the program's own environment."""
    tree, lock = scratch / "parquet", scratch / "pyarrow.txt"
    pinned = (ROOT / "requirements" / "table.txt").read_text(encoding="utf-8")
    lock.write_text(
        next(one for one in ENTRIES.split(pinned) if one.startswith("pyarrow==")), encoding="utf-8"
    )
    place = tree / f"opt/stand17-{version}/lib/python3.{MINOR}/site-packages"
    place.mkdir(parents=True)
    options = ("--quiet", "--no-compile", "--no-deps", "--require-hashes", "--target", str(place))
    _checked(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *options, "-r", str(lock))
    trim(place)
    compileall.compile_dir(place, quiet=2, stripdir=str(tree), prependdir="/")
    _put_documents(tree, f"stand17-table-{version}", pages=False)
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
    _checked(sys.executable, "-m", "venv", "--without-pip", str(here))
    python = here / "bin" / "python"
    quiet = ("-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check")
    for name in LOCKS:
        lock = str(ROOT / "requirements" / name)
        _checked(sys.executable, *quiet, "--no-compile", "--no-deps", "--require-hashes", "-r", lock)
    _checked(sys.executable, *quiet, "--no-compile", "--no-deps", str(wheel))
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
        _checked("strip", "--strip-unneeded", str(module))


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


def _checked(*command: str) -> None:
    done = subprocess.run(command, env=clean(), capture_output=True, text=True, check=False)
    require(not done.returncode, f"{' '.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


HARDWARE: Final = ROOT / "hardware"

PLACES: Final = {source: f"usr/lib/{folder}" for source, folder in FILES.items()}
"""Files of hardware/, and where a Debian machine looks for them."""

_SERVICE_UNPACKED: Final = """#!/bin/sh
set -e
if [ "$1" = configure ]; then
    systemd-sysusers stand17.conf
    install -d -m 750 -g stand17 /etc/stand17
    # Known at once, used at the next start: a table that is open goes on as it is.
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    if [ -d /run/udev ]; then udevadm control --reload; fi
fi
"""

_BEFORE_SERVICE_REMOVAL: Final = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ] && systemctl --quiet is-active 'stand17@*'; then
    echo "stand17-service: a table is open. Close it first: systemctl stop 'stand17@*'" >&2
    exit 1
fi
"""


def build_service(version: str, scratch: Path, folder: Path) -> Path:
    """Build it from hardware/ in an empty folder; the package is written into another."""
    tree = scratch / "service"
    for source, place in PLACES.items():
        (tree / place).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HARDWARE / source, tree / place / Path(source).name)
    _put_on_the_path(tree, version)
    _put_documents(tree, "stand17-service", pages=False)
    control = Control(
        package="stand17-service",
        version=version,
        architecture="all",
        depends="systemd, udev, stand17",
        recommends="cage, chromium",
        provides="",
        summary="blackjack table controller: service, kiosk, accounts",
        description="Runs the tables of /etc/stand17 with the version that /opt/stand17 leads to.",
    )
    scripts = {"postinst": _SERVICE_UNPACKED, "prerm": _BEFORE_SERVICE_REMOVAL}
    return build(tree, control, scripts, folder)


def main() -> None:
    """Replace the packages in dist/ and name them; exit status 1 with a sentence where one cannot be."""
    version = declared_version()
    found = sorted(DIST.glob(f"stand17-{version}-cp3{MINOR}-*.whl"))
    if not found:
        sys.exit(f"dist/ has no compiled wheel of this version for Python 3.{MINOR}: `make wheel` builds it.")
    for old in DIST.glob("stand17-*.deb"):
        old.unlink()
    try:
        with tempfile.TemporaryDirectory(prefix="stand17-debian-") as scratch:
            made = _build_program(version, found[0], Path(scratch), DIST)
            parquet = _build_parquet(version, Path(scratch), DIST)
            service = build_service(version, Path(scratch), DIST)
    except ReleaseProblem as problem:
        sys.exit(str(problem))
    for package in (made, parquet, service):
        sys.stdout.write(f"{package.relative_to(ROOT)}, {package.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()

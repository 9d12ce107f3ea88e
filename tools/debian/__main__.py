"""Build the packages into dist/: `python -m tools.debian`, with the wheel of dist/, signed where it is."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from controller.cli.setup import FILES
from tools.compile import ROOT
from tools.debian.package_archive import Control, build
from tools.debian.program_package import MINOR, build_parquet, build_program
from tools.debian.user_files import put_documents, put_on_the_path
from tools.release.declarations import declared_version
from tools.release.problem import ReleaseProblem
from tools.wheel import DIST

HARDWARE: Final = ROOT / "hardware"

PLACES: Final = {source: f"usr/lib/{folder}" for source, folder in FILES.items()}
"""Files of hardware/, and where a Debian machine looks for them."""

AFTER_UNPACKING: Final = """#!/bin/sh
set -e
if [ "$1" = configure ]; then
    systemd-sysusers stand17.conf
    install -d -m 750 -g stand17 /etc/stand17
    # Known at once, used at the next start: a table that is open goes on as it is.
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    if [ -d /run/udev ]; then udevadm control --reload; fi
fi
"""

BEFORE_REMOVAL: Final = """#!/bin/sh
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
    put_on_the_path(tree, version)
    put_documents(tree, "stand17-service", pages=False)
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
    scripts = {"postinst": AFTER_UNPACKING, "prerm": BEFORE_REMOVAL}
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
            made = build_program(version, found[0], Path(scratch), DIST)
            parquet = build_parquet(version, Path(scratch), DIST)
            service = build_service(version, Path(scratch), DIST)
    except ReleaseProblem as problem:
        sys.exit(str(problem))
    for package in (made, parquet, service):
        sys.stdout.write(f"{package.relative_to(ROOT)}, {package.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()

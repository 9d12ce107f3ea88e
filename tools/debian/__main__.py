"""Build both packages into dist/: `python -m tools.debian`, with the wheel of dist/, signed where it is."""

import sys
import tempfile
from pathlib import Path

from tools.compile import ROOT
from tools.debian.program_package import MINOR, build_program
from tools.debian.service_package import build_service
from tools.release.declarations import declared_version
from tools.release.problem import ReleaseProblem
from tools.wheel import DIST


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
            service = build_service(version, Path(scratch), DIST)
    except ReleaseProblem as problem:
        sys.exit(str(problem))
    for package in (made, service):
        sys.stdout.write(f"{package.relative_to(ROOT)}, {package.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()

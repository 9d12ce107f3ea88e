"""Check a release; exit status 1 with one sentence where it would be wrong."""

import argparse
import json
import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path

from controller.journal.head_file import TableKey
from controller.software import commit_of
from tests.release.wheel_check.declared import check_declarations
from tests.release.wheel_check.speed import measured, require_speed
from tests.release.wheel_check.trial import FEED, replayed, try_demo, try_reading, try_software, try_version
from tests.release.wheel_check.wheel_content import check_content
from tools.compile import ROOT
from tools.release import BareEnvironment, ReleaseProblem, installed, require, sign_wheel
from tools.wheel import DIST, wheels

LOCKS = {"compiled": "bench", "pure": "run"}
"""What is installed beside each wheel: the compiled one is measured beside others."""


def tell(line: str) -> None:
    """One line of progress, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def check(folder: Path, key: TableKey) -> BareEnvironment:
    """Everything but speed, in an empty folder; the environment of the compiled wheel.

    What is tried is signed with the key, as a release is; the wheels in dist/ stay as they were built.
    """
    version = check_declarations(date.today())  # noqa: DTZ011  # a release has a real day
    tell(f"stand17 {version}: changelog dated, locks with hashes")
    environments = {}
    for form, wheel in wheels(DIST).items():
        check_content(wheel, form, version)
        tell(f"{form}: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, holds what it should")
        released = folder / "signed" / wheel.name
        released.parent.mkdir(parents=True, exist_ok=True)
        sign_wheel(Path(shutil.copy(wheel, released)), key, commit_of(ROOT))
        environment = installed(folder / form, LOCKS[form], released)
        tell(f"{form}: {' '.join(try_version(environment, form, version))}")
        try_software(environment, key.public)
        try_demo(environment, form)
        if form == "compiled":
            try_reading(environment)
        tell(f"{form}: files as signed, demo dealt, its feed replayed")
        environments[form] = environment
    feed = environments["compiled"].work / FEED
    replays = {replayed(environment, feed) for environment in environments.values()}
    require(len(replays) == 1, "The two wheels replay one feed differently.")
    return environments["compiled"]


def main() -> None:
    """Build, look, install, try, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-bench", action="store_true", help="Leave the measurements out.")
    parser.add_argument(
        "--bench-only", type=Path, metavar="FOLDER", help="Only measure what --keep left there."
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="Leave the environments in this new folder."
    )
    asked = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="stand17-release-") as scratch:
            kept = asked.bench_only
            # For this check alone: the key of the release signs with `python -m tools.release`.
            key = TableKey.load_or_make(Path(scratch) / "check.pem", {})
            folder = asked.keep or Path(scratch)
            environment = BareEnvironment(kept / "compiled") if kept else check(folder, key)
            if not asked.no_bench:
                figures = measured(environment)
                tell(json.dumps(figures, indent=1))
                require_speed(figures)
    except ReleaseProblem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()

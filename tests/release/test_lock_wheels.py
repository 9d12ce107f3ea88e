"""Each promised Python finds a wheel of everything, on x86-64 and on ARM. Asks the index, so at night."""

import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
CLASSIFIER: Final = "Programming Language :: Python :: "


def promised() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [line.removeprefix(CLASSIFIER) for line in project["classifiers"] if line.startswith(CLASSIFIER)]
    return [version for version in named if "." in version]


@pytest.mark.night
@pytest.mark.parametrize("lock", ["run", "dev"])
@pytest.mark.parametrize("platform", ["x86_64-manylinux_2_28", "aarch64-manylinux_2_28"])
@pytest.mark.parametrize("version", promised())
def test_no_package_has_to_be_built(lock: str, platform: str, version: str, tmp_path: Path) -> None:
    asked = (
        "install",
        "--quiet",
        "--dry-run",
        "--target",
        str(tmp_path),
        "--only-binary",
        ":all:",
        "--no-deps",
    )
    of = ("--python-platform", platform, "--python-version", version, "--require-hashes")
    done = subprocess.run(
        [ROOT / ".venv/bin/uv", "pip", *asked, *of, "-r", ROOT / f"requirements/{lock}.txt"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

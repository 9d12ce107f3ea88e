"""Each Python that set-up takes finds a wheel of everything, x86-64 and ARM. Asks the index, so at night."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
MAKEFILE: Final = (ROOT / "Makefile").read_text(encoding="utf-8")


def taken() -> list[str]:
    """The versions that set-up looks for, the newest first."""
    found = re.search(r"for minor in ([\d ]+);", MAKEFILE)
    assert found
    return [f"3.{minor}" for minor in found[1].split()]


def test_each_python_that_is_promised_is_one_that_set_up_takes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert promised
    assert set(promised) <= set(taken())
    assert project["requires-python"] == f">={taken()[-1]}"


@pytest.mark.night
@pytest.mark.parametrize("lock", ["run", "dev"])
@pytest.mark.parametrize("platform", ["x86_64-manylinux_2_28", "aarch64-manylinux_2_28"])
@pytest.mark.parametrize("version", taken())
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

"""The layers of docs/architecture.md hold, and no package stands outside them."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_import_contracts_are_kept() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_package_of_the_controller_has_its_layer() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    listed = {name for line in layers for name in line.translate(str.maketrans("():|", "    ")).split()}
    present = {f"controller.{path.parent.name}" for path in (ROOT / "controller").glob("*/__init__.py")}
    present |= {f"controller.{path.stem}" for path in (ROOT / "controller").glob("*.py")} - {
        "controller.__init__"
    }
    assert present - listed == set()

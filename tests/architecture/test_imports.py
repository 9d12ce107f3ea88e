"""The import contracts (kept by `make lint`) leave no package of the controller out and make no exception."""

import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS: Final[dict[str, dict[str, Any]]] = {
    contract["id"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]
}


def test_each_package_of_the_controller_has_its_place() -> None:
    rooms = CONTRACTS["rooms"]
    assert rooms["exhaustive"] is True
    listed = {name for layer in rooms["layers"] for name in layer.replace("|", " ").split()}
    packages = {path.parent.name for path in (ROOT / "controller").glob("*/__init__.py")}
    present = packages | {path.stem for path in (ROOT / "controller").glob("*.py")} - {"__init__"}
    assert listed == present


def test_no_contract_looks_away_from_an_import() -> None:
    assert [name for name, contract in CONTRACTS.items() if "ignore_imports" in contract] == []


def test_no_cycle_is_allowed_anywhere() -> None:
    assert set(CONTRACTS["cycles"]["ancestors"]) >= set(PROJECT["tool"]["importlinter"]["root_packages"])

"""What the table declares to need is what it imports, no more and no less."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OWN: Final = {"controller", "drivers", "stand17", "vision"}
WITHOUT_IMPORT: Final = {
    "websockets": "uvicorn speaks WebSocket through it",
}
WITH_ANOTHER: Final = {
    "nats-py": "the extra `floor`: only tables on a floor's network load it",
    "starlette": "fastapi is built on it and passes its types on",
    "psycopg": "the extra floor: imported where a database is named, and nowhere else",
    "pydantic-core": "pydantic is built on it and passes its errors on",
    "pytest": "loads the plugin itself, and nothing else does",
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names - OWN - set(sys.stdlib_module_names)


def needed_at_the_table() -> set[str]:
    paths = [path for package in sorted(OWN) for path in (ROOT / package).rglob("*.py")]
    table = [path for path in paths if "bench" not in path.parts and "node_modules" not in path.parts]
    providers = packages_distributions()
    return {normal(providers.get(name, [name])[0]) for path in table for name in imported(path)}


def test_run_time_dependencies_are_declared_and_used() -> None:
    declared = {normal(re.split(r"[>=<\[]", line)[0]) for line in PROJECT["project"]["dependencies"]}
    assert needed_at_the_table() - declared - set(WITH_ANOTHER) == set()
    assert declared - needed_at_the_table() - set(WITHOUT_IMPORT) == set()


def test_the_pure_parts_import_the_standard_library_only() -> None:
    modules = [ROOT / "controller/domain.py", ROOT / "controller/irregularities.py"]
    for path in [*modules, *(ROOT / "controller/engine").rglob("*.py")]:
        assert imported(path) == set(), path

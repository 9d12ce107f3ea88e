"""What the pages call by a path is there: files, folders, and the names inside a file."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGES: Final = (
    "docs/extending.md",
    "docs/architecture.md",
    "docs/regulations.md",
    "CONTRIBUTING.md",
    "README.md",
)

IN_BACKTICKS: Final = re.compile(r"`([A-Za-z_.][\w.-]*/[\w./-]*)(?:::([\w.]+))?`")
"""A path, of which a folder is a part, and what to look for in the file: `folder/file.py::Class.method`."""


def named(page: str) -> list[tuple[str, str]]:
    """(path, name in it) of everything that a page names by a path; the name is empty for a whole file."""
    return IN_BACKTICKS.findall((ROOT / page).read_text(encoding="utf-8"))


def defined(path: Path) -> set[str]:
    """Names that a source file defines at its top or in a class, `Class.method` for those."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return set(python_names(ast.parse(text).body, ""))
    return set(re.findall(r"^export (?:async )?(?:function|const|type|class) (\w+)", text, re.MULTILINE))


def python_names(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from python_names(node.body, f"{prefix}{name}.")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield prefix + name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield prefix + name


@pytest.mark.parametrize("page", PAGES)
def test_each_path_on_a_page_leads_to_a_file_and_what_it_defines(page: str) -> None:
    created = re.findall(r"^Create `([^`]+)`", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    lost = [path for path, _ in named(page) if not (ROOT / path).exists() and path not in created]
    assert lost == []
    lost = [f"{path}::{name}" for path, name in named(page) if name and name not in defined(ROOT / path)]
    assert lost == []


def test_the_way_of_a_card_leads_through_the_code() -> None:
    """It names functions, not folders alone, and those of every part of the way."""
    steps = {path.rpartition("/")[0] for path, name in named("docs/architecture.md") if name}
    assert steps >= {
        "drivers/shoe",
        "controller/devices",
        "controller/runtime",
        "controller/engine",
        "controller/journal",
        "controller/screens",
        "controller/web",
        "vision",
    }


def test_the_table_of_folders_leaves_no_package_of_the_controller_out() -> None:
    packages = {f"controller/{path.parent.name}" for path in (ROOT / "controller").glob("*/__init__.py")}
    built = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    assert {name for name in packages if f"`{name}`" not in built} == set()


def test_the_changelog_dates_each_version_and_begins_with_the_present_one() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = [
        re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\S+)", heading)
        for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)
    ]
    assert None not in released
    dated = [(found[1], date.fromisoformat(found[2])) for found in released if found]
    assert dated[0][0] == PROJECT["project"]["version"]
    assert [day for _, day in dated] == sorted((day for _, day in dated), reverse=True)


def test_nothing_is_new_in_two_versions() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = [" ".join(entry.split()) for entry in re.findall(r"^- (.+?)(?=\n- |\n\n)", text, re.M | re.S)]
    assert [entry for entry, times in Counter(entries).items() if times > 1] == []


def test_each_news_fragment_says_what_kind_of_change_it_is() -> None:
    kinds = "|".join(PROJECT["tool"]["towncrier"]["fragment"])
    fragments = {path.name for path in (ROOT / "newsfragments").iterdir()} - {
        "README.md",
        "TEMPLATE.md.jinja",
    }
    wrong = {name for name in fragments if not re.fullmatch(rf"[a-z0-9-]+\.({kinds})\.md", name)}
    assert wrong == set()

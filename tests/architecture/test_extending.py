"""The worked examples of docs/extending.md, executed from the page's own text on a copy of the sources."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(
    r"(?:(?:In `(?P<file>[^`]+)`, (?P<where>before|in place of) `(?P<at>[^`]+)`|Create `(?P<new>[^`]+)`)"
    r":\n\n)?```(?P<language>\w+)\n(?P<text>.*?)```\n",
    re.DOTALL,
)
COPIED: Final = ("controller", "drivers")
SECTIONS: Final = (
    *("A rule", "A ruling", "An act that reports"),
    *("A hold with a way out", "A figure", "A device"),
)


class Section(NamedTuple):
    """An example: its edits as matches of `BLOCK`, and its sessions."""

    edits: list[re.Match[str]]
    sessions: list[str]


def section(name: str) -> Section:
    text = PAGE.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    blocks = list(BLOCK.finditer(text))
    sessions = [block["text"] for block in blocks if block["text"].startswith(">>>")]
    return Section([block for block in blocks if block["file"] or block["new"]], sessions)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with every example of the page, compiled by nothing."""
    top = tmp_path_factory.mktemp("extended")
    left_out = shutil.ignore_patterns("*.so", "node_modules", "static", "__pycache__")
    for package in COPIED:
        shutil.copytree(ROOT / package, top / package, ignore=left_out)
    for package in ("vision", "models", "pyproject.toml"):
        (top / package).symlink_to(ROOT / package)
    for name in SECTIONS:
        for edit in section(name).edits:
            apply(top, edit)
    return top


def apply(top: Path, edit: re.Match[str]) -> None:
    if edit["new"]:
        (top / edit["new"]).write_text(edit["text"], encoding="utf-8")
        return
    path = top / edit["file"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(index for index, line in enumerate(lines) if line.startswith(edit["at"]))
    # Two blank lines part what stands at the top of a module.
    apart = "\n\n" if edit["where"] == "before" and edit["text"].startswith("@") else ""
    lines[first : first + (edit["where"] == "in place of")] = [edit["text"] + apart]
    path.write_text("".join(lines), encoding="utf-8")


def run(top: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(top)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=top, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", SECTIONS)
def test_the_example_does_what_the_page_says(copy: Path, name: str) -> None:
    for number, session in enumerate(section(name).sessions):
        path = copy / f"session-{number}.txt"
        path.write_text(session, encoding="utf-8")
        done = run(copy, "-m", "doctest", str(path))
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.night
def test_the_page_check_takes_the_key_and_names_the_way_that_opens_nothing(copy: Path) -> None:
    """The types are generated from the acts and ways of the examples."""
    page = "controller/web/frontend"
    if not (ROOT / page / "node_modules").is_dir():
        pytest.skip("the page's packages are not installed")
    (copy / page / "node_modules").symlink_to(ROOT / page / "node_modules")
    types = run(copy, "-m", "controller.studio.page_types")
    (copy / page / "src/view.ts").write_text(types.stdout, encoding="utf-8")
    tsc = ("exec", "--", "tsc", "--noEmit", "-p", str(copy / page))
    command = [str(ROOT / "tools/npm"), "--prefix", str(copy / page), *tsc]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (error,) = [line for line in done.stdout.splitlines() if "error" in line]
    assert "src/pit/ways.ts" in error, types.stderr + done.stdout + done.stderr


def test_a_ruling_with_a_hold_touches_three_python_files() -> None:
    edits = [*section("A ruling").edits, *section("A hold with a way out").edits]
    assert len({edit["file"] for edit in edits}) == 3


@pytest.mark.night
@pytest.mark.parametrize(
    "forgotten", ["        case Confirmed():", "            | AmendClose()", '        case "STAKE_REMOVED":']
)
def test_a_forgotten_case_is_a_type_error(copy: Path, forgotten: str) -> None:
    """mypy over the layers that the example touches, with and without one of its edits."""
    edits = [edit for name in SECTIONS for edit in section(name).edits]
    (edit,) = (one for one in edits if one["text"].startswith(forgotten))
    path = copy / edit["file"]
    whole = path.read_text(encoding="utf-8")
    checked = ("-m", "mypy", "--no-incremental", "--follow-imports", "silent", edit["file"])
    assert run(copy, *checked).returncode == 0
    try:
        path.write_text(whole.replace(edit["text"], "", 1), encoding="utf-8")
        assert "has incompatible type" in run(copy, *checked).stdout
    finally:
        path.write_text(whole, encoding="utf-8")

"""What is tracked names no machine and no package index, and the README's commands exist."""

import json
import re
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from controller.cli import COMMANDS
from tools.lock import SOURCES, TESTED, unpinned

ROOT: Final = Path(__file__).resolve().parents[2]
PIN: Final = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)

# Written in two halves, so that this file does not name them either.
ADDRESSES: Final = tuple(
    "".join(halves)
    for halves in (
        ("pypi", ".org"),
        ("python", "hosted"),
        ("registry.", "npmjs"),
        ("registry.", "yarnpkg"),
        ("deb.", "debian"),
        ("extra-", "index-url"),
        ("find-", "links"),
        ("file:", "///"),
        ("/opt/", "pypi"),
        ("/ro", "ot/"),
        ("/wo", "rk/"),
    )
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_no_tracked_file_names_an_index_or_a_machine() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        found += [f"{path.relative_to(ROOT)}: {address}" for address in ADDRESSES if address in text]
    assert found == []


@pytest.mark.parametrize("name", [*SOURCES, "train-cpu"])
def test_locks_pin_each_package_with_a_hash(name: str) -> None:
    lock = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert lock.strip()
    assert unpinned(lock) == []


def test_npm_locks_carry_hashes_and_no_address() -> None:
    locks = [path for path in tracked() if path.name == "package-lock.json"]
    assert locks
    for path in locks:
        packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
        fetched = {name: entry for name, entry in packages.items() if name}
        assert {name for name, entry in fetched.items() if "integrity" not in entry} == set(), path
        assert {name for name, entry in fetched.items() if "resolved" in entry} == set(), path


def test_the_run_lock_holds_each_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[>=<]", line)[0] for line in project["dependencies"]}
    lock = (ROOT / "requirements/run.txt").read_text(encoding="utf-8")
    assert declared - {line.split("==")[0] for line in lock.splitlines() if "==" in line} == set()


@pytest.mark.parametrize("lock", TESTED)
def test_a_lock_pins_what_the_tests_run_on(lock: str) -> None:
    less, more = ((ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8") for name in (lock, "dev"))
    tested: dict[str, set[str]] = {}
    for name, version in PIN.findall(more):
        tested.setdefault(name, set()).add(version)
    assert {pin for pin in PIN.findall(less) if pin[1] not in tested.get(pin[0], {pin[1]})} == set()


@pytest.mark.parametrize("smaller", ["bench", "run", "build", "table", "report"])
def test_the_development_lock_holds_the_smaller_ones(smaller: str) -> None:
    less, more = (
        (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8") for name in (smaller, "dev")
    )
    pins = {line for line in less.splitlines() if "==" in line}
    assert pins - set(more.splitlines()) == set()


def test_a_table_is_installed_without_a_build_tool() -> None:
    run, build = (
        {name for name, _ in PIN.findall((ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8"))}
        for lock in ("run", "build")
    )
    assert {"hatchling", "editables", "setuptools"} <= build
    assert build & run <= {"packaging"}


def test_the_make_targets_that_documents_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    documents = [ROOT / "README.md", ROOT / ".ci/run", *sorted((ROOT / "docs").rglob("*.md"))]
    named = {
        name
        for path in documents
        for name in re.findall(r"^\s*(?:exec )?make ([a-z-]+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert {"demo", "test"} <= named
    assert named - targets == set()


def test_each_page_of_the_documentation_is_in_its_index() -> None:
    for index in (ROOT / "docs/README.md", ROOT / "docs/decisions/README.md"):
        text = index.read_text(encoding="utf-8")
        pages = {path.name for path in index.parent.glob("*.md")} - {"README.md"}
        assert {page for page in pages if f"]({page})" not in text} == set()


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in tracked():
        if path.suffix == ".md" and path.exists():
            for target in re.findall(r"\]\(([^)#:\s]+)[^):]*\)", path.read_text(encoding="utf-8")):
                if not (path.parent / target).exists():
                    broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_the_notices_name_what_the_run_lock_installs() -> None:
    notices = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([a-z0-9-]+) \| (\d\S*) \|", notices, re.MULTILINE))
    lock = (ROOT / "requirements/run.txt").read_text(encoding="utf-8")
    pinned: dict[str, set[str]] = {}
    for name, version in PIN.findall(lock):
        pinned.setdefault(name, set()).add(version)
    assert {name for name, version in listed.items() if version not in pinned.get(name, set())} == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {re.split(r"[>=<]", line)[0] for line in project["dependencies"]} - set(listed) == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_listed_command_is_there(name: str) -> None:
    entry = COMMANDS[name]
    assert callable(getattr(import_module(entry.module), entry.name))


def test_the_pages_name_each_command_and_none_that_is_not_there() -> None:
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^    )stand17 ([a-z]+)", text, re.MULTILINE))
    assert named == set(COMMANDS)


@pytest.mark.parametrize("page", ["README.md", "docs/commands.md"])
def test_the_files_that_a_page_plays_exist(page: str) -> None:
    played = re.findall(r"tests/\S+\.jsonl", (ROOT / page).read_text(encoding="utf-8"))
    assert played
    for pattern in played:
        assert list(ROOT.glob(pattern)), pattern

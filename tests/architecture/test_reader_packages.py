"""The card reader's packages are entered by their faces, and its tuned numbers say where they come from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.tuned_numbers import tuned_numbers

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = sorted(path.parent for path in (ROOT / "vision").glob("*/__init__.py"))
MODULES: Final = sorted(path for path in (ROOT / "vision").rglob("*.py") if path.name != "__init__.py")
CALLERS: Final = ("controller", "drivers", "models", "tools", "vision")

VOCABULARIES: Final = {"reading"}
"""Words that every package may import without saying so."""

INSIDE: Final = {("models/glyph_bank.py", "vision.synth.style")}
"""The program that makes the glyphs' file is the only one outside that knows its format."""

DEFINITIONS: Final = {
    "units and what is printed": {
        *("POINTS_PER_MM", "MM_PER_INCH"),
        *("HEIGHT_PX", "SQUARE_MM", "CELL_MM", "MARKER_MM", "RULER_MM", "RULER_BELOW_MM"),
    },
    "what the shipped networks put out": {"HEIGHT_UNIT"},
    "guards of a division, a root or a product": {"P_LEAST", "P_MOST"},
    "steps of a textbook method": {"DAMPING_START", "DAMPING_MAX"},
    "a setup that a person changes": {"MouthCameraSetup.window"},
    "any number of the kind would do": {"NO_CORNER"},
}
"""Numbers that nobody tuned."""


def inner_imports(path: Path) -> Iterator[str]:
    """Modules inside a package of the reader that a file outside that package imports."""
    own = path.relative_to(ROOT).parts[:2]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "vision" and len(parts) > 2 and tuple(parts[:2]) != own:
                yield name


def test_a_package_is_entered_by_its_face() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for caller in CALLERS
        for path in (ROOT / caller).rglob("*.py")
        if "node_modules" not in path.parts
        for name in inner_imports(path)
    }
    assert found == INSIDE


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_face_says_what_comes_in_what_goes_out_and_what_it_imports(package: Path) -> None:
    """And the last of it is true."""
    text = (package / "__init__.py").read_text(encoding="utf-8")
    first = text.splitlines()[0]
    assert re.match(r'""".* in, .* out\b.*\. Imports .*\.', first.removesuffix('"""')), first
    others = {name.split(".")[1] for path in package.glob("*.py") for name in vision_imports(path)} - {
        package.name
    }
    told = first.partition("Imports")[2]
    if "below" not in told:
        assert {name for name in others - VOCABULARIES if name not in told} == set()


def vision_imports(path: Path) -> set[str]:
    """Names of the reader's modules and packages that a file imports."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name for name in modules if name.startswith("vision.")}


def test_tuned_numbers_say_where_they_come_from() -> None:
    """A measurement, a page, a command, or that none is on record.

    A number that is used once stands there, with a comment that says the same.
    """
    defined = {name for names in DEFINITIONS.values() for name in names}
    numbers = [
        number for path in MODULES for number in tuned_numbers(path) if isinstance(number.value, float)
    ]
    assert len(numbers) > 100
    bare = {number.name.split("[")[0]: number.path.name for number in numbers if not number.sourced}
    assert {name: module for name, module in bare.items() if name not in defined} == {}
    assert defined - set(bare) == set()


def test_the_pages_name_files_of_the_reader_that_exist() -> None:
    modules = {path.name for path in MODULES}
    lost = []
    for page in ("docs/reader.md", "docs/layout.md", "models/MODEL_CARD.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        lost += [name for name in re.findall(r"`(vision/[\w/.]+)`", text) if not (ROOT / name).exists()]
        lost += [name for name in re.findall(r"`([a-z_]+\.py)`", text) if name not in modules]
    assert lost == []

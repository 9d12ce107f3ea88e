"""What lies in a wheel: all that a table needs, nothing of the tests, no path of this machine."""

import re
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

from controller.cli.setup import FILES
from tools.compile import PACKAGE, ROOT
from tools.release import require
from vision.native import LIBRARY

NEEDED = (
    *(f"controller/i18n/{language}.json" for language in ("en", "nl", "de", "fr", "it")),
    *(str(rules.relative_to(ROOT)) for rules in sorted((ROOT / "controller/rules").glob("*.toml"))),
    *(f"vision/model/{network}/model.onnx" for network in ("body", "glance", "index", "survey")),
    *(f"vision/model/{network}/manifest.toml" for network in ("body", "glance", "index", "survey")),
    *("vision/model/MODEL_CARD.md", "vision/synth/glyphs.npz", "vision/native/ink.c"),
    *("controller/shipped/docs/running.md", "controller/shipped/examples/table.toml"),
    *(f"controller/shipped/hardware/{source}" for source in FILES),
    *("controller/web/static/index.html", "controller/THIRD_PARTY.md"),
    *("controller/py.typed", "drivers/py.typed", "stand17/py.typed", "vision/py.typed"),
)
"""Catalogues, houses, networks, pages, units, notices, and what compiled functions are compared with."""

ROOTS = ("controller/", "drivers/", "stand17/", "stand17_command/", "vision/")
STRANGE = re.compile(
    r"(^|/)(tests?|node_modules|frontend|tools|__pycache__)/|\.(pyc|tsx?|map)$|(^|/)test_\w+\.py$"
)
TEST_IN_NAME = {"vision/indices.py"}
"""Named after the method, no test."""


def machine_paths() -> list[bytes]:
    """Folders that no file of a release may name: sources, home, Python's, and where it was compiled."""
    folders = {str(path) for path in (ROOT, Path.home(), Path(sys.prefix), Path(sys.base_prefix))} - {"/"}
    scratch = str(Path(tempfile.gettempdir()) / "stand17-wheel-")
    return [*(f"{folder}/".encode() for folder in sorted(folders)), scratch.encode()]


def check_content(wheel: Path, form: str, version: str) -> None:
    """Raises ReleaseProblem with the first thing that is missing or too much."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        check_names(names, form, version)
        for name in names:
            content = archive.read(name)
            for path in machine_paths():
                require(path not in content, f"{wheel.name}: {name} names {path.decode()}.")
        told = archive.read(f"stand17-{version}.dist-info/METADATA").decode()
        require(f"\nVersion: {version}\n" in told, f"{wheel.name} does not say version {version}.")
        tags = re.findall(r"^Tag: (\S+)$", archive.read(f"stand17-{version}.dist-info/WHEEL").decode(), re.M)
        require(bool(tags), f"{wheel.name} says no tag.")
        platform = wheel.stem.rpartition("-")[2]
        require(any(tag.endswith(platform) for tag in tags), f"{wheel.name} says another tag: {tags}.")


def check_names(names: list[str], form: str, version: str) -> None:
    """What has to be there, what must not, and the compiled parts of that form of wheel."""
    information = f"stand17-{version}.dist-info/"
    for needed in (*NEEDED, f"{information}licenses/LICENSE"):
        require(needed in names, f"The {form} wheel lacks {needed}.")
    libraries = [name for name in names if name.endswith(".so")]
    strange = [name for name in names if STRANGE.search(name) and name not in TEST_IN_NAME]
    strange += [
        name for name in names if not name.startswith((*ROOTS, information)) and name not in libraries
    ]
    require(not strange, f"The {form} wheel holds {', '.join(strange)}.")
    if form == "pure":
        require(not libraries, f"The pure wheel holds {', '.join(libraries)}.")
        return
    compiled = {name.split(".")[0] for name in libraries}
    engine = {path.relative_to(ROOT).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py")}
    lacking = engine - compiled
    require(not lacking, f"Not compiled: {', '.join(sorted(lacking))}.")
    require(f"vision/native/{LIBRARY}" in libraries, "The reader's functions are not compiled.")
    shared = [name for name in libraries if "__mypyc." in name]
    require(len(shared) == 1, f"The engine's shared part is there {len(shared)} times.")

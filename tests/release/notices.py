"""Write THIRD_PARTY.md: what stand17 is installed with, what its wheels contain, and under which licences."""

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NamedTuple

from packaging.requirements import Requirement

from tests.release.bundled import bundled as bundled_in_wheels

ROOT: Final = Path(__file__).resolve().parents[2]
NOTED_ON: Final = (3, 11)
"""The Python that the page is made on: the oldest, whose locked numpy carries the most."""

FRONTEND: Final = ROOT / "controller/web/frontend"
MODEL_CARD: Final = ROOT / "models/MODEL_CARD.md"
TARGET: Final = ROOT / "THIRD_PARTY.md"

HEAD: Final = """\
# Third-party software

Made by `make notices` from what is installed; edit tests/release/notices.py, not this page.

## Installed beside stand17

Python packages that the table needs at run time, as Python 3.11 installs them (newer ones take a newer numpy,
of the same licences or fewer). They are not part of the stand17 wheel; each brings its own licence text.

| package | version | licence |
|---|---|---|
"""
CARRIED: Final = """
## Inside those packages' wheels

Libraries that the wheels of these packages carry on Linux for x86-64, mostly without a word in their data;
their licence texts are in the wheels (`cv2/LICENSE-3RD-PARTY.txt`, `onnxruntime/ThirdPartyNotices.txt`). What
of them can be reached from the network, and how it is kept away, says
`docs/decisions/0019-what-reads-bytes-of-others.md`.

| package | carries | version | licence |
|---|---|---|---|
"""
DRAWN: Final = """
## Drawn from

`vision/synth/glyphs.npz` holds pictures of the ranks and suits in these fonts, none of their outlines. The
network in `vision/model` was trained on drawings made with them, and with the card art in its model card.

"""
BUNDLED: Final = """
## Inside the stand17 wheel

JavaScript and fonts that the build puts into the screens, with their licence texts.
"""


class Package(NamedTuple):
    """A piece of third-party software as the notices name it."""

    name: str
    version: str
    licence: str


def licence_of(found: Distribution) -> str:
    """Return the licence expression, else the classifiers' words, else the licence field's first line."""

    def field(name: str) -> list[str]:
        return found.metadata.get_all(name) or []

    classified = [line.split(" :: ")[-1] for line in field("Classifier") if "License ::" in line]
    named = ", ".join(line for line in classified if line != "OSI Approved")
    for words in (*field("License-Expression"), named, *field("License")):
        if words:
            return words.splitlines()[0]
    return "not stated"


def requirements_of(found: Distribution) -> Iterator[str]:
    """Yield the names that this distribution needs on this machine, extras left out."""
    for line in found.requires or []:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name


def installed(root: str = "stand17") -> list[Package]:
    """Return everything that `root` pulls in, sorted by name."""
    todo, seen = [root], {}
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in seen:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError as missing:
            raise SystemExit(f"{name} is not installed: run `make setup` first.") from missing
        seen[name] = Package(name, found.version, licence_of(found))
        todo += requirements_of(found)
    del seen[root]
    return sorted(seen.values())


def bundled() -> list[Package]:
    """Return the npm packages that end up in the screens, development tools left out."""
    lock = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))
    return sorted(
        Package(path.removeprefix("node_modules/"), entry["version"], entry.get("license", "not stated"))
        for path, entry in lock["packages"].items()
        if path and not entry.get("dev")
    )


def licence_text(package: Package) -> str:
    """Return the licence file of an npm package as an indented block; `make setup` has fetched it."""
    folder = FRONTEND / "node_modules" / package.name
    files = sorted(path for path in folder.glob("LICEN[CS]E*") if path.is_file())
    if not files:
        raise SystemExit(f"{package.name} brings no licence text in {folder.relative_to(ROOT)}.")
    lines = files[0].read_text(encoding="utf-8").strip().splitlines()
    return "\n".join(f"    {line}".rstrip() for line in lines)


def fonts() -> str:
    """Return the model card's list of fonts with their licences."""
    found = re.search(
        r"^### Fonts[^\n]*\n(.*?)\n(?:\n|#)", MODEL_CARD.read_text(encoding="utf-8"), re.M | re.S
    )
    if not found:
        raise SystemExit(f"{MODEL_CARD.name} has no list of fonts.")
    return found[1].strip() + "\n"


def page() -> str:
    """The whole page, as it has to be for what is installed."""
    packages = installed()
    carried = [
        f"| {one.wheel} | {one.name} | {one.version} | {one.licence} |\n"
        for one in bundled_in_wheels(package.name for package in packages)
    ]
    rows = [f"| {package.name} | {package.version} | {package.licence} |\n" for package in packages]
    texts = [
        f"\n### {package.name} {package.version} ({package.licence})\n\n{licence_text(package)}\n"
        for package in bundled()
    ]
    return "".join((HEAD, *rows, CARRIED, *carried, DRAWN, fonts(), BUNDLED, *texts))


def main() -> None:
    """Write the page; with `--check` say whether it is true instead."""
    made = page()
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(made, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != made:
        raise SystemExit(f"{TARGET.name} is not what is installed: run `make notices`.")


if __name__ == "__main__":
    main()

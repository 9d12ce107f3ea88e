"""Which files of an installation are the program's, and their hashes."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

PACKAGES: Final = ("controller", "drivers", "stand17", "stand17_command", "vision")
"""Folders of the wheel that hold nothing but the program."""

MODELS: Final = "models"
"""Where a source folder has the networks, which a wheel has in `vision/model`."""

MANIFEST: Final = "controller/manifest.json"
SIGNATURE: Final = "controller/manifest.sig"
COMMIT: Final = "controller/software/commit.txt"
"""In a wheel alone: the commit that it was built from, as git describes it."""

SHIPPED: Final = "controller/shipped"
"""Where a wheel has what its sources have in `hardware`, `docs` and `examples`."""

_NOT_SHIPPED: Final = {"__pycache__", "frontend", "node_modules"}
_NETWORK: Final = {".onnx", ".toml"}


def root_of_this_program() -> Path:
    """The folder that holds the packages: of the installation, or of the sources."""
    return Path(__file__).resolve().parents[2]


def shipped_folder(name: str = "hardware") -> Path:
    """The folder of files that a machine or a reader gets, such as units: of the sources, or of a wheel."""
    root = root_of_this_program()
    return root / name if (root / "pyproject.toml").is_file() else root / SHIPPED / name


def program_files(root: Path) -> Iterator[str]:
    """Every file of the program below a folder, by its path there; the manifest itself is none of them."""
    for package in PACKAGES:
        for folder, inner, names in os.walk(root / package, followlinks=True):
            inner[:] = sorted(set(inner) - _NOT_SHIPPED)
            yield from ((Path(folder) / name).relative_to(root).as_posix() for name in sorted(names))


def tree_files(root: Path) -> Iterator[str]:
    """As `program_files`, with the networks of a source folder."""
    yield from program_files(root)
    networks = (path for path in (root / MODELS).glob("*/*") if path.suffix in _NETWORK)
    yield from sorted(path.relative_to(root).as_posix() for path in networks)


def hashed(root: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each file in hexadecimal, by its path; one that cannot be read is left out."""
    found = {}
    for name in names:
        if name in {MANIFEST, SIGNATURE}:
            continue
        try:
            found[name] = hashlib.sha256((root / name).read_bytes()).hexdigest()
        except OSError:
            continue
    return found


def digest(files: Mapping[str, str]) -> str:
    """One hash for all files: SHA-256 of a line `hash path` for each, in the order of their paths."""
    lines = "".join(f"{files[name]} {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()

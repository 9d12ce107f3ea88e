"""Compute the cache key of drawn training pictures from everything that they depend on.

That is the drawing code, all modules it imports, the data beside them, and the card art.
"""

import hashlib
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Final

import cv2
import numpy as np

ROOT: Final = Path(__file__).resolve().parents[2]
_DATA_SUFFIXES: Final = frozenset({".c", ".npz"})
"""Files beside a module that decide a picture as its code does: the search in C, the glyphs of the cards."""


def drawing_sources(module: str) -> list[Path]:
    """Files of this repository that `module` needs, sorted: itself, all that it imports, data beside them."""
    finder = ModuleFinder(path=[str(ROOT)])
    finder.import_hook(module)
    modules = {Path(file) for found in finder.modules.values() if (file := vars(found)["__file__"])}
    data = {path for folder in {one.parent for one in modules} for path in folder.iterdir()}
    return sorted(modules | {path for path in data if path.suffix in _DATA_SUFFIXES})


def drawing_key(module: str, art: Path | None) -> str:
    """Hash of the sources that `module` draws with and of the pictures below `art`.

    OpenCV's and numpy's versions are in it: another one may draw, or give the same seed other random numbers.
    """
    digest = hashlib.sha256(f"{cv2.__version__} {np.__version__}".encode())
    for path in drawing_sources(module):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + _file_hash(path))
    pictures = sorted(path for path in art.rglob("*") if path.is_file()) if art is not None else []
    for path in pictures:
        digest.update(path.name.encode() + b"\0" + _file_hash(path))
    return digest.hexdigest()[:12]


def _file_hash(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()

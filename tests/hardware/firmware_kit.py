"""The firmware's modules as CPython runs them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
FIRMWARE: Final = ROOT / "hardware" / "shoe-reader" / "firmware"
MODULES: Final = ("frames", "link", "mouth", "reader", "stamps")


@contextmanager
def firmware_path() -> Iterator[None]:
    """Let modules of the firmware be imported by their plain names, and none of them stay."""
    before = set(sys.modules)
    sys.path.insert(0, str(FIRMWARE))
    try:
        yield
    finally:
        sys.path.remove(str(FIRMWARE))
        for path in FIRMWARE.glob("*.py"):
            if path.stem not in before:
                sys.modules.pop(path.stem, None)


def load_firmware() -> Any:
    """Each module that needs no board, as an attribute."""
    with firmware_path():
        return SimpleNamespace(**{name: import_module(name) for name in MODULES})

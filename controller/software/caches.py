"""What Python keeps of a compiled module: it runs in the module's place and is in no manifest."""

import marshal
from collections.abc import Iterable, Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Final

_HEADER: Final = 16
"""Bytes before the code: magic number, flags, and the source's time and size or hash."""


def altered_caches(root: Path, packages: Iterable[str]) -> Iterator[str]:
    """Each kept file that this Python would run and that is not what its source compiles to."""
    for package in packages:
        for cache in sorted((root / package).rglob("__pycache__/*.pyc")):
            if not _fits(cache):
                yield cache.relative_to(root).as_posix()
        # Beside a source or without one it would be imported too.
        for lone in sorted((root / package).rglob("*.pyc")):
            if lone.parent.name != "__pycache__":
                yield lone.relative_to(root).as_posix()


def _fits(cache: Path) -> bool:
    name, _, rest = cache.name.partition(".")
    source = cache.parent.parent / f"{name}.py"
    level = next((int(word[4:]) for word in rest.split(".") if word[:4] == "opt-" and word[4:].isdigit()), 0)
    try:
        kept = cache.read_bytes()
        if kept[:4] != MAGIC_NUMBER:
            return True
        code = marshal.loads(kept[_HEADER:])
        made = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=level)
    except (EOFError, OSError, SyntaxError, TypeError, ValueError):
        return False
    return isinstance(code, CodeType) and code == made

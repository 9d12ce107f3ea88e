"""Cached results in the account's cache folder: histories of journals, house edges.

The cache is no evidence. A file that is missing, damaged or of another version is computed again. The edges
of the shipped houses are constants here.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

from controller.domain import RuleSet
from controller.history.history import UNFIT, History
from controller.journal.head_file import Head

_DIGEST_BYTES: Final = 32
UNUSED_S: Final = 40 * 86_400
"""A history of a full day has one megabyte; a month of days is looked at again and again."""


def _cache_folder() -> Path:
    """`$XDG_CACHE_HOME/stand17`, else `~/.cache/stand17`. Raises `RuntimeError` without a home folder."""
    folder = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(folder) / "stand17"


def keep(path: Path, data: bytes) -> None:
    """Write a file whole, for this account alone. Without a place for it nothing is kept."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(data)
                file.close()
                Path(file.name).replace(path)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                raise


class KeptHistory(NamedTuple):
    """A history up to the entry `end` of its journal."""

    history: History
    end: Head


class KeptHistories:
    """Histories of journals by the hash of their first entry, as redacted as their rows are."""

    def __init__(self, program: str, folder: Path | None = None) -> None:
        """`program` names the version that made a history: another one begins anew."""
        self._program: Final = program
        with suppress(RuntimeError):
            folder = folder or _cache_folder() / "histories"
        self._folder: Final = folder
        if folder is not None:
            # Files that were unused for `UNUSED_S` before the newest one go.
            with suppress(OSError):
                used = {path: path.stat().st_mtime for path in folder.iterdir()}
                for path, at_s in used.items():
                    if at_s < max(used.values()) - UNUSED_S:
                        path.unlink()

    def find(self, first: bytes) -> KeptHistory | None:
        """Return the history of the journal that begins with this hash; None without a whole one."""
        if self._folder is None:
            return None
        try:
            path = self._path(self._folder, first)
            data = path.read_bytes()
            path.touch()
            if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
                return None
            program, seq, end, image = data[_DIGEST_BYTES:].split(b"\n", 3)
            if program.decode() != self._program:
                return None
            history = History.of_image(zlib.decompress(image))
            return KeptHistory(history, Head(int(seq), bytes.fromhex(end.decode())))
        except (*UNFIT, OSError, zlib.error):
            return None

    def keeping(self, first: bytes, found: KeptHistory) -> Callable[[], None] | None:
        """Return the function that stores the present history in place of an earlier one."""
        if self._folder is None:
            return None
        head = f"{self._program}\n{found.end.seq}\n{found.end.hash.hex()}\n".encode()
        data = head + zlib.compress(found.history.image(), 1)
        return partial(keep, self._path(self._folder, first), hashlib.sha256(data).digest() + data)

    @staticmethod
    def _path(folder: Path, first: bytes) -> Path:
        return folder / f"{first.hex()}.history"


BESIDE: Final = frozenset(
    (
        "name",
        "stake_min",
        "stake_max",
        "stake_step",
        "boxes",
        "back_bets",
        "box_max",
        "hit_on_21",
        "packs_allowed",
    )
)
"""Fields that change no edge: nobody who plays his best hits 21."""

SHIPPED: Final[dict[str, float]] = {
    "4f8dc42982fee643": -0.10793308091177362,  # nl
    "3024c861accb9866": 0.330215101767686,  # de
    "6adef54d481c5f11": 0.5431151437956608,  # spielbank
    "c82451367ea1bf99": 0.5213870300068366,  # fr
    "3186259eff579781": 0.2694761618478524,  # it
}
"""Percent of the opening stake by `key_of`; a test works each out again."""


def key_of(rules: RuleSet) -> str:
    """The digest of every field on which the edge depends."""
    fields = {name: value for name, value in rules._asdict().items() if name not in BESIDE}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def known_edge(rules: RuleSet) -> float | None:
    """Return the known edge in percent; None when it must be computed."""
    key = key_of(rules)
    return SHIPPED.get(key) or _kept().get(key)


def edge_percent(rules: RuleSet) -> float:
    """The edge in percent of the opening stake; takes seconds for rules that are new here."""
    known = known_edge(rules)
    if known is not None:
        return known
    # Its arrays take longer to import than a report takes.
    from controller.analyser import analyse  # noqa: PLC0415 - see above

    found = float(analyse(rules).edge_percent)
    with suppress(RuntimeError):
        keep(_file(), json.dumps({**_kept(), key_of(rules): found}).encode())
    return found


def _file() -> Path:
    return _cache_folder() / "edges.json"


def _kept() -> dict[str, float]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, RuntimeError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: edge for key, edge in found.items() if isinstance(edge, float) and isfinite(edge)}

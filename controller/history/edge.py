"""The house edge of a rule set: kept here for the shipped houses, for others in a file of the account."""

import hashlib
import json
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Final

from controller.domain import RuleSet
from controller.history.kept import cache_folder, keep

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
    _keep(key_of(rules), found)
    return found


def _file() -> Path:
    return cache_folder() / "edges.json"


def _kept() -> dict[str, float]:
    try:
        found = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, RuntimeError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: edge for key, edge in found.items() if isinstance(edge, float) and isfinite(edge)}


def _keep(key: str, edge: float) -> None:
    """Add an edge to the file."""
    with suppress(RuntimeError):
        keep(_file(), json.dumps({**_kept(), key: edge}).encode())

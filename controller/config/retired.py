"""Settings that this version no longer has, each with the code of a sentence that names its replacement.

For one release a configuration with such a setting still opens, and the table says so. A setting that guards
evidence is refused instead. Recordings of earlier versions hold whole configurations: their retired settings
are left out for good.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class RetiredSetting(NamedTuple):
    """A setting of the file. `refused`: the table does not open with it."""

    place: tuple[str, ...]
    code: str
    refused: bool = False


RETIRED: Final = (
    RetiredSetting(("notify",), "RETIRED_NOTIFY"),
    RetiredSetting(("telemetry",), "RETIRED_TELEMETRY"),
)


def without_retired(raw: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[RetiredSetting, ...]]:
    """A configuration as it is read without its retired settings, and those of them that had a value."""
    kept = dict(raw)
    return kept, tuple(one for one in RETIRED if any(_take(kept, one.place)))


def _take(section: dict[str, Any], place: tuple[str, ...]) -> list[object]:
    """Take a setting out of a section, or out of each section of a list; its values."""
    name, *rest = place
    if not rest:
        return [section.pop(name, None)]
    inside = section.get(name)
    parts = [dict(one) if isinstance(one, dict) else one for one in _listed(inside)]
    if name in section:
        section[name] = parts if isinstance(inside, list) else parts[0]
    return [value for one in parts if isinstance(one, dict) for value in _take(one, tuple(rest))]


def _listed(inside: object) -> list[object]:
    return inside if isinstance(inside, list) else [inside]

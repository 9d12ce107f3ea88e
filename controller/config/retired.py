"""Settings that this version no longer has, each with the code of a sentence that names its replacement.

For one release a configuration with such a setting still opens, and the table says so. A setting that guards
evidence is refused instead. Recordings of earlier versions hold whole configurations: their retired settings
are left out for good.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple


class RetiredSetting(NamedTuple):
    """A setting of the file: all sections of a list, those of one `kind`, or one field of each.

    `refused`: the table does not open with it.
    """

    place: tuple[str, ...]
    code: str
    kind: str = ""
    refused: bool = False


RETIRED: Final = (
    RetiredSetting(("signing", "keep_syslog"), "RETIRED_KEEP_SYSLOG", refused=True),
    RetiredSetting(("notify",), "RETIRED_NOTIFY"),
    RetiredSetting(("telemetry",), "RETIRED_TELEMETRY"),
    RetiredSetting(("rack",), "RETIRED_RACK"),
    RetiredSetting(("chips",), "RETIRED_LLRP", kind="llrp"),
    RetiredSetting(("chips", "antennas"), "RETIRED_LLRP"),
    RetiredSetting(("chips", "values"), "RETIRED_LLRP"),
)


def without_retired(raw: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[RetiredSetting, ...]]:
    """A configuration as it is read without its retired settings, and those of them that had a value."""
    kept = dict(raw)
    return kept, tuple(one for one in RETIRED if any(_take(kept, one.place, one.kind)))


def _take(section: dict[str, Any], place: tuple[str, ...], kind: str) -> list[object]:
    """Take a setting out of a section, or out of each section of a list; its values."""
    name, *rest = place
    if name not in section:
        return []
    if not (rest or kind):
        return [section.pop(name)]
    inside = section[name]
    parts = [dict(one) if isinstance(one, dict) else one for one in _listed(inside)]
    taken = [one for one in parts if kind and isinstance(one, dict) and one.get("kind") == kind]
    parts = [one for one in parts if one not in taken]
    section[name] = parts if isinstance(inside, list) else next(iter(parts), {})
    if not rest:
        return [*taken]
    return [value for one in parts if isinstance(one, dict) for value in _take(one, tuple(rest), "")]


def _listed(inside: object) -> list[object]:
    return inside if isinstance(inside, list) else [inside]

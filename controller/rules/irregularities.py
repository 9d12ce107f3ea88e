"""The profile of irregularities in a rule file: read, checked word by word, filled up."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.domain import ConfigError
from controller.irregularities import (
    DEALER_RELEASES,
    FAULT_CODES,
    RELEASES,
    WAYS,
    FaultCode,
    Irregularity,
    Profile,
    Release,
    Way,
)

GENERAL: Final = Path(__file__).parent / "irregularities.toml"
"""What holds for a rule file that neither rules on a fault itself nor names a house as its base."""

_FIELDS: Final = ("release", "ways", "source")


def general_profile() -> Profile:
    """The profile of a house that has settled nothing."""
    return profile_of(tomllib.loads(GENERAL.read_text(encoding="utf-8"))["irregularities"], {})


def profile_of(written: object, base: Profile) -> Profile:
    """Return the profile of a file, on top of another one.

    Raises ConfigError RULES_FIELD_BAD for an unknown fault, way or person, and for a fault of play, cards or
    money that is left to the dealer; RULES_FIELD_MISSING for a missing part.
    """
    if not isinstance(written, Mapping):
        raise _bad("irregularities", written, "a table")
    profile: dict[FaultCode, Irregularity] = dict(base)
    for name, ruling in written.items():
        profile[_code(name)] = _irregularity(f"irregularities.{name}", _code(name), ruling)
    return profile


def _code(name: str) -> FaultCode:
    for code in FAULT_CODES:
        if code == name:
            return code
    raise _bad("irregularities", name, " | ".join(FAULT_CODES))


def _irregularity(place: str, code: FaultCode, written: object) -> Irregularity:
    if not isinstance(written, Mapping):
        raise _bad(place, written, "a table with release and ways")
    for field in written:
        if field not in _FIELDS:
            raise _bad(f"{place}.{field}", written[field], " | ".join(_FIELDS))
    for field in _FIELDS[:2]:
        if field not in written:
            raise ConfigError("RULES_FIELD_MISSING", rules="irregularities", field=f"{place}.{field}")
    release = _release(f"{place}.release", code, written["release"])
    return Irregularity(release, _ways(f"{place}.ways", written["ways"]), str(written.get("source", "")))


def _release(place: str, code: FaultCode, written: object) -> Release:
    allowed = [release for release in RELEASES if release != "dealer" or code in DEALER_RELEASES]
    for release in allowed:
        if release == written:
            return release
    raise _bad(place, written, " | ".join(allowed))


def _ways(place: str, written: object) -> tuple[Way, ...]:
    listed = written if isinstance(written, list) else []
    ways = tuple([way for word in listed for way in WAYS if way == word])
    if not ways or len(ways) != len(listed) or len(set(ways)) != len(ways):
        raise _bad(place, written, "a list of ways, each once: " + " | ".join(WAYS))
    return ways


def _bad(field: str, value: object, wanted: str) -> ConfigError:
    return ConfigError("RULES_FIELD_BAD", field=field, value=str(value)[:80], wanted=wanted)

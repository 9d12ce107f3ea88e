"""The rules of a house: read from its file, checked, with its rulings on faults."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from controller.domain import CHOICES, ConfigError, DealerResult, Outcome, RuleSet
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


_AGAINST_BLACKJACK: Final[Mapping[Outcome, str]] = {"push": "push_blackjack", "lose": "lose_to_blackjack"}
"""Outcomes that another requirement decides where the dealer has a blackjack."""


def deciding_rules(
    outcomes: Mapping[str, tuple[str, ...]], outcome: Outcome, dealer: DealerResult
) -> tuple[str, ...]:
    """Return the numbers of the deciding requirements, such as `("DE-13",)`; none when the house names none.

    `outcomes` are those of `RuleFile`.
    """
    name: str = outcome
    if dealer.blackjack:
        name = _AGAINST_BLACKJACK.get(outcome, outcome)
    elif dealer.bust and outcome == "win":
        name = "win_dealer_bust"
    return outcomes.get(name, ())


FOLDER: Final = Path(__file__).parent
HOUSES: Final = tuple(sorted(file.stem for file in FOLDER.glob("*.toml") if file != GENERAL))
"""The shipped houses: each rule file of this folder."""

_OF_NO_NAME: Final = "nl"
"""The house that fills the fields of an early journal whose own rules are not shipped."""

_REQUIRED: Final = tuple(name for name in RuleSet._fields if name not in RuleSet._field_defaults)
_BOOLEANS: Final = frozenset(name for name, kind in RuleSet.__annotations__.items() if kind is bool)
_NAMED: Final = TypeAdapter(RuleSet)
_LEAST: Final = {"decks": 1, "boxes": 1, "back_bets": -1}
_MOST: Final = {"decks": 60, "boxes": 7, "soft_double_ace": 2}


class RuleFile(NamedTuple):
    """A rule file: the rule set, a title, for each field the requirements that it stands on.

    `irregularities` is the profile by which the house rules on faults, whole. `outcomes` are the requirements
    that decide a stake, by the names of `controller.rules.loading`; those of the base where a file has none.
    """

    rules: RuleSet
    title: str
    sources: Mapping[str, tuple[str, ...]]
    irregularities: Profile
    outcomes: Mapping[str, tuple[str, ...]]


def load_rules(name: str, overrides: Mapping[str, object], folder: Path) -> RuleSet:
    """A shipped house by name, or a rule file relative to `folder`, with single fields replaced.

    Raises ConfigError RULES_UNKNOWN, RULES_UNREADABLE, RULES_FIELD_UNKNOWN, RULES_FIELD_MISSING or
    RULES_FIELD_BAD.
    """
    return with_overrides(load_file(name, folder).rules, overrides)


def overridden_file(
    name: str, overrides: Mapping[str, object], irregularities: object, folder: Path
) -> RuleFile:
    """The rules that a feed's header gives: a rule file with single fields replaced.

    With `irregularities` the header gives the whole house, each field and each fault, and no file is read.
    Errors as `load_rules`.
    """
    if irregularities is None:
        file = load_file(name, folder)
        return file._replace(rules=with_overrides(file.rules, overrides))
    outcomes = load_file(name, folder).outcomes if name in HOUSES else {}
    profile = profile_of(irregularities, general_profile())
    return RuleFile(_rule_set(name, dict(overrides), folder), name, {}, profile, outcomes)


def load_file(name: str, folder: Path) -> RuleFile:
    """A rule file with its title and sources; errors as `load_rules`."""
    path = FOLDER / f"{name}.toml" if name in HOUSES else folder / name
    if not path.is_file():
        raise ConfigError("RULES_UNKNOWN", rules=name, houses=", ".join(HOUSES))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError("FEED_UNREADABLE", file=name, reason=error.strerror or "") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("RULES_UNREADABLE", rules=name, reason=str(error)) from error
    sources = {key: tuple(value) for key, value in table.pop("sources", {}).items()}
    outcomes = _outcomes(table.pop("outcomes", {}), table.get("base"), folder)
    irregularities = _profile(table.pop("irregularities", {}), table.get("base"), folder)
    title = str(table.pop("title", name))
    label = str(table.pop("name", Path(name).stem))
    return RuleFile(_rule_set(label, table, folder), title, sources, irregularities, outcomes)


def _outcomes(outcomes: Mapping[str, list[str]], base: object, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the deciding requirements: the file's own citations on top of its base's."""
    below = {} if base is None else load_file(str(base), folder).outcomes
    return {**below, **{key: tuple(value) for key, value in outcomes.items()}}


def _profile(profile: object, base: object, folder: Path) -> Profile:
    """The profile of a file: its own rulings on top of its base's, or of the general ones."""
    below = general_profile() if base is None else load_file(str(base), folder).irregularities
    return profile_of(profile, below)


def _rule_set(label: str, table: dict[str, object], folder: Path) -> RuleSet:
    """Return the rule set of a file; `base` names the house whose fields fill the gaps."""
    base = table.pop("base", None)
    fields: dict[str, object] = {}
    if base is not None:
        fields.update(load_file(str(base), folder).rules._asdict())
    for field, value in table.items():
        fields[field] = checked(field, value)
    missing = [field for field in _REQUIRED if field != "name" and field not in fields]
    if missing:
        raise ConfigError("RULES_FIELD_MISSING", rules=label, field=missing[0])
    fields["name"] = label
    return consistent(RuleSet(**fields))  # type: ignore[arg-type]  # each field was checked above


def with_overrides(rules: RuleSet, overrides: Mapping[str, object]) -> RuleSet:
    """The rule set with single fields replaced (`rule_overrides` of a feed or a configuration)."""
    changes = {field: checked(field, value) for field, value in overrides.items()}
    return consistent(rules._replace(**changes))  # type: ignore[arg-type]  # each field was checked above


def checked(field: str, value: object) -> object:
    """The value in its type, or ConfigError RULES_FIELD_UNKNOWN / RULES_FIELD_BAD."""
    if field not in RuleSet._fields or field == "name":
        raise ConfigError("RULES_FIELD_UNKNOWN", field=field)
    if field in CHOICES:
        return _accept(field, value, value in CHOICES[field], " | ".join(CHOICES[field]))
    if field in _BOOLEANS:
        return _accept(field, value, isinstance(value, bool), "true | false")
    if field == "blackjack_pays":
        return _ratio(value)
    if field == "packs_allowed":
        return _packs(value)
    least, most = _LEAST.get(field, 0), _MOST.get(field)
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
    fits = fits and (most is None or (isinstance(value, int) and value <= most))
    return _accept(field, value, fits, f"{least} .. {most if most is not None else ''}")


def _accept(field: str, value: object, fits: bool, wanted: str) -> object:
    if not fits:
        raise ConfigError("RULES_FIELD_BAD", field=field, value=str(value), wanted=wanted)
    return value


def _packs(value: object) -> tuple[int, ...]:
    """Numbers of packs; none is an empty list."""
    listed = tuple(value) if isinstance(value, list | tuple) else None
    good = listed is not None and all(
        isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= _MOST["decks"] for one in listed
    )
    _accept("packs_allowed", value, good, "a list of numbers from 1 to 60: [2, 6, 8]")
    return listed or ()


def rules_named(fields: Mapping[str, object]) -> tuple[RuleSet, tuple[str, ...]]:
    """The rule set that a journal or recording names, and the fields that it does not name.

    It was written before there were such fields: they are those of the shipped house of its name, else a
    field's default. Raises ValueError for a value that is none.
    """
    label = str(fields.get("name"))
    unnamed = tuple(field for field in RuleSet._fields if field not in fields)
    shipped = load_file(label if label in HOUSES else _OF_NO_NAME, FOLDER).rules if unnamed else None
    filled: dict[str, object] = {}
    for field in unnamed:
        known = label in HOUSES or field not in RuleSet._field_defaults
        filled[field] = getattr(shipped, field) if known else RuleSet._field_defaults[field]
    return _NAMED.validate_python({**filled, **fields}), unnamed


def _ratio(value: object) -> tuple[int, int]:
    """A payout such as 3:2 as two positive integers."""
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    good = len(pair) == 2 and all(
        isinstance(part, int) and not isinstance(part, bool) and part > 0 for part in pair
    )
    if not good:
        raise ConfigError(
            "RULES_FIELD_BAD", field="blackjack_pays", value=str(value), wanted="two numbers above 0: [3, 2]"
        )
    return pair[0], pair[1]


def consistent(rules: RuleSet) -> RuleSet:
    """Refuse rules that no table can play: a check without a hole card, a maximum below the minimum."""
    if rules.peek != "none" and rules.hole_card == "none":
        raise ConfigError("RULES_FIELD_BAD", field="peek", value=rules.peek, wanted="none")
    if rules.stake_max and rules.stake_max < rules.stake_min:
        raise ConfigError(
            "RULES_FIELD_BAD", field="stake_max", value=str(rules.stake_max), wanted=f">= {rules.stake_min}"
        )
    return rules

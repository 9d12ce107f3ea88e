"""The first entry of a journal: the table, its rules, its profile and its options."""

from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from controller.domain import RuleSet
from controller.irregularities import FaultCode, Irregularity
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.policy import House, SecondPerson, TableOptions
from controller.rules import HOUSES, load_file
from controller.rules.irregularities import general_profile
from controller.rules.loading import rules_named

_PROFILE: Final[TypeAdapter[dict[FaultCode, Irregularity]]] = TypeAdapter(dict[FaultCode, Irregularity])
_OPTIONS: Final = TypeAdapter(TableOptions)
_SECOND: Final = TypeAdapter(SecondPerson)

BEFORE_PROFILES: Final = TableOptions(
    stand_on_21=False,
    turn_by_card=False,
    unclear="mark",
    card_gap_ms=0,
    ask_hit_from=0,
    payouts=None,
    shuffle_watch=False,
    float_check=False,
)
"""The options of a table that was opened before houses had any: nothing is asked or closed by itself."""


class Opening(NamedTuple):
    """The content of entry 1: the table and its rules. `key` is that entry's hash, which stays secret.

    `house` contains the profile and the options of the table's policy. `profiled` is False for a journal from
    before profiles: its profile is the shipped one, until a table that goes on in it writes that down
    (`adopted`), and a replay takes its lines by the rules alone.
    `unnamed` are the fields of the rules that entry 1 lacks, because they did not exist then.
    """

    table: str
    rules: RuleSet
    currency: str
    key: bytes
    house: House
    profiled: bool = True
    unnamed: tuple[str, ...] = ()

    def is_under(self, rules: RuleSet) -> bool:
        """Whether the journal was opened under these rules, by the fields that it names."""
        return rules._replace(**{field: getattr(self.rules, field) for field in self.unnamed}) == self.rules

    @property
    def in_shadow(self) -> bool:
        """Whether the table was opened to record its holds and never to wait."""
        return self.house.in_shadow


def opening_of(entry: Entry) -> Opening:
    """Read entry 1."""
    body = body_of(entry)
    rules, unnamed = rules_named(body["rules"])
    profiled = "irregularities" in body
    house = house_of(body) if profiled else house_before_profiles(rules.name)
    return Opening(body["table"], rules, body["currency"], entry.hash, house, profiled, unnamed)


def dealt_rules(rules: RuleSet, house: House) -> RuleSet:
    """The rules as they are dealt: 21 closes a hand by itself where the house has it so."""
    return rules._replace(hit_on_21=False) if house.options.stand_on_21 else rules


def house_before_profiles(rules: str) -> House:
    """Return the house of a journal without a profile; a general profile for rules of its own."""
    is_shipped = rules in HOUSES
    profile = load_file(rules, Path()).irregularities if is_shipped else general_profile()
    return House(profile, BEFORE_PROFILES)


def house_of(opened: Body) -> House:
    """The profile and the options that a table was opened with, or that `adopted` names."""
    options = _OPTIONS.validate_python(opened["table_options"])
    second = _SECOND.validate_python(opened.get("second_person", {}))
    return House(_PROFILE.validate_python(opened["irregularities"]), options, second)

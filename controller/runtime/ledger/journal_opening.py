"""The first entry of a journal: whose table it is, and under which rules, profile and options it is dealt."""

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
    """What entry 1 says: whose table, under which rules. `key` is that entry's hash, given to nobody.

    `house` is the profile and the options that the table's policy goes by. `profiled` is False where the
    journal was opened before there were any: they are the shipped ones. A replay takes its lines by the rules
    alone, as that table did.
    `unnamed` are the fields of the rules that entry 1 does not name: there were none of them then.
    """

    table: str
    rules: RuleSet
    currency: str
    key: bytes
    house: House
    profiled: bool = True
    unnamed: tuple[str, ...] = ()

    def is_under(self, rules: RuleSet) -> bool:
        """Whether the journal was opened under these rules, as far as it names them."""
        return rules._replace(**{field: getattr(self.rules, field) for field in self.unnamed}) == self.rules

    @property
    def in_shadow(self) -> bool:
        """Whether the table was opened to note what it would have stopped, and never to wait."""
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
    """What a journal without a profile is read with; of rules of its own, the profile of no house."""
    is_shipped = rules in HOUSES
    profile = load_file(rules, Path()).irregularities if is_shipped else general_profile()
    return House(profile, BEFORE_PROFILES)


def house_of(opened: Body) -> House:
    """The profile and the options that a table was opened with."""
    # Who opened a table without the payouts' setting had no entries for them either.
    before = {"payouts": None, "shuffle_watch": False, "float_check": False}
    options = _OPTIONS.validate_python(before | opened["table_options"])
    second = _SECOND.validate_python(opened.get("second_person", {}))
    return House(_PROFILE.validate_python(opened["irregularities"]), options, second)

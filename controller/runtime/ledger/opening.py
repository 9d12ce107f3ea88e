"""The first entry of a journal: whose table it is, and under which rules, profile and options it is dealt."""

from typing import Final, NamedTuple

from pydantic import TypeAdapter

from controller.domain.irregularities import FaultCode, Irregularity
from controller.domain.rules import RuleSet
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.policy import House, SecondPerson, TableOptions

_RULES: Final = TypeAdapter(RuleSet)
_PROFILE: Final[TypeAdapter[dict[FaultCode, Irregularity]]] = TypeAdapter(dict[FaultCode, Irregularity])
_OPTIONS: Final = TypeAdapter(TableOptions)
_SECOND: Final = TypeAdapter(SecondPerson)


class Opening(NamedTuple):
    """What entry 1 says: whose table, under which rules. `key` is that entry's hash, told to nobody.

    `house` is the profile and the options that the table's policy goes by; None in a journal that was opened
    without them.
    """

    table: str
    rules: RuleSet
    currency: str
    key: bytes
    house: House | None = None

    @property
    def in_shadow(self) -> bool:
        """Whether the table was opened to note what it would have stopped, and never to wait."""
        return self.house is not None and self.house.in_shadow


def opening_of(entry: Entry) -> Opening:
    """Read entry 1."""
    body = body_of(entry)
    rules = _RULES.validate_python(body["rules"])
    return Opening(body["table"], rules, body["currency"], entry.hash, house_of(body))


def dealt_rules(rules: RuleSet, house: House | None) -> RuleSet:
    """The rules as they are dealt: 21 closes a hand by itself where the house has it so."""
    return rules._replace(hit_on_21=False) if house is not None and house.options.stand_on_21 else rules


def house_of(opened: Body) -> House | None:
    """The profile and the options that a table was opened with."""
    if "irregularities" not in opened:
        return None
    # Who opened a table without the payouts' setting had no entries for them either.
    before = {"payouts": None, "shuffle_watch": False, "float_check": False}
    options = _OPTIONS.validate_python(before | opened["table_options"])
    second = _SECOND.validate_python(opened.get("second_person", {}))
    return House(_PROFILE.validate_python(opened["irregularities"]), options, second)

"""`stand17 rules` as a pit manager calls it."""

import json

import pytest

from controller.rules import HOUSES
from tests.forked_process import Ended, command


def rules(*arguments: str) -> Ended:
    return command("rules", *arguments)


def test_the_five_houses_are_listed() -> None:
    listed = json.loads(rules("list", "--json").stdout)
    assert [house["name"] for house in listed] == [*HOUSES]


@pytest.mark.parametrize(
    ("house", "field", "value", "source"),
    [
        ("nl", "soft_double_ace", 2, "NL-17"),
        ("de", "max_hands", 4, "DE-19"),
        ("spielbank", "stake_max", 20000, "SB-03"),
        ("fr", "burn_cards", 5, "FR-01"),
        ("it", "split_draw", "both", "IT-10"),
    ],
)
def test_a_field_is_shown_with_the_requirement_behind_it(
    house: str, field: str, value: object, source: str
) -> None:
    shown = json.loads(rules("show", house, "--json").stdout)
    assert shown["fields"][field] == value
    assert source in shown["sources"][field]


def test_every_field_of_every_house_has_a_source() -> None:
    for house in HOUSES:
        shown = json.loads(rules("show", house, "--json").stdout)
        assert {field for field in shown["fields"] if not shown["sources"].get(field)} == set()


def test_unknown_rules_are_a_sentence_and_exit_2() -> None:
    result = rules("show", "casino")
    assert result.returncode == 2
    assert "casino" in result.stderr
    assert "Traceback" not in result.stderr

"""A house that is not shipped: its rules are its file's alone, and a journal outlives a new rule."""

import ast
import json
import tomllib
from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import ShoeLoaded
from controller.analyser import analyse
from controller.analyser.edge import analyse as analyse_edge
from controller.domain import CHOICES, ConfigError, RuleSet
from controller.engine.state import new_table
from controller.engine.table import step
from controller.journal.entry import GENESIS, Entry
from controller.policy import House
from controller.rules import HOUSES, load_file, load_rules, loading
from controller.runtime.ledger import opening_of
from controller.runtime.restore import Identity, opened_entry
from tests.own_houses import H17


def based_on_de(folder: Path) -> str:
    (folder / "own.toml").write_text('base = "de"\nname = "own"\ntitle = "own"\n', encoding="utf-8")
    return "own.toml"


def test_a_house_based_on_another_one_has_its_packs(tmp_path: Path) -> None:
    rules = load_rules(based_on_de(tmp_path), {}, tmp_path)
    assert [rules.may_load(decks) for decks in (2, 6, 8, 4)] == [True, True, True, False]
    codes = [
        [getattr(one, "code", "") for one in step(new_table(rules), ShoeLoaded(decks)).notices]
        for decks in (8, 4)
    ]
    assert codes == [[], ["SHOE_PACKS_DIFFER"]]
    assert load_rules("de", {"packs_allowed": []}, tmp_path).may_load(8) is False
    with pytest.raises(ConfigError, match="packs_allowed"):
        load_rules("de", {"packs_allowed": [0]}, tmp_path)


@pytest.mark.parametrize("house", HOUSES)
def test_a_shipped_house_says_every_rule_and_where_it_has_it_from(house: str) -> None:
    """A rule with a default would be the default of five houses in silence."""
    written = tomllib.loads((loading.FOLDER / f"{house}.toml").read_text(encoding="utf-8"))
    rules = set(RuleSet._fields) - {"name"}
    assert rules - written.keys() == set(), f"controller/rules/{house}.toml"
    assert rules - written["sources"].keys() == set(), f"controller/rules/{house}.toml, [sources]"


def opened_before(rules: RuleSet, house: House, *without: str) -> Entry:
    """The first entry of a journal that was opened before rules had these fields."""
    new = opened_entry(Identity("T1", rules, "EUR", house))
    body = json.loads(new.body)
    for field in without:
        del body["rules"][field]
    fields = new._asdict() | {"body": json.dumps(body).encode(), "at_utc_us": 0}
    return Entry(seq=1, prev_hash=GENESIS, hash=GENESIS, **fields)


@pytest.mark.parametrize("name", [*HOUSES, H17, "own"])
@pytest.mark.parametrize("field", ["packs_allowed", "split_draw", "triple_seven"])
def test_a_journal_of_before_a_rule_is_still_the_tables_own(name: str, field: str, tmp_path: Path) -> None:
    """Also of a rule that has no default: the journal says nothing of it, and nothing differs."""
    file = load_file(based_on_de(tmp_path) if name == "own" else name, tmp_path)
    opening = opening_of(opened_before(file.rules, House(file.irregularities), field))
    assert opening.unnamed == (field,)
    assert opening.is_under(file.rules)
    assert not opening.is_under(file.rules._replace(decks=file.rules.decks + 1))
    if name in HOUSES:
        assert opening.rules == file.rules


def test_a_rule_that_is_in_no_sum_is_not_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("de", {}, Path())
    with pytest.raises(ConfigError, match="RULE_NOT_ANALYSED"):
        analyse(rules._replace(surrender="early"))  # type: ignore[arg-type]  # a word of a later program
    monkeypatch.setattr("controller.analyser.edge._COUNTED", frozenset())
    with pytest.raises(ConfigError, match="field=decks"):
        analyse_edge(rules)
    assert loading.load_rules(H17, {}, Path()).dealer_hits_soft_17


def test_each_rule_is_read_where_a_table_decides() -> None:
    """A field that no engine and no policy reads would let a table pay as if the house had no such rule."""
    controller = Path(__file__).parents[2] / "controller"
    paths = [controller / "domain.py", *controller.glob("engine/*.py"), *controller.glob("policy/*.py")]
    read = {
        node.attr
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert [field for field in RuleSet._fields if field not in read] == []


def compared_words() -> dict[str, list[str]]:
    """Where the product compares a rule with a word by `==` or `in`: no type checker closes these."""
    found: dict[str, list[str]] = {}
    root = Path(__file__).parents[2]
    for path in sorted(root.joinpath("controller").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Attribute):
                continue
            words = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
            if words & set(CHOICES.get(node.left.attr, ())):
                place = f"{path.relative_to(root)}:{node.lineno}"
                found.setdefault(node.left.attr, []).append(place)
    return found


COMPARED: Final = {
    "banker": ("house", "rotating"),
    "dealer_blackjack_takes": ("all", "original"),
    "hole_card": ("second_down", "first_down", "none"),
    "insurance": ("none", "half", "up_to_half"),
    "peek": ("ten_or_ace", "none"),
    "rounding": ("exact", "player", "house"),
    "settle_from": ("right", "left"),
    "split_draw": ("one_by_one", "both"),
    "split_on": ("value", "rank"),
    "surrender": ("none", "late"),
    "triple_seven": ("none", "drink"),
}
"""The words of each rule at which the places of `compared_words` were looked at."""


def test_a_new_word_of_a_rule_is_decided_wherever_the_rule_is_compared() -> None:
    """Decide the new word at each place that the failure names, then write it into `COMPARED`."""
    places = compared_words()
    assert {field: CHOICES[field] for field in places} == COMPARED, places

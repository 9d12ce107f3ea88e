"""Every code that the journal, the runtime and the program can raise has a sentence in the catalogues."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.domain import CHOICES, RuleSet
from controller.i18n import catalogue, key_of
from controller.irregularities import HOLD_KINDS, OWN_KINDS, WAYS
from controller.policy.allowed import DEALER_LIFTS

ROOT = Path(__file__).parents[2]
PARTS = ("journal", "runtime", "main", "config", "simulation")
RAISED = {"TableError", "JournalError", "ConfigError", "DeviceError", "Trouble", "Rejected"}
KINDS = ("error", "refused", "hold", "alert")


def codes() -> Iterator[str]:
    """First arguments of everything that carries a code."""
    for part in PARTS:
        for path in sorted((ROOT / "controller" / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value


def test_every_code_has_a_sentence() -> None:
    found = set(codes())
    assert {"JOURNAL_IN_USE", "STALE_COMMAND", "CHAIN_BROKEN", "PORT_BUSY"} <= found
    known = catalogue("en")
    silent = {code for code in found | DEALER_LIFTS if not any(f"{kind}.{code}" in known for kind in KINDS)}
    assert silent == set()


@pytest.mark.parametrize("code", [*HOLD_KINDS, *OWN_KINDS])
def test_each_hold_has_a_name_and_a_sentence(code: str) -> None:
    """Without them the dealer's screen shows the bare code."""
    assert f"fault_name.{code}" in catalogue("en")
    assert key_of(code, ("hold", "alert")) is not None, f"no hold.{code} and no alert.{code}"


def test_each_way_without_figures_says_what_follows() -> None:
    """The page's dialog makes the key `ui.follows_WAY` of each `PlainWay`."""
    page = Path(__file__).parents[2] / "controller/web/frontend/src/pit/ways.ts"
    (words,) = re.findall(r"type PlainWay = (.*?);", page.read_text(encoding="utf-8"), re.DOTALL)
    plain = re.findall(r'"(\w+)"', words)
    assert set(plain) <= set(WAYS)
    assert [way for way in plain if f"ui.follows_{way}" not in catalogue("en")] == []


def test_each_rule_and_each_word_of_it_has_its_text() -> None:
    assert [field for field in RuleSet._fields if f"field.{field}" not in catalogue("en")] == []
    words = {word for words in CHOICES.values() for word in words}
    assert sorted(word for word in words if f"field_is.{word}" not in catalogue("en")) == []

"""A rule of a file as a tester reads it."""

import json
from typing import Any, Final, get_type_hints

from controller.domain import Money, RuleSet
from controller.screens.shapes.words import Money as MoneyView
from controller.screens.shapes.words import Word, money

RULES: Final[dict[str, Any]] = get_type_hints(RuleSet)


def rule_value(name: str, value: object) -> str | MoneyView | Word:
    """What a rule of this name is, for a text."""
    match value:
        case bool() | str() | None:
            return Word(word=f"field_is.{value if isinstance(value, str) else json.dumps(value)}")
        case int():
            return money(value) if RULES[name] is Money else str(value)
        case tuple():
            return ":".join(map(str, value))
        case _:
            raise TypeError(value)

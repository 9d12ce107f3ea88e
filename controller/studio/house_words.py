"""The rules and options of a file as a tester chooses from them: what each takes, and what it is here."""

import json
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from controller.domain.money import Money
from controller.domain.rules import RuleSet
from controller.policy import TableOptions
from controller.screens.shapes.texts import money
from controller.screens.shapes.values import Money as MoneyView
from controller.screens.shapes.values import Word
from controller.studio.bodies import FieldChoice, FieldKind, HouseField

RULES: dict[str, Any] = get_type_hints(RuleSet)


def house_fields(of: RuleSet | TableOptions) -> Iterator[HouseField]:
    """Each but the name, in the order in which it is declared."""
    for name, hint in get_type_hints(type(of)).items():
        if name != "name":
            value = getattr(of, name)
            choices = tuple(FieldChoice(value=json.dumps(one), says=_word(one)) for one in _choices(hint))
            kind: FieldKind = "word" if choices else _kind(hint)
            yield HouseField(name=name, kind=kind, says=_value(value, kind), choices=choices)


def rule_value(name: str, value: object) -> str | MoneyView | Word:
    """What a rule of this name is, for a text."""
    return _value(value, _kind(RULES[name]))


def _choices(hint: Any) -> Iterator[str | bool]:
    if hint is bool:
        yield from (True, False)
    elif get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        # An option that older journals do not know is None there: not one of its words.
        for one in get_args(hint):
            yield from _choices(one) if get_origin(one) is Literal else ()


def _kind(hint: Any) -> FieldKind:
    return "money" if hint is Money else "odds" if get_origin(hint) is tuple else "number"


def _value(value: object, kind: FieldKind = "word") -> str | MoneyView | Word:
    match value:
        case bool() | str() | None:
            return _word(value)
        case int():
            return money(value) if kind == "money" else str(value)
        case tuple():
            return ":".join(map(str, value))
        case _:
            raise TypeError(value)


def _word(value: str | bool | None) -> Word:
    return Word(word=f"field_is.{value if isinstance(value, str) else json.dumps(value)}")

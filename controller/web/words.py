"""Codes as texts for a screen: catalogue keys, and amounts marked as money."""

from collections.abc import Iterable
from typing import Final

from controller.i18n import catalogue
from controller.web.money import decimal
from controller.web.view import Money, Words

MONEY_HOLES: Final = frozenset({"stake", "limit", "step", "chips", "amount", "expected", "paid"})
"""Parameters of refusals and alerts that are amounts in minor units."""

Params = Iterable[tuple[str, int | str]]


def told(kind: str, code: str, params: Params = ()) -> Words:
    """The text of a code from the engine or the runtime; `kind` is refused, alert, hold, dispute or error.

    A refusal may be of the rules or of the program: whichever the catalogues know.
    """
    key = f"{kind}.{code}"
    if key not in catalogue("en") and f"error.{code}" in catalogue("en"):
        key = f"error.{code}"
    return Words(code=key, params={name: _filled(name, value) for name, value in params})


def _filled(name: str, value: int | str) -> int | str | Money:
    return Money(money=decimal(value)) if name in MONEY_HOLES and isinstance(value, int) else value


def say(code: str, **params: int | str | Money) -> Words:
    """A text of the screens themselves."""
    return Words(code=code, params=params)


def money(minor: int) -> Money:
    """An amount for a text."""
    return Money(money=decimal(minor))

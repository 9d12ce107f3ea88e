"""Codes as texts for a screen: catalogue keys, and amounts marked as money."""

from collections.abc import Iterable
from typing import Final

from controller.domain.money import decimal
from controller.i18n import catalogue
from controller.screens.view import Money, Words

MONEY_HOLES: Final = frozenset({"stake", "limit", "step", "chips", "amount", "expected", "paid"})
"""Parameters of refusals and alerts that are amounts in minor units."""

TextParams = Iterable[tuple[str, int | str]]


def told(kind: str, code: str, params: TextParams = ()) -> Words:
    """The text of a code from the engine or the runtime; `kind` is refused, alert, hold or dispute.

    The same fault may be told as an alert, stop the table and dispute the round: it has one text, under
    the first of these kinds that the catalogues know. A code without any is told by itself.
    """
    known = catalogue("en")
    for key in (f"{kind}.{code}", f"alert.{code}", f"refused.{code}", f"error.{code}"):
        if key in known:
            return Words(code=key, params={name: _filled(name, value) for name, value in params})
    return Words(code="ui.other", params={"code": code})


def _filled(name: str, value: int | str) -> int | str | Money:
    return Money(money=decimal(value)) if name in MONEY_HOLES and isinstance(value, int) else value


def reason(code: str) -> Words:
    """Why a key is off, in few words."""
    key = f"why.{code}"
    return Words(code=key if key in catalogue("en") else "why.NOT_NOW")


def say(code: str, **params: int | str | Money) -> Words:
    """A text of the screens themselves."""
    return Words(code=code, params=params)


def money(minor: int) -> Money:
    """An amount for a text."""
    return Money(money=decimal(minor))

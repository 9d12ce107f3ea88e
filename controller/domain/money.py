"""Amounts of money: whole minor units (cents) of the table's currency, never a float."""

from typing import Final, NewType

Money = NewType("Money", int)
"""An amount in minor units, negative where it is taken away.

A type for the checker only: at run time, in feeds and in journals it is a plain integer. What devices and
people report is an integer, too, until the engine has taken it for an amount.
"""

MINOR: Final = 100
"""Minor units in one unit of the table's currency."""


def decimal(amount_minor: int) -> str:
    """An amount in units as a decimal string: 2250 is "22.50", -5 is "-0.05"."""
    sign = "-" if amount_minor < 0 else ""
    whole, cents = divmod(abs(amount_minor), MINOR)
    return f"{sign}{whole}.{cents:02d}"

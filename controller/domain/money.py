"""Amounts in words that never pass through a float."""

from typing import Final

MINOR: Final = 100
"""Minor units in one unit of the table's currency."""


def decimal(amount_minor: int) -> str:
    """Minor units as a decimal string: 2250 is "22.50", -5 is "-0.05"."""
    sign = "-" if amount_minor < 0 else ""
    whole, cents = divmod(abs(amount_minor), MINOR)
    return f"{sign}{whole}.{cents:02d}"

"""Amounts on their way to a screen and back: chips, and what was typed."""

from collections.abc import Iterable

from controller.domain.money import MINOR, decimal


def minor_units(text: str) -> int:
    """The amount of a decimal string; ValueError where it is none or has more than two places."""
    whole, _, cents = text.partition(".")
    if not (whole.isdecimal() and (cents.isdecimal() or not cents) and len(cents) <= 2):
        raise ValueError(text)
    return int(whole) * MINOR + int(cents.ljust(2, "0"))


def breakdown(minor: int, values: Iterable[int]) -> tuple[tuple[str, int], ...]:
    """The amount in chips, largest first, as (value, count); nothing where the chips cannot make it."""
    counted = []
    for value in sorted(values, reverse=True):
        count, minor = divmod(minor, value)
        if count:
            counted.append((decimal(value), count))
    return () if minor else tuple(counted)

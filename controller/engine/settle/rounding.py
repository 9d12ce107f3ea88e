"""Shares of a stake in whole minor units, by the house's declared rounding (G-01)."""

from controller.domain import Money, RuleSet
from controller.engine.errors import refuse


def share(rules: RuleSet, stake: Money, numerator: int, denominator: int) -> Money:
    """`stake` x numerator / denominator in minor units.

    A part of a unit goes up for the player or down for the house where the rule set says so; with
    `rounding = "exact"` it is refused as NOT_PAYABLE.
    """
    whole, rest = divmod(stake * numerator, denominator)
    if not rest:
        return Money(whole)
    match rules.rounding:
        case "house":
            return Money(whole)
        case "player":
            return Money(whole + 1)
        case "exact":
            return refuse("NOT_PAYABLE", stake=stake, numerator=numerator, denominator=denominator)


def half_of(rules: RuleSet, stake: Money) -> Money:
    """Half a stake, for surrender."""
    return share(rules, stake, 1, 2)

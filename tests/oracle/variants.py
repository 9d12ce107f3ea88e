"""Random rule sets: a house with some of its fields replaced, as `rule_overrides` of a feed would."""

import random
from typing import Any

from controller.rules import HOUSES

_CHOICES: dict[str, list[Any]] = {
    "decks": [2, 6, 8],
    "burn_cards": [0, 2],
    "max_hands": [0, 2, 3, 4],
    "double_on": ["any", "9-11", "10-11"],
    "soft_double_ace": [0, 1, 2],
    "double_after_split": [True, False],
    "split_on": ["value", "rank"],
    "split_aces_one_card": [True, False],
    "resplit_aces": [True, False],
    "split_21_is_blackjack": [True, False],
    "split_draw": ["one_by_one", "both"],
    "hit_on_21": [True, False],
    "insurance": ["none", "half", "up_to_half"],
    "insurance_ends_turn": [True, False],
    "insure_blackjack": [True, False],
    "even_money": [True, False],
    "surrender": ["none", "late"],
    "surrender_after_split": [True, False],
    "back_bets": [0, 2, -1],
    "dealer_blackjack_takes": ["all", "original"],
    "dealer_hits_soft_17": [True, False],
    "rounding": ["exact", "player", "house"],
    "blackjack_pays": [[3, 2], [6, 5], [1, 1]],
}
_HOLES = {"second_down": ["none", "ten_or_ace"], "first_down": ["none", "ten_or_ace"], "none": ["none"]}


def varied_rules(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A house and overrides that together make a rule set that can be played and paid."""
    overrides = {name: rng.choice(values) for name, values in _CHOICES.items() if rng.random() < 0.3}
    if rng.random() < 0.4:
        overrides["hole_card"] = rng.choice(sorted(_HOLES))
        overrides["peek"] = rng.choice(_HOLES[overrides["hole_card"]])
    if overrides.get("blackjack_pays") == [6, 5]:
        overrides["rounding"] = rng.choice(["player", "house"])
    return rng.choice(HOUSES), overrides

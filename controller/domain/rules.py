"""A house's rule set: the fields of the feed format, section 5, with their closed sets of values."""

from typing import Final, NamedTuple


class RuleSet(NamedTuple):
    """One house's rules, immutable and hashable. Field meanings: the feed format, section 5.

    Two fields go beyond it: `box_max` is the most that may lie on one box before the deal, all bettors
    together (0 = no limit; back bets are cut first); `shuffled_each_round` restarts the composition count
    with every round (NL-01).
    """

    name: str
    decks: int
    burn_cards: int
    hole_card: str
    peek: str
    dealer_hits_soft_17: bool
    dealer_blackjack_takes: str
    blackjack_pays: tuple[int, int]
    double_on: str
    soft_double_ace: int
    double_after_split: bool
    split_on: str
    max_hands: int
    split_aces_one_card: bool
    resplit_aces: bool
    split_21_is_blackjack: bool
    split_draw: str
    hit_on_21: bool
    insurance: str
    insurance_ends_turn: bool
    insure_blackjack: bool
    even_money: bool
    surrender: str
    surrender_after_split: bool
    stake_min: int
    stake_max: int
    stake_step: int
    boxes: int
    back_bets: int
    triple_seven: str
    settle_from: str
    rounding: str
    banker: str
    box_max: int = 0
    shuffled_each_round: bool = False


CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "hole_card": ("second_down", "first_down", "none"),
    "peek": ("ten_or_ace", "none"),
    "dealer_blackjack_takes": ("all", "original"),
    "double_on": ("any", "9-11", "10-11"),
    "split_on": ("value", "rank"),
    "split_draw": ("one_by_one", "both"),
    "insurance": ("none", "half", "up_to_half"),
    "surrender": ("none", "late"),
    "triple_seven": ("none", "drink"),
    "settle_from": ("right", "left"),
    "rounding": ("exact", "player", "house"),
    "banker": ("house", "rotating"),
}
"""Allowed words of each field that takes a word."""

"""A house's rule set: the fields of the feed format, section 5, with their closed sets of values."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from controller.domain.money import Money

HoleCard = Literal["second_down", "first_down", "none"]
PeekOn = Literal["ten_or_ace", "none"]
BlackjackTakes = Literal["all", "original"]
DoubleOn = Literal["any", "9-11", "10-11"]
SplitOn = Literal["value", "rank"]
SplitDraw = Literal["one_by_one", "both"]
InsuranceAmount = Literal["none", "half", "up_to_half"]
Surrender = Literal["none", "late"]
TripleSeven = Literal["none", "drink"]
SettleFrom = Literal["right", "left"]
Rounding = Literal["exact", "player", "house"]
Banker = Literal["house", "rotating"]


class RuleSet(NamedTuple):
    """One house's rules, immutable and hashable. Field meanings: the feed format, section 5.

    Three fields go beyond it: `box_max` is the most that may lie on one box before the deal, all bettors
    together (0 = no limit; back bets are cut first); `shuffled_each_round` restarts the composition count
    with every round (NL-01); `packs_allowed` are numbers of packs that the text allows besides `decks`.
    """

    name: str
    decks: int
    burn_cards: int
    hole_card: HoleCard
    peek: PeekOn
    dealer_hits_soft_17: bool
    dealer_blackjack_takes: BlackjackTakes
    blackjack_pays: tuple[int, int]
    double_on: DoubleOn
    soft_double_ace: int
    double_after_split: bool
    split_on: SplitOn
    max_hands: int
    split_aces_one_card: bool
    resplit_aces: bool
    split_21_is_blackjack: bool
    split_draw: SplitDraw
    hit_on_21: bool
    insurance: InsuranceAmount
    insurance_ends_turn: bool
    insure_blackjack: bool
    even_money: bool
    surrender: Surrender
    surrender_after_split: bool
    stake_min: Money
    stake_max: Money
    stake_step: Money
    boxes: int
    back_bets: int
    triple_seven: TripleSeven
    settle_from: SettleFrom
    rounding: Rounding
    banker: Banker
    box_max: Money = Money(0)
    shuffled_each_round: bool = False
    packs_allowed: tuple[int, ...] = ()

    def may_load(self, decks: int) -> bool:
        """Whether a shoe of so many packs may be in place."""
        return decks == self.decks or decks in self.packs_allowed


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    field: get_args(kind) for field, kind in get_type_hints(RuleSet).items() if get_origin(kind) is Literal
}
"""The words of each field that takes a word."""

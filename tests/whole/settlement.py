"""A second settlement, as plain as the rule text: one stake at a time, nothing shared with the engine.

A round is described after the fact: what everybody put up, what each hand was at the end, what the dealer
turned. The rules come as a plain dict with the field names of a rule file.
"""

from fractions import Fraction
from typing import Any, NamedTuple

Rules = dict[str, Any]

COUNTED = {"A": 1, "J": 10, "Q": 10, "K": 10} | {str(points): points for points in range(2, 11)}
"""What each rank counts, an ace 1."""


class Unpayable(Exception):
    """A half unit that the house neither rounds up nor down (G-01)."""


class NaiveHand(NamedTuple):
    """A hand at the end: `stakes` is (first stake, added by doubling) for each seat that has money on it."""

    box: int
    number: int
    cards: list[str]
    stakes: dict[int, tuple[int, int]]
    doubled: bool = False
    split: bool = False
    surrendered: bool = False


class NaiveRound(NamedTuple):
    """A finished round: the dealer's cards in full as far as turned, open card included."""

    dealer: list[str]
    hands: list[NaiveHand]
    insurance: dict[tuple[int, int], int]
    even_money: set[tuple[int, int]]


class NaivePart(NamedTuple):
    """What one stake of one bettor gave back; hand 0 stands for the insurance."""

    box: int
    seat: int
    hand: int
    stake: int
    outcome: str
    returned: int


def best_total(cards: list[str], frozen_ace: int = 0) -> int:
    """Faces 10, an ace 11 unless that goes above 21, then 1; the first ace counts `frozen_ace` where set."""
    total = 0
    aces = 0
    for rank in cards:
        points = COUNTED[rank]
        if points == 1 and frozen_ace:
            total += frozen_ace
            frozen_ace = 0
        else:
            total += points
            aces += points == 1
    if aces and total + 10 <= 21:
        total += 10
    return total


def is_two_card_21(cards: list[str]) -> bool:
    """An ace with a ten-card, in exactly two cards."""
    return len(cards) == 2 and "A" in cards and best_total(cards) == 21


def hand_total(hand: NaiveHand, rules: Rules) -> int:
    """The total that counts: the ace of a doubled soft hand is frozen where the house says so (NL-17)."""
    frozen = rules["soft_double_ace"] if hand.doubled and "A" in hand.cards[:2] else 0
    return best_total(hand.cards, frozen)


def has_blackjack(hand: NaiveHand, rules: Rules) -> bool:
    """A two-card 21 that did not come from a split, unless the house calls that a blackjack too."""
    return is_two_card_21(hand.cards) and (not hand.split or rules["split_21_is_blackjack"])


def whole(amount: Fraction, rules: Rules) -> int:
    """The amount in whole minor units; a half unit goes where the house says, or is an error."""
    if amount.denominator == 1:
        return amount.numerator
    if rules["rounding"] == "player":
        return amount.numerator // amount.denominator + 1
    if rules["rounding"] == "house":
        return amount.numerator // amount.denominator
    raise Unpayable(str(amount))


def settle(played: NaiveRound, rules: Rules) -> list[NaivePart]:
    """Every part of every bettor, in the order of hands and seats, insurances last."""
    parts = []
    for hand in played.hands:
        for seat, (first, added) in hand.stakes.items():
            outcome, returned = main_bet(hand, seat, (first, added), played, rules)
            parts.append(NaivePart(hand.box, seat, hand.number, first + added, outcome, returned))
    for (box, seat), stake in played.insurance.items():
        if is_two_card_21(played.dealer[:2]):
            parts.append(NaivePart(box, seat, 0, stake, "insured", 3 * stake))
        else:
            parts.append(NaivePart(box, seat, 0, stake, "insurance_lost", 0))
    return parts


def main_bet(
    hand: NaiveHand, seat: int, laid: tuple[int, int], played: NaiveRound, rules: Rules
) -> tuple[str, int]:
    """How one main stake ends and what goes back, stake included; `laid`: first stake, added by doubling."""
    first, added = laid
    stake = first + added
    total = hand_total(hand, rules)
    if (hand.box, seat) in played.even_money:
        return "even_money", 2 * stake
    if hand.surrendered:
        return "surrender", whole(Fraction(stake, 2), rules)
    if total > 21:
        return "bust", 0
    if is_two_card_21(played.dealer[:2]):
        return against_blackjack(hand, first, added, rules)
    if has_blackjack(hand, rules):
        win, per = rules["blackjack_pays"]
        return "blackjack", stake + whole(Fraction(stake * win, per), rules)
    dealer = best_total(played.dealer)
    if dealer > 21 or total > dealer:
        return "win", 2 * stake
    if total == dealer:
        return "push", stake
    return "lose", 0


def against_blackjack(hand: NaiveHand, first: int, added: int, rules: Rules) -> tuple[str, int]:
    """The dealer has a blackjack: a blackjack draws, all else loses everything or the opening stake only."""
    if has_blackjack(hand, rules):
        return "push", first + added
    if rules["dealer_blackjack_takes"] == "all":
        return "lose", 0
    if hand.number > 1:
        return "push", first + added
    return "lose", added

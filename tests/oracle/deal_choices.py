"""What a hand may do next, from the rule text alone; shared by the random dealer only."""

from dataclasses import dataclass

from tests.whole.settlement import Rules, best_total, is_two_card_21

TENS = ("10", "J", "Q", "K")
MOST_HANDS = 8
CARDS_FOR_A_SPLIT = 30


@dataclass
class LiveHand:
    """A hand in play; `stakes` is [first, added] for each seat."""

    box: int
    number: int
    cards: list[str]
    stakes: dict[int, list[int]]
    doubled: bool = False
    split: bool = False
    aces: bool = False
    surrendered: bool = False
    acted: bool = False


def done(hand: LiveHand, rules: Rules) -> bool:
    """A hand that needs no stand."""
    total = best_total(hand.cards)
    one_card = hand.aces and rules["split_aces_one_card"]
    blackjack = rules["split_21_is_blackjack"] and is_two_card_21(hand.cards)
    return total > 21 or (total == 21 and not rules["hit_on_21"]) or one_card or blackjack


def choices(hand: LiveHand, hands: list[LiveHand], rules: Rules, cards_left: int) -> list[str]:
    """What the rules allow now; what should come up more often is there more often."""
    if best_total(hand.cards) > 21:
        return ["stand"]
    found = ["stand"]
    if cards_left >= CARDS_FOR_A_SPLIT and may_split(hand, hands, rules):
        found += ["split"] * 3
    if done(hand, rules):
        return found
    found += ["hit"] * (1 if best_total(hand.cards) > 16 else 4)
    found += ["double"] * (2 if may_double(hand, rules) else 0)
    return found + (["surrender"] if may_surrender(hand, rules) else [])


def may_split(hand: LiveHand, hands: list[LiveHand], rules: Rules) -> bool:
    """Two cards of a kind, below the limit of hands, aces again only where the house allows it."""
    if len(hand.cards) != 2 or len(hands) >= (rules["max_hands"] or MOST_HANDS):
        return False
    first, second = hand.cards
    same = first == second or (rules["split_on"] == "value" and first in TENS and second in TENS)
    return same and (not hand.aces or rules["resplit_aces"])


def may_double(hand: LiveHand, rules: Rules) -> bool:
    """Two cards, after a split where allowed, of a total that the house allows.

    A pair of aces under a frozen ace is left out: no rule text says what its second ace counts.
    """
    if hand.cards == ["A", "A"] and rules["soft_double_ace"]:
        return False
    if len(hand.cards) != 2 or (hand.split and not rules["double_after_split"]):
        return False
    if rules["double_on"] == "any":
        return True
    least = {"9-11": 9, "10-11": 10}[rules["double_on"]]
    ace = (rules["soft_double_ace"] or 1) if "A" in hand.cards else 0
    return least <= best_total(hand.cards, ace) <= 11


def may_surrender(hand: LiveHand, rules: Rules) -> bool:
    """First and only action; on a split hand where the house allows it."""
    if rules["surrender"] == "none" or hand.acted:
        return False
    return not hand.split or rules["surrender_after_split"]

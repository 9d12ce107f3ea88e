"""The house edge of a house's rules, and the basic strategy with the deals whose exact cards require another.

Every opening deal from a fresh shoe, with the best play for its exact cards. Exact except for splits, in
which the bettor ignores the cards of the other hands. Stakes are taken as payable in full, and insurance is
not taken.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Final, Literal, NamedTuple

import numpy as np

from controller.acts.round import Action
from controller.analyser.values import (
    ACE,
    ACTIONS,
    KINDS,
    TEN,
    ActionValues,
    AgainstDealer,
    Floats,
    Hands,
    Terms,
    blackjack_kind,
    fresh_shoe,
    hands_with,
    may_double,
    natural_pays,
    pair_terms,
    play,
    split_value,
)
from controller.domain import ConfigError, Money, RuleSet

HandPlay = Action
_PLAYS: tuple[HandPlay, ...] = ("stand", "hit", "double", "surrender", "split")


class Deal(NamedTuple):
    """One opening deal, as points of the two cards and of the up card, an ace 1.

    `chance` from a fresh shoe; `value` of the best play in opening stakes, a dealer's blackjack included;
    `plays`: the value of each permitted play at the box's turn, empty for a blackjack.
    """

    cards: tuple[int, int]
    up: int
    chance: float
    value: float
    plays: dict[HandPlay, float]

    @property
    def best(self) -> HandPlay | None:
        """The play that loses least; None without a decision."""
        return _best_of(self.plays) if self.plays else None


def _best_of(plays: dict[HandPlay, float]) -> HandPlay:
    """The play that is worth most."""
    name, _ = max(plays.items(), key=itemgetter(1))
    return name


class Analysis(NamedTuple):
    """The analysis of a house: `edge_percent` of the opening stake, the insurance's edge, every deal."""

    rules: RuleSet
    edge_percent: float
    insurance_edge_percent: float
    deals: tuple[Deal, ...]


_WORDS: Final[Mapping[str, frozenset[object]]] = {
    "hole_card": frozenset(("second_down", "first_down", "none")),
    "peek": frozenset(("ten_or_ace", "none")),
    "dealer_blackjack_takes": frozenset(("all", "original")),
    "double_on": frozenset(("any", "9-11", "10-11")),
    "soft_double_ace": frozenset((0, 1, 2)),
    "split_on": frozenset(("value", "rank")),
    "split_draw": frozenset(("one_by_one", "both")),
    "insurance": frozenset(("none", "half", "up_to_half")),
    "surrender": frozenset(("none", "late")),
    "triple_seven": frozenset(("none", "drink")),
    "settle_from": frozenset(("right", "left")),
    "rounding": frozenset(("exact", "player", "house")),
    "banker": frozenset(("house", "rotating")),
}
"""The rules that take a word, with every word that is reckoned with here."""

_COUNTED: Final = frozenset(
    (
        "decks",
        "dealer_hits_soft_17",
        "blackjack_pays",
        "double_after_split",
        "max_hands",
        "split_aces_one_card",
        "resplit_aces",
        "split_21_is_blackjack",
        "even_money",
        "surrender_after_split",
    )
)
"""The other rules that change a sum."""

_NO_MATTER: Final = frozenset(
    (
        "name",
        "burn_cards",
        "hit_on_21",
        "insurance_ends_turn",
        "insure_blackjack",
        "stake_min",
        "stake_max",
        "stake_step",
        "boxes",
        "back_bets",
        "box_max",
        "shuffled_each_round",
        "packs_allowed",
    )
)
"""Rules that change nothing of one bettor's fresh shoe, played the best way, without insurance."""


def _require_understood(rules: RuleSet) -> None:
    """Refuse a rule, or a value of one, that the analysis does not use: its edge would be another house's."""
    for field, value in rules._asdict().items():
        words = _WORDS.get(field)
        known = field in _COUNTED | _NO_MATTER if words is None else value in words
        if not known:
            raise ConfigError("RULE_NOT_ANALYSED", field=field, value=str(value))


def analyse(rules: RuleSet) -> Analysis:
    """Return the house edge of these rules with a fresh shoe, and the value of every deal.

    It takes seconds, once per house: the limits of stakes, which differ per table, do not affect it. Raises
    ConfigError RULE_NOT_ANALYSED for a rule that the analysis does not use.
    """
    _require_understood(rules)
    free = rules._replace(stake_min=Money(0), stake_max=Money(0), stake_step=Money(0), box_max=Money(0))
    return _analysed(free)._replace(rules=rules)


@lru_cache(maxsize=8)
def _analysed(rules: RuleSet) -> Analysis:
    shoe = fresh_shoe(rules.decks)
    deals = tuple(deal for up in range(KINDS) for deal in _deals(AgainstDealer(rules, up), shoe))
    edge = -100.0 * sum(deal.chance * deal.value for deal in deals)
    return Analysis(rules, edge, _insurance_edge(shoe), deals)


def _insurance_edge(shoe: Floats) -> float:
    """Return the edge of an insurance bet at 2:1, for a bettor who sees the ace alone."""
    return float(100.0 * (1.0 - 3.0 * shoe[TEN] / (shoe.sum() - 1.0)))


def _deals(table: AgainstDealer, shoe: Floats) -> list[Deal]:
    """All deals against one up card."""
    left = shoe.copy()
    left[table.up] -= 1.0
    hands = hands_with(None)
    values = play(table, hands, (left - hands.counts)[None], opening_terms(table, hands))
    deals = []
    for first in range(KINDS):
        for second in range(first, KINDS):
            chance = float(shoe[table.up] / shoe.sum()) * _pair_chance(left, first, second)
            value, plays = _opening(table, left, hands, values, (first, second))
            deals.append(Deal((first + 1, second + 1), table.up + 1, chance, value, plays))
    return deals


def _pair_chance(left: Floats, first: int, second: int) -> float:
    """Chance of two cards of these kinds in either order."""
    size = left.sum()
    after = left[second] - (first == second)
    return float(left[first] / size * after / (size - 1.0) * (1 if first == second else 2))


def opening_terms(table: AgainstDealer, hands: Hands) -> Terms:
    """Return the permitted plays of unsplit hands."""
    rules = table.rules
    none = np.zeros(len(hands.size), bool)
    takes_all = rules.dealer_blackjack_takes == "all"
    loss_doubled = -2.0 if takes_all else -1.0
    return Terms(may_double(rules, hands), rules.surrender == "late", none, none, -1.0, loss_doubled)


def _opening(
    table: AgainstDealer, left: Floats, hands: Hands, values: ActionValues, kinds: tuple[int, int]
) -> tuple[float, dict[HandPlay, float]]:
    """Value of a deal before the dealer has looked, and of each play afterwards."""
    deck = left.copy()
    np.subtract.at(deck, list(kinds), 1.0)
    looked = blackjack_kind(table.up)
    blackjack = 0.0 if looked is None else float(deck[looked] / deck.sum())
    if kinds == (ACE, TEN):
        return _natural(table, blackjack), {}
    at = hands.where(*kinds)
    plays = {
        name: float(values.actions[index, 0, at])
        for index, name in enumerate(_PLAYS[:ACTIONS])
        if np.isfinite(values.actions[index, 0, at])
    }
    value = max(plays.values())
    if kinds[0] == kinds[1] and table.rules.max_hands != 1:
        plays["split"] = split_value(table, pair_terms(table.rules, kinds[0]), left)
        value += _share_of_pairs(table.rules, kinds[0]) * max(plays["split"] - value, 0.0)
    if table.looked_for is not None:
        value = -blackjack + (1.0 - blackjack) * value
    return value, plays


def _natural(table: AgainstDealer, blackjack: float) -> float:
    """A blackjack: its bonus unless the dealer has one too, or even money where that is worth more."""
    value = (1.0 - blackjack) * natural_pays(table.rules)
    return max(value, 1.0) if table.rules.even_money and table.up == ACE else value


def _share_of_pairs(rules: RuleSet, kind: int) -> float:
    """Return the share of deals of two cards of this kind that are pairs: below 1 for tens of equal rank."""
    if kind != TEN or rules.split_on == "value":
        return 1.0
    return (4.0 * rules.decks - 1.0) / (16.0 * rules.decks - 1.0)


UP_CARDS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
"""Points of the up card in the order of the columns, the ace last."""

Advice = Literal["H", "S", "D", "Ds", "P", "R", "Rs", "Rp"]
"""Hit, stand, double (else hit), double (else stand), split, surrender (else hit, stand, split)."""

_LETTERS: Final[dict[HandPlay, Advice]] = {"split": "P", "hit": "H", "stand": "S"}


class StrategyRow(NamedTuple):
    """Advice for one hand against each of UP_CARDS.

    `total`: of a pair the points of one card (an ace 11), else the points of both.
    """

    hand: Literal["hard", "soft", "pair"]
    total: int
    advice: tuple[Advice, ...]


class CompositionPlay(NamedTuple):
    """A deal whose exact cards require another play than its total; points, an ace 1."""

    cards: tuple[int, int]
    up: int
    play: HandPlay
    instead_of: HandPlay


class Strategy(NamedTuple):
    """Rows as players know them, and the deals that go beyond them."""

    rows: tuple[StrategyRow, ...]
    other_plays: tuple[CompositionPlay, ...]


def basic_strategy(analysis: Analysis) -> Strategy:
    """Return the strategy with the least loss for a bettor who knows the total, and for pairs the cards."""
    deals = [deal for deal in analysis.deals if deal.plays]
    rows = [_row("hard", total, deals) for total in range(5, 20)]
    rows += [_row("soft", total, deals) for total in range(13, 21)]
    rows += [_row("pair", points, deals) for points in range(2, 12)]
    return Strategy(tuple(rows), tuple(_others(deals)))


def _is_pair(deal: Deal) -> bool:
    return deal.cards[0] == deal.cards[1]


def _has_ace(deal: Deal) -> bool:
    return deal.cards[0] == 1


def _belongs(hand: Literal["hard", "soft", "pair"], total: int) -> Callable[[Deal], bool]:
    """Return the test whether a deal belongs to a row."""
    if hand == "pair":
        return lambda deal: _is_pair(deal) and deal.cards[0] == total % 10 + 10 * (total == 10)
    soft = hand == "soft"
    points = total - 10 * soft
    return lambda deal: not _is_pair(deal) and _has_ace(deal) == soft and sum(deal.cards) == points


def _row(hand: Literal["hard", "soft", "pair"], total: int, deals: list[Deal]) -> StrategyRow:
    belongs = _belongs(hand, total)
    mine = [deal for deal in deals if belongs(deal)]
    return StrategyRow(
        hand, total, tuple(_advice(_means(deal for deal in mine if deal.up == up)) for up in UP_CARDS)
    )


def _means(deals: Iterable[Deal]) -> dict[HandPlay, float]:
    """Return the value of each play over these deals, weighted by their chance."""
    sums: dict[HandPlay, float] = {}
    for deal in deals:
        for name, value in deal.plays.items():
            sums[name] = sums.get(name, 0.0) + deal.chance * value
    return sums


def _advice(values: dict[HandPlay, float]) -> Advice:
    """Return the best play, with the alternative when the hand may no longer make it."""
    play = _best_of(values)
    if play in _LETTERS:
        return _LETTERS[play]
    rest = {name: value for name, value in values.items() if name not in ("double", "surrender")}
    second = _best_of(rest)
    if play == "double":
        return "Ds" if values["stand"] > values["hit"] else "D"
    return "Rp" if second == "split" else "Rs" if second == "stand" else "R"


def _others(deals: list[Deal]) -> list[CompositionPlay]:
    """Deals in which the play of the total is not the best; pairs have a row of their own."""
    others = []
    for deal in deals:
        if _is_pair(deal):
            continue
        alike = [one for one in deals if _alike(one, deal)]
        usual = _best_of(_means(alike))
        if deal.best is not None and deal.best != usual:
            others.append(CompositionPlay(deal.cards, deal.up, deal.best, usual))
    return others


def _alike(one: Deal, deal: Deal) -> bool:
    """Whether two deals belong to the same cell of the table."""
    same = one.up == deal.up and sum(one.cards) == sum(deal.cards)
    return same and not _is_pair(one) and _has_ace(one) == _has_ace(deal)

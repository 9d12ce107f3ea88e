"""The basic strategy of a house: a play per total, and the deals whose exact cards require another."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from controller.analyser.edge import Analysis, Deal, HandPlay, best_of

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
        for play, value in deal.plays.items():
            sums[play] = sums.get(play, 0.0) + deal.chance * value
    return sums


def _advice(values: dict[HandPlay, float]) -> Advice:
    """Return the best play, with the alternative when the hand may no longer make it."""
    play = best_of(values)
    if play in _LETTERS:
        return _LETTERS[play]
    rest = {name: value for name, value in values.items() if name not in ("double", "surrender")}
    second = best_of(rest)
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
        usual = best_of(_means(alike))
        if deal.best is not None and deal.best != usual:
            others.append(CompositionPlay(deal.cards, deal.up, deal.best, usual))
    return others


def _alike(one: Deal, deal: Deal) -> bool:
    """Whether two deals belong to the same cell of the table."""
    same = one.up == deal.up and sum(one.cards) == sum(deal.cards)
    return same and not _is_pair(one) and _has_ace(one) == _has_ace(deal)

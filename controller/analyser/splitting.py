"""The value of a pair that is split, and split again as often as the house allows.

The bettor plays each hand by its own cards and the up card alone, in the best way after the first split. Then
the order in which the hands take their cards does not matter, and each of them has the same value. Only the
number of further cards of the pair among the second cards counts.
"""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from controller.analyser.hand_totals import Hands, hands_with
from controller.analyser.points import ACE, TEN, Floats
from controller.analyser.values import ActionValues, AgainstDealer, Terms, may_double, play, reached
from controller.domain import RuleSet

MOST_HANDS: Final = 8
"""Hands to which a pair is split where the house sets no limit. With six packs the edge is 0.5466 % for four
hands, 0.5437 % for five, 0.5432 % for six, 0.5431 % for eight."""
Endings = dict[tuple[int, int, int], int]


class PairTerms(NamedTuple):
    """The limit of splits of this pair: `most` hands in the whole box."""

    kind: int
    most: int


def pair_terms(rules: RuleSet, kind: int) -> PairTerms:
    """Aces that may not be split again make two hands; so do tens where only equal ranks are pairs.

    Equal tens are dealt out as two hands there because kinds know no ranks; no house here makes it worth
    splitting them.
    """
    most = rules.max_hands or MOST_HANDS
    once = (kind == ACE and not rules.resplit_aces) or (kind == TEN and rules.split_on == "rank")
    return PairTerms(kind, min(most, 2 if once else MOST_HANDS))


def split_value(table: AgainstDealer, pair: PairTerms, shoe: Floats) -> float:
    """Value of splitting this pair, in opening stakes; `shoe` is full but for the up card."""
    values = _HandValues(table, pair, shoe)
    return max(_total(values, pair.most), _total(values, 2))


class _HandValues:
    """Expected values of one split hand, after some cards of the pair and beside hands that drew none.

    After a dealer's blackjack that takes opening stakes only, the first hand loses and the others do not,
    so that two sets of values are kept: of the first hand and of any other.
    """

    def __init__(self, table: AgainstDealer, pair: PairTerms, shoe: Floats) -> None:
        kind = pair.kind
        self._drawn: list[Floats] = []
        self._unpaired: list[Floats] = []
        for losses in _losses(table):
            split = _opened(table, kind, shoe, losses)
            found, hands = play(table, split.hands, split.decks, split.terms), split.hands
            if pair.most > 2:
                found, hands = _after_more(table, kind, found, split, 2 * pair.most - 2)
            single, twins = hands.where(kind), hands.where(kind, kind)
            self.pairs = found.draws[:, single, kind]
            self._drawn.append(found.chosen[:, single])
            self._unpaired.append(found.chosen[:, single] - self.pairs * found.chosen[:, twins])

    def unpaired(self, first: bool, more: int, beside: int) -> float:
        """Return the value of a hand without a pair's second card, after `more` further cards of the pair.

        It is weighted by the chance that its second card and those of `beside` others are no cards of the
        pair.
        """
        return self._beside(self._unpaired[0 if first else -1], more, beside)

    def drawn(self, first: bool, more: int, beside: int) -> float:
        """Return the value of a hand with any second card, times the chance of `beside` unpaired others."""
        return self._beside(self._drawn[0 if first else -1], more, beside)

    def _beside(self, values: Floats, more: int, beside: int) -> float:
        if not beside:
            return float(values[more])
        without = self._beside(values, more, beside - 1)
        return without - float(self.pairs[more]) * self._beside(values, more + 1, beside - 1)


def opened_split(table: AgainstDealer, kind: int, shoe: Floats) -> ActionValues:
    """Values of the hands of a pair that has just been split; `shoe` is full but for the up card."""
    split = _opened(table, kind, shoe, _losses(table)[0])
    return play(table, split.hands, split.decks, split.terms)


class _Split(NamedTuple):
    """Hands of a split, their shoes (1, n, 10), their terms."""

    hands: Hands
    decks: Floats
    terms: Terms


def _opened(table: AgainstDealer, kind: int, shoe: Floats, losses: tuple[float, float]) -> _Split:
    """Return one hand of a pair; the other card of the pair is removed from its shoes."""
    hands = hands_with(kind)
    loss, loss_doubled = losses
    terms = _hand_terms(table.rules, hands, kind)._replace(loss=loss, loss_doubled=loss_doubled)
    decks = (shoe - hands.counts)[None]
    decks[..., kind] -= 1.0
    return _Split(hands, decks, terms)


def _after_more(
    table: AgainstDealer, kind: int, found: ActionValues, split: _Split, families: int
) -> tuple[ActionValues, Hands]:
    """The same after 0, 1, 2 ... further cards of the pair, for the hands alone that can come."""
    hands, terms = split.hands, split.terms
    kept = reached(hands, found.best, hands.where(kind))
    shoes = np.repeat(split.decks[:, kept], families, axis=0)
    shoes[..., kind] -= np.arange(families)[:, None]
    fewer = terms._replace(
        doubles=terms.doubles[kept], stuck=terms.stuck[kept], naturals=terms.naturals[kept]
    )
    return play(table, hands.only(kept), shoes, fewer, found.best[kept]), hands.only(kept)


def _losses(table: AgainstDealer) -> list[tuple[float, float]]:
    """Return the losses of a hand and a doubled one to a dealer's blackjack: of the first hand, of others."""
    if table.rules.dealer_blackjack_takes == "all" or table.looked_for is not None:
        return [(-1.0, -2.0)]
    return [(-1.0, -1.0), (0.0, 0.0)]


def _hand_terms(rules: RuleSet, hands: Hands, kind: int) -> Terms:
    """Return the permitted plays of the hands of a split."""
    locked = kind == ACE and rules.split_aces_one_card
    two = hands.size == 2
    naturals = two & (hands.total == 21) & rules.split_21_is_blackjack
    return Terms(
        may_double(rules, hands) & rules.double_after_split,
        rules.surrender == "late" and rules.surrender_after_split,
        (two & locked) | naturals,
        naturals,
    )


def _total(values: _HandValues, most: int) -> float:
    """The hands of every way in which the second cards can come."""
    whole = 0.0
    for (more, settled, waiting), ways in endings(most).items():
        chance = ways * float(np.prod(values.pairs[:more]))
        if chance:
            whole += chance * _hands_of(values, more, settled, waiting)
    return whole


def _hands_of(values: _HandValues, more: int, settled: int, waiting: int) -> float:
    """Sum over the hands: `settled` have drawn no pair, `waiting` may draw anything."""
    value = 0.0
    if settled:
        value += values.unpaired(True, more, settled - 1)
        value += (settled - 1) * values.unpaired(False, more, settled - 1)
        return value + waiting * values.drawn(False, more, settled)
    return values.drawn(True, more, 0) + (waiting - 1) * values.drawn(False, more, 0)


@lru_cache
def endings(most: int) -> Endings:
    """Return the possible endings of a pair's splits, with the number of ways to each.

    An ending is (further cards of the pair, hands with another second card, hands that may draw any card
    since no further split is allowed).
    """
    ended: Endings = {}
    open_ways: Endings = {(0, 0, 2): 1}
    while open_ways:
        further: Endings = {}
        for (more, settled, waiting), ways in open_ways.items():
            if more + 2 == most or not waiting:
                ended[more, settled, waiting] = ended.get((more, settled, waiting), 0) + ways
                continue
            for after in ((more + 1, settled, waiting + 1), (more, settled + 1, waiting - 1)):
                further[after] = further.get(after, 0) + ways
        open_ways = further
    return ended

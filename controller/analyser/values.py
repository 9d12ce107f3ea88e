"""The value of each action at each hand, in opening stakes, computed backwards from the last card.

Hands are listed once for any order of their cards; the dealer's final hand is exact, for many remaining shoes
at once; the hands of a split ignore each other's cards.
"""

from functools import lru_cache
from typing import Final, NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from controller.domain import RuleSet

KINDS: Final = 10
"""Points 1 (the ace) to 10; a kind's index is one less than its points."""
ACE: Final = 0
TEN: Final = 9

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def fresh_shoe(decks: int) -> Floats:
    """Return the number of cards of each kind in a full shoe, shape (10,)."""
    counts = np.full(KINDS, 4.0 * decks)
    counts[TEN] = 16.0 * decks
    return counts


def best_total(hard: int, aces: int) -> int:
    """The total that counts: one ace as 11 unless that goes above 21."""
    return hard + 10 if aces and hard <= 11 else hard


TOO_MANY = -1
"""In `Hands.child`: the card takes the hand above 21."""


class Hands(NamedTuple):
    """A set of n hands that is closed under drawing.

    `counts` (n, 10): cards of each kind. `hard`, `total`, `size` (n,): points with aces low, points that
    count, cards. `child` (n, 10): the hand with one more card of a kind, or TOO_MANY. `levels`: indices by
    hard points, highest first, so that every child stands before its parents.
    """

    counts: Floats
    hard: Indices
    total: Indices
    size: Indices
    child: Indices
    levels: tuple[Indices, ...]

    def where(self, *kinds: int) -> int:
        """Return the index of the hand of these cards; the set must contain it."""
        wanted = np.bincount(kinds, minlength=KINDS)
        return int(np.flatnonzero((self.counts == wanted).all(axis=1))[0])

    def at(self, size: int) -> Indices:
        """The hands of so many cards."""
        return np.flatnonzero(self.size == size)

    def only(self, kept: npt.NDArray[np.bool_]) -> "Hands":
        """Return the hands of a mask (n,); the hand after a card is known only within the mask."""
        at = np.cumsum(kept) - 1
        child = self.child[kept]
        own = np.arange(len(child))[:, None]
        known = np.where(kept[child], at[child], own)
        child = np.where(child == TOO_MANY, TOO_MANY, known)
        hard = self.hard[kept]
        return Hands(self.counts[kept], hard, self.total[kept], self.size[kept], child, _levels(hard))


@lru_cache(maxsize=KINDS + 1)
def hands_with(kind: int | None) -> Hands:
    """Return all hands of up to 21 points, the empty one too; with a kind, those that contain it."""
    start = tuple(int(index == kind) for index in range(KINDS))
    found = {start: 0}
    waiting = [start]
    for cards in waiting:
        for more in _one_more(cards):
            if more not in found and _hard(more) <= 21:
                found[more] = len(found)
                waiting.append(more)
    child = [[found.get(more, TOO_MANY) for more in _one_more(cards)] for cards in waiting]
    hard = np.array([_hard(cards) for cards in waiting])
    total = np.array([best_total(_hard(cards), cards[ACE]) for cards in waiting])
    size = np.array([sum(cards) for cards in waiting])
    return Hands(np.array(waiting, float), hard, total, size, np.array(child), _levels(hard))


def _one_more(cards: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The hand with one more card, a kind after the other."""
    return [(*cards[:kind], cards[kind] + 1, *cards[kind + 1 :]) for kind in range(KINDS)]


def _hard(cards: tuple[int, ...]) -> int:
    return sum(count * (kind + 1) for kind, count in enumerate(cards))


def _levels(hard: npt.NDArray[np.int64]) -> tuple[Indices, ...]:
    groups = [np.flatnonzero(hard == points) for points in range(21, -1, -1)]
    return tuple(group for group in groups if len(group))


OUTCOMES: Final = 7
"""The dealer ends on 17, 18, 19, 20, 21, bust, or with a blackjack: indices 0 to 6."""
BUST: Final = 5
BLACKJACK: Final = 6

Draws = tuple[int, ...]
"""How many cards of each kind the dealer draws to his up card."""


@lru_cache(maxsize=2 * KINDS)
def final_hands(up: int, hits_soft_17: bool) -> tuple[tuple[Draws, int, int], ...]:
    """(cards drawn, outcome, number of orders in which they can come) for an up card of this kind, sorted."""
    ended: dict[Draws, tuple[int, int]] = {}
    drawing: dict[Draws, int] = {(0,) * KINDS: 1}
    while drawing:
        further: dict[Draws, int] = {}
        for cards, orders in drawing.items():
            for kind in range(KINDS):
                more = (*cards[:kind], cards[kind] + 1, *cards[kind + 1 :])
                further[more] = further.get(more, 0) + orders
        drawing = {}
        for cards, orders in further.items():
            outcome = _outcome(up, cards, hits_soft_17)
            if outcome is None:
                drawing[cards] = orders
            else:
                ended[cards] = (outcome, orders)
    return tuple((cards, *ended[cards]) for cards in sorted(ended))


def _outcome(up: int, cards: Draws, hits_soft_17: bool) -> int | None:
    """Return the outcome of this hand; None while the dealer draws."""
    hard = up + 1 + sum(count * (kind + 1) for kind, count in enumerate(cards))
    aces = cards[ACE] + (up == ACE)
    total = best_total(hard, aces)
    if total > 21:
        return BUST
    if total < 17 or (total == 17 and hits_soft_17 and total != hard):
        return None
    return BLACKJACK if total == 21 and sum(cards) == 1 else total - 17


def blackjack_kind(up: int) -> int | None:
    """Return the kind of the hole card that would make a blackjack; None when none does."""
    return {ACE: TEN, TEN: ACE}.get(up)


def outcome_chances(up: int, hits_soft_17: bool, decks: Floats) -> Floats:
    """Chances of the outcomes, shape (..., 7), of shoes of shape (..., 10) without the up card.

    The chance of a hand is the number of its orders, times the ways to pick its cards in one order, over
    those to pick as many cards at all.
    """
    held = np.maximum(decks, 0.0)
    size = decks.sum(axis=-1)
    chances = np.zeros((*decks.shape[:-1], OUTCOMES))
    ways = _Ways(held)
    for cards, outcome, orders in final_hands(up, hits_soft_17):
        chances[..., outcome] += orders * ways.of(cards) / ways.any(sum(cards), size)
    return chances


class _Ways:
    """Ways to pick cards in a fixed order; products of the first kinds are kept from hand to hand."""

    def __init__(self, held: Floats) -> None:
        self._held = held
        self._draws: list[int] = []
        self._products: list[Floats] = [np.ones(held.shape[:-1])]
        self._all: list[Floats] = [np.ones(held.shape[:-1])]
        self._picks = [[np.ones(held.shape[:-1])] for _ in range(KINDS)]

    def of(self, cards: Draws) -> Floats:
        """The product over the kinds, from the first kind on that differs from the hand before."""
        same = 0
        while same < len(self._draws) and self._draws[same] == cards[same]:
            same += 1
        del self._draws[same:], self._products[same + 1 :]
        for kind in range(same, KINDS):
            before = self._products[-1]
            self._products.append(before * self._pick(kind, cards[kind]) if cards[kind] else before)
            self._draws.append(cards[kind])
        return self._products[-1]

    def _pick(self, kind: int, count: int) -> Floats:
        picks = self._picks[kind]
        while len(picks) <= count:
            picks.append(picks[-1] * np.maximum(self._held[..., kind] - (len(picks) - 1), 0.0))
        return picks[count]

    def any(self, count: int, size: Floats) -> Floats:
        """Return the number of ways to draw `count` cards of any kind."""
        while len(self._all) <= count:
            self._all.append(self._all[-1] * (size - (len(self._all) - 1)))
        return self._all[count]


def draw_chances(decks: Floats, looked_for: int | None) -> Floats:
    """Return the chance of each kind as the next card, of shoes of shape (..., 10).

    `looked_for` is the kind that the face-down card cannot be, because the dealer has checked for a
    blackjack: the shoe then includes that card, and cards of the kind are more likely.
    """
    held = np.maximum(decks, 0.0)
    size = decks.sum(axis=-1, keepdims=True)
    if looked_for is None:
        return np.asarray(held / size)
    wanted = held[..., looked_for : looked_for + 1]
    others = size - wanted
    chances = held * (others - 1) / (others * (size - 1))
    chances[..., looked_for] = (wanted / (size - 1))[..., 0]
    return np.asarray(chances)


STAND: Final = 0
HIT: Final = 1
DOUBLE: Final = 2
SURRENDER: Final = 3
ACTIONS: Final = 4

Mask = npt.NDArray[np.bool_]
NEVER: Final = -np.inf


class AgainstDealer(NamedTuple):
    """The opponent of a hand: the house's rules and the dealer's up card, as a kind."""

    rules: RuleSet
    up: int

    @property
    def looked_for(self) -> int | None:
        """The kind that the face-down card cannot be while hands are played, None without one."""
        return blackjack_kind(self.up) if self.rules.peek == "ten_or_ace" else None

    def outcomes(self, decks: Floats) -> Floats:
        """Chances of the dealer's outcomes while hands are played, shape (..., 7)."""
        chances = outcome_chances(self.up, self.rules.dealer_hits_soft_17, decks)
        if self.looked_for is not None:
            chances[..., BLACKJACK] = 0.0
            chances /= chances.sum(axis=-1, keepdims=True)
        return chances


class Terms(NamedTuple):
    """The permitted plays of hands of two cards, and the losses of standing hands to a dealer's blackjack.

    `doubles` (n,): may be doubled. `surrenders`: two cards may be given up for half. `stuck` (n,): takes no
    card and no decision. `naturals` (n,): is paid as a blackjack. `loss`, `loss_doubled`: in stakes.
    """

    doubles: Mask
    surrenders: bool
    stuck: Mask
    naturals: Mask
    loss: float = -1.0
    loss_doubled: float = -2.0


class ActionValues(NamedTuple):
    """Shapes (4, f, n) and (f, n): of each action, -inf where it is not allowed, and of the chosen one.

    `draws` (f, n, 10): the chance of each next card. `best` (n,): which action was chosen.
    """

    actions: Floats
    chosen: Floats
    draws: Floats
    best: Indices


def play(
    table: AgainstDealer, hands: Hands, decks: Floats, terms: Terms, chosen_before: Indices | None = None
) -> ActionValues:
    """Values of all hands for f sets of shoes, shape (f, n, 10), each shoe without the hand's own cards.

    The best action is chosen by the first set and kept for the others: the bettor does not know which of
    them he plays from. `chosen_before` (n,) has it chosen already.
    """
    outcomes = table.outcomes(decks)
    draws = draw_chances(decks, table.looked_for)
    actions = np.full((ACTIONS, *outcomes.shape[:2]), NEVER)
    chosen = np.zeros(outcomes.shape[:2])
    best = np.zeros(len(hands.size), np.int64) if chosen_before is None else chosen_before
    actions[STAND] = _standing(hands, outcomes, terms, table.rules)
    actions[DOUBLE] = _doubling(table.rules, hands, outcomes, draws, terms)
    if terms.surrenders:
        actions[SURRENDER][:, (hands.size == 2) & ~terms.stuck] = -0.5
    for level in hands.levels:
        child = hands.child[level]
        after = np.where(child == TOO_MANY, -1.0, chosen[:, child])
        drawn = (draws[:, level] * after).sum(axis=-1)
        actions[HIT][:, level] = np.where(terms.stuck[level], NEVER, drawn)
        options = actions[:, :, level]
        if chosen_before is None:
            best[level] = options[:, 0].argmax(axis=0)
        chosen[:, level] = np.take_along_axis(options, best[level][None, None, :], axis=0)[0]
    return ActionValues(actions, chosen, draws, best)


def reached(hands: Hands, best: Indices, start: int) -> Mask:
    """Return the hands that can be reached from one of them by these actions."""
    found = np.zeros(len(best), bool)
    found[start] = True
    for level in reversed(hands.levels):
        drawing = level[found[level] & np.isin(best[level], (HIT, DOUBLE))]
        after = hands.child[drawing].ravel()
        found[after[after != TOO_MANY]] = True
    return found


def _payoffs(loss: float) -> Floats:
    """Return the win of a standing stake, shape (22, 7): by its total and the dealer's outcome."""
    pays = np.zeros((22, OUTCOMES))
    totals = np.arange(22)[:, None]
    pays[:, :BUST] = np.sign(totals - np.arange(17, 22))
    pays[:, BUST] = 1.0
    pays[:, BLACKJACK] = loss
    return pays


def natural_pays(rules: RuleSet) -> float:
    """Return the win of a blackjack per stake."""
    numerator, denominator = rules.blackjack_pays
    return numerator / denominator


def _standing(hands: Hands, outcomes: Floats, terms: Terms, rules: RuleSet) -> Floats:
    value = (outcomes * _payoffs(terms.loss)[hands.total]).sum(axis=-1)
    paid = natural_pays(rules) * (1.0 - outcomes[..., BLACKJACK])
    value = np.where(terms.naturals, paid, value)
    return np.where(hands.size < 2, NEVER, value)


def _doubling(rules: RuleSet, hands: Hands, outcomes: Floats, draws: Floats, terms: Terms) -> Floats:
    """Return the value of two stakes on one more card; the house may fix the value of an ace."""
    value = np.full(outcomes.shape[:2], NEVER)
    pays = 2.0 * _payoffs(terms.loss_doubled / 2.0)
    for at in np.flatnonzero(terms.doubles & ~terms.stuck & (hands.size == 2)):
        value[:, at] = 0.0
        for kind in range(KINDS):
            total, child = _doubled_total(rules, hands, int(at), kind), hands.child[at, kind]
            bust = child == TOO_MANY or total > 21
            after = -2.0 if bust else (outcomes[:, child] * pays[total]).sum(axis=-1)
            value[:, at] += draws[:, at, kind] * after
    return value


def _doubled_total(rules: RuleSet, hands: Hands, at: int, kind: int) -> int:
    """The total of a doubled hand with its last card."""
    hard, aces = int(hands.hard[at]), int(hands.counts[at, ACE])
    if rules.soft_double_ace:
        hard, aces = hard + aces * (rules.soft_double_ace - 1), 0
    return best_total(hard + kind + 1, aces + (kind == ACE))


def may_double(rules: RuleSet, hands: Hands) -> Mask:
    """Return the hands of two cards that the house lets double, by their points alone."""
    allowed = np.asarray(hands.size == 2)
    match rules.double_on:
        case "any":
            return allowed
        case "9-11":
            low = 9
        case "10-11":
            low = 10
        case _:
            assert_never(rules.double_on)
    counted: list[Indices] = [hands.hard, hands.total]
    if rules.soft_double_ace:
        aces = hands.counts[:, ACE].astype(np.int64)
        frozen = hands.hard + aces * (rules.soft_double_ace - 1)
        counted = [np.where(aces > 0, frozen, hands.hard)]
    in_range = np.any([(low <= total) & (total <= 11) for total in counted], axis=0)
    return np.asarray(allowed & in_range)


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

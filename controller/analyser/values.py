"""The value of each action at each hand, in opening stakes, computed backwards from the last card."""

from typing import Final, NamedTuple, assert_never

import numpy as np
import numpy.typing as npt

from controller.analyser.dealer import BLACKJACK, BUST, OUTCOMES, blackjack_kind, outcome_chances
from controller.analyser.hand_totals import BUST as TOO_MANY
from controller.analyser.hand_totals import Hands
from controller.analyser.points import ACE, KINDS, Floats, Indices, best_total
from controller.domain import RuleSet


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

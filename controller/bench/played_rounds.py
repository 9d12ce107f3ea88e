"""stand17's own engine, dealt and played by basic strategy from ready-shuffled shoes.

The strategy gives the same advice for every engine, so that all play the same game: six decks, the dealer
stands on every 17, doubling on any two cards and after a split.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from random import Random
from typing import Final

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Decision,
    InsuranceClosed,
    Observation,
    Reveal,
    ShoeLoaded,
)
from controller.acts.round import Action
from controller.domain import POINTS, RANKS, SUITS, RuleSet, Settled
from controller.engine import TableState, new_table, step
from controller.engine.play import double_reason, owed_at, split_reason
from controller.engine.state import BETS, COMPLETE, DEAL, DRAW, PLAY, REVEAL, Box, Hand

_UPCARDS: Final = range(2, 12)
"""Points of the dealer's open card, the ace counted 11."""


_HandSituation = tuple[int, bool, int]
"""Total (an ace counted 11 where soft), soft or not, points of the dealer's open card."""


def _row(total: int, soft: bool, letters: str) -> list[tuple[_HandSituation, str]]:
    return [((total, soft, up), letter) for up, letter in zip(_UPCARDS, letters, strict=True)]


ADVICE: Final[dict[_HandSituation, str]] = dict(
    chain(
        *(_row(total, False, "HHHHHHHHHH") for total in range(4, 9)),
        _row(9, False, "HDDDDHHHHH"),
        _row(10, False, "DDDDDDDDHH"),
        _row(11, False, "DDDDDDDDDH"),
        _row(12, False, "HHSSSHHHHH"),
        *(_row(total, False, "SSSSSHHHHH") for total in range(13, 17)),
        *(_row(total, False, "SSSSSSSSSS") for total in range(17, 22)),
        _row(12, True, "HHHHHHHHHH"),
        *(_row(total, True, "HHHDDHHHHH") for total in (13, 14)),
        *(_row(total, True, "HHDDDHHHHH") for total in (15, 16)),
        _row(17, True, "HDDDDHHHHH"),
        _row(18, True, "STTTTSSHHH"),
        *(_row(total, True, "SSSSSSSSSS") for total in range(19, 22)),
    )
)
"""The letter for each situation that can arise."""

_PAIRS: Final = {
    2: "PPPPPP....",
    3: "PPPPPP....",
    4: "...PP.....",
    6: "PPPPP.....",
    7: "PPPPPP....",
    8: "PPPPPPPPPP",
    9: "PPPPP.PP..",
    11: "PPPPPPPPPP",
}
SPLITS: Final = frozenset(
    (points, up)
    for points, letters in _PAIRS.items()
    for up, letter in zip(_UPCARDS, letters, strict=True)
    if letter == "P"
)
"""(points of one card, open card) for each pair that is split."""


STAKE: Final = 1000
_CUT_CARD_PART: Final = 4
"""A new shoe is due when one card in so many is left."""

DealingOrder = list[CardSeen]
Keep = Callable[[TableState], None]

_PACK: Final = tuple(CardSeen(rank, suit, by="shoe") for rank, suit in product(RANKS, SUITS))
_AT_DEALER: Final = {id(card): card._replace(to="dealer") for card in _PACK}
"""Each card of the pack as it is seen at the dealer; the shoes hold the very same objects."""
_VALUE: Final = {**POINTS, "A": 11}
_CHOICES: Final[tuple[Action, ...]] = ("stand", "double", "split")
_DECISIONS: Final = {
    (box, hand, action): Decision(box, hand, action)
    for box, hand, action in product(range(1, 8), range(1, 100), _CHOICES)
}
_A_CARD_IS_NEXT: Final = frozenset((BETS, DEAL, DRAW))
_TURN: Final = Reveal()
_NO_MORE_INSURANCE: Final = InsuranceClosed()


def prepare(rules: RuleSet, seed: int, *, keeping: bool = True) -> Callable[[int], list[TableState]]:
    """Return a function that plays that many rounds at one box and returns every state.

    Without `keeping` the states go as they are replaced, but for the closed rounds that a table keeps for
    late corrections, and the list is empty.
    """
    shoes = shuffled(rules.decks, Random(seed))
    bets = (Bet(1, 0, STAKE),)

    def play(rounds: int) -> list[TableState]:
        kept: list[TableState] = []
        state = new_table(rules)
        cards: DealingOrder = []
        least = rules.decks * 52 // _CUT_CARD_PART
        keep: Keep = kept.append if keeping else let_go
        for _ in range(rounds):
            if len(cards) < least:
                cards = next(shoes)
                state = step(state, ShoeLoaded(rules.decks)).state
            state = play_round(state, bets, cards, keep)
        return kept

    return play


def let_go(_: TableState) -> None:
    """Keep nothing of a state."""


def shuffled(decks: int, random: Random, count: int = 100) -> Iterator[DealingOrder]:
    """Yield `count` shuffled shoes in turn, without end."""
    shoes = [random.sample(_PACK * decks, 52 * decks) for _ in range(count)]
    while True:
        for shoe in shoes:
            yield list(shoe)


def play_round(state: TableState, bets: Sequence[Bet], cards: DealingOrder, keep: Keep) -> TableState:
    """Play one round from the bets to its settlement; `keep` gets every state on the way.

    Raises AssertionError where the engine objects: then strategy and house do not fit together.
    """
    for bet in bets:
        state = step(state, bet).state
        keep(state)
    while (phase := state.phase) != COMPLETE:
        if phase in _A_CARD_IS_NEXT:
            obs: Observation = cards.pop()
        elif phase == PLAY:
            obs = _act(state, cards)
        else:
            obs = _TURN if phase == REVEAL else _NO_MORE_INSURANCE
        taken = step(state, obs)
        state = taken.state
        keep(state)
        if taken.notices:
            assert type(taken.notices[0]) is Settled, taken.notices
    return state


def _act(state: TableState, cards: DealingOrder) -> Observation:
    """Return the next event at the acting hand: an owed or hit card, or a decision."""
    box = state.boxes[state.box_at]
    hand = box.hands[state.hand_at]
    if hand.owed or (hand.split and owed_at(box) >= 0):
        return cards.pop()
    dealer = state.dealer
    upcard = dealer.cards[1 if dealer.hole == 0 else 0].obs.rank
    assert upcard is not None, "the benchmark reads every card"
    action = _advise(state.book.rules, box, hand, _VALUE[upcard])
    if action == "hit":
        return cards.pop()
    if action == "stand" and dealer.hole < 0 and box is state.boxes[-1] and hand is box.hands[-1]:
        # The last player stands: the card that the dealer takes next says so.
        return _AT_DEALER[id(cards.pop())]
    return _DECISIONS[box.box, hand.number, action]


def _advise(rules: RuleSet, box: Box, hand: Hand, upcard: int) -> Action:
    """Basic strategy as far as the house allows it."""
    hard, aces = hand.hard, hand.aces
    soft = aces > 0 and hard <= 11
    if len(hand.cards) == 2:
        points = 11 if aces == 2 else hard // 2
        if (points, upcard) in SPLITS and split_reason(rules, box, hand) is None:
            return "split"
    letter = ADVICE[hard + 10 if soft else hard, soft, upcard]
    if letter in "DT":
        if double_reason(rules, hand) is None:
            return "double"
        return "hit" if letter == "D" else "stand"
    return "hit" if letter == "H" else "stand"

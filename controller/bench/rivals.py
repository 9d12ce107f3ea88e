"""The PyPI packages blackjack21 and py21 at one box, playing the benchmark's strategy.

Each `prepare` function takes a seed and returns a function that plays that many rounds.
"""

from collections.abc import Callable
from copy import deepcopy
from importlib.metadata import version
from random import Random
from typing import Any, Final

from blackjack21 import DEFAULT_SUITS, Card, Deck, GameState, Table
from blackjack21.utils import calculate_hand
from py21 import Game, Player

from controller.bench.played_rounds import ADVICE, SPLITS

_DECKS: Final = 6
_SHOES: Final = 100
_HANDS_MAX: Final = 4
_CUT_CARD_AT: Final = 78
"""Cards left when a new shoe is due: a quarter of six decks."""

_PY21_RULES: Final = {"num_decks": _DECKS, "surrender_allowed": False, "insurance_allowed": False}


class _Shoes:
    """Ready-shuffled shoes, in turn without end: no shuffling is timed, the package's deck is 10 % slower."""

    draw_card: Callable[[], Card]

    def __init__(self, random: Random) -> None:
        cards = list(Deck(DEFAULT_SUITS, count=_DECKS).cards)
        self._shoes = [random.sample(cards, len(cards)) for _ in range(_SHOES)]
        self._next = 0
        self._cards = list(self._shoes[0])
        self.draw_card = self._cards.pop

    def __len__(self) -> int:
        return len(self._cards)

    def change_when_due(self) -> None:
        """Take the next shoe when the cut card has come out."""
        if len(self._cards) < _CUT_CARD_AT:
            self._next = (self._next + 1) % len(self._shoes)
            self._cards[:] = self._shoes[self._next]


def _prepare_blackjack21(seed: int) -> Callable[[int], None]:
    shoes = _Shoes(Random(seed))
    table = Table([("box 1", 1000)], shoes, on_round_reset=shoes.change_when_due)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            table.start_game()
            upcard = table.dealer.hand[0].value
            while table.state is GameState.PLAYERS_TURN:
                _act(table, upcard)

    return play


def _prepare_copying(seed: int) -> Callable[[int], object]:
    """The package changes its table in place.

    Hands and dealer are copied after the deal and after each decision: the least that a program needs that
    has to show them again later.
    """
    shoes = _Shoes(Random(seed))
    table = Table([("box 1", 1000)], shoes, on_round_reset=shoes.change_when_due)

    def play(rounds: int) -> object:
        kept = []
        for _ in range(rounds):
            table.start_game()
            kept.append(deepcopy((table.players, table.dealer)))
            upcard = table.dealer.hand[0].value
            while table.state is GameState.PLAYERS_TURN:
                _act(table, upcard)
                kept.append(deepcopy((table.players, table.dealer)))
        return kept

    return play


def _act(table: Table, upcard: int) -> None:
    """Play one decision of the hand to act."""
    # The list itself: the package's own iteration costs it eight per cent, which is not its engine's fault.
    cards = table.current_hand._cards  # noqa: SLF001 - see above
    first = len(cards) == 2
    if (
        first
        and cards[0].value == cards[1].value
        and (cards[0].value, upcard) in SPLITS
        and len(table.players[0].hands) < _HANDS_MAX
    ):
        table.split()
        return
    letter = ADVICE[*calculate_hand(cards), upcard]
    if letter == "S" or (letter == "T" and not first):
        table.stand()
    elif letter == "H" or not first:
        table.hit()
    else:
        table.double_down()


def _prepare_py21(seed: int) -> Callable[[int], None]:
    game = Game([Player(10**9, strategy_func=_advise)], _PY21_RULES, seed=seed)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            game.play_round()

    return play


def _advise(hand: Any, dealer_up: int, **_: object) -> str:
    """Answer in py21's words; `hand` is its untyped hand."""
    cards = hand.cards
    first = len(cards) == 2
    if first and cards[0].value == cards[1].value and (cards[0].value, dealer_up) in SPLITS:
        return "SPLIT"
    letter = ADVICE[hand.total, hand.soft, dealer_up]
    if letter == "S" or (letter == "T" and not first):
        return "STAND"
    return "HIT" if letter == "H" or not first else "DOUBLE"


CONTESTANTS: Final = (
    ("blackjack21", version("blackjack21"), "nothing", _prepare_blackjack21),
    ("blackjack21", version("blackjack21"), "copies of hands", _prepare_copying),
    ("py21", version("py21"), "statistics", _prepare_py21),
)
"""Name, version, what the program keeps of a round, and its preparation."""

"""The PyPI package blackjack21 at one box, driven through its public table."""

from collections.abc import Callable
from copy import deepcopy
from importlib.metadata import version
from random import Random
from typing import Final

from blackjack21 import DEFAULT_SUITS, Card, Deck, GameState, Table
from blackjack21.utils import calculate_hand

from controller.bench.strategy import ADVICE, SPLITS

NAME: Final = "blackjack21"
VERSION: Final = version(NAME)
KEEPS: Final = "nothing"
DECKS: Final = 6
_HANDS_MAX: Final = 4
_CUT_CARD_AT: Final = 78
"""Cards left when a new shoe is due: a quarter of six decks."""


class Shoes:
    """Ready-shuffled shoes: no shuffling is timed, the package's own deck is ten per cent slower."""

    draw_card: Callable[[], Card]

    def __init__(self, random: Random, count: int = 100) -> None:
        """Shuffle `count` shoes, which are used in turn without end."""
        cards = list(Deck(DEFAULT_SUITS, count=DECKS).cards)
        self._shoes = [random.sample(cards, len(cards)) for _ in range(count)]
        self._next = 0
        self._cards = list(self._shoes[0])
        self.draw_card = self._cards.pop

    def __len__(self) -> int:
        """Cards left in this shoe."""
        return len(self._cards)

    def change_when_due(self) -> None:
        """Take the next shoe when the cut card has come out."""
        if len(self._cards) < _CUT_CARD_AT:
            self._next = (self._next + 1) % len(self._shoes)
            self._cards[:] = self._shoes[self._next]


def prepare(seed: int, *, keeping: bool = False) -> Callable[[int], object]:
    """Return a function that plays that many rounds.

    The package changes its table in place; `keeping` copies hands and dealer after the deal and after each
    decision, which is the least that a program needs that has to show them again later.
    """
    shoes = Shoes(Random(seed))
    table = Table([("box 1", 1000)], shoes, on_round_reset=shoes.change_when_due)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            table.start_game()
            upcard = table.dealer.hand[0].value
            while table.state is GameState.PLAYERS_TURN:
                act(table, upcard)

    def play_and_keep(rounds: int) -> object:
        kept = []
        for _ in range(rounds):
            table.start_game()
            kept.append(deepcopy((table.players, table.dealer)))
            upcard = table.dealer.hand[0].value
            while table.state is GameState.PLAYERS_TURN:
                act(table, upcard)
                kept.append(deepcopy((table.players, table.dealer)))
        return kept

    return play_and_keep if keeping else play


def act(table: Table, upcard: int) -> None:
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

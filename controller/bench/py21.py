"""The PyPI package py21 at one box, playing the benchmark's strategy."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final

from py21 import Game, Player

from controller.bench.strategy import ADVICE, SPLITS

NAME: Final = "py21"
VERSION: Final = version(NAME)
KEEPS: Final = "statistics"
RULES: Final = {"num_decks": 6, "surrender_allowed": False, "insurance_allowed": False}


def prepare(seed: int) -> Callable[[int], None]:
    """Return a function that plays that many rounds."""
    player = Player(10**9, strategy_func=advise)
    game = Game([player], RULES, seed=seed)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            game.play_round()

    return play


def advise(hand: Any, dealer_up: int, **_: object) -> str:
    """Answer in the package's words; `hand` is its untyped hand."""
    cards = hand.cards
    first = len(cards) == 2
    if first and cards[0].value == cards[1].value and (cards[0].value, dealer_up) in SPLITS:
        return "SPLIT"
    letter = ADVICE[hand.total, hand.soft, dealer_up]
    if letter == "S" or (letter == "T" and not first):
        return "STAND"
    return "HIT" if letter == "H" or not first else "DOUBLE"

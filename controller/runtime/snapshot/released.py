"""How much of the journal may leave the table's folder whole: the prefix rule of its copy."""

from controller.engine.constants import BETS
from controller.engine.state import TableState


def is_released(state: TableState, waiting: int) -> bool:
    """Whether everything written so far may be copied.

    Nothing may from a round's first card until its face-down card is turned or the round is closed: a hash
    of what follows an entry would tell the card in 52 guesses. Of cards that wait nobody knows yet where
    they come to lie.
    """
    return not waiting and (state.phase == BETS or state.dealer.revealed)

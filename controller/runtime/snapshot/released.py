"""How much of the journal may leave the table's folder whole: the prefix rule of its copy."""

from collections.abc import AsyncIterator

from controller.domain import RuleSet
from controller.engine.constants import BETS
from controller.engine.state import Dealer, TableState
from controller.runtime.snapshot.hub import SnapshotHub


def is_released(state: TableState, waiting: int) -> bool:
    """Whether everything written so far may be copied.

    Nothing may from a round's first card until its face-down card is turned or the round is closed: a hash
    of what follows an entry would tell the card in 52 guesses. A house that deals none face down keeps
    nothing back. Of cards that wait nobody knows yet where they come to lie.
    """
    return not waiting and (state.phase == BETS or dealer_lies_open(state.book.rules, state.dealer))


def dealer_lies_open(rules: RuleSet, dealer: Dealer) -> bool:
    """Whether no card of the dealer lies face down, nor will in this round."""
    return rules.hole_card == "none" or dealer.revealed


async def released_of(hub: SnapshotHub) -> AsyncIterator[int]:
    """Up to which entry the journal may be copied, each time that more of it may."""
    async for seq, now in hub.subscribe():
        if is_released(now.state, now.waiting):
            yield seq

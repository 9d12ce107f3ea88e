"""The part of the journal that may leave the table's folder: the prefix rule of its copy."""

from collections.abc import AsyncIterator

from controller.domain import RuleSet
from controller.engine.constants import BETS
from controller.engine.state import Dealer, TableState
from controller.runtime.snapshot.hub import SnapshotHub


def is_released(state: TableState, waiting: int) -> bool:
    """Whether all entries so far may be copied.

    Not from a round's first card until its face-down card is turned or the round is closed: 52 guesses would
    find the card from a later hash. A house without a face-down card hides nothing. The places of waiting
    cards are not known yet.
    """
    return not waiting and (state.phase == BETS or dealer_lies_open(state.book.rules, state.dealer))


def dealer_lies_open(rules: RuleSet, dealer: Dealer) -> bool:
    """Whether no card of the dealer is face down now or later in this round."""
    return rules.hole_card == "none" or dealer.revealed


async def released_of(hub: SnapshotHub) -> AsyncIterator[int]:
    """Up to which entry the journal may be copied, each time that more of it may."""
    async for seq, now in hub.subscribe():
        if is_released(now.state, now.waiting):
            yield seq

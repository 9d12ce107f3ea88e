"""What people may not bring about while a card lies face down: see it early, or have it named elsewhere."""

from typing import Final

from controller.acts.catalogue import RULINGS, Correct, Observation, Reveal, Void
from controller.domain.notices import Refused
from controller.engine import TableState, step
from controller.engine.constants import PLAY
from controller.ports.sources import Trouble
from controller.runtime.redaction import unturned_card

EXPOSED: Final = Trouble("HOLE_CARD_EXPOSED", (), hold=True)
"""The face-down card was turned while a hand could still act: the pit decides, its rank stays hidden."""

GUARD: Final = "system:hole-guard"
UNTURNED: Final = "UNTURNED"


def is_early(state: TableState, observation: Observation) -> bool:
    """Whether this would turn the card while a hand may still act; what rank comes with it is no matter."""
    return isinstance(observation, Reveal) and state.phase == PLAY and unturned_card(state) is not None


def unread_first(state: TableState, observation: Observation) -> Correct | None:
    """What has to be entered before a ruling that takes an unturned card away from its place, None otherwise.

    Wherever the card lies then, nobody has read it: what the shoe said of it would show in totals, in the
    course of the round and in the count of the shoe. Whether it moves is found out on a round in which it is
    not read, so that neither the question nor its answer depends on the card.
    """
    if not isinstance(observation, RULINGS) or isinstance(observation, Void):
        return None
    number = getattr(observation, "round", None) or state.book.number
    before = _round(state, number)
    card = None if before is None else unturned_card(before)
    if card is None:
        return None
    unread = Correct(card, None, None, None, GUARD, UNTURNED, None if before is state else number)
    blind = step(state, unread).state
    ruled, notices = step(blind, observation)
    after = _round(ruled, number)
    stays = after is not None and unturned_card(after) == card
    return None if stays or any(isinstance(notice, Refused) for notice in notices) else unread


def _round(state: TableState, number: int) -> TableState | None:
    if number == state.book.number:
        return state
    return next((kept for kept in state.book.past if kept.book.number == number), None)

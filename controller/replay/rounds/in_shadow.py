"""A table in shadow: whether what it would have stopped was a fault, as far as what followed can say."""

from collections.abc import Sequence
from typing import Literal

from controller.acts.catalogue import RULINGS, ShoeEnded, ShoeVoided
from controller.engine.settle.float_account import payouts_of
from controller.engine.settle.round_status import SETTLED
from controller.policy.state.holds import SHOE_HOLDS, Hold
from controller.replay.rounds.played import PlayedRound

WasRight = Literal["right", "wrong", "open"]
"""`right`: people have put something right there, or paid otherwise than settled; `wrong`: the table went on,
and the dealer paid what it settled; `open`: nothing says which, and somebody looks at the pictures."""


def was_right(hold: Hold, t: float, rounds: Sequence[PlayedRound]) -> WasRight:
    """Whether a table in shadow should have held at `t`; `rounds` are all of the shift."""
    if hold.code in SHOE_HOLDS:
        later = [
            recorded.line for one in rounds for recorded in (*one.lines, *one.later) if recorded.line.t >= t
        ]
        return "right" if any(isinstance(line.obs, ShoeVoided | ShoeEnded) for line in later) else "open"
    played = next((one for one in rounds if one.number == hold.round), None)
    return "open" if played is None else _in_round(played, t)


def _in_round(played: PlayedRound, t: float) -> WasRight:
    """What a round that went on over a fault has come to."""
    known = [*played.lines, *played.later]
    if any(isinstance(one.line.obs, RULINGS) and one.line.t >= t for one in known):
        return "right"
    paid = [(bet.returned, given) for bet, given in payouts_of(played.state)]
    if any(given is not None and given != due for due, given in paid):
        return "right"
    followed = played.state.settlement.status == SETTLED and bool(paid)
    return "wrong" if followed and all(given == due for due, given in paid if due) else "open"

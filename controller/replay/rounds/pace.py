"""Where a round's seconds go: bets, deal, decisions, the dealer's draw, settlement."""

from collections.abc import Sequence
from typing import NamedTuple

from controller.acts.catalogue import CardSeen, Decision
from controller.domain.notices import Settled
from controller.replay.rounds.played import RoundLine


class Pace(NamedTuple):
    """Seconds of each part of a round, None where it has no such part.

    `bets_s` until the first card (burned ones too), `deal_s` from there to the first decision, insurance
    included, `decisions_s` to the last one, `dealer_s` from there to the settlement, `settle_s` until the
    table is cleared. A hold is in the part in which it stood.
    """

    bets_s: float | None
    deal_s: float | None
    decisions_s: float | None
    dealer_s: float | None
    settle_s: float | None


def pace_of(lines: Sequence[RoundLine]) -> Pace:
    """The seconds of a round's lines; the first settlement counts."""
    dealt = next((one.line.t for one in lines if isinstance(one.line.obs, CardSeen)), None)
    decided = [one.line.t for one in lines if one.came and isinstance(one.line.obs, Decision)]
    settled = next(
        (one.line.t for one in lines if any(isinstance(recorded, Settled) for recorded in one.notices)), None
    )
    first, last = (decided[0], decided[-1]) if decided else (None, None)
    return Pace(
        bets_s=_between(lines[0].line.t, dealt),
        deal_s=_between(dealt, settled if first is None else first),
        decisions_s=_between(first, last),
        dealer_s=_between(last, settled),
        settle_s=_between(settled, lines[-1].line.t),
    )


def _between(begins: float | None, ends: float | None) -> float | None:
    return None if begins is None or ends is None or ends < begins else round(ends - begins, 3)

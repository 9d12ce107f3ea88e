"""Compute coverage and error rate of a network alone, by band of `rank_px` and threshold.

The reader requires more before it reports a card (`vision.acceptance`): these figures compare networks.
"""

from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from models.measure.bounds import upper_bound
from vision.geometry import Image, Points
from vision.reading import STATES

_RANK_BANDS_PX: Final = (1, 6, 9, 12, 16, 24, 40, 1000)
"""Edges of the bands. 16 and 24 px are what a camera's set-up has to give and ought to give."""

_THRESHOLDS: Final = (0.5, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
NO_INDEX: Final = "no index"
"""The band of crops without an index: whatever is accepted there is wrong."""


class Reads(NamedTuple):
    """n crops: how sure the network is of a card (0..1), and whether it may and does read the right one."""

    p: Points
    readable: Points
    right: Points


def reads_of(scores: list[Points], labels: Image) -> Reads:
    """From probabilities of rank, suit and state (n x classes each) and the labels (n x 3)."""
    rank, suit, state = scores
    readable = labels[:, 2] == STATES.index("index")
    right = (rank.argmax(1) == labels[:, 0]) & (suit.argmax(1) == labels[:, 1]) & readable
    return Reads(rank.max(1) * suit.max(1) * state[:, STATES.index("index")], readable, right)


def risk_by_band(reads: Reads, rank_px: Points) -> list[dict[str, Any]]:
    """Return one row a band of _RANK_BANDS_PX, and a last one for crops without an index."""
    names = [f"{low}-{high}" for low, high in pairwise(_RANK_BANDS_PX)]
    bands = np.digitize(rank_px, _RANK_BANDS_PX[:-1])
    return [
        {"rank_px": name, **_row(Reads(*(column[bands == number] for column in reads)))}
        for number, name in ((*enumerate(names, start=1), (0, NO_INDEX)))
    ]


def _row(reads: Reads) -> dict[str, Any]:
    readable = int(reads.readable.sum())
    return {"readable": readable, "steps": [_step(reads, least, readable) for least in _THRESHOLDS]}


def _step(reads: Reads, least: float, readable: int) -> dict[str, float | None]:
    """Coverage is of the readable crops, risk of the accepted ones with its upper bound of 95 %."""
    certain = reads.p >= least
    accepted, wrong = int(certain.sum()), int((certain & ~reads.right).sum())
    return {
        "p_at_least": least,
        "accepted": accepted,
        "wrong": wrong,
        "coverage": (accepted - wrong) / readable if readable else None,
        "risk": wrong / accepted if accepted else None,
        "risk_at_most": upper_bound(wrong, accepted),
    }

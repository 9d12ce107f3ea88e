"""Fit the temperature of a network: the divisor of its logits that calibrates its probabilities.

Method: Guo and others, On Calibration of Modern Neural Networks, 2017.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.special import log_softmax

from models.crops.sample import IGNORE
from vision.geometry import Image, Points

_LOG_RANGE: Final = (float(np.log(0.05)), float(np.log(20.0)))
"""Natural logarithms of the least and the greatest temperature that is tried."""


def fit_temperature(heads: Sequence[Points], labels: Image) -> float:
    """The temperature that makes the labels of held-out crops likeliest, one for all heads.

    `heads` are logits (n x classes each), `labels` (n x heads) has IGNORE where a head is not asked.
    Raises ValueError when there is no label at all.
    """
    labelled = [
        (logits[known], labels[known, slot])
        for slot, logits in enumerate(heads)
        if (known := labels[:, slot] != IGNORE).any()
    ]
    if not labelled:
        raise ValueError("A temperature needs labelled crops.")
    # Not above: it takes half a second, and every worker of the tests imports this module.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - see the comment

    found = minimize_scalar(lambda log: _unlikelihood(labelled, float(np.exp(log))), None, _LOG_RANGE)
    return float(np.exp(found.x))


def _unlikelihood(labelled: Sequence[tuple[Points, Points]], temperature: float) -> float:
    """Summed negative log likelihood of the labels."""
    return -sum(
        float(log_softmax(logits / temperature, 1)[np.arange(len(labels)), labels].sum())
        for logits, labels in labelled
    )

"""Check that this processor computes a network as its file defines."""

from typing import Any, Final

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types

from controller.domain import ConfigError
from vision.geometry import Points

_OFF_MAX: Final = 0.3
"""How far outputs of the shipped networks may lie apart, in logits.

Source: `_largest_difference` of the shipped networks on a processor with AVX2 alone: 0.0 where sums of
eight-bit products are kept whole (0.09 with other inputs), 0.8 to 1.5 where they are clipped.
"""

_SIDE: Final = 32
"""Of an input whose size the network leaves open."""


def require_arithmetic(name: str, session: onnxruntime.InferenceSession, model: bytes) -> None:
    """Raise `ConfigError` MODEL_COMPUTED_OTHERWISE where `session` answers otherwise than `model` says."""
    off = _largest_difference(session, model)
    if off > _OFF_MAX:
        raise ConfigError("MODEL_COMPUTED_OTHERWISE", network=name, off=f"{off:.1f}")


def _largest_difference(session: onnxruntime.InferenceSession, model: bytes) -> float:
    """Return the largest difference between `session` and a step-by-step float evaluation of `model`.

    The input is the same noise each time, with the largest possible sums: half of it is nearly white.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    written = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    reported = written.get_inputs()[0]
    given = {reported.name: _noise(reported.shape)}
    return max(_apart(*pair) for pair in zip(session.run(None, given), written.run(None, given), strict=True))


def _noise(shape: list[Any]) -> Any:
    batch, *sides = shape
    whole = [1 if not isinstance(batch, int) else batch]
    whole += [side if isinstance(side, int) else _SIDE for side in sides]
    drawn = np.random.default_rng(17).random(whole)
    return ((drawn > 0.5) * 204 + drawn * 51).astype(np.uint8)


def _apart(one: Points, other: Points) -> float:
    return float(np.abs(one - other).max())

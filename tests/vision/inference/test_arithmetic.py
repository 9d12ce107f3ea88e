"""The networks compute on this processor what their files say, whatever it can do."""

from pathlib import Path

import onnx
import pytest
from onnx import numpy_helper

from controller.domain import ConfigError
from vision.inference import default_models_dir, open_session, require_arithmetic

NETWORKS = ("glance", "index", "body", "survey")


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_computes_as_it_is_written(name: str) -> None:
    """Without whole sums a processor that has AVX2 and no VNNI is off by 0.7 to 3.3 here."""
    model = (default_models_dir() / name / "model.onnx").read_bytes()
    require_arithmetic(name, open_session(model), model)


@pytest.mark.parametrize("name", NETWORKS)
def test_another_arithmetic_is_noticed(name: str) -> None:
    """Sums that come out an eighth too small, as clipped ones do."""
    path = default_models_dir() / name / "model.onnx"
    with pytest.raises(ConfigError) as caught:
        require_arithmetic(name, open_session(clipped(path)), path.read_bytes())
    assert caught.value.code == "MODEL_COMPUTED_OTHERWISE"
    assert caught.value.params["network"] == name


def clipped(path: Path) -> bytes:
    model = onnx.load(path)
    for kept in model.graph.initializer:
        if kept.name.endswith("weight_quantized"):
            weights = numpy_helper.to_array(kept)
            kept.CopyFrom(numpy_helper.from_array((weights * 0.875).astype(weights.dtype), kept.name))
    whole: bytes = model.SerializeToString()
    return whole

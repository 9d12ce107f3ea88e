"""A first layer on folded crops gives what it gave on crops as they are."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types
import pytest
from onnx import TensorProto, helper, numpy_helper

from models.fold import fold_first_layer
from vision.rectify import fold

HEIGHT, WIDTH, OUTPUTS = 12, 8, 5


def scale(name: str, value: float) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, np.float32), name)


def network(path: Path, size: int) -> None:
    """Quantised crops of three channels through one layer that moves two pixels at a time."""
    weights = np.random.default_rng(size).integers(-127, 128, (OUTPUTS, 3, size, size)).astype(np.int8)
    nodes = [
        helper.make_node("Transpose", ["crops"], ["planes"], perm=[0, 3, 1, 2]),
        helper.make_node("DequantizeLinear", ["planes", "fine", "grey"], ["values"]),
        helper.make_node("DequantizeLinear", ["weights", "fine"], ["factors"]),
        helper.make_node(
            "Conv",
            ["values", "factors"],
            ["out"],
            strides=[2, 2],
            pads=[size // 2] * 4,
            kernel_shape=[size] * 2,
        ),
    ]
    source = helper.make_tensor_value_info("crops", TensorProto.UINT8, ["n", HEIGHT, WIDTH, 3])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", OUTPUTS, HEIGHT // 2, WIDTH // 2])
    grey = numpy_helper.from_array(np.array(85, np.uint8), "grey")
    stored = [scale("fine", 0.01), grey, numpy_helper.from_array(weights, "weights")]
    graph = helper.make_graph(nodes, "net", [source], [out], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), str(path))


def outputs(path: Path, crops: np.ndarray) -> np.ndarray:
    return np.asarray(onnxruntime.InferenceSession(str(path)).run(None, {"crops": crops})[0])


@pytest.mark.parametrize("size", [3, 5, 7])
def test_a_folded_network_says_the_same(tmp_path: Path, size: int) -> None:
    path = tmp_path / "net.onnx"
    network(path, size)
    crops = np.random.default_rng(1).integers(0, 256, (4, HEIGHT, WIDTH, 3)).astype(np.uint8)
    before = outputs(path, crops)
    assert before.shape == (4, OUTPUTS, HEIGHT // 2, WIDTH // 2)
    assert fold_first_layer(path)
    np.testing.assert_allclose(outputs(path, fold(crops)), before, atol=1e-4)
    assert not fold_first_layer(path)

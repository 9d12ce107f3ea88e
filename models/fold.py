"""Folds the stride of a network's first layer into its channels: the same sums, a quarter less time.

A first layer that moves two pixels at a time over three channels keeps a processor busy with picking pixels.
Laid together 2 x 2 (`vision.rectify.fold`), the same pixels are twelve channels of a layer that moves one
cell at a time. No weight changes; where the larger kernel has no weight, it gets zero.

`python -m models.fold FOLDER…` folds exported networks and writes the new hash into their manifests.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from vision.arrays import Points

CELL = 2


def folded_weights(weights: Points, pad: int) -> tuple[Points, int, int]:
    """Weights (outputs x channels x k x k) for folded crops, and the cells of padding before and after."""
    outputs, channels, size, _ = weights.shape
    before, after = -(-pad // CELL), (size - 1 - pad) // CELL
    cells = before + 1 + after
    first = CELL * before - pad
    wide = np.zeros((outputs, channels, CELL * cells, CELL * cells), weights.dtype)
    wide[:, :, first : first + size, first : first + size] = weights
    parts = wide.reshape(outputs, channels, cells, CELL, cells, CELL).transpose(0, 3, 5, 1, 2, 4)
    return np.ascontiguousarray(parts.reshape(outputs, CELL * CELL * channels, cells, cells)), before, after


def _attribute(node: onnx.NodeProto, name: str) -> list[int]:
    return next(list(attribute.ints) for attribute in node.attribute if attribute.name == name)


def fold_first_layer(path: Path) -> bool:
    """Folds a quantised network in place; False where it is folded already."""
    model = onnx.load(str(path))
    graph = model.graph
    shape = [entry.dim_value for entry in graph.input[0].type.tensor_type.shape.dim]
    if shape[-1] != 3:
        return False
    conv = next(node for node in graph.node if node.op_type == "Conv")
    assert _attribute(conv, "strides") == [CELL, CELL]
    (pad,) = set(_attribute(conv, "pads"))
    makers = {node.output[0]: node for node in graph.node}
    stored = {tensor.name: tensor for tensor in graph.initializer}
    name = makers[conv.input[1]].input[0]
    weights, before, after = folded_weights(numpy_helper.to_array(stored[name]), pad)
    stored[name].CopyFrom(numpy_helper.from_array(weights, name))
    changed = {"strides": [1, 1], "pads": [before, before, after, after], "kernel_shape": weights.shape[2:]}
    for attribute in conv.attribute:
        if attribute.name in changed:
            attribute.ints[:] = changed[attribute.name]
    cells = ["n", shape[1] // CELL, shape[2] // CELL, CELL * CELL * shape[3]]
    source = graph.input[0].name
    graph.ClearField("input")
    graph.input.append(helper.make_tensor_value_info(source, TensorProto.UINT8, cells))
    graph.ClearField("value_info")
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return True


def fold_exported(folder: Path) -> bool:
    """Folds the network of a folder and names its new hash in the manifest; False where nothing was to do."""
    path, manifest = folder / "model.onnx", folder / "manifest.toml"
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    if not fold_first_layer(path):
        return False
    text = manifest.read_text(encoding="utf-8")
    assert known in text
    new = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(text.replace(known, new), encoding="utf-8")
    return True


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        done = fold_exported(Path(argument))
        sys.stdout.write(f"{argument}: {'folded' if done else 'is folded already'}\n")

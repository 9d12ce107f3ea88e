"""Makes the int8 form of the exported network: weights per channel, activations calibrated on drawn crops.

A third of the time of float32 on processors with int8 dot products. docs/measurements/reader.md shows that
it reads the same.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (  # type: ignore[import-untyped]  # the package ships no types
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]  # as above

from models.crops.drawing import Data
from models.net import DEPTH_BLOCK_PX, DEPTH_CHANNELS
from vision.geometry import Image
from vision.inference import PAPER_TONE, normalise_illumination, space_to_depth

BATCH = 50
CROPS = 1000
SEED = 99


def _inputs(tones: Image) -> np.ndarray:
    """Return the network's input for crops in an even light."""
    zero = PAPER_TONE / 2
    return np.ascontiguousarray((space_to_depth(tones).transpose(0, 3, 1, 2) - zero) / zero, np.float32)


class SomeCrops(CalibrationDataReader):
    """Feeds some of the training crops to the calibration."""

    def __init__(self, data: Data) -> None:
        """Picks CROPS of them, or all where there are fewer; darkest and brightest tone are among them."""
        rows = np.sort(np.random.default_rng(SEED).permutation(len(data.labels))[:CROPS])
        batches = []
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            tones = normalise_illumination(np.asarray(data.crops[batch]), data.white[batch])
            tones[0, 0, 0], tones[0, 0, 1] = 0, 255
            batches.append({"inputs": _inputs(tones)})
        self._inputs: Iterator[dict[str, np.ndarray]] = iter(batches)

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next batch, None at the end."""
        return next(self._inputs, None)


def _take_tones(path: Path, size: tuple[int, int]) -> None:
    """Lets the network take normalised crops in blocks: their tones are its quantised input already.

    Channels side by side are only reordered; scale 2 / PAPER_TONE and zero PAPER_TONE / 2 follow from
    the calibration, which saw every tone.
    """
    model = onnx.load(str(path))
    graph = model.graph
    entry = next(
        node for node in graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "inputs"
    )
    values = {
        tensor.name: float(numpy_helper.to_array(tensor)) for tensor in graph.initializer if not tensor.dims
    }
    assert abs(values[entry.input[1]] - 2 / PAPER_TONE) < 1e-6
    assert values[entry.input[2]] == PAPER_TONE / 2
    turn = helper.make_node("Transpose", ["crops"], list(entry.output), perm=[0, 3, 1, 2])
    graph.node.insert(list(graph.node).index(entry), turn)
    graph.node.remove(entry)
    graph.ClearField("input")
    cells = ["n", size[0] // DEPTH_BLOCK_PX, size[1] // DEPTH_BLOCK_PX, DEPTH_CHANNELS]
    graph.input.append(helper.make_tensor_value_info("crops", TensorProto.UINT8, cells))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def write_int8(source: Path, out: Path, examples: CalibrationDataReader) -> None:
    """Writes the int8 form of a float32 network: weights per channel, activations as `examples` show."""
    prepared = out.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared))
    quantize_static(
        str(prepared),
        str(out),
        examples,
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    prepared.unlink()


def quantise(source: Path, out: Path, sample: Data) -> None:
    """Writes the int8 form of a float32 network with one input `inputs`, calibrated on some of `sample`."""
    write_int8(source, out, SomeCrops(sample))
    _take_tones(out, (int(sample.crops.shape[1]), int(sample.crops.shape[2])))

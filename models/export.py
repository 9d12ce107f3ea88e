"""Writes a trained network as ONNX, in float32 and int8, and its manifest with hash, labels and figures.

In int8 weights are quantised per channel, and activations are calibrated on drawn crops: a third of the time
of float32 on processors with int8 dot products. docs/measurements/reader.md shows that it reads the same.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static  # type: ignore[import-untyped]  # the package ships no types
from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]  # as above

from models.drawing import Data
from models.net import DEPTH_BLOCK_PX, DEPTH_CHANNELS, Deployed, for_sampled_crops, space_to_depth
from vision.geometry import Image
from vision.inference import PAPER_TONE, normalise_illumination
from vision.inference import space_to_depth as crops_to_depth
from vision.reading import RANKS, STATES, SUITS

BATCH = 50
CROPS = 1000
SEED = 99


def _inputs(tones: Image) -> np.ndarray:
    """Return the network's input for crops in an even light."""
    zero = PAPER_TONE / 2
    return np.ascontiguousarray((crops_to_depth(tones).transpose(0, 3, 1, 2) - zero) / zero, np.float32)


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


OPSET: Final = 18

_LICENCES: Final = (
    "own drawings; glyph shapes of free fonts (OFL, Apache-2.0, Bitstream Vera, GPL with font exception); "
    "card art: public domain, CC0, LGPL and GPL decks listed in the model card"
)


def _without_traces(model: onnx.ModelProto) -> onnx.ModelProto:
    """Remove the exporter's notes of sources, paths and code lines from the model, in place."""
    model.ClearField("metadata_props")
    model.graph.ClearField("metadata_props")
    for part in (*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return model


def write_onnx(
    net: torch.nn.Module,
    example: torch.Tensor,
    source: str,
    names: tuple[str, ...],
    path: Path,
    *,
    many: bool = True,
) -> None:
    """Write a network whose one input, `source`, has the shape of `example`; `names` are its outputs.

    With `many` it takes any number of such examples at once.
    """
    program = torch.onnx.export(
        net.eval(),
        (example,),
        dynamo=True,
        opset_version=OPSET,
        input_names=[source],
        verbose=False,
        output_names=list(names),
        dynamic_shapes=({0: torch.export.Dim("n", min=1)},) if many else None,
    )
    assert program is not None
    onnx.save(_without_traces(program.model_proto), str(path))


def quoted(words: tuple[str, ...]) -> str:
    """Words as a list in TOML."""
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def write_manifest(path: Path, own: dict[str, str], metrics: dict[str, float], *, with_art: bool) -> None:
    """Write a network's manifest, TOML, beside its file.

    `own` contains fields, as TOML, of this kind of network only.
    """
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    fields = "\n".join(f"{name} = {value}" for name, value in own.items())
    figures = "\n".join(f'"{name}" = {value:.6f}' for name, value in sorted(metrics.items()))
    text = f"""file = "{path.name}"
sha256 = "{sha256}"
{fields}
licences = "{_LICENCES}"
trained_with_art = {str(with_art).lower()}

[metrics]
{figures}
"""
    path.with_name("manifest.toml").write_text(text, encoding="utf-8")


def export(
    net: torch.nn.Module,
    folder: Path,
    sample: Data,
    metrics: dict[str, float],
    *,
    with_art: bool,
    temperature: float | None = None,
    names: tuple[str, ...] = ("rank", "suit", "state"),
) -> None:
    """Write `model.onnx` (int8, calibrated on part of `sample`) and `manifest.toml`.

    `names` are the network's outputs; `temperature` divides its logits in use; None for a network without
    probabilities. The input is laid out by `vision.inference.space_to_depth`. The float32 form with plain
    crops goes to `reference` beside the folder, under the folder's name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reference, path = folder.parent / "reference" / f"{folder.name}.onnx", folder / "model.onnx"
    reference.parent.mkdir(parents=True, exist_ok=True)
    size = int(sample.crops.shape[1]), int(sample.crops.shape[2])
    raw = torch.zeros((2, *size, 3), dtype=torch.uint8)
    write_onnx(Deployed(net), raw, "crops", names, reference)
    exact = path.with_suffix(".exact.onnx")
    write_onnx(for_sampled_crops(net), space_to_depth(torch.zeros(2, 3, *size)), "inputs", names, exact)
    quantise(exact, path, sample)
    exact.unlink()
    own = {
        **({} if temperature is None else {"temperature": f"{temperature:.4f}"}),
        "input": str(list(size)),
        "ranks": quoted(RANKS),
        "suits": quoted(SUITS),
        "states": quoted(STATES),
    }
    write_manifest(path, own, metrics, with_art=with_art)

"""Writes the heat map network as ONNX (int8, bytes in) with its manifest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from onnxruntime.quantization import (  # type: ignore[import-untyped]  # the package ships no types
    CalibrationDataReader,
)

from models.export import quoted, write_manifest, write_onnx
from models.heat_map.net import HALF_TONE, DeployedHeatMap, as_input
from models.quantize import write_int8
from vision.geometry import Image
from vision.heat_map import CELL_KINDS, OUTPUTS, PATCH_DEPTH, picture_patches

TILES: Final = 150
"""Tiles that calibrate the activations."""


class SomeTiles(CalibrationDataReader):
    """Feeds tiles (n x side x side x 3) to the calibration, one by one; all tones are among them."""

    def __init__(self, pictures: Image) -> None:
        """Takes the first TILES."""
        self._tiles: Iterator[Image] = iter(pictures[:TILES])

    def get_next(self) -> dict[str, Image] | None:
        """The next tile, None at the end."""
        picture = next(self._tiles, None)
        if picture is None:
            return None
        patches = picture_patches(picture)[None].copy()
        patches[0, 0, 0], patches[0, 0, 1] = 0, 255
        return {"inputs": np.ascontiguousarray(as_input(torch.from_numpy(patches)).numpy())}


def _of_any_size(path: Path, source: str, kind: int, *, bytes_in: bool) -> None:
    """Frees height and width in a file that was exported for one size; no weight depends on them."""
    model = onnx.load(str(path))
    graph = model.graph
    graph.ClearField("value_info")
    graph.ClearField("input")
    graph.ClearField("output")
    shape = [1, "h", "w", PATCH_DEPTH] if bytes_in else [1, PATCH_DEPTH, "h", "w"]
    graph.input.append(helper.make_tensor_value_info(source, kind, shape))
    graph.output.append(
        helper.make_tensor_value_info("survey", TensorProto.FLOAT, [1, OUTPUTS, "rows", "columns"])
    )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _take_bytes(path: Path) -> None:
    """Lets the network take patches as they are: their tones are its quantised input already."""
    model = onnx.load(str(path))
    graph = model.graph
    entry = next(
        node for node in graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "inputs"
    )
    values = {
        tensor.name: float(onnx.numpy_helper.to_array(tensor))
        for tensor in graph.initializer
        if not tensor.dims
    }
    assert abs(values[entry.input[1]] - 1 / HALF_TONE) < 1e-6
    assert values[entry.input[2]] == HALF_TONE
    turn = helper.make_node("Transpose", ["patches"], list(entry.output), perm=[0, 3, 1, 2])
    graph.node.insert(list(graph.node).index(entry), turn)
    graph.node.remove(entry)
    onnx.save(model, str(path))
    _of_any_size(path, "patches", TensorProto.UINT8, bytes_in=True)


def quantise(source: Path, out: Path, pictures: Image) -> None:
    """Writes the int8 form of a float32 network with one input `inputs`, calibrated on some `pictures`."""
    write_int8(source, out, SomeTiles(pictures))
    _take_bytes(out)


def export(
    net: torch.nn.Module, folder: Path, pictures: Image, metrics: dict[str, float], *, with_art: bool
) -> None:
    """Writes `model.onnx` and `manifest.toml`, and the float32 form to `reference` beside the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    reference, path = folder.parent / "reference" / f"{folder.name}.onnx", folder / "model.onnx"
    reference.parent.mkdir(parents=True, exist_ok=True)
    rows, columns = (side // 4 for side in pictures.shape[1:3])
    patches = torch.zeros(1, rows, columns, PATCH_DEPTH, dtype=torch.uint8)
    write_onnx(DeployedHeatMap(net), patches, "patches", ("survey",), reference, many=False)
    _of_any_size(reference, "patches", TensorProto.UINT8, bytes_in=True)
    exact = path.with_suffix(".exact.onnx")
    write_onnx(net, torch.zeros(1, PATCH_DEPTH, rows, columns), "inputs", ("survey",), exact, many=False)
    quantise(exact, path, pictures)
    exact.unlink()
    write_manifest(path, {"depth": str(PATCH_DEPTH), "kinds": quoted(CELL_KINDS)}, metrics, with_art=with_art)

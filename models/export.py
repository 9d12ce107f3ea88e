"""Writes the trained network as ONNX, with a manifest that carries its hash, labels and figures."""

import hashlib
from pathlib import Path
from typing import Final

import onnx
import torch

from models.crops.drawing import Data
from models.net import Deployed, for_sampled_crops, space_to_depth
from models.quantize import quantise
from vision.reading import RANKS, STATES, SUITS

OPSET: Final = 18

_LICENCES: Final = (
    "own drawings; glyph shapes of free fonts (OFL, Apache-2.0, Bitstream Vera, GPL with font exception); "
    "card art: public domain, CC0, LGPL and GPL decks listed in the model card"
)


def without_traces(model: onnx.ModelProto) -> onnx.ModelProto:
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
    onnx.save(without_traces(program.model_proto), str(path))


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

"""Writes the trained network as ONNX, with a manifest that carries its hash, labels and figures."""

import hashlib
from pathlib import Path
from typing import Final

import onnx
import torch

from models.quantize import quantise
from vision.labels import RANKS, STATES, SUITS
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, INDEX_SHARE

OPSET: Final = 18
TEMPERATURE: Final = 0.7
"""Divides the logits when the model is used; fitted on photographs of left-out sources."""

LICENCES: Final = (
    "own drawings; glyph shapes of free fonts (OFL, Apache-2.0, Bitstream Vera, GPL with font exception); "
    "card art: public domain, CC0, LGPL and GPL decks listed in the model card"
)


def _write_onnx(net: torch.nn.Module, path: Path) -> None:
    net.eval()
    example = torch.zeros(2, 3, CROP_HEIGHT, CROP_WIDTH)
    program = torch.onnx.export(
        net,
        (example,),
        dynamo=True,
        opset_version=OPSET,
        input_names=["crops"],
        verbose=False,
        output_names=["rank", "suit", "state"],
        dynamic_shapes=({0: torch.export.Dim("n", min=1)},),
    )
    assert program is not None
    onnx.save(program.model_proto, str(path))


def _quoted(words: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def manifest_text(sha256: str, metrics: dict[str, float], with_art: bool) -> str:
    """The manifest as TOML."""
    figures = "\n".join(f'"{name}" = {value:.6f}' for name, value in sorted(metrics.items()))
    return f"""file = "model.onnx"
sha256 = "{sha256}"
temperature = {TEMPERATURE}
input = [{CROP_HEIGHT}, {CROP_WIDTH}]
index_share = {INDEX_SHARE}
ranks = {_quoted(RANKS)}
suits = {_quoted(SUITS)}
states = {_quoted(STATES)}
licences = "{LICENCES}"
trained_with_art = {str(with_art).lower()}

[metrics]
{figures}
"""


def export(net: torch.nn.Module, folder: Path, metrics: dict[str, float], with_art: bool) -> None:
    """Writes `model.onnx` (int8) and `manifest.toml`; the float32 form goes to `reference` beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    reference, path = folder.parent / "reference" / "float32.onnx", folder / "model.onnx"
    reference.parent.mkdir(parents=True, exist_ok=True)
    _write_onnx(net, reference)
    quantise(reference, path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.toml").write_text(manifest_text(sha256, metrics, with_art), encoding="utf-8")

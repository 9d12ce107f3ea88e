"""`python -m models.glyph_head`: add a head that knows the thirteen ranks to the exported index network.

The trunk stays unchanged: the head is fitted on its features in a minute, and its layers and two outputs
are added to the network's file. `known` is one logit: above 0 the letter is one of the thirteen. `features`
are the input of the heads of rank, suit and state; deck profiles name cards by them
(`vision.enrolment.profile`).
"""

import hashlib
import re
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]  # the package ships no types
import torch
import typer
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional

from models.crops import FOREIGN, Sample, glyph_sample
from vision.geometry import Points
from vision.inference import open_session, prepare_crops

CROPS: Final = 32_000
VALID_CROPS: Final = 4_000
SEED: Final = 31
HIDDEN: Final = 48
_EPOCHS: Final = 30
BATCH: Final = 256
RATE: Final = 2e-3
_WEIGHT_DECAY: Final = 0.02

KNOWN: Final = "known"
FEATURES: Final = "features"


def _inner_names(model: onnx.ModelProto) -> tuple[str, str]:
    """Return the names of the inputs of the shared layer and of the heads."""
    layers = [node for node in model.graph.node if node.op_type == "Gemm"]
    into_shared, into_head = (
        next(layer.input[0] for layer in layers if part in layer.input[1])
        for part in ("shared.1", "heads.rank")
    )
    return into_shared, into_head


def _float_output(name: str, width: int | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width])


def _without_head(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model without the additions of an earlier run."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    graph = bare.graph
    for part in [node for node in graph.node if node.name.startswith("known_") or FEATURES in node.output]:
        graph.node.remove(part)
    for tensor in [tensor for tensor in graph.initializer if tensor.name.startswith("known_")]:
        graph.initializer.remove(tensor)
    for output in [output for output in graph.output if output.name in {KNOWN, FEATURES}]:
        graph.output.remove(output)
    return bare


def _trunk_features(model: onnx.ModelProto, sample: Sample, *, to_depth: bool) -> Points:
    """Return the trunk's features of n crops, n x its width, float32."""
    inner, _ = _inner_names(model)
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.append(_float_output(inner, None))
    session: onnxruntime.InferenceSession = open_session(shown.SerializeToString())
    parts = []
    for start in range(0, len(sample.crops), BATCH):
        tones = prepare_crops(sample.crops[start : start + BATCH], to_depth=to_depth)[0]
        parts.append(session.run([inner], {"crops": tones})[0])
    return np.concatenate(parts)


def _fit_head(features: Points, labels: Points, seed: int) -> nn.Sequential:
    """A head of one hidden layer: logits of the thirteen ranks and of none of them."""
    torch.manual_seed(seed)
    head = nn.Sequential(nn.Linear(features.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, FOREIGN + 1))
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=_WEIGHT_DECAY)
    steps = len(labels) // BATCH
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps * _EPOCHS)
    inputs, targets = torch.from_numpy(features), torch.from_numpy(labels)
    for _ in range(_EPOCHS):
        order = torch.randperm(len(labels))[: steps * BATCH].reshape(steps, BATCH)
        for rows in order:
            noisy = functional.dropout(inputs[rows], 0.2)
            loss = functional.cross_entropy(head(noisy), targets[rows], label_smoothing=0.02)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            plan.step()
    return head


def _known_logits(head: nn.Sequential, features: Points) -> Points:
    """Log odds that a crop's letter is one of the thirteen, n."""
    with torch.inference_mode():
        logits = head(torch.from_numpy(features))
        return np.asarray((torch.logsumexp(logits[:, :FOREIGN], 1) - logits[:, FOREIGN]).numpy())


def _head_nodes(inner: str, into_heads: str) -> list[onnx.NodeProto]:
    """Both layers of the head on `inner`, and how much likelier a rank is than any other glyph."""
    gemm = {"alpha": 1.0, "beta": 1.0, "transB": 1}
    return [
        helper.make_node("Gemm", [inner, "known_1.weight", "known_1.bias"], ["known_h"], "known_g1", **gemm),
        helper.make_node("Relu", ["known_h"], ["known_r"], "known_relu"),
        helper.make_node(
            "Gemm", ["known_r", "known_2.weight", "known_2.bias"], ["known_l"], "known_g2", **gemm
        ),
        helper.make_node(
            "Slice", ["known_l", "known_from", "known_ranks", "known_axis"], ["known_a"], "known_s1"
        ),
        helper.make_node(
            "Slice", ["known_l", "known_ranks", "known_end", "known_axis"], ["known_b"], "known_s2"
        ),
        helper.make_node("ReduceLogSumExp", ["known_a", "known_axis"], ["known_c"], "known_sum", keepdims=1),
        helper.make_node("Sub", ["known_c", "known_b"], [KNOWN], "known_sub"),
        helper.make_node("Identity", [into_heads], [FEATURES], "known_features"),
    ]


def _add_head(model: onnx.ModelProto, head: nn.Sequential) -> onnx.ModelProto:
    """The same model with the outputs `known` (n x 1) and `features` (n x the heads' width)."""
    graph = model.graph
    inner, into_heads = _inner_names(model)
    first, _, last = head
    assert isinstance(first, nn.Linear)
    assert isinstance(last, nn.Linear)
    for name, layer in (("known_1", first), ("known_2", last)):
        for part, values in (("weight", layer.weight), ("bias", layer.bias)):
            graph.initializer.append(numpy_helper.from_array(values.detach().numpy(), f"{name}.{part}"))
    slices = {"known_from": 0, "known_ranks": FOREIGN, "known_end": FOREIGN + 1, "known_axis": 1}
    for name, value in slices.items():
        graph.initializer.append(numpy_helper.from_array(np.array([value], np.int64), name))
    graph.node.extend(_head_nodes(inner, into_heads))
    graph.output.extend([_float_output(KNOWN, 1), _float_output(FEATURES, None)])
    onnx.checker.check_model(model)
    return model


def _figures(logits: Points, labels: Points) -> dict[str, float]:
    """Return shares for decks left out: of the thirteen accepted, and of other letters accepted as them."""
    native = labels != FOREIGN
    return {
        "known_passed": float((logits[native] > 0).mean()),
        "foreign_passed": float((logits[~native] > 0).mean()),
    }


def teach_head(folder: Path, crops: int = CROPS) -> dict[str, float]:
    """Fits the head on drawn crops and writes it into the network of a folder, its hash into the manifest."""
    path = folder / "model.onnx"
    model = _without_head(onnx.load(str(path)))
    train = glyph_sample(crops, SEED)
    valid = glyph_sample(VALID_CROPS, SEED + 1, held_out=True)
    labels = train.labels[:, 0].astype(np.int64)
    head = _fit_head(_trunk_features(model, train, to_depth=True), labels, SEED)
    figures = _figures(
        _known_logits(head, _trunk_features(model, valid, to_depth=True)), valid.labels[:, 0].astype(np.int64)
    )
    onnx.save(_add_head(model, head), str(path))
    _note(folder / "manifest.toml", hashlib.sha256(path.read_bytes()).hexdigest(), figures)
    return figures


def _note(manifest: Path, sha256: str, figures: dict[str, float]) -> None:
    text = re.sub(r'sha256 = "\w+"', f'sha256 = "{sha256}"', manifest.read_text(encoding="utf-8"))
    kept = [line for line in text.splitlines() if not line.startswith(tuple(f'"{name}"' for name in figures))]
    place = kept.index("[metrics]") + 1
    kept[place:place] = [f'"{name}" = {value:.6f}' for name, value in sorted(figures.items())]
    manifest.write_text("\n".join(kept) + "\n", encoding="utf-8")


def main(
    out: Annotated[Path, typer.Option(help="Folder of the models.")] = Path("models"),
    crops: Annotated[int, typer.Option(help="Training crops to draw.")] = CROPS,
) -> None:
    """Teaches the head of the index network and writes it into its file."""
    typer.echo(str(teach_head(out / "index", crops)))


if __name__ == "__main__":
    typer.run(main)

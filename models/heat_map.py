"""The heat map network: its layers, its export, and its training: `python -m models.heat_map`.

For a whole picture it gives the content of each cell and the places of indices.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import onnx
import torch
import typer
from onnx import TensorProto, helper
from onnxruntime.quantization import CalibrationDataReader  # type: ignore[import-untyped]  # the package ships no types
from torch import Tensor, nn
from torch.nn import functional

from models.drawing import draw_examples
from models.export import quoted, write_int8, write_manifest, write_onnx
from models.figures import RunRecord, begin_run, write_card
from models.heat_map_scenes import Example
from models.net import averaged, parameters_of
from vision.geometry import Image
from vision.heat_map import (
    CELL_KINDS,
    HEIGHT_UNIT,
    OUTPUTS,
    PATCH_DEPTH,
    PATCH_PX,
    exposure_gain,
    picture_patches,
)

_HALF_TONE: Final = 128.0
"""Zero of the network's input: tones 0..255 become -1..1."""

_COLD: Final = -3.0
"""The heat's logit before any training: nearly all places hold no index."""


def _block(inputs: int, outputs: int, size: int = 3, stride: int = 1, apart: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(inputs, outputs, size, stride, size // 2 * apart, dilation=apart, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class HeatMapNet(nn.Module):
    """Patches n x 48 x h x w (-1..1; h and w multiples of four) to n x OUTPUTS x h/2 x w/2.

    A narrow path at the output's size sees glyphs, a wider one at half of it sees cards.
    """

    def __init__(self) -> None:
        """Some 75,000 values."""
        super().__init__()
        self.near = nn.Sequential(_block(PATCH_DEPTH, 24, 1), _block(24, 32, 3, 2), _block(32, 32))
        self.far = nn.Sequential(
            _block(32, 48, 3, 2), _block(48, 48), _block(48, 48, apart=2), _block(48, 32, 1)
        )
        last = nn.Conv2d(32, OUTPUTS, 1)
        with torch.no_grad():
            last.bias.copy_(last.bias.new_tensor([0.0] * len(CELL_KINDS) + [_COLD] * 4 + [1.0]))
        self.head = nn.Sequential(_block(32, 32, 1), last)

    def forward(self, patches: Tensor) -> Tensor:
        """Logits of the kinds, of four heats a cell, and a height; see `vision.heat_map`."""
        near = self.near(patches)
        far = functional.interpolate(self.far(near), scale_factor=2.0, mode="nearest")
        outputs: Tensor = self.head(near + far)
        return outputs


def _as_input(patches: Tensor) -> Tensor:
    """Bytes n x h x w x 48 as the network takes them."""
    return (patches.float() - _HALF_TONE).permute(0, 3, 1, 2) / _HALF_TONE


class DeployedHeatMap(nn.Module):
    """The network on bytes, as the reader has them."""

    def __init__(self, net: nn.Module) -> None:
        """Wrap a trained network."""
        super().__init__()
        self.net = net

    def forward(self, patches: Tensor) -> Tensor:
        """Outputs for uint8 patches, n x h x w x 48."""
        outputs: Tensor = self.net(_as_input(patches))
        return outputs


_TILES: Final = 150
"""Tiles that calibrate the activations."""


class SomeTiles(CalibrationDataReader):
    """Feeds tiles (n x side x side x 3) to the calibration, one by one; all tones are among them."""

    def __init__(self, pictures: Image) -> None:
        """Takes the first TILES."""
        self._tiles: Iterator[Image] = iter(pictures[:_TILES])

    def get_next(self) -> dict[str, Image] | None:
        """The next tile, None at the end."""
        picture = next(self._tiles, None)
        if picture is None:
            return None
        patches = picture_patches(picture)[None].copy()
        patches[0, 0, 0], patches[0, 0, 1] = 0, 255
        return {"inputs": np.ascontiguousarray(_as_input(torch.from_numpy(patches)).numpy())}


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
    assert abs(values[entry.input[1]] - 1 / _HALF_TONE) < 1e-6
    assert values[entry.input[2]] == _HALF_TONE
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


BATCH: Final = 24
PEAK_RATE: Final = 6e-3
EMA_DECAY: Final = 0.995
_KIND_WEIGHTS: Final = (1.0, 1.0, 2.5, 4.0, 1.5)
"""How much each of KINDS counts: backs and cut cards are rare."""

_VALID: Final = 500
"""Examples of unseen decks that the network is measured on."""

_CODE_STEPS: Final = 32.0
"""Steps of an example's height code for each doubling."""


def _with_reader_gain(examples: Example) -> Example:
    """The examples with the gain that the reader will apply."""
    pictures = [cv2.convertScaleAbs(picture, alpha=exposure_gain(picture)) for picture in examples.picture]
    return examples._replace(picture=np.stack(pictures))


def _batch(
    examples: Example, rows: np.ndarray, rng: np.random.Generator | None
) -> tuple[Tensor, list[Tensor]]:
    """Network input and targets; with a generator, turned by right angles, gain and tint shaken."""
    turns = 0 if rng is None else int(rng.integers(4))
    layers = [np.ascontiguousarray(np.rot90(layer[rows], turns, (1, 2))) for layer in examples]
    patches = torch.from_numpy(np.stack([picture_patches(picture) for picture in layers[0]])).float()
    if rng is not None:
        gain = rng.uniform(0.8, 1.2, (len(rows), 1, 1, 1)) * rng.uniform(0.88, 1.12, (len(rows), 1, 1, 3))
        patches *= torch.from_numpy(np.tile(gain, PATCH_PX * PATCH_PX).astype(np.float32))
        patches.clamp_(max=255)
    return _as_input(patches), [torch.from_numpy(layer) for layer in layers[1:]]


def _kind_loss(logits: Tensor, kinds: Tensor) -> Tensor:
    shares = functional.avg_pool2d(kinds.permute(0, 3, 1, 2).float() / 255, 2)
    weights = torch.tensor(_KIND_WEIGHTS).view(1, -1, 1, 1)
    return -(shares * weights * logits.log_softmax(1)).sum(1).mean()


def _heat_loss(logits: Tensor, heat: Tensor, taught: Tensor) -> Tensor:
    """Focal loss for peaks (Law and Deng, CornerNet, 2018), summed over cells and divided by the peaks."""
    wanted, p = heat.float() / 255, logits.sigmoid().clamp(1e-5, 1 - 1e-5)
    peak = (heat == 255).float()
    sure = peak * (1 - p) ** 2 * p.log()
    empty = (1 - peak) * (1 - wanted) ** 4 * p**2 * (1 - p).log()
    return -((sure + empty) * taught.float()).sum() / peak.sum().clamp(min=1)


def _height_loss(output: Tensor, code: Tensor) -> Tensor:
    largest = functional.max_pool2d(code.float(), 2)
    known = largest > 0
    error = (output * HEIGHT_UNIT - largest / _CODE_STEPS).abs()
    return error[known].mean() if bool(known.any()) else output.sum() * 0


def _heats_of(outputs: Tensor) -> Tensor:
    """The heat's logits, one for each quarter of a cell: n x rows x columns."""
    kinds = len(CELL_KINDS)
    return torch.pixel_shuffle(outputs[:, kinds : kinds + 4], 2)[:, 0]


def _losses_of(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    """Losses of kinds, heat and height."""
    kinds, heat, taught, height = targets
    return torch.stack(
        [
            3 * _kind_loss(outputs[:, : len(CELL_KINDS)], kinds),
            _heat_loss(_heats_of(outputs), heat, taught),
            _height_loss(outputs[:, -1], height),
        ]
    )


def predict(net: torch.nn.Module, examples: Example) -> Tensor:
    """Outputs for all examples."""
    net.eval()
    with torch.inference_mode():
        parts = [
            net(_batch(examples, rows, None)[0])
            for rows in np.array_split(np.arange(len(examples.picture)), 1 + len(examples.picture) // 32)
        ]
    return torch.cat(parts)


def measure(net: torch.nn.Module, examples: Example) -> dict[str, float]:
    """Shares of cells of each kind that are named right, and of peaks that are hot, on unseen decks."""
    outputs = predict(net, examples)
    shares = functional.avg_pool2d(torch.from_numpy(examples.kinds).permute(0, 3, 1, 2).float() / 255, 2)
    kinds, plain = outputs[:, : len(CELL_KINDS)].argmax(1), shares.max(1)
    figures: dict[str, float] = {
        name: float((kinds[(plain.indices == slot) & (plain.values > 0.9)] == slot).float().mean())
        for slot, name in enumerate(CELL_KINDS)
    }
    heat = _heats_of(outputs).sigmoid()
    around = functional.max_pool2d(heat[:, None], 3, 1, 1)[:, 0]
    peaks = torch.from_numpy(examples.heat == 255)
    far = functional.max_pool2d(torch.from_numpy(examples.heat).float()[:, None], 5, 1, 2)[:, 0] < 20
    highest = (heat == around) & far & torch.from_numpy(examples.taught > 0)
    for level in (0.2, 0.3, 0.5):
        figures[f"peaks_over_{level}"] = float((around[peaks] > level).float().mean())
        figures[f"false_a_picture_over_{level}"] = float((highest & (heat > level)).sum()) / len(heat)
    return figures


def fit(examples: Example, valid: Example, epochs: int, seed: int) -> torch.nn.Module:
    """Fit with one-cycle AdamW and a running average of the weights; prints one line an epoch."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = HeatMapNet().to(memory_format=torch.channels_last)
    average = averaged(net, EMA_DECAY)
    steps = len(examples.picture) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK_RATE, total_steps=steps * epochs, pct_start=0.15
    )
    typer.echo(f"{parameters_of(net)} parameters, {len(examples.picture)} tiles, {epochs} epochs")
    for epoch in range(epochs):
        started, total = time.perf_counter(), torch.zeros(3)
        net.train()
        order = rng.permutation(len(examples.picture))
        for step in range(steps):
            inputs, targets = _batch(examples, order[step * BATCH : (step + 1) * BATCH], rng)
            with torch.autocast("cpu", torch.bfloat16):
                outputs = net(inputs.contiguous(memory_format=torch.channels_last))
            losses = _losses_of(outputs.float(), targets)
            optimiser.zero_grad()
            losses.sum().backward()
            optimiser.step()
            plan.step()
            average.update_parameters(net)
            total += losses.detach()
        seconds = time.perf_counter() - started
        means = " ".join(f"{value:.4f}" for value in (total / steps).tolist())
        typer.echo(f"epoch {epoch + 1}: losses {means}, {seconds:.0f} s")
        if epoch % 4 == 3 or epoch + 1 == epochs:
            typer.echo(f"  { ({name: round(value, 3) for name, value in measure(average, valid).items()}) }")
    return average.module


def teach(
    work: Path, out: Path, art: Path | None, size: tuple[int, int], *, seed: int, record: RunRecord
) -> None:
    """Draws, trains, measures and exports; `size` is how many examples to draw and how often to pass them."""
    first = seed * 1_000_000
    examples = _with_reader_gain(draw_examples(work, "train", size[0], first, art))
    valid = _with_reader_gain(draw_examples(work, "valid", _VALID, first + 500_000, art))
    net = fit(examples, valid, size[1], seed)
    torch.save(net.state_dict(), work / "survey.pt")
    metrics = measure(net, valid)
    export(net, out / "survey", examples.picture, metrics, with_art=art is not None)
    record.write(out / "survey", metrics=metrics)


def main(
    work: Annotated[Path, typer.Option(help="Where drawn data are kept between runs.")] = Path("build/train"),
    out: Annotated[Path, typer.Option(help="Folder of the models.")] = Path("models"),
    art: Annotated[Path | None, typer.Option(help="Folder of card art; none = drawn cards only.")] = None,
    examples: Annotated[int, typer.Option("--lessons", help="Tiles to draw.")] = 5000,
    epochs: Annotated[int, typer.Option(help="Passes over them.")] = 20,
    *,
    seed: int = 17,
    threads: int = 1,
) -> None:
    """Draws, trains, measures and exports the heat map network alone."""
    default_art = Path("../shared/cards/decks")
    source = art or (default_art if default_art.is_dir() else None)
    cv2.setNumThreads(1)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    record = begin_run(
        seed=seed, heat_map=(examples, epochs), batch=BATCH, rates=(PEAK_RATE,), art=source is not None
    )
    teach(work, out, source, (examples, epochs), seed=seed, record=record)
    write_card(out)


if __name__ == "__main__":
    typer.run(main)

"""Trains and exports the networks: proposal filter, indices, whole cards, heat map: `python -m models.train`.

Fixed seeds; data are drawn once into a file below the work folder and reused when they fit the request.
"""

import json
import time
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import cv2
import numpy as np
import torch
import typer
from scipy.special import softmax
from torch import Tensor
from torch.nn import functional

from models.crops import IGNORE
from models.drawing import Data, draw_data
from models.export import export
from models.figures import RunRecord, begin_run, fit_temperature, reads_of, risk_by_band, write_card
from models.glyph_head import teach_head
from models.heat_map import teach
from models.net import (
    DEPTH_BLOCK_PX,
    CropNet,
    ProposalFilterNet,
    averaged,
    normalised_illumination,
    parameters_of,
)
from vision.geometry import Image, Points
from vision.inference import white_levels
from vision.proposal import FILTER_CROP
from vision.reading import STATES

_FILTER_BATCH: Final = 512
_FILTER_RATE: Final = 6e-3
KEPT: Final = 0.995
"""Share of readable indices that must pass."""


def _filter_crops(data: Data) -> tuple[Data, Image]:
    """Small crops of all that carry a label, and whether an index is there (float32)."""
    rows = np.flatnonzero(data.labels[:, 2] != IGNORE)
    size = (FILTER_CROP.width_px, FILTER_CROP.height_px)
    small = np.empty((len(rows), *FILTER_CROP, 3), np.uint8)
    for slot, row in enumerate(rows):
        small[slot] = cv2.resize(data.crops[row], size, interpolation=cv2.INTER_LINEAR)
    labels = data.labels[rows]
    there = np.isin(labels[:, 2], [STATES.index("index"), STATES.index("occluded")])
    return Data(small, white_levels(small), labels, data.rank_px[rows]), there.astype(np.float32)


def _filter_logits(net: torch.nn.Module, data: Data, rows: Image) -> torch.Tensor:
    crops = torch.from_numpy(data.crops[rows])
    output: torch.Tensor = net(normalised_illumination(crops, torch.from_numpy(data.white[rows])))[0]
    return output[:, 0]


def _measure_filter(net: torch.nn.Module, data: Data) -> dict[str, float]:
    """The threshold at which KEPT of the readable indices pass, and the share of nothings that pass too."""
    net.eval()
    with torch.inference_mode():
        parts = [_filter_logits(net, data, rows) for rows in np.array_split(np.arange(len(data.labels)), 50)]
    p = torch.cat(parts).sigmoid().numpy()
    index = data.labels[:, 2] == STATES.index("index")
    threshold = float(np.quantile(p[index], 1 - KEPT))
    none = data.labels[:, 2] == STATES.index("none")
    return {"threshold": threshold, "nothings_passed": float((p[none] >= threshold).mean())}


def _fit_filter(data: Data, there: Image, epochs: int, seed: int) -> torch.nn.Module:
    """Fit with one-cycle AdamW; readable indices weigh twice, because a rejected one is lost."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = ProposalFilterNet()
    average = averaged(net, 0.99)
    steps = len(there) // _FILTER_BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=_FILTER_RATE, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, _FILTER_RATE, total_steps=steps * epochs)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in np.array_split(rng.permutation(len(there))[: steps * _FILTER_BATCH], steps):
            wanted = torch.from_numpy(there[rows])
            loss = functional.binary_cross_entropy_with_logits(
                _filter_logits(net, data, rows), wanted, weight=1 + wanted
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            plan.step()
            average.update_parameters(net)
            total += float(loss.detach())
        typer.echo(f"proposal filter, epoch {epoch + 1}: loss {total / steps:.4f}")
    return average.module


_HAS_BFLOAT16: Final = bool(torch.cpu.get_capabilities().get("avx512_bf16"))
"""Whether this processor computes with bfloat16; one that emulates it takes twice as long as with float32."""

BATCH = 256
_LABEL_SMOOTHING = 0.02
PEAK_RATE = 4e-3
EMA_DECAY = 0.998
_RARE_EPOCHS = 4
_RARE_RATE = 1.5e-3
"""Passes over rare things at the end, and their highest rate."""

_LAYOUT_CROPS = 72_000
_LAYOUT_EPOCHS = 3
_LAYOUT_RATE = 1e-3
"""The same for unusual layouts of an index, last of all."""

VALID_CROPS = 12_000
_SEED_OFFSETS: Final = {
    "train": 0,
    "valid": 500_000,
    "rare": 700_000,
    "layouts": 800_000,
    "layouts_valid": 900_000,
}
"""Crops of fonts and decks held out, and what tells the seeds of a run's sets apart."""

_FILTER_EPOCHS = 4
_HEAT_MAP = (5000, 20)
"""Tiles for the heat map network, and passes over them."""

FIXED: Final[dict[str, object]] = {
    "batch": BATCH,
    "label_smoothing": _LABEL_SMOOTHING,
    "ema_decay": EMA_DECAY,
    "rates": (PEAK_RATE, _RARE_RATE, _LAYOUT_RATE),
    "rare_epochs": _RARE_EPOCHS,
    "layouts": (_LAYOUT_CROPS, _LAYOUT_EPOCHS),
    "filter_epochs": _FILTER_EPOCHS,
    "heat_map": _HEAT_MAP,
}
"""What a run's record tells beside the options of the command."""


def _batch_input(data: Data, rows: Image, rng: np.random.Generator | None) -> Tensor:
    """Normalised crops; with a generator, gain and contrast are shaken."""
    crops = torch.from_numpy(np.asarray(data.crops[rows]))
    inputs = normalised_illumination(crops, torch.from_numpy(data.white[rows]))
    if rng is not None:
        gain = torch.from_numpy(rng.uniform(0.88, 1.12, (len(rows), 1, 1, 1)).astype(np.float32))
        tint = rng.uniform(0.95, 1.05, (len(rows), 3, 1, 1)).astype(np.float32)
        inputs = (inputs + 1) * gain * torch.from_numpy(tint.repeat(DEPTH_BLOCK_PX * DEPTH_BLOCK_PX, 1)) - 1
    return inputs


def _loss_of(outputs: list[Tensor], labels: Tensor) -> Tensor:
    """Cross entropy of the three heads; rank and suit count only where an index can be read."""
    losses = [
        functional.cross_entropy(head, labels[:, slot], ignore_index=IGNORE, label_smoothing=_LABEL_SMOOTHING)
        for slot, head in enumerate(outputs)
        if bool((labels[:, slot] != IGNORE).any())
    ]
    return torch.stack(losses).sum()


def _logits_of(net: torch.nn.Module, data: Data) -> list[Points]:
    """Logits of the three heads over all of the data."""
    net.eval()
    parts = []
    with torch.inference_mode():
        for start in range(0, len(data.labels), 1024):
            rows = np.arange(start, min(start + 1024, len(data.labels)))
            parts.append([head.numpy() for head in net(_batch_input(data, rows, None))])
    return [np.concatenate([part[slot] for part in parts]) for slot in range(3)]


def predict(net: torch.nn.Module, data: Data, temperature: float = 1.0) -> list[Points]:
    """Probabilities of the three heads over all of the data."""
    return [softmax(logits / temperature, 1) for logits in _logits_of(net, data)]


def measure(net: torch.nn.Module, data: Data) -> dict[str, float]:
    """Shares over drawn crops of fonts and decks that training never saw."""
    rank, suit, state = predict(net, data)
    index = data.labels[:, 2] == STATES.index("index")
    sure = rank.max(1) * suit.max(1) * state[:, STATES.index("index")]
    right = (rank.argmax(1) == data.labels[:, 0]) & (suit.argmax(1) == data.labels[:, 1])
    wrong_scores = np.sort(np.where(right & index, 0, sure))[::-1]
    top = wrong_scores[0]
    return {
        "rank_right": float((rank.argmax(1) == data.labels[:, 0])[index].mean()),
        "suit_right": float((suit.argmax(1) == data.labels[:, 1])[index].mean()),
        "state_right": float((state.argmax(1) == data.labels[:, 2]).mean()),
        "accepted_at_0.9": float((sure[index] > 0.9).mean()),
        "wrong_at_0.9": float((wrong_scores > 0.9).mean()),
        "surest_wrong": float(top),
        "accepted_without_wrong": float((sure[index] > top).mean()),
    }


def _new_net(data: Data, seed: int) -> torch.nn.Module:
    """An untaught network for such crops."""
    torch.manual_seed(seed)
    return CropNet(*data.crops.shape[1:3])


class Drawer(NamedTuple):
    """Draws sets of crops below a folder, with a run's seed, from art where there is any, by processes."""

    work: Path
    art: Path | None
    seed: int
    processes: int

    def draw(self, name: str, count: int) -> tuple[Data, Data]:
        """At least so many index crops of a set (`models.crops.generate`), and card bodies."""
        seed = self.seed * 1_000_000 + _SEED_OFFSETS[name]
        return draw_data(self.work, name, count, seed=seed, art=self.art, processes=self.processes)

    def crops(self, name: str, count: int) -> Data:
        """Exactly so many index crops of a set."""
        return first_of(self.draw(name, count)[0], count)


def _taken_together(first: Data, *others: Data) -> Data:
    """All crops of several sets as one."""
    return Data(*(np.concatenate(columns) for columns in zip(first, *others, strict=True)))


def first_of(data: Data, count: int) -> Data:
    """The first `count` crops."""
    return Data(*(column[:count] for column in data))


def _fit_layouts(net: torch.nn.Module, drawer: "Drawer") -> torch.nn.Module:
    """Teaches the index network unusual layouts last, with fewer of the crops that it has seen before."""
    layouts, valid = drawer.crops("layouts", _LAYOUT_CROPS), drawer.crops("layouts_valid", _LAYOUT_CROPS // 9)
    seen = drawer.crops("train", _LAYOUT_CROPS * 5 // 18), drawer.crops("rare", _LAYOUT_CROPS // 9)
    mixed = _taken_together(layouts, *seen)
    return fit(net, mixed, valid, _LAYOUT_EPOCHS, drawer.seed + 2, rate=_LAYOUT_RATE)


def fit(
    net: torch.nn.Module, data: Data, valid: Data, epochs: int, seed: int, *, rate: float = PEAK_RATE
) -> torch.nn.Module:
    """Fit with one-cycle AdamW and a running average of the weights; prints one line an epoch."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = net.to(memory_format=torch.channels_last)
    average = averaged(net, EMA_DECAY)
    steps = len(data.labels) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps * epochs, pct_start=0.2)
    typer.echo(f"{parameters_of(net)} parameters, {len(data.labels)} crops, {epochs} epochs")
    for epoch in range(epochs):
        started, total = time.perf_counter(), 0.0
        net.train()
        order = rng.permutation(len(data.labels))
        for step in range(steps):
            rows = np.sort(order[step * BATCH : (step + 1) * BATCH])
            inputs = _batch_input(data, rows, rng).contiguous(memory_format=torch.channels_last)
            with torch.autocast("cpu", torch.bfloat16, enabled=_HAS_BFLOAT16):
                outputs = net(inputs)
            loss = _loss_of([head.float() for head in outputs], torch.from_numpy(data.labels[rows]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            plan.step()
            average.update_parameters(net)
            total += float(loss.detach())
        seconds = time.perf_counter() - started
        figures = json.dumps(measure(average, valid))
        typer.echo(f"epoch {epoch + 1}: loss {total / steps:.4f}, {seconds:.0f} s, {figures}")
    return average.module


def halves(data: Data) -> tuple[Data, Data]:
    """Return two halves of different scenes: one for a fit, one for its report."""
    middle = len(data.labels) // 2
    return Data(*(column[:middle] for column in data)), Data(*(column[middle:] for column in data))


def _export_and_record(
    net: torch.nn.Module, folder: Path, sample: Data, valid: Data, record: RunRecord
) -> None:
    """Fits the temperature on one half of the held-out drawings, tells the risk on the other, and exports."""
    fitted_on, measured_on = halves(valid)
    temperature = fit_temperature(_logits_of(net, fitted_on), fitted_on.labels)
    metrics = measure(net, valid)
    export(net, folder, sample, metrics, with_art=record.configuration["art"], temperature=temperature)
    reads = reads_of(predict(net, measured_on, temperature), measured_on.labels)
    risk = risk_by_band(reads, measured_on.rank_px)
    record.write(folder, temperature=temperature, metrics=metrics, risk_coverage=risk)


def _teach_filter(data: Data, valid: Data, folder: Path, seed: int, record: RunRecord) -> None:
    """The proposal filter: its output is compared with a threshold, so it needs no temperature."""
    seen, there = _filter_crops(data)
    net = _fit_filter(seen, there, _FILTER_EPOCHS, seed)
    metrics = _measure_filter(net, _filter_crops(valid)[0])
    export(net, folder, seen, metrics, with_art=record.configuration["art"], names=("index",))
    record.write(folder, metrics=metrics)


def main(
    work: Annotated[Path, typer.Option(help="Where drawn data are kept between runs.")] = Path("build/train"),
    out: Annotated[Path, typer.Option(help="Folder of the models.")] = Path("models"),
    art: Annotated[Path | None, typer.Option(help="Folder of card art; none = drawn cards only.")] = None,
    crops: Annotated[int, typer.Option(help="Training crops to draw.")] = 300_000,
    epochs: Annotated[int, typer.Option(help="Passes over the index crops.")] = 12,
    *,
    body_epochs: Annotated[int, typer.Option(help="Passes over the card bodies.")] = 12,
    seed: int = 17,
    threads: int = 2,
) -> None:
    """Draws, trains, measures and exports all networks and writes their figures into the model card.

    `python -m models.heat_map` does the same for the heat map network alone.
    """
    default_art = Path("../shared/cards/decks")
    source = art or (default_art if default_art.is_dir() else None)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    chosen = {"seed": seed, "crops": crops, "epochs": epochs, "body_epochs": body_epochs, "threads": threads}
    record = begin_run(**chosen, **FIXED, art=source is not None)
    drawer = Drawer(work, source, seed, threads)
    train, valid = drawer.draw("train", crops), drawer.draw("valid", VALID_CROPS)
    rare = drawer.draw("rare", crops // 5)
    mixed = _taken_together(first_of(train[0], 2 * len(rare[0].labels)), rare[0])
    _teach_filter(mixed, valid[0], out / "glance", seed, record)
    for slot, (name, passes) in enumerate((("index", epochs), ("body", body_epochs))):
        net = fit(_new_net(train[slot], seed), train[slot], valid[slot], passes, seed)
        if name == "index":
            net = fit(net, mixed, valid[slot], _RARE_EPOCHS, seed + 1, rate=_RARE_RATE)
            net = _fit_layouts(net, drawer)
        torch.save(net.state_dict(), work / f"{name}.pt")
        _export_and_record(net, out / name, train[slot], valid[slot], record)
    teach_head(out / "index")
    teach(work, out, source, _HEAT_MAP, seed=seed, record=record)
    write_card(out)


if __name__ == "__main__":
    typer.run(main)

"""Trains the index network from drawn tables and exports it: `python -m models.train`.

Fixed seeds; data are drawn once into a file below the work folder and reused when they fit the request.
"""

import hashlib
import json
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Annotated, NamedTuple

import cv2
import numpy as np
import torch
import typer
from torch import Tensor
from torch.nn import functional

from models.data import IGNORE, generate
from models.export import export
from models.net import IndexNet, averaged, parameters_of
from vision.arrays import Image
from vision.labels import STATES
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, white_levels

SHARD = 4000
BATCH = 256
LABEL_SMOOTHING = 0.02
PEAK_RATE = 4e-3
EMA_DECAY = 0.998


class Data(NamedTuple):
    """Crops on disk, their paper brightness and their labels."""

    crops: Image
    white: Image
    labels: Image


class Job(NamedTuple):
    """One shard to draw."""

    crops: int
    seed: int
    art: Path | None
    held_out: bool
    path: Path


def _draw(job: Job) -> Path:
    cv2.setNumThreads(1)
    if not job.path.exists():
        sample = generate(job.crops, job.seed, job.art, job.held_out)
        part = job.path.with_suffix(".part.npz")
        np.savez(part, crops=sample.crops, labels=sample.labels)
        part.rename(job.path)
    return job.path


class Draw(NamedTuple):
    """A whole set to draw: `name` train or valid (held-out fonts and decks)."""

    name: str
    crops: int
    seed: int
    art: Path | None


def draw_data(work: Path, draw: Draw, processes: int) -> Data:
    """Draws in shards; finished shards are kept, so a broken run goes on where it stopped."""
    key = hashlib.sha256(f"{draw.name} {draw.seed} {draw.art is not None} {SHARD}".encode()).hexdigest()[:10]
    folder = work / f"{draw.name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    shards = range(-(-draw.crops // SHARD))
    paths = [folder / f"{number:04d}.npz" for number in shards]
    held_out = draw.name == "valid"
    jobs = [Job(SHARD, draw.seed + number, draw.art, held_out, paths[number]) for number in shards]
    shape = (len(jobs) * SHARD, CROP_HEIGHT, CROP_WIDTH, 3)
    crops = np.lib.format.open_memmap(folder / "crops.npy", "w+", np.uint8, shape)
    labels, white = np.empty((len(crops), 3), np.int64), np.empty((len(crops), 3), np.float32)
    with Pool(processes) as pool:
        for number, path in enumerate(pool.imap(_draw, jobs)):
            span = slice(number * SHARD, (number + 1) * SHARD)
            with np.load(path) as shard:
                crops[span], labels[span] = shard["crops"], shard["labels"]
            white[span] = white_levels(crops[span])
    return Data(crops, white, labels)


def batch_input(data: Data, rows: Image, rng: np.random.Generator | None) -> Tensor:
    """Normalised crops; with a generator, gain and contrast are shaken."""
    crops = torch.from_numpy(np.asarray(data.crops[rows])).permute(0, 3, 1, 2).float()
    scale = torch.from_numpy(2.0 / data.white[rows])[:, :, None, None]
    inputs = (crops * scale).clamp(max=3.0) - 1
    if rng is not None:
        gain = torch.from_numpy(rng.uniform(0.88, 1.12, (len(rows), 1, 1, 1)).astype(np.float32))
        tint = torch.from_numpy(rng.uniform(0.95, 1.05, (len(rows), 3, 1, 1)).astype(np.float32))
        inputs = (inputs + 1) * gain * tint - 1
    return inputs


def loss_of(outputs: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Cross entropy of the three heads; rank and suit count only where an index can be read."""
    losses = [
        functional.cross_entropy(head, labels[:, slot], ignore_index=IGNORE, label_smoothing=LABEL_SMOOTHING)
        for slot, head in enumerate(outputs)
        if bool((labels[:, slot] != IGNORE).any())
    ]
    return torch.stack(losses).sum()


def predict(net: torch.nn.Module, data: Data) -> list[Image]:
    """Probabilities of the three heads over all of the data."""
    net.eval()
    parts = []
    with torch.inference_mode():
        for start in range(0, len(data.labels), 1024):
            rows = np.arange(start, min(start + 1024, len(data.labels)))
            parts.append([head.softmax(1).numpy() for head in net(batch_input(data, rows, None))])
    return [np.concatenate([part[slot] for part in parts]) for slot in range(3)]


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


def fit(data: Data, valid: Data, epochs: int, seed: int) -> torch.nn.Module:
    """One-cycle AdamW with a running average of the weights; prints one line an epoch."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = IndexNet().to(memory_format=torch.channels_last)
    average = averaged(net, EMA_DECAY)
    steps = len(data.labels) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK_RATE, total_steps=steps * epochs, pct_start=0.2
    )
    typer.echo(f"{parameters_of(net)} parameters, {len(data.labels)} crops, {epochs} epochs")
    for epoch in range(epochs):
        started, total = time.perf_counter(), 0.0
        net.train()
        order = rng.permutation(len(data.labels))
        for step in range(steps):
            rows = np.sort(order[step * BATCH : (step + 1) * BATCH])
            inputs = batch_input(data, rows, rng).contiguous(memory_format=torch.channels_last)
            loss = loss_of(net(inputs), torch.from_numpy(data.labels[rows]))
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


def main(
    work: Annotated[Path, typer.Option(help="Where drawn data are kept between runs.")] = Path("build/train"),
    out: Annotated[Path, typer.Option(help="Folder of the model.")] = Path("models/index"),
    art: Annotated[Path | None, typer.Option(help="Folder of card art; none = drawn cards only.")] = None,
    crops: Annotated[int, typer.Option(help="Training crops to draw.")] = 120_000,
    epochs: int = 7,
    *,
    seed: int = 17,
    threads: int = 2,
) -> None:
    """Draws, trains, measures and exports."""
    default_art = Path("../shared/cards/decks")
    source = art or (default_art if default_art.is_dir() else None)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    data = draw_data(work, Draw("train", crops, seed * 1_000_000, source), threads)
    valid = draw_data(work, Draw("valid", 12_000, seed * 1_000_000 + 500_000, source), threads)
    net = fit(data, valid, epochs, seed)
    export(net, out, measure(net, valid), source is not None)


if __name__ == "__main__":
    typer.run(main)

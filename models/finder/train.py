"""Trains the finder on a store of tiles: `python -m models.finder.train STORE --work FOLDER`.

It goes in rounds of as many tiles each; after a round its state is kept, and a broken run goes on there.
"""

import math
import time
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
import torch
import typer
from torch import Tensor
from torch.nn import functional

from models.finder.net import (
    CARD_AT,
    CARD_UNIT,
    DOWN_AT,
    HEAT_AT,
    HEIGHT_AT,
    OFFSET_AT,
    POSE_OUTPUTS,
    SHOWN_AT,
    FinderNet,
)
from models.finder.store import opened_store
from models.finder.tiles import CELL_PX, CELLS, TILE_PX
from models.heat_map.net import as_input
from models.net import averaged, parameters_of
from models.run_record import begin_run
from vision.geometry import Image, Points
from vision.heat_map import exposure_gain, picture_patches

BATCH: Final = 16
PEAK_RATE: Final = 4e-3
_WARM_SHARE: Final = 0.1
"""The learning rate rises over this share of all steps and falls to zero by the last one."""

EMA_DECAY: Final = 0.995
TEACH_SHOWN, TEACH_HIDDEN = 0.45, 0.08
"""An index is taught where so much of its rank shows; nothing is taught of it between the two."""

LEAST_PX: Final = 3.2
SIGMA: Final = 0.11
"""Least height of an index that is taught; width of its peak as a share of its height."""

_AROUND: Final = 1.3
"""Cells whose squared distance from an index is at most this are taught its pose."""

_CLASS_WEIGHTS: Final = (1.0, 1.0, 2.5, 4.0, 3.0, 1.5, 1.5)
_LOSSES: Final = ("heat", "offset", "down", "height", "card", "shown", "classes")


def turned(picture: Image, classes: Image, indices: Points, turns: int) -> tuple[Image, Image, Points]:
    """A tile turned against the clock by so many right angles."""
    indices = indices.copy()
    for _ in range(turns):
        for at, last in ((0, TILE_PX - 1), (2, 0), (4, TILE_PX - 1)):
            indices[:, [at, at + 1]] = indices[:, [at + 1, at]] * (1, -1) + (0, last)
    return np.rot90(picture, turns), np.rot90(classes, turns), indices


def _targets_of(indices: Points) -> tuple[Points, Points, Points, Points]:
    """Return heat, cells with a heat loss, poses, and cells with a pose loss."""
    heat, taught, posed = (np.full((CELLS, CELLS), value, np.float32) for value in (0, 1, 0))
    poses = np.zeros((POSE_OUTPUTS, CELLS, CELLS), np.float32)
    for index in indices[np.argsort(indices[:, 6])]:
        height, shown = float(np.hypot(index[2], index[3])), index[6]
        column, row = (float(value) for value in (index[:2] + 0.5) / CELL_PX - 0.5)
        reach = math.ceil(max(height / CELL_PX * 0.6, 3))
        left, top = max(round(column) - reach, 0), max(round(row) - reach, 0)
        right, foot = min(round(column) + reach + 1, CELLS), min(round(row) + reach + 1, CELLS)
        if shown < TEACH_HIDDEN or left >= right or top >= foot:
            continue
        window = (slice(top, foot), slice(left, right))
        across, down = np.arange(left, right)[None] - column, np.arange(top, foot)[:, None] - row
        apart = across**2 + down**2
        inside = -0.5 <= column < CELLS - 0.5 and -0.5 <= row < CELLS - 0.5
        if shown < TEACH_SHOWN or height < LEAST_PX or not inside:
            taught[window][apart < max(0.4 * height / CELL_PX, 1.2) ** 2] = 0
            continue
        sigma = max(SIGMA * height / CELL_PX, 0.5)
        heat[window] = np.maximum(heat[window], np.exp(-apart / (2 * sigma**2)))
        heat[round(row), round(column)] = taught[round(row), round(column)] = 1
        near = apart <= _AROUND
        pose = np.empty((POSE_OUTPUTS, *apart.shape), np.float32)
        pose[OFFSET_AT] = np.broadcast_arrays(-across, -down)
        pose[DOWN_AT], pose[HEIGHT_AT] = (index[2:4] / height)[:, None, None], math.log2(height)
        pose[CARD_AT] = ((index[4:6] - index[:2]) / height / CARD_UNIT)[:, None, None]
        pose[SHOWN_AT] = index[6:8, None, None]
        poses[:, window[0], window[1]] = np.where(near, pose, poses[:, window[0], window[1]])
        posed[window][near] = 1
    return heat, taught, poses, posed


def _batch_of(tiles: np.ndarray, rng: np.random.Generator | None) -> tuple[Tensor, list[Tensor]]:
    """Network input and targets; with a generator, turned by right angles, gain and tint shaken."""
    patches, targets = [], []
    for tile in tiles:
        picture, classes, indices = tile["picture"], tile["classes"], tile["indices"][: tile["count"]]
        gain = np.full(3, exposure_gain(picture))
        if rng is not None:
            picture, classes, indices = turned(picture, classes, indices, int(rng.integers(4)))
            gain *= rng.uniform(0.8, 1.2) * rng.uniform(0.88, 1.12, 3)
        tones = np.clip(picture * gain.astype(np.float32), 0, 255).astype(np.uint8)
        patches.append(picture_patches(tones))
        targets.append((*_targets_of(indices), classes[::2, ::2].astype(np.int64)))
    inputs = as_input(torch.from_numpy(np.stack(patches))).contiguous(memory_format=torch.channels_last)
    return inputs, [torch.from_numpy(np.stack(layers)) for layers in zip(*targets, strict=True)]


def losses_of(outputs: tuple[Tensor, Tensor], targets: list[Tensor]) -> Tensor:
    """LOSSES, weighted; the heat's is the focal loss of CornerNet (Law and Deng, 2018), a peak."""
    (pose, logits), (heat, taught, wanted, posed, classes) = outputs, targets
    p, peak = pose[:, HEAT_AT].sigmoid().clamp(1e-5, 1 - 1e-5), (heat == 1).float()
    sure, empty = peak * (1 - p) ** 2 * p.log(), (1 - peak) * (1 - heat) ** 4 * p**2 * (1 - p).log()
    cells = posed.sum().clamp(min=1)

    def of_pose(part: slice) -> Tensor:
        error = functional.smooth_l1_loss(pose[:, part], wanted[:, part], beta=0.1, reduction="none")
        return (error.sum(1) * posed).sum() / cells

    shown = functional.binary_cross_entropy_with_logits(
        pose[:, SHOWN_AT], wanted[:, SHOWN_AT], reduction="none"
    )
    return torch.stack(
        [
            -((sure + empty) * taught).sum() / peak.sum().clamp(min=1),
            of_pose(OFFSET_AT),
            2 * of_pose(DOWN_AT),
            of_pose(slice(HEIGHT_AT, HEIGHT_AT + 1)),
            2 * of_pose(CARD_AT),
            0.25 * (shown.sum(1) * posed).sum() / cells,
            functional.cross_entropy(logits, classes, logits.new_tensor(_CLASS_WEIGHTS)),
        ]
    )


def _rate_at(share: float) -> float:
    """The learning rate after a share of all steps."""
    if share < _WARM_SHARE:
        return PEAK_RATE * (0.04 + 0.96 * share / _WARM_SHARE)
    return PEAK_RATE * (1 + math.cos(math.pi * (share - _WARM_SHARE) / (1 - _WARM_SHARE))) / 2


def fit(store: np.ndarray, work: Path, rounds: int, steps: int, seed: int) -> torch.nn.Module:
    """Trains up to so many rounds of `steps` batches; the running average of the weights.

    A round's tiles and its shaking depend on the seed, the round's number and the store's size.
    """
    torch.manual_seed(seed)
    net = FinderNet().to(memory_format=torch.channels_last)
    average, kept, first = averaged(net, EMA_DECAY), work / "state.pt", 0
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.01)
    if kept.exists():
        state: dict[str, Any] = torch.load(kept)
        net.load_state_dict(state["net"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["rounds"]
    typer.echo(f"{parameters_of(net)} values, {len(store)} tiles, rounds {first} to {rounds}")
    for number in range(first, rounds):
        started, total = time.perf_counter(), torch.zeros(len(_LOSSES))
        rng = np.random.default_rng((seed, number))
        order = rng.permutation(max(len(store), steps * BATCH))[: steps * BATCH] % len(store)
        net.train()
        for step in range(steps):
            inputs, targets = _batch_of(store[np.sort(order[step * BATCH : (step + 1) * BATCH])], rng)
            losses = losses_of(net(inputs), targets)
            optimiser.zero_grad()
            losses.sum().backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 20)
            for group in optimiser.param_groups:
                group["lr"] = _rate_at((number * steps + step) / (rounds * steps))
            optimiser.step()
            average.update_parameters(net)
            total += losses.detach()
        means = dict(zip(_LOSSES, (total / steps).numpy().round(3).tolist(), strict=True))
        typer.echo(f"round {number + 1}: {means}, {time.perf_counter() - started:.0f} s")
        parts = {"net": net, "average": average, "optimiser": optimiser}
        state = {name: part.state_dict() for name, part in parts.items()} | {"rounds": number + 1}
        torch.save(state, part := kept.with_suffix(".part"))
        part.rename(kept)
    return average.module


def main(
    store: Annotated[Path, typer.Argument(help="Folder of the tiles (`models.finder.store`).")],
    work: Annotated[Path, typer.Option(help="Where the state is kept.")] = Path("build/finder"),
    rounds: Annotated[int, typer.Option(help="Rounds in all, those of broken runs included.")] = 20,
    steps: Annotated[int, typer.Option(help="Batches of a round.")] = 250,
    *,
    seed: int = 17,
    threads: int = 2,
) -> None:
    """Trains the finder, goes on where it stopped, and writes weights and record into the work folder."""
    cv2.setNumThreads(1)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    work.mkdir(parents=True, exist_ok=True)
    tiles = opened_store(store)
    record = begin_run(seed=seed, rounds=rounds, steps=steps, batch=BATCH, rate=PEAK_RATE, tiles=len(tiles))
    net = fit(tiles, work, rounds, steps, seed)
    torch.save(net.state_dict(), work / "finder.pt")
    record.write(work)


if __name__ == "__main__":
    typer.run(main)

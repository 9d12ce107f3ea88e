"""Trains the proposal filter: in a hundredth of a millisecond, whether a place may hold an index."""

from typing import Final

import cv2
import numpy as np
import torch
import typer
from torch.nn import functional

from models.crops.drawing import Data
from models.crops.sample import IGNORE
from models.net import ProposalFilterNet, averaged, normalised_illumination
from vision.geometry import Image
from vision.inference import white_levels
from vision.proposal import FILTER_CROP
from vision.reading import STATES

BATCH: Final = 512
PEAK_RATE: Final = 6e-3
KEPT: Final = 0.995
"""Share of readable indices that must pass."""


def filter_crops(data: Data) -> tuple[Data, Image]:
    """Small crops of all that carry a label, and whether an index is there (float32)."""
    rows = np.flatnonzero(data.labels[:, 2] != IGNORE)
    size = (FILTER_CROP.width_px, FILTER_CROP.height_px)
    small = np.empty((len(rows), *FILTER_CROP, 3), np.uint8)
    for slot, row in enumerate(rows):
        small[slot] = cv2.resize(data.crops[row], size, interpolation=cv2.INTER_LINEAR)
    labels = data.labels[rows]
    there = np.isin(labels[:, 2], [STATES.index("index"), STATES.index("occluded")])
    return Data(small, white_levels(small), labels, data.rank_px[rows]), there.astype(np.float32)


def _logits(net: torch.nn.Module, data: Data, rows: Image) -> torch.Tensor:
    crops = torch.from_numpy(data.crops[rows])
    output: torch.Tensor = net(normalised_illumination(crops, torch.from_numpy(data.white[rows])))[0]
    return output[:, 0]


def measure_filter(net: torch.nn.Module, data: Data) -> dict[str, float]:
    """The threshold at which KEPT of the readable indices pass, and the share of nothings that pass too."""
    net.eval()
    with torch.inference_mode():
        parts = [_logits(net, data, rows) for rows in np.array_split(np.arange(len(data.labels)), 50)]
    p = torch.cat(parts).sigmoid().numpy()
    index = data.labels[:, 2] == STATES.index("index")
    threshold = float(np.quantile(p[index], 1 - KEPT))
    none = data.labels[:, 2] == STATES.index("none")
    return {"threshold": threshold, "nothings_passed": float((p[none] >= threshold).mean())}


def fit_filter(data: Data, there: Image, epochs: int, seed: int) -> torch.nn.Module:
    """Fit with one-cycle AdamW; readable indices weigh twice, because a rejected one is lost."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = ProposalFilterNet()
    average = averaged(net, 0.99)
    steps = len(there) // BATCH
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, total_steps=steps * epochs)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for rows in np.array_split(rng.permutation(len(there))[: steps * BATCH], steps):
            wanted = torch.from_numpy(there[rows])
            loss = functional.binary_cross_entropy_with_logits(
                _logits(net, data, rows), wanted, weight=1 + wanted
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            plan.step()
            average.update_parameters(net)
            total += float(loss.detach())
        typer.echo(f"proposal filter, epoch {epoch + 1}: loss {total / steps:.4f}")
    return average.module

"""The index network: one trunk, separate heads for rank, suit and state."""

from typing import Final

import torch
from torch import Tensor, nn

from vision.labels import RANKS, STATES, SUITS

HEADS: Final = {"rank": len(RANKS), "suit": len(SUITS), "state": len(STATES)}


def _block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class IndexNet(nn.Module):
    """Crops n x 3 x 64 x 48 (-1..1) to logits of rank, suit and state.

    Rank and suit have heads of their own, so that the colour of a pip cannot move the rank.
    """

    def __init__(self, dropout: float = 0.3) -> None:
        """`dropout` acts between trunk and heads, in training only."""
        super().__init__()
        self.trunk = nn.Sequential(
            _block(3, 20, 5, 2),
            _block(20, 32),
            nn.MaxPool2d(2),
            _block(32, 48),
            nn.MaxPool2d(2),
            _block(48, 64),
            _block(64, 64, 3, 2),
            nn.Flatten(),
        )
        self.shared = nn.Sequential(nn.Dropout(dropout), nn.Linear(64 * 4 * 3, 96), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({name: nn.Linear(96, size) for name, size in HEADS.items()})

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits in the order rank, suit, state."""
        features = self.shared(self.trunk(crops))
        return self.heads["rank"](features), self.heads["suit"](features), self.heads["state"](features)


def parameters_of(net: nn.Module) -> int:
    """Number of trained values."""
    return sum(parameter.numel() for parameter in net.parameters())


def averaged(net: nn.Module, decay: float) -> torch.optim.swa_utils.AveragedModel:
    """A running average of the weights, which is what gets exported."""
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(decay)
    return torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=average, use_buffers=True)

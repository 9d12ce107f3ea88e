"""The networks: one trunk, separate heads for rank, suit and state."""

from typing import Final

import torch
from torch import Tensor, nn

from vision.labels import RANKS, STATES, SUITS
from vision.rectify import PAPER_TONE

HEADS: Final = {"rank": len(RANKS), "suit": len(SUITS), "state": len(STATES)}
BLACK_TONE: Final = PAPER_TONE / 2
"""Zero of the networks' inputs: 0 becomes -1, PAPER_TONE 1, 255 2."""

SHRINK: Final = 16
"""The trunk's output is smaller than the crop by this."""


def _block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class CropNet(nn.Module):
    """Crops n x 3 x height x width (-1..1) to logits of rank, suit and state.

    Rank and suit have heads of their own, so that the colour of a pip cannot move the rank.
    """

    def __init__(self, height: int, width: int, dropout: float = 0.3) -> None:
        """`height` and `width` of the crops in pixels; `dropout` acts before the heads, in training only."""
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
        size = 64 * -(-height // SHRINK) * -(-width // SHRINK)
        self.shared = nn.Sequential(nn.Dropout(dropout), nn.Linear(size, 96), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({name: nn.Linear(96, size) for name, size in HEADS.items()})

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits in the order rank, suit, state."""
        features = self.shared(self.trunk(crops))
        return self.heads["rank"](features), self.heads["suit"](features), self.heads["state"](features)


class GlanceNet(nn.Module):
    """Small crops n x 3 x 32 x 24 (-1..1) to one logit: whether an index is there, whole or half hidden.

    It spares the large network the many places that hold none.
    """

    def __init__(self) -> None:
        """Some 8,000 values."""
        super().__init__()
        self.layers = nn.Sequential(
            _block(3, 8, 5, 2),
            _block(8, 16),
            nn.MaxPool2d(2),
            _block(16, 24, 3, 2),
            nn.Flatten(),
            nn.Linear(24 * 4 * 3, 1),
        )

    def forward(self, crops: Tensor) -> tuple[Tensor]:
        """Logits, n x 1."""
        return (self.layers(crops),)


def light_taken_out(crops: Tensor, white: Tensor) -> Tensor:
    """Pixels 0..255 (n x height x width x 3) to -1 black .. 1 paper (n x 3 x height x width).

    `white` is the brightness of each crop's paper, n x 3: light and its colour are divided away.
    """
    scale = (2.0 / white)[:, :, None, None]
    return (crops.permute(0, 3, 1, 2).float() * scale).clamp(max=3.0) - 1


class Deployed(nn.Module):
    """The network on crops as the table prepares them (`vision.rectify.even_light`)."""

    def __init__(self, net: nn.Module) -> None:
        """Wrap a trained network."""
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor) -> tuple[Tensor, ...]:
        """Logits of uint8 crops, n x height x width x 3, whose paper has PAPER_TONE."""
        inputs = (crops.permute(0, 3, 1, 2).float() - BLACK_TONE) / BLACK_TONE
        outputs: tuple[Tensor, ...] = self.net(inputs)
        return outputs


def parameters_of(net: nn.Module) -> int:
    """Number of trained values."""
    return sum(parameter.numel() for parameter in net.parameters())


def averaged(net: nn.Module, decay: float) -> torch.optim.swa_utils.AveragedModel:
    """A running average of the weights, which is what gets exported."""
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(decay)
    return torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=average, use_buffers=True)

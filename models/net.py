"""The networks: one trunk, separate heads for rank, suit and state."""

from copy import deepcopy
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.inference import PAPER_TONE
from vision.reading import RANKS, STATES, SUITS

HEADS: Final = {"rank": len(RANKS), "suit": len(SUITS), "state": len(STATES)}
_BLACK_TONE: Final = PAPER_TONE / 2
"""Zero of the networks' inputs: 0 becomes -1, PAPER_TONE 1, 255 2."""

DEPTH_BLOCK_PX: Final = 2
"""Squares of so many pixels a side become channels before the first layer: the same as a first layer with a
stride of two and 6 x 6 weights, in half of the time."""

DEPTH_CHANNELS: Final = 3 * DEPTH_BLOCK_PX * DEPTH_BLOCK_PX
_HALVINGS: Final = 3
"""The trunk halves its input so often, rounding up."""

_WIDEST: Final = 96


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def _halved(side: int) -> int:
    """A side of the trunk's output for one of the crop's."""
    return -(-side // DEPTH_BLOCK_PX // 2**_HALVINGS)


class CropNet(nn.Module):
    """Crops in blocks (`space_to_depth`, -1..1) to logits of rank, suit and state.

    Rank and suit have heads of their own, so that the colour of a pip cannot move the rank.
    """

    def __init__(self, height: int, width: int, dropout: float = 0.3) -> None:
        """`height` and `width` of the crops in pixels; `dropout` acts before the heads, in training only."""
        super().__init__()
        self.trunk = nn.Sequential(
            _block(DEPTH_CHANNELS, 16),
            _block(16, 32),
            nn.MaxPool2d(2, ceil_mode=True),
            _block(32, 64),
            nn.MaxPool2d(2, ceil_mode=True),
            _block(64, _WIDEST),
            _block(_WIDEST, _WIDEST, 2),
            nn.Flatten(),
        )
        size = _WIDEST * _halved(height) * _halved(width)
        self.shared = nn.Sequential(nn.Dropout(dropout), nn.Linear(size, 96), nn.ReLU(inplace=True))
        self.heads = nn.ModuleDict({name: nn.Linear(96, size) for name, size in HEADS.items()})

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits in the order rank, suit, state."""
        features = self.shared(self.trunk(crops))
        return self.heads["rank"](features), self.heads["suit"](features), self.heads["state"](features)


class ProposalFilterNet(nn.Module):
    """Small crops in blocks (32 x 24 pixels, -1..1) to one logit: an index is there, whole or half hidden.

    It spares the large network the many places that hold none.
    """

    def __init__(self) -> None:
        """Some 12,000 values."""
        super().__init__()
        self.layers = nn.Sequential(
            _block(DEPTH_CHANNELS, 16),
            nn.MaxPool2d(2),
            _block(16, 24),
            nn.MaxPool2d(2),
            _block(24, 32),
            nn.Flatten(),
            nn.Linear(32 * 4 * 3, 1),
        )

    def forward(self, crops: Tensor) -> tuple[Tensor]:
        """Logits, n x 1."""
        return (self.layers(crops),)


def space_to_depth(crops: Tensor) -> Tensor:
    """Crops n x 3 x height x width in blocks: n x DEPTH_CHANNELS x half the height x half the width."""
    return functional.pixel_unshuffle(crops, DEPTH_BLOCK_PX)


def normalised_illumination(crops: Tensor, white: Tensor) -> Tensor:
    """Pixels 0..255 (n x height x width x 3) to -1 black .. 1 paper, in blocks.

    `white` is the brightness of each crop's paper, n x 3: light and its colour are divided away.
    """
    scale = (2.0 / white)[:, :, None, None]
    return space_to_depth((crops.permute(0, 3, 1, 2).float() * scale).clamp(max=3.0) - 1)


class Deployed(nn.Module):
    """The network on crops as the table prepares them (`vision.inference.normalise_illumination`)."""

    def __init__(self, net: nn.Module) -> None:
        """Wrap a trained network."""
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor) -> tuple[Tensor, ...]:
        """Return logits of uint8 crops, n x height x width x 3, whose paper has PAPER_TONE."""
        inputs = (crops.permute(0, 3, 1, 2).float() - _BLACK_TONE) / _BLACK_TONE
        outputs: tuple[Tensor, ...] = self.net(space_to_depth(inputs))
        return outputs


def for_sampled_crops(net: nn.Module) -> nn.Module:
    """The same network for crops in the blocks of `vision.inference.space_to_depth`.

    There the three colours of a pixel lie side by side, here the pixels of a colour.
    """
    copy = deepcopy(net)
    first = next(layer for layer in copy.modules() if isinstance(layer, nn.Conv2d))
    order = torch.arange(DEPTH_CHANNELS).reshape(3, DEPTH_BLOCK_PX**2).T.flatten()
    first.weight = nn.Parameter(first.weight[:, order].detach())
    return copy


def parameters_of(net: nn.Module) -> int:
    """Number of trained values."""
    return sum(parameter.numel() for parameter in net.parameters())


def averaged(net: nn.Module, decay: float) -> torch.optim.swa_utils.AveragedModel:
    """Return a running average of the weights, which is exported."""
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(decay)
    return torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=average, use_buffers=True)

"""The heat map network: for a whole picture, the content of each cell and the places of indices."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.heat_map import CELL_KINDS, OUTPUTS, PATCH_DEPTH

HALF_TONE: Final = 128.0
"""Zero of the network's input: tones 0..255 become -1..1."""

COLD: Final = -3.0
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
            last.bias.copy_(last.bias.new_tensor([0.0] * len(CELL_KINDS) + [COLD] * 4 + [1.0]))
        self.head = nn.Sequential(_block(32, 32, 1), last)

    def forward(self, patches: Tensor) -> Tensor:
        """Logits of the kinds, of four heats a cell, and a height; see `vision.heat_map`."""
        near = self.near(patches)
        far = functional.interpolate(self.far(near), scale_factor=2.0, mode="nearest")
        outputs: Tensor = self.head(near + far)
        return outputs


def as_input(patches: Tensor) -> Tensor:
    """Bytes n x h x w x 48 as the network takes them."""
    return (patches.float() - HALF_TONE).permute(0, 3, 1, 2) / HALF_TONE


class DeployedHeatMap(nn.Module):
    """The network on bytes, as the reader has them."""

    def __init__(self, net: nn.Module) -> None:
        """Wrap a trained network."""
        super().__init__()
        self.net = net

    def forward(self, patches: Tensor) -> Tensor:
        """Outputs for uint8 patches, n x h x w x 48."""
        outputs: Tensor = self.net(as_input(patches))
        return outputs

"""The finder's network: a whole picture at once, an index's pose in each cell, the class of each cell."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.finder.tiles import CELL_PX, CLASSES

PATCH_DEPTH: Final = 3 * CELL_PX * CELL_PX
HEAT_AT, HEIGHT_AT = 0, 5
OFFSET_AT, DOWN_AT, CARD_AT, SHOWN_AT = slice(1, 3), slice(3, 5), slice(6, 8), slice(8, 10)
POSE_OUTPUTS: Final = 10
"""Heat (logit); offset of the centre in cells; direction from rank to pip; log2 of the height; vector to the
card's centre, over CARD_UNIT heights; shares of rank and pip that show (logits)."""

CARD_UNIT: Final = 4.0
COLD: Final = -4.0
_COMMON_LOG2: Final = 3.0
"""Heat and height of a cell before any training: nearly all cells hold no index."""

NARROW, MIDDLE, WIDE, LAST = 24, 64, 96, 32
"""Channels at 4, 8 and 16 pixels, and at 4 before the outputs: what runs at 4 pixels takes the time."""


def _block(inputs: int, outputs: int, size: int = 3, stride: int = 1, apart: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(inputs, outputs, size, stride, size // 2 * apart, dilation=apart, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class FinderNet(nn.Module):
    """Patches n x PATCH_DEPTH x h x w (-1..1; h and w multiples of four) to poses and classes.

    Poses n x POSE_OUTPUTS x h x w; logits of classes n x CLASSES x h/2 x w/2.
    """

    def __init__(self) -> None:
        """Some 430,000 values."""
        super().__init__()
        self.glyphs = nn.Sequential(_block(PATCH_DEPTH, NARROW, 1), _block(NARROW, NARROW))
        self.near = nn.Sequential(
            _block(NARROW, MIDDLE, 3, 2), _block(MIDDLE, MIDDLE), _block(MIDDLE, MIDDLE)
        )
        self.far = nn.Sequential(
            _block(MIDDLE, WIDE, 3, 2),
            _block(WIDE, WIDE),
            _block(WIDE, WIDE, apart=2),
            _block(WIDE, WIDE, apart=4),
            _block(WIDE, MIDDLE, 1),
        )
        self.spread = nn.Sequential(_block(MIDDLE, 4 * LAST, 1), nn.PixelShuffle(2))
        self.join = nn.Sequential(_block(LAST + NARROW, LAST, 1), _block(LAST, LAST))
        self.pose = nn.Conv2d(LAST, POSE_OUTPUTS, 1)
        self.classes = nn.Conv2d(MIDDLE, len(CLASSES), 1)
        with torch.no_grad():
            self.pose.bias.copy_(torch.zeros(POSE_OUTPUTS))
            self.pose.bias[HEAT_AT], self.pose.bias[HEIGHT_AT] = COLD, _COMMON_LOG2

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Poses and logits of the classes."""
        glyphs = self.glyphs(patches)
        near = self.near(glyphs)
        seen = near + functional.interpolate(self.far(near), scale_factor=2.0, mode="nearest")
        joined = self.join(torch.cat([glyphs, self.spread(seen)], 1))
        return self.pose(joined), self.classes(seen)

"""Begins a training where an exported network stands: its float32 form, back as a module."""

from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from models.net import CropNet
from vision.classifier import INDEX_CROP

PREFIX: Final = "net."
"""What stands before the names of a network's values in its exported form (`net.Deployed`)."""


def _without_normalisation(block: nn.Sequential, weight: torch.Tensor, bias: torch.Tensor) -> None:
    """Puts the values of a convolution with its batch normalisation folded in; the latter is no more."""
    conv = block[0]
    assert isinstance(conv, nn.Conv2d)
    conv.weight, conv.bias = nn.Parameter(weight), nn.Parameter(bias)
    block[1] = nn.Identity()


def index_net_of(path: Path) -> CropNet:
    """The index network whose float32 form lies at `path` (`export`), ready to be taught further."""
    values = {
        tensor.name.removeprefix(PREFIX): torch.from_numpy(np.array(numpy_helper.to_array(tensor)))
        for tensor in onnx.load(str(path)).graph.initializer
    }
    net = CropNet(*INDEX_CROP)
    for number, block in enumerate(net.trunk):
        if isinstance(block, nn.Sequential):
            name = f"trunk.{number}.0.weight"
            _without_normalisation(block, values[name], values[f"{name}_bias"])
    rest = {name: value for name, value in values.items() if name.startswith(("shared.", "heads."))}
    missing = net.load_state_dict(rest, strict=False).missing_keys
    assert all(name.startswith("trunk.") for name in missing)
    return net

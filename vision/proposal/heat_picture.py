"""Draw a heat map as a transparent picture, for a person who asks what the network found."""

from typing import Final

import cv2
import numpy as np

from vision.proposal.heat_map import PATCH_PX
from vision.proposal.heat_map_network import HeatMapNetwork

_OPAQUE: Final = 230
"""How much of what lies below it a heat of 1 covers (0 to 255); less heat by its square root, to be seen."""

SHOWN: Final = 4
"""Pixels of the camera's picture for one of the heat's: a cell of the map is never smaller."""


def heat_picture(network: HeatMapNetwork, jpeg: bytes, width: int, height: int) -> bytes:
    """Return a PNG of the heat over a picture, which is first scaled to the camera's size.

    Black areas of the picture have no heat.
    """
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None, "a picture of our own making"
    image = cv2.resize(shown, (width, height), interpolation=cv2.INTER_CUBIC)
    found = network.look(np.asarray(image, np.uint8))
    rows, columns = (round(side * PATCH_PX * found.scale / SHOWN) for side in found.heat.shape)
    heat = cv2.resize(found.heat, (columns, rows))[: height // SHOWN, : width // SHOWN].clip(0, 1)
    colour = cv2.applyColorMap((heat * 255).astype(np.uint8), cv2.COLORMAP_TURBO)
    alpha = (np.sqrt(heat) * _OPAQUE).astype(np.uint8)
    good, data = cv2.imencode(".png", np.dstack([colour, alpha]))
    assert good, "a small picture can be encoded"
    return data.tobytes()

"""What a network camera over the demo's felt sends, in its place and bumped; its section with a layout."""

from pathlib import Path
from shutil import copyfile
from typing import Any, Final

import cv2
import numpy as np

from tests.devices.bump_kit import LAYOUT
from tests.devices.test_cameras import noisy
from tests.drivers.camera.camera_server import jpeg
from vision.synth import DrawnTableView, TableHand, render_frame, table_scene

BUMP: Final = np.array([[1, 0, 22], [0, 1, -8]], np.float32)


def shown(*hands: TableHand, bumped: bool = False) -> list[bytes]:
    """Pictures of these cards; `bumped` by 23 pixels."""
    drawn = render_frame(table_scene(DrawnTableView(hands, (1, 5)), 5), 1)
    if bumped:
        moved = cv2.warpAffine(drawn, BUMP, (1920, 1080), borderMode=cv2.BORDER_REPLICATE)
        drawn = np.asarray(moved, np.uint8)
    return [jpeg(noisy(drawn)) for _ in range(3)]


def section(folder: Path, address: str) -> dict[str, Any]:
    """The camera `above`, with a layout of its own in the folder."""
    layout = folder / "layout.toml"
    copyfile(LAYOUT, layout)
    patience = {"votes": 2, "settle_ms": 1, "read_every_ms": 100, "silence_ms": 30_000}
    return {"name": "above", "source": address, "layout": str(layout), **patience}

"""The simulated camera over the layout that deals: what it knows, look by look, and its layout file."""

import asyncio
from pathlib import Path
from random import Random
from typing import Final

from controller.ports import Clock
from controller.runtime.door.door import TableTask
from controller.runtime.witness.felt_witness import FeltLook
from controller.simulation.erring_eye import MM_A_PX, CameraErrors, ErringEye
from controller.simulation.world import World
from vision.calibration import Layout, layout_text
from vision.synth import (
    BOXES,
    DEALER,
    FRAME_HEIGHT,
    FRAME_WIDTH,
    HAND_PITCH_PX,
    HANDS,
    box_origin,
    card_place,
)

OVERHEAD: Final = "simulated"
"""Name of the camera that deals where none reads pictures: a screen says so."""

LOOK_S: Final = 0.1
"""Between two looks at speed 1; a camera at a table gives ten pictures a second."""

QUICKEST_S: Final = 0.02
CERTAIN_MS: Final = 300
"""A card lies so long at speed 1 before it is certain. Source: three to five looks of the reader."""


class Overhead:
    """Looks at the simulated layout. Used on the table's loop."""

    def __init__(self, world: World, clock: Clock, speed: float) -> None:
        """Look `speed` times as often as a camera at a table, with the table's own time."""
        self._world = world
        self._clock = clock
        self._look_s = max(QUICKEST_S, LOOK_S / speed) if speed else QUICKEST_S
        certain_ms = int(CERTAIN_MS / speed) if speed else 0
        errors = CameraErrors(certain_ms=(certain_ms, certain_ms))
        self._eye = ErringEye(Random(0), errors, counts=False)

    async def look_on(self, table: TableTask) -> None:
        """Tell the table what lies there, until cancelled."""
        while True:
            table.post(self.look())
            await asyncio.sleep(self._look_s)

    def look(self) -> FeltLook:
        """What the camera knows now."""
        mono_ns = self._clock.mono_ns()
        view = self._eye.look(mono_ns // 1_000_000, self._world.lying_cards())
        return FeltLook(OVERHEAD, mono_ns, view)


def write_layout(folder: Path) -> Path:
    """Write the layout file of the simulated camera; returns where it is."""
    file = folder / "overhead.layout.toml"
    layout = Layout.model_validate(
        {
            "layout": 1,
            "camera": {"width": FRAME_WIDTH, "height": FRAME_HEIGHT},
            "plane": {"homography": ((MM_A_PX, 0, 0), (0, MM_A_PX, 0), (0, 0, 1))},
            "zone": [*(_box_zone(box) for box in range(1, BOXES + 1)), _dealer_zone()],
            "origin": {"date": "2026-01-01", "method": "hand", "residual_px": 0},
        }
    )
    file.write_text(layout_text(layout), encoding="utf-8")
    return file


def _box_zone(box: int) -> dict[str, object]:
    x, y = box_origin(box, 1)
    outline = _rectangle(x - 40, y - HAND_PITCH_PX / 2, x + 224, y + HAND_PITCH_PX * (HANDS - 0.5))
    return {"kind": "box", "box": box, "outline_mm": outline}


def _dealer_zone() -> dict[str, object]:
    first = card_place(DEALER, 1, 0)
    outline = _rectangle(first.x - 92, first.y - 64, first.x + 672, first.y + 100)
    return {"kind": "dealer", "outline_mm": outline}


def _rectangle(left: float, top: float, right: float, foot: float) -> tuple[tuple[float, float], ...]:
    corners = ((left, top), (right, top), (right, foot), (left, foot))
    return tuple((round(x * MM_A_PX, 1), round(y * MM_A_PX, 1)) for x, y in corners)

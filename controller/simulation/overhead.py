"""The simulated camera over the layout that deals: what it knows, look by look, and its layout file."""

import asyncio
from pathlib import Path
from typing import Final

from controller.ports import Clock
from controller.runtime.door.table_task import TableTask
from controller.runtime.witness.felt_witness import FeltLook
from controller.simulation.laid_cards import LaidCard
from controller.simulation.world import World
from controller.witnesses import FeltCard, FeltReading
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

OVERHEAD: Final = "overhead"
"""Name of the camera that deals in the demo."""

MM_A_PX: Final = 0.9565
"""Of the demo's pictures, in which a card is 92 pixels long."""

CARD_MM: Final = 88.0
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
        self._certain_ms = CERTAIN_MS / speed if speed else 0.0
        self._since_ms: dict[tuple[int, str], int] = {}

    async def look_on(self, table: TableTask) -> None:
        """Tell the table what lies there, until cancelled."""
        while True:
            table.post(self.look())
            await asyncio.sleep(self._look_s)

    def look(self) -> FeltLook:
        """What the camera knows now."""
        mono_ns = self._clock.mono_ns()
        now_ms = mono_ns // 1_000_000
        lying = self._world.lying_cards()
        shown = {(number, laid.face) for number, laid in lying.items()}
        self._since_ms = {key: self._since_ms.get(key, now_ms) for key in shown}
        cards = tuple(self._seen(number, laid, now_ms) for number, laid in lying.items())
        return FeltLook(OVERHEAD, mono_ns, FeltReading(now_ms, cards, (), CARD_MM))

    def _seen(self, number: int, laid: LaidCard, now_ms: int) -> FeltCard:
        """A card as the camera knows it: by its number as its track."""
        rest = card_place(laid.box, laid.hand, laid.place, laid.across)
        at_mm = rest.x * MM_A_PX, rest.y * MM_A_PX
        certain = now_ms - self._since_ms[number, laid.face] >= self._certain_ms
        card = laid.card if certain and laid.face == "up" else None
        turn_deg = 0.0 if laid.across else 90.0
        return FeltCard(number, card, laid.face, at_mm, turn_deg, laid.box, 0.9999, certain)


def write_layout(folder: Path) -> Path:
    """Write the layout file of the simulated camera, and tell where."""
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

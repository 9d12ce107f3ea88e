"""A table on the floor's network, until its story is told."""

from pathlib import Path
from typing import Any

from drivers.simulated import PtyShoe
from tests.floor.broker_kit import Broker
from tests.main.live_kit import Story, play


def run_linked(
    folder: Path,
    story: Story,
    broker: Broker,
    name: str = "table.journal",
    commanders: tuple[str, ...] = (),
    url: str = "",
    **sections: Any,
) -> Path:
    shoe = PtyShoe()
    journal = {"file": folder / name, "slow_ms": 5000}
    floor = broker.section(commanders=commanders, **({"servers": [url]} if url else {}))
    try:
        play(folder, story, {"port": shoe.port}, journal=journal, floor=floor, **sections)
    finally:
        shoe.close()
    return folder / name

"""Devices that were given up are tried again when somebody takes their alert."""

from collections.abc import Callable
from typing import Final

from controller.runtime.api import Hub, TableSnapshot

GIVEN_UP: Final = "DEVICE_FAULT"


async def retry_acknowledged(hub: Hub, acknowledge: Callable[[str], None]) -> None:
    """Follow the table until cancelled; each step of a person on such an alert has the device tried anew."""
    before: dict[int, tuple[str, str]] = {}
    async for _, now in hub.subscribe():
        present = _alerts(now)
        for alert, (name, status) in before.items():
            if present.get(alert) != (name, status):
                acknowledge(name)
        before = present


def _alerts(now: TableSnapshot) -> dict[int, tuple[str, str]]:
    """Find the open alerts of devices that were given up: which device, and how far people have come."""
    return {
        alert.alert: (str(dict(alert.params).get("name", "")), alert.status)
        for alert in now.alerts
        if alert.code == GIVEN_UP
    }

"""What has become of a device since something was told of it: it may answer again, its shoe may be locked."""

from collections.abc import Iterable
from typing import Literal

from controller.runtime.api import Params, TableSnapshot
from controller.screens.disclosure import open_alerts
from controller.screens.texts import say, told
from controller.screens.view_values import Words
from controller.table.holds import ABSENT


def told_now(snapshot: TableSnapshot, kind: Literal["alert", "hold"], code: str, params: Params) -> Words:
    """The text of a code; where it says that a device does not answer, and it does again, that instead."""
    name = str(dict(params).get("name", ""))
    if code in ABSENT and name in _answering(snapshot):
        return say(f"{kind}.DEVICE_BACK", name=name)
    return told(kind, code, params)


def _answering(snapshot: TableSnapshot) -> Iterable[str]:
    return {device.name for device in snapshot.devices if device.state == "live"}


def shoe_is_locked(snapshot: TableSnapshot) -> bool:
    """Whether the last that the shoe has said of its lock, and nobody has resolved, is that it is locked."""
    said = [alert for alert in open_alerts(snapshot) if alert.code in ("SHOE_LOCKED", "SHOE_UNLOCKED")]
    return bool(said) and max(said, key=lambda alert: alert.alert).code == "SHOE_LOCKED"

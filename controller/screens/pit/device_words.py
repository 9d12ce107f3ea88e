"""What has become of a device since a report about it: it may answer again, its shoe may be locked."""

from collections.abc import Iterable, Sequence
from typing import Literal

from controller.policy.state.holds import ABSENT, OUT_OF_PLACE
from controller.runtime.api import HoldView, Params, TableSnapshot
from controller.screens.disclosure import open_alerts
from controller.screens.shapes.words import Words, described, say


def current_text(snapshot: TableSnapshot, kind: Literal["alert", "hold"], code: str, params: Params) -> Words:
    """The text of a code; where it says what a device lacks, and it is there again, that instead."""
    name = str(dict(params).get("name", ""))
    if code in ABSENT | OUT_OF_PLACE and name in _answering(snapshot):
        return say(f"{kind}.DEVICE_BACK", name=name)
    return described(kind, code, params)


def each_once(holds: Sequence[HoldView]) -> tuple[HoldView, ...]:
    """The holds without the absence of a camera that says itself why no card is taken from it."""
    said = {dict(hold.params).get("name") for hold in holds if hold.code in OUT_OF_PLACE}
    return tuple(
        hold for hold in holds if hold.code not in ABSENT or dict(hold.params).get("name") not in said
    )


def _answering(snapshot: TableSnapshot) -> Iterable[str]:
    return {device.name for device in snapshot.devices if device.state == "live"}


def shoe_is_locked(snapshot: TableSnapshot) -> bool:
    """Whether the last that the shoe has said of its lock, and nobody has resolved, is that it is locked."""
    said = [alert for alert in open_alerts(snapshot) if alert.code in ("SHOE_LOCKED", "SHOE_UNLOCKED")]
    return bool(said) and max(said, key=lambda alert: alert.alert).code == "SHOE_LOCKED"

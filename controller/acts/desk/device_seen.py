"""`device` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, PIT_ALONE, Act, Row

Presence = Literal["live", "stale", "lost"]


@Declared(
    "device",
    {Act.DEVICE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS), Act.DEVICE_AT_SCREEN: PIT_ALONE},
    unnamed="system",
    in_count=True,
)
class DeviceSeen(NamedTuple):
    """A device came or went."""

    name: str
    state: Presence

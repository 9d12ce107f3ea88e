"""What a mark of a device's life says came from outside."""

from collections.abc import Mapping

from drivers.replay import ReplayDevice


def live_on(device: ReplayDevice, mono_ns: int, mark: Mapping[str, object]) -> bool:
    """Let it happen; the rest the driver finds by itself. False when the driver did not follow."""
    state, again = mark["state"], bool(mark.get("again"))
    if state in {"live", "stale"} and not device.is_open:
        return device.opens(mono_ns)
    if state == "stale":
        return device.hears(mono_ns, b"")
    if state in {"lost", "fault"} and device.is_open:
        return device.breaks(mono_ns)
    if state in {"absent", "lost"} and not device.is_open and not again:
        return device.fails(mono_ns, str(mark["reason"]))
    return True

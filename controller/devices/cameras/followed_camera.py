"""A camera whose pictures are followed, as one of the devices: its driver, and what it can be asked to do."""

from controller.devices.cameras.tracker import CameraTracker
from controller.ports import Frame, FrameSource, Health


class FollowedCamera:
    """A `FrameSource` that also takes the orders of whoever follows its pictures."""

    def __init__(self, source: FrameSource, tracker: CameraTracker) -> None:
        """Opened and closed as the source."""
        self._source = source
        self._tracker = tracker

    def open(self) -> None:
        """See `FrameSource.open`."""
        self._source.open()

    def latest(self) -> Frame | None:
        """See `FrameSource.latest`."""
        return self._source.latest()

    def wait(self, after: int, timeout_s: float) -> Frame | None:
        """See `FrameSource.wait`."""
        return self._source.wait(after, timeout_s)

    def close(self) -> None:
        """See `FrameSource.close`."""
        self._source.close()
        self._tracker.close()

    def health(self) -> Health:
        """See `FrameSource.health`; with the orders that it takes now.

        Its pictures come, but none is followed while it is out of its place: then it is stale, as the table
        was reported.
        """
        health = self._source.health()._replace(orders=self._tracker.orders)
        is_stale = health.state == "live" and self._tracker.is_out_of_place
        return health._replace(state="stale") if is_stale else health

    def acknowledge(self) -> None:
        """See `FrameSource.acknowledge`."""
        self._source.acknowledge()

    def order(self, order: str) -> bool:
        """See `Orderable.order`."""
        return self._tracker.order(order)

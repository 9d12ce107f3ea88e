"""The opened devices of a table: asked how they are, given orders, closed together."""

from controller.domain.errors import DeviceError
from controller.ports import FrameSource, Health, ObservationSource, Orderable


class DeviceRegistry:
    """The opened devices of a table; asked for their health before and after they are opened."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sources: list[ObservationSource | FrameSource] = []
        self._spare: set[str] = set()

    def add(self, source: ObservationSource | FrameSource, *, required: bool = True) -> None:
        """Open a device and keep it; without one that is not `required` the table goes on."""
        self._sources.append(source)
        if not required:
            self._spare.add(source.health().name)
        source.open()

    def health(self) -> tuple[Health, ...]:
        """Tell how each device is."""
        return tuple(source.health() for source in self._sources)

    def lost(self) -> Health | None:
        """Tell the first device that is not there, of those that the table needs."""
        needed = (health for health in self.health() if health.name not in self._spare)
        return next((health for health in needed if health.state not in {"live", "stale"}), None)

    def acknowledge(self, name: str) -> None:
        """Let a device that was given up be tried again."""
        for source in self._sources:
            if source.health().name == name:
                source.acknowledge()

    def order(self, name: str, order: str) -> bool:
        """Have a device do something; see `Orderable.order`."""
        for source in self._sources:
            if isinstance(source, Orderable) and source.health().name == name:
                return source.order(order)
        raise DeviceError("ORDER_NOT_POSSIBLE", name=name, order=order)

    def close(self) -> None:
        """Close every device; waits for their threads."""
        for source in self._sources:
            source.close()

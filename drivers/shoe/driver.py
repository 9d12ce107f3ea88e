"""A shoe reader on a serial line, whichever protocol it speaks."""

from collections.abc import Callable

from controller.domain import DeviceError
from controller.ports import Clock, Health, Tap
from drivers.line import Connect, LineConfig, LineDriver, SerialStream
from drivers.shoe.shoe_events import ShoeEvent
from drivers.shoe.shoe_protocol import ShoeCommand, ShoeProtocol


class SerialShoe(LineDriver[ShoeEvent]):
    """A `LineDriver` that can also be given commands.

    `post` gets `DeviceChanged` when the line comes and goes, and everything that the reader says between.
    """

    def __init__(
        self,
        config: LineConfig,
        protocol: ShoeProtocol,
        post: Callable[[ShoeEvent, int], None],
        clock: Clock,
        *,
        connect: Connect = SerialStream,
        tap: Tap | None = None,
    ) -> None:
        """`connect` opens the line; a replay brings its own."""
        super().__init__(config, protocol, post, clock, connect=connect, tap=tap)
        self._commands = protocol

    def send(self, command: ShoeCommand) -> None:
        """Queue a command; the answer is posted as `CommandAnswered`.

        Raises `DeviceError` when the command is unknown, not allowed, or the shoe is not there.
        """
        with self._protocol_lock:
            if self._life.state not in {"live", "stale"}:
                raise DeviceError("DEVICE_NOT_LIVE", name=self._name, port=self._port)
            self._commands.request(command)

    def health(self) -> Health:
        """The state of the shoe; a live one takes the commands that its table allows."""
        health = super().health()
        if health.state not in {"live", "stale"}:
            return health
        return health._replace(orders=self._commands.allowed)

    def order(self, order: str) -> bool:
        """Queue a command; the shoe answers in its own time."""
        self.send(ShoeCommand(order))
        return False

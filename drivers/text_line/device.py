"""A keypad, peek device, rack counter or chip pad on the device thread."""

from collections.abc import Callable

from controller.domain.observations import Observation, Peek
from controller.ports.clock import Clock
from controller.ports.taps import Tap
from drivers.lifecycle import DeviceChanged
from drivers.line import Connect, LineConfig, LineDriver, SerialStream
from drivers.text_line.events import Peeked, TextEvent
from drivers.text_line.protocol import TextLines


class TextDevice(LineDriver[TextEvent]):
    """A small device on a serial line that sends lines of text."""

    def __init__(
        self,
        config: LineConfig,
        post: Callable[[TextEvent | DeviceChanged, int], None],
        clock: Clock,
        *,
        connect: Connect = SerialStream,
        tap: Tap | None = None,
    ) -> None:
        """See `LineDriver`."""
        super().__init__(config, TextLines(), post, clock, connect=connect, tap=tap)


def to_observations(event: TextEvent) -> tuple[Observation, ...]:
    """Give the facts for the journal; keys mean nothing without knowing whose turn it is."""
    return (Peek(event.blackjack),) if isinstance(event, Peeked) else ()

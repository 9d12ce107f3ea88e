"""A keypad and what counts chips, from a seed: real drivers and handlers over bytes that go astray.

The keypad sends the records of an input device of the kernel, a chip tray lines of text.
What a press means the screens' own handler says; the dealer who is signed in has pressed.
"""

from collections.abc import Mapping
from random import Random
from typing import Final, Literal

from controller.acts.catalogue import Bet, Decision, End, Observation
from controller.config import InputSection, TableConfig
from controller.devices.inputs import InputEvent, InputHandler, input_driver
from controller.ports import Clock, ReportSink, Tap
from controller.screens.table_screens import TableScreens
from drivers.device_driver import DeviceDriver
from drivers.inputs import DOWN, EV_KEY, EV_SYN, NUMBER_PAD, RECORD
from tests.drivers.far_ends.text_device import SimulatedTextDevice
from tests.whole.devices.seeded_wire import LineFault, SeededWire
from tests.whole.seeded_loop import SeededLoop

SmallFault = Literal[
    "press lost",
    "press doubled",
    "press delayed",
    "chips lost",
    "chips doubled",
    "chips delayed",
    "chips damaged",
]
"""The next key of the keypad, or the next line of the tray."""

KEYPAD, TRAY = "keypad", "tray"
DEALER: Final = "d1"

CODES: Final[Mapping[str, int]] = {word: code for code, word in NUMBER_PAD.items()}

FAULTS: Final[Mapping[SmallFault, tuple[str, LineFault]]] = {
    "press lost": (KEYPAD, "lost"),
    "press doubled": (KEYPAD, "doubled"),
    "press delayed": (KEYPAD, "delayed"),
    "chips lost": (TRAY, "lost"),
    "chips doubled": (TRAY, "doubled"),
    "chips delayed": (TRAY, "delayed"),
    "chips damaged": (TRAY, "damaged"),
}


def key_of(observation: Observation) -> str:
    """The key of the keypad that says this, "" where there is none."""
    match observation:
        case Decision():
            return observation.action
        case End():
            return "end"
    return ""


class SeededInputs:
    """The far ends of both, and what hears them. They outlive the program but for the drivers."""

    def __init__(self, chance: Random) -> None:
        """Begin plugged in, with nothing in the circles."""
        self._wires = {name: SeededWire(chance, name) for name in (KEYPAD, TRAY)}
        self._tray = SimulatedTextDevice(self._wires[TRAY])
        self._lying: dict[tuple[int, int], int] = {}

    @property
    def wires(self) -> tuple[SeededWire, ...]:
        """The lines of both."""
        return tuple(self._wires.values())

    def fault(self, what: SmallFault) -> None:
        """Let it happen to the next key or line."""
        name, fault = FAULTS[what]
        self._wires[name].fault(fault)

    def make(self, config: TableConfig, clock: Clock, tap: Tap | None) -> list[DeviceDriver]:
        """The drivers of a program that comes up; none is open yet."""
        self._config, self._clock = config, clock
        wires = {section.name: self._wires[section.name] for section in config.inputs}
        return [
            input_driver(section, clock, self._receive, tap, connect=wires[section.name].open)
            for section in config.inputs
        ]

    def serve(self, screens: TableScreens, post: ReportSink, loop: SeededLoop) -> None:
        """Begin to hear them, on the loop of a table that has come up."""
        hub = screens.hub
        self._handler = InputHandler(self._config, self._clock, hub, post, screens.keypads.press)
        for task in (
            *self._handler.tasks().values(),
            screens.broadcaster.run(),
            screens.keypads.follow(self._clock.mono_ns),
        ):
            loop.create_task(task)

    def release(self) -> None:
        """Let arrive what was late."""
        for wire in self.wires:
            wire.release()

    def live(self) -> None:
        """What counts chips gives its sign of life."""
        self._tray.say("ALIVE")

    def press(self, word: str) -> None:
        """A key goes down, and up again."""
        code = CODES[word]
        sent = ((EV_KEY, code, DOWN), (EV_SYN, 0, 0), (EV_KEY, code, 0), (EV_SYN, 0, 0))
        self._wires[KEYPAD].write(b"".join(RECORD.pack(0, 0, *one) for one in sent))

    def lay(self, observation: Observation) -> None:
        """A stake lies in its circle before it is entered; they are empty before the table is cleared."""
        match observation:
            case Bet():
                self._lying[observation.box, observation.seat] = int(observation.stake)
                self._say((observation.box, observation.seat))
            case End():
                places, self._lying = [*self._lying], {}
                for place in places:
                    self._say(place)

    def _say(self, place: tuple[int, int]) -> None:
        box, seat = place
        self._tray.say("STAKE", f"{box}:{seat}:{self._lying.get(place, 0)}:1000")

    def _receive(self, section: InputSection, event: InputEvent, mono_ns: int) -> None:
        self._handler.receive(section, event, mono_ns)

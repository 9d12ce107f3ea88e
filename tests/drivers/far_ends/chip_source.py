"""A chip source as hardware/serial-devices.md describes its lines: a pad, a camera's zones, or a tray."""

from typing import Final, NamedTuple

from drivers.simulated import SimulatedLine
from tests.drivers.far_ends.text_device import SimulatedTextDevice


class ChipSetup(NamedTuple):
    """What a source can see.

    `serial` is how it calls itself. `stakes`: it sees what lies in the circles, and not only what is handed
    back. `sure` is in thousandths: how sure it is of chips that lie right. `covered`: a hand can hide
    chips from it.
    """

    serial: str
    stakes: bool
    sure: int
    covered: bool


PAD: Final = ChipSetup("PAD1", stakes=True, sure=998, covered=False)
"""Under the felt: reads the chips themselves, whatever is above them."""
ZONES: Final = ChipSetup("ZONES1", stakes=True, sure=985, covered=True)
"""Zones in a camera's picture, read by a program beside it: stacks are told by their colours and heights."""
TRAY: Final = ChipSetup("TRAY1", stakes=False, sure=1000, covered=False)
"""A payout is counted in it before it is handed over; it never sees a circle."""


class SimulatedChipSource:
    """A source at the far end of `line`; chips lie there as they are laid."""

    def __init__(self, line: SimulatedLine, setup: ChipSetup = PAD) -> None:
        """Begin with nothing in the circles."""
        self._device = SimulatedTextDevice(line)
        self._setup = setup
        self._lying: dict[tuple[int, int], tuple[str, int]] = {}

    def wake(self) -> None:
        """Say who it is and what lies there, as after power-up."""
        self._device.say("ALIVE", self._setup.serial)
        for (box, seat), (amount, sure) in self._lying.items():
            self._tell("STAKE", box, seat, amount, sure)

    def lay(self, box: int, seat: int, amount: int | None, sure: int | None = None) -> None:
        """Let this much lie in a circle, minor units; None: chips that it cannot count."""
        if not self._setup.stakes:
            return
        told = "?" if amount is None else str(amount)
        self._lying[box, seat] = (told, self._setup.sure if sure is None else sure)
        self._tell("STAKE", box, seat, *self._lying[box, seat])

    def cover(self, box: int, seat: int) -> None:
        """Hold a hand over a circle: what lies there cannot be counted until it is laid bare."""
        if self._setup.covered:
            self._tell("STAKE", box, seat, "?", 0)

    def bare(self, box: int, seat: int) -> None:
        """Take the hand away: what lies there is told again."""
        if self._setup.covered and (box, seat) in self._lying:
            self._tell("STAKE", box, seat, *self._lying[box, seat])

    def pay(self, box: int, seat: int, amount: int, sure: int | None = None) -> None:
        """Hand so much back to a bettor in all, stake included."""
        self._tell("PAID", box, seat, str(amount), self._setup.sure if sure is None else sure)

    def say(self, word: str, argument: str) -> None:
        """Send any line."""
        self._device.say(word, argument)

    def _tell(self, word: str, box: int, seat: int, amount: str, sure: int) -> None:
        self._device.say(word, f"{box}:{seat}:{amount}:{sure}")

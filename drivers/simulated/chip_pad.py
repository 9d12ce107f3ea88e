"""A pad under the felt that counts chips, as hardware/serial-devices.md describes its lines."""

from drivers.simulated.lines import SimulatedLine
from drivers.simulated.text_device import SimulatedTextDevice

SURE = 998
"""Thousandths: how sure the pad is of a stack that lies as it should."""


class SimulatedChipPad:
    """A pad at the far end of `line`; chips lie on it as they are laid."""

    def __init__(self, line: SimulatedLine) -> None:
        """Begin with nothing in the circles."""
        self._device = SimulatedTextDevice(line)
        self._lying: dict[tuple[int, int], tuple[str, int]] = {}

    def wake(self) -> None:
        """Say who it is and what lies there, as after power-up."""
        self._device.say("ALIVE", "PAD1")
        for (box, seat), (amount, sure) in self._lying.items():
            self._tell("STAKE", box, seat, amount, sure)

    def lay(self, box: int, seat: int, amount: int | None, sure: int = SURE) -> None:
        """Let this much lie in a circle, minor units; None: chips that it cannot count."""
        told = "?" if amount is None else str(amount)
        self._lying[box, seat] = (told, sure)
        self._tell("STAKE", box, seat, told, sure)

    def pay(self, box: int, seat: int, amount: int, sure: int = SURE) -> None:
        """Hand so much back to a bettor in all, stake included."""
        self._tell("PAID", box, seat, str(amount), sure)

    def say(self, word: str, argument: str) -> None:
        """Send any line."""
        self._device.say(word, argument)

    def _tell(self, word: str, box: int, seat: int, amount: str, sure: int) -> None:
        self._device.say(word, f"{box}:{seat}:{amount}:{sure}")

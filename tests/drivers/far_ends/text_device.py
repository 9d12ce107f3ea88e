"""A small device that sends lines of text, as hardware/serial-devices.md describes them."""

from drivers.simulated import SimulatedLine


class SimulatedTextDevice:
    """A device at the far end of `line`; it sends when it is told to."""

    def __init__(self, line: SimulatedLine) -> None:
        """Begin with line number 00."""
        self._line = line
        self._number = 0

    def say(self, word: str, argument: str = "") -> None:
        """Send a line."""
        self._line.write(text_line(word, self._number, argument))
        self._number = (self._number + 1) % 100


def text_line(word: str, number: int, argument: str) -> bytes:
    """A whole line; `number` is 0 to 99."""
    text = f"{word},{number:02},{argument}"
    check = 0
    for character in text:
        check ^= ord(character)
    return f"${text}*{check:02X}\r\n".encode("ascii")

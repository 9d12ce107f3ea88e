"""A camera's decoder from a seed: the live one's own code on the table's loop, asked by the same packets.

What is left out is its process. Answers are lost, late or garbled, or it is killed, as the seed says.
"""

import json
from collections.abc import Callable
from random import Random
from typing import Final, Literal

import numpy as np

from controller.domain import DeviceError
from drivers.camera import Grabber
from drivers.camera.decoder import ENCODED, PACKET_BYTES, Line, decoded, description, grabbed

DecoderFault = Literal["answer lost", "answer late", "answer garbled", "decoder killed"]
"""The next answer never comes · comes later · has another byte · the decoder ends while it is asked."""

LATE_S: Final = 1.0


class SeededDecoder:
    """One decoder of one source, which `make` opens. `fault` gives what is due, `late` lets time pass."""

    pid = 0

    def __init__(
        self,
        make: Callable[[], Grabber],
        fault: Callable[[], DecoderFault | None],
        late: Callable[[float], None],
        chance: Random,
    ) -> None:
        """It runs; nothing is open."""
        self.memory = np.zeros(ENCODED.stop, np.uint8)
        self._fault, self._late, self._chance = fault, late, chance
        self._is_gone = False
        self._make = make
        self._grabber: Grabber | None = None

    def kill(self) -> None:
        """End the decoder; each later question fails."""
        self._is_gone = True

    close = kill

    def ask(self, line: Line, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:  # noqa: ARG002
        """Answer a packet, with the fault that the seed has for it."""
        if self._is_gone:
            raise ConnectionResetError("killed")
        answer = decoded(packet, self.memory) if line == "decoding" else self._picture()
        match self._fault():
            case "answer lost":
                raise TimeoutError
            case "answer late":
                self._late(LATE_S)
            case "answer garbled" if most == PACKET_BYTES:
                at = self._chance.randrange(len(answer))
                other = answer[at] ^ self._chance.randint(1, 255)
                return answer[:at] + bytes((other,)) + answer[at + 1 :]
            case "answer garbled":
                return answer[: len(answer) // 2]
            case "decoder killed":
                self._is_gone = True
                raise ConnectionResetError("killed")
        return answer

    def _picture(self) -> bytes:
        """The first packet says what to open."""
        if self._grabber is not None:
            return grabbed(self._grabber, self.memory)
        try:
            self._grabber = self._make()
        except DeviceError as error:
            return json.dumps({"reason": error.params["reason"]}).encode()
        return description(self._grabber, is_confined=False)

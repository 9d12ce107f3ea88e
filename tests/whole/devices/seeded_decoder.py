"""A camera's decoder from a seed: the live one's own code on the table's loop, asked by the same packets.

What is left out is its process. Answers are lost, late or garbled, or it is killed, as the seed says.
"""

import json
from collections.abc import Callable
from random import Random
from typing import Final, Literal

from controller.domain import DeviceError
from drivers.camera import Grabber
from drivers.camera.decoder.child import decoded, description, grabbed
from drivers.camera.decoder.messages import PACKET_BYTES, SharedMemory, make_memory
from drivers.camera.decoder.source import AskedDecoder, DecoderLine

DecoderFault = Literal["answer lost", "answer late", "answer garbled", "decoder killed"]
"""The next answer never comes · comes later · has another byte · the decoder ends while it is asked."""

LATE_S: Final = 1.0

Serve = Callable[[bytes], bytes]


class SeededDecoder(AskedDecoder):
    """One decoder of one source, which `make` opens. `fault` gives what is due, `late` lets time pass."""

    def __init__(
        self,
        make: Callable[[], Grabber],
        fault: Callable[[], DecoderFault | None],
        late: Callable[[float], None],
        chance: Random,
    ) -> None:
        """It runs; nothing is open."""
        self.fault, self.late, self.chance = fault, late, chance
        self.is_gone = False
        self._make = make
        self._grabber: Grabber | None = None
        self._shared = SharedMemory(make_memory())
        pictures = _Line(self, self._picture)
        super().__init__(pictures, _Line(self, lambda packet: decoded(packet, self._shared)), self._shared)

    def close(self) -> None:
        """End the decoder; each later question fails."""
        self.is_gone = True

    def _kill(self) -> None:
        self.is_gone = True

    def _picture(self, packet: bytes) -> bytes:
        """The first packet says what to open."""
        if self._grabber is not None:
            return grabbed(packet, self._grabber, self._shared)
        try:
            self._grabber = self._make()
        except DeviceError as error:
            return json.dumps({"reason": error.params["reason"]}).encode()
        return json.dumps(description(self._grabber, is_confined=False)).encode()


class _Line(DecoderLine):
    """One of its lines, on which it answers at once."""

    def __init__(self, decoder: SeededDecoder, serve: Serve) -> None:
        super().__init__()
        self._decoder, self._serve = decoder, serve

    def asked(self, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:  # noqa: ARG002
        """Answer a packet, with the fault that the seed has for it."""
        decoder = self._decoder
        if decoder.is_gone:
            raise ConnectionResetError("killed")
        answer = self._serve(packet)
        match decoder.fault():
            case "answer lost":
                raise TimeoutError
            case "answer late":
                decoder.late(LATE_S)
            case "answer garbled" if most == PACKET_BYTES:
                at = decoder.chance.randrange(len(answer))
                other = answer[at] ^ decoder.chance.randint(1, 255)
                return answer[:at] + bytes((other,)) + answer[at + 1 :]
            case "answer garbled":
                return answer[: len(answer) // 2]
            case "decoder killed":
                decoder.is_gone = True
                raise ConnectionResetError("killed")
        return answer

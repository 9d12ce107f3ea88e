"""A decoder as whoever asks it has it: two lines and the memory that it shares, wherever it runs."""

import json
import threading
from abc import ABC, abstractmethod
from typing import Any

from drivers.camera.decoder.pipe_messages import JSON_BYTES_MAX, PACKET_BYTES, DecoderAnswer, DecoderQuestion
from drivers.camera.decoder.shared_memory import SharedMemory


class DecoderLost(Exception):
    """There is no decoder any more. `reason`: DECODER_LOST, DECODER_SILENT or DECODER_WRONG."""

    def __init__(self, reason: str) -> None:
        """`reason` is what a device's health will say."""
        super().__init__(reason)
        self.reason = reason


class DecoderLine(ABC):
    """One of the two lines to a decoder."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._number = 0

    @abstractmethod
    def asked(self, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        """Send a packet and wait for the answer; raises TimeoutError, and OSError where nobody is there."""

    def question(self, length: int = 0, width: int = 0, height: int = 0) -> DecoderQuestion:
        """The next question."""
        self._number += 1
        return DecoderQuestion(self._number, length, width, height)


class AskedDecoder(ABC):
    """One decoder; whoever says what cannot be, or nothing, is killed."""

    pid = 0
    """The number of its process; 0 where it has none of its own."""

    def __init__(self, pictures: DecoderLine, decoding: DecoderLine, memory: SharedMemory) -> None:
        """It runs; nothing is open."""
        self.pictures, self.decoding, self.memory = pictures, decoding, memory
        self._ended = ""
        self._lock = threading.Lock()

    @abstractmethod
    def close(self) -> None:
        """Hang up."""

    @abstractmethod
    def _kill(self) -> None:
        """End it at once; called under the lock."""

    def open(self, job: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Have it open a source; what it says of it, or "reason" why not. Raises `DecoderLost`."""
        packet = self._answer(self.pictures, json.dumps(job).encode(), timeout_s, JSON_BYTES_MAX)
        try:
            answer = json.loads(packet)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self.wrong()
        return answer

    def ask(self, line: DecoderLine, question: DecoderQuestion, timeout_s: float) -> DecoderAnswer:
        """Ask on one line; the answer is to this very question. Raises `DecoderLost`."""
        packet = self._answer(line, question.packed(), timeout_s)
        try:
            answer = DecoderAnswer.unpacked(packet)
        except ValueError as error:
            raise self.wrong() from error
        if answer.number != question.number:
            raise self.wrong()
        return answer

    def wrong(self) -> DecoderLost:
        """End it, because it says what cannot be."""
        return self._killed("DECODER_WRONG")

    def _answer(self, line: DecoderLine, packet: bytes, timeout_s: float, most: int = PACKET_BYTES) -> bytes:
        try:
            return line.asked(packet, timeout_s, most)
        except TimeoutError as error:
            raise self._killed("DECODER_SILENT") from error
        except OSError as error:
            raise self._killed("DECODER_LOST") from error

    def _killed(self, reason: str) -> DecoderLost:
        """Kill it; the first reason stays, whichever line it was seen on."""
        with self._lock:
            self._ended = self._ended or reason
            self._kill()
        return DecoderLost(self._ended)

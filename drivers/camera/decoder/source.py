"""A source of pictures that is open in another process: the `Grabber` that a camera has in its hands."""

import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from controller.domain import DeviceError
from drivers.camera.camera_pictures import BYTES_MAX, PIXELS_MAX, JpegPicture, Picture, picture_of
from drivers.camera.config import CameraConfig, Grabbed, Grabber, Image, PictureFault, without_password
from drivers.camera.decoder.asked_decoder import AskedDecoder, DecoderLost
from drivers.camera.decoder.picture_copies import PictureCopies
from drivers.camera.decoder.pipe_messages import ENVIRONMENT, DecoderAnswer, DecoderOutcome
from drivers.camera.decoder.process import START_S, DecoderProcess
from drivers.camera.decoder.shared_memory import CHANNELS, DECODED, ENCODED, GRABBED, Slot
from drivers.camera.sources import kind_of, opencv
from drivers.device_driver import DeviceLost

GRACE_S: Final = 2.0
"""How much longer than a camera may be silent its decoder may be."""

DECODE_S: Final = 5.0
"""A picture of 40 megapixels takes 0.3 s on a machine that does nothing else."""

REASONS: Final = frozenset(
    {"NOT_THERE", "EMPTY_FOLDER", "NOT_OPENED", "NO_STREAM", "TOO_LARGE", "SETTING_REFUSED"}
)
"""Why a source cannot be opened."""

SETTINGS_MAX, LETTERS_MAX = 16, 100


def open_confined(config: CameraConfig, start: Callable[[], AskedDecoder] = DecoderProcess) -> Grabber:
    """Open what `config.source` names in a decoder that `start` gives: one in a process of its own.

    Raises `DeviceError` DEVICE_OPEN_FAILED with `port` and `reason`: those of `open_source`, or DECODER_LOST,
    DECODER_SILENT, DECODER_WRONG.
    """
    is_path = kind_of(config.source) != "stream" and not config.source.isdigit()
    source = str(Path(config.source).absolute()) if is_path else config.source
    decoder = None
    try:
        decoder = start()
        answer = decoder.open(_job(config._replace(source=source)), START_S)
        if "reason" in answer:
            raise _refused(config, answer)
        return _ConfinedSource(decoder, answer)
    except DecoderLost as lost:
        if decoder is not None:
            decoder.close()
        raise DeviceError(
            "DEVICE_OPEN_FAILED", port=without_password(config.source), reason=lost.reason
        ) from lost
    except DeviceError:
        if decoder is not None:
            decoder.close()
        raise


def _job(config: CameraConfig) -> dict[str, Any]:
    """What a decoder has to know; nothing of it stands in its command line, where everybody could read it."""
    asked = config._replace(life=config.life)._asdict()
    del asked["life"]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {"config": asked, "network_ms": opencv.NETWORK_MS_MAX, "environment": environment}


def _refused(config: CameraConfig, answer: dict[str, Any]) -> DeviceError:
    reason = answer["reason"] if answer["reason"] in REASONS else "NOT_OPENED"
    more = {"setting": str(answer["setting"])[:LETTERS_MAX]} if "setting" in answer else {}
    return DeviceError("DEVICE_OPEN_FAILED", port=without_password(config.source), reason=reason, **more)


class _ConfinedSource:
    """Checks every number that the decoder says before it is used."""

    def __init__(self, decoder: AskedDecoder, answer: dict[str, Any]) -> None:
        """Take an open source as the decoder describes it; raises `DecoderLost`."""
        self.paced, self.finite, self.watched = (
            answer.get(name) is True for name in ("paced", "finite", "watched")
        )
        self.confined = answer.get("confined") is True
        self.pid = decoder.pid
        self._decoder = decoder
        self._decoding = threading.Lock()
        self._copies = PictureCopies()
        self._wait_s = opencv.NETWORK_MS_MAX / 1000 + GRACE_S
        self._answer = DecoderAnswer(0, DecoderOutcome.NOTHING)
        try:
            self.settings = tuple(
                (str(name)[:LETTERS_MAX], str(value)[:LETTERS_MAX])
                for name, value in answer["settings"][:SETTINGS_MAX]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise decoder.wrong() from error

    def grab(self) -> Grabbed | None:
        """See `Grabber.grab`; raises `DeviceLost` where the decoder is gone."""
        line = self._decoder.pictures
        try:
            answer = self._answer = self._decoder.ask(line, line.question(), self._wait_s)
            match answer.outcome:
                case DecoderOutcome.END:
                    return None
                case DecoderOutcome.NOTHING:
                    raise PictureFault(answer.fault or "BROKEN")
                case DecoderOutcome.PIXELS:
                    return self._pixels(GRABBED, answer)
                case DecoderOutcome.JPEG:
                    return self._jpeg(answer)
        except DecoderLost as lost:
            raise DeviceLost(lost.reason) from lost

    def picture(self, grabbed: Grabbed) -> Picture:
        """See `MakesPictures.picture`: of the picture that was grabbed last."""
        if not isinstance(grabbed, bytes):
            return picture_of(grabbed)
        if self._answer.fault:
            raise PictureFault(self._answer.fault)
        size = self._answer.width, self._answer.height
        return JpegPicture(size, partial(self._decode, grabbed, size))

    def _decode(self, data: bytes, whole: tuple[int, int], size: tuple[int, int]) -> Image:
        """Decode one JPEG picture that is so large as a `whole`, at this size or the next above.

        Raises `PictureFault`: BROKEN, or why there is no decoder any more.
        """
        line, (width, height) = self._decoder.decoding, size
        with self._decoding:
            try:
                self._decoder.memory.put(ENCODED, data)
                answer = self._decoder.ask(line, line.question(len(data), width, height), DECODE_S)
                if answer.outcome is DecoderOutcome.NOTHING:
                    raise PictureFault(answer.fault or "BROKEN")
                image = self._pixels(DECODED, answer)
            except DecoderLost as lost:
                raise PictureFault(lost.reason) from lost
        found = image.shape[:2]
        if found[0] < height or found[1] < width or (size == whole and found != (height, width)):
            raise PictureFault("BROKEN")
        return image

    def close(self) -> None:
        """See `Grabber.close`."""
        self._decoder.close()

    def _jpeg(self, answer: DecoderAnswer) -> bytes:
        """Copy a JPEG picture out of the slot; raises `DecoderLost` for what cannot be."""
        size = answer.width * answer.height
        if answer.length > BYTES_MAX or not (answer.fault or 0 < size <= PIXELS_MAX):
            raise self._decoder.wrong()
        return self._decoder.memory.at(GRABBED, answer.length).tobytes()

    def _pixels(self, slot: Slot, answer: DecoderAnswer) -> Image:
        """Copy pixels out of a slot; raises `DecoderLost` for what cannot be."""
        pixels = answer.width * answer.height
        if (
            answer.outcome is not DecoderOutcome.PIXELS
            or not 0 < pixels <= PIXELS_MAX
            or answer.length != pixels * CHANNELS
        ):
            raise self._decoder.wrong()
        image = self._copies.copy(self._decoder.memory.at(slot, answer.length))
        return image.reshape(answer.height, answer.width, CHANNELS)

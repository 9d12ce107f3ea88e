"""Pictures over HTTP and HTTPS: Python's own client fetches them, FFmpeg gets the bytes alone.

FFmpeg needs no socket then: what may open none any more can still read the stream. Behind TLS the FFmpeg
inside OpenCV's wheel would bring an OpenSSL that gets no fixes any more, and ask no server for its name. Here
the certificate is checked against the system's authorities, or those in a file that SSL_CERT_FILE names.
"""

import io
import socket
import threading
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.parse import unquote, urlsplit

SCHEMES: Final = ("http://", "https://")

_BACK_BYTES: Final = 1 << 16
"""How far FFmpeg may go back: in parts without a length it reads 2 KB beyond the boundary."""

_LINE_ENDS: Final = b"\r\n"
_DASHES: Final = b"--"
_JPEG: Final = b"\xff\xd8"
_FIRST_BYTES: Final = 4096


class HttpStream(io.BufferedIOBase):
    """The answer of a camera, as OpenCV reads it: forwards, a little back, and at its end for good."""

    def __init__(self, response: HTTPResponse, timeout_s: float) -> None:
        """Read this answer."""
        super().__init__()
        self._response = response
        # The line itself: a copy of it would leave the answer's own time limit in place.
        line: socket.socket = response.fp.raw._sock  # type: ignore[attr-defined]  # noqa: SLF001
        self._silence = _Silence(line, timeout_s)
        self._sent = b""
        self._place = self._end = 0
        self._begun = response.headers.get_content_maintype() != "multipart"
        self._waiting = b""

    def readable(self) -> bool:
        """Whether bytes can be read: always."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Give what is there, up to so many bytes; b"" at the end, or where the camera has gone silent."""
        if size is None or size <= 0:
            return b""
        again = self._sent[len(self._sent) - (self._end - self._place) :] if self._place < self._end else b""
        data = again[:size] or self._received(size)
        if not again:
            self._end += len(data)
            self._sent = (self._sent + data)[-_BACK_BYTES:]
        self._place += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go back to what was just read, and forwards again; a negative place says that it cannot be."""
        place = offset if whence == io.SEEK_SET else self._place + offset if whence == io.SEEK_CUR else -1
        if not self._end - len(self._sent) <= place <= self._end:
            return -1
        self._place = place
        return place

    def close(self) -> None:
        """Give the line back."""
        self._silence.close()
        self._response.close()
        super().close()

    def _received(self, size: int) -> bytes:
        with self._silence, suppress(HTTPException, OSError, ValueError):
            if not self._begun:
                self._begun, self._waiting = True, self._opening()
            data, self._waiting = self._waiting[:size], self._waiting[size:]
            return data or self._response.read1(size)
        return b""

    def _opening(self) -> bytes:
        """The first bytes as FFmpeg knows a stream of parts: by a boundary, with no empty line before it.

        Tasmota and several firmwares of the ESP32-CAM send the first part without its boundary, some even
        the picture alone.
        """
        data = b""
        while len(data) < len(_DASHES) and (more := self._response.read1(_FIRST_BYTES)):
            data = (data + more).lstrip(_LINE_ENDS)
        if not data or data.startswith(_DASHES):
            return data
        named = self._response.headers.get_param("boundary")
        boundary = str(named or "frame").strip('"').lstrip("-")
        head = b"Content-Type: image/jpeg\r\n\r\n" if data.startswith(_JPEG) else b""
        return b"--" + boundary.encode("ascii", "replace") + b"\r\n" + head + data


class _Silence:
    """Hangs up when a reader has waited too long.

    A time limit of Python's own asks poll(2), which refuses where no file may be opened any more.
    """

    def __init__(self, line: socket.socket, timeout_s: float) -> None:
        line.settimeout(None)
        self._line = line
        self._timeout_s = timeout_s
        self._since_s: float | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="silence", daemon=True).start()

    def __enter__(self) -> None:
        self._since_s = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._since_s = None

    def close(self) -> None:
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(self._timeout_s / 10):
            since_s = self._since_s
            if since_s is not None and time.monotonic() - since_s > self._timeout_s:
                with suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)


class _RedirectsRefused(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Ask only the address that is configured."""


def open_http(source: str, timeout_s: float) -> HttpStream:
    """Ask a camera for its stream; a name and password in the address answer Basic and Digest.

    A camera that sends nothing for `timeout_s` has ended its stream. No proxy is asked, and no redirection
    followed. Raises OSError where there is no answer, none that is well, or a certificate that nobody
    vouches for.
    """
    try:
        parts = urlsplit(source)
        host = parts.netloc.rpartition("@")[2]
        address = parts._replace(netloc=host).geturl()
        known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        if parts.username is not None:
            known.add_password(None, address, unquote(parts.username), unquote(parts.password or ""))
        opener = urllib.request.build_opener(
            _RedirectsRefused(),
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPBasicAuthHandler(known),
            urllib.request.HTTPDigestAuthHandler(known),
        )
        return HttpStream(opener.open(address, timeout=timeout_s), timeout_s)
    except (AttributeError, HTTPException, ValueError) as error:
        raise OSError(str(error)) from error

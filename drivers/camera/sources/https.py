"""Pictures over HTTPS: Python's own client and OpenSSL fetch them, FFmpeg gets the bytes alone.

The FFmpeg inside OpenCV's wheel would bring an OpenSSL that gets no fixes any more, and ask no server for its
name. Here the certificate is checked against the system's authorities, or those in a file that SSL_CERT_FILE
names.
"""

import io
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.parse import unquote, urlsplit

SCHEME: Final = "https://"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Ask only the address that is configured."""


class HttpsStream(io.BufferedIOBase):
    """The answer of a camera, as OpenCV reads it: forwards, and at its end for good."""

    def __init__(self, response: HTTPResponse) -> None:
        """Read this answer."""
        super().__init__()
        self._response = response

    def readable(self) -> bool:
        """See `io.IOBase.readable`."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Give what is there, up to so many bytes; b"" at the end, or where the camera has gone silent."""
        try:
            return self._response.read1(size or 0) if size is not None and size > 0 else b""
        except (HTTPException, OSError, ValueError):
            return b""

    def seek(self, _offset: int, _whence: int = io.SEEK_SET, /) -> int:
        """Nowhere: FFmpeg is told so by a negative place."""
        return -1

    def close(self) -> None:
        """Give the line back."""
        self._response.close()
        super().close()


def open_https(source: str, timeout_s: float) -> HttpsStream:
    """Ask a camera for its stream; a name and password in the address answer Basic and Digest.

    A camera that sends nothing for `timeout_s` has ended its stream. Raises OSError where there is no answer,
    none that is well, or a certificate that nobody vouches for.
    """
    parts = urlsplit(source)
    host = parts.netloc.rpartition("@")[2]
    address = parts._replace(netloc=host).geturl()
    known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        known.add_password(None, address, unquote(parts.username), unquote(parts.password or ""))
    opener = urllib.request.build_opener(
        _NoRedirect(),
        urllib.request.HTTPBasicAuthHandler(known),
        urllib.request.HTTPDigestAuthHandler(known),
    )
    try:
        return HttpsStream(opener.open(address, timeout=timeout_s))
    except (HTTPException, ValueError) as error:
        raise OSError(str(error)) from error

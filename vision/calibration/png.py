"""PNG files that know their size in millimetres; OpenCV writes none of that."""

import struct
import zlib
from typing import Final

import cv2

from vision.geometry import Image

_HEAD_BYTES: Final = 33
"""Signature and header chunk, behind which the resolution belongs.

Source: PNG specification, section 11.3.5.
"""

MM_PER_INCH: Final = 25.4


def png_bytes(image: Image, dpi: float | None = None) -> bytes:
    """The picture as a PNG file, with its resolution where one is given."""
    data = cv2.imencode(".png", image)[1].tobytes()
    if dpi is None:
        return data
    per_metre = round(1e3 * dpi / MM_PER_INCH)
    body = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return data[:_HEAD_BYTES] + chunk + data[_HEAD_BYTES:]

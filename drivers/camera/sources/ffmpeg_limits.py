"""What FFmpeg may do with the answer of a camera: read one stream from the address that it was given.

Left to itself it takes whatever comes for what it looks like. A camera, or whoever answers in its place, that
sends a playlist (HLS, DASH, concat, SDP) or a redirection would have this machine fetch addresses of the
sender's choice from inside the house's network.
"""

from collections.abc import Mapping, MutableMapping
from typing import Final

VARIABLE: Final = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
"""Where OpenCV takes FFmpeg's options from: `name;value` pairs with `|` between them."""

FORMATS: Final = (
    "asf",
    "avi",
    "flv",
    "h264",
    "hevc",
    "ivf",
    "jpeg_pipe",
    "m4v",
    "matroska",
    "mjpeg",
    "mov",
    "mpeg",
    "mpegts",
    "mpegvideo",
    "mpjpeg",
    "ogg",
    "rtsp",
)
"""Streams and files that hold their pictures themselves; none of them names another address."""

PROTOCOLS: Final = ("crypto", "file", "http", "rtp", "srtp", "tcp", "udp")
"""What those are carried by. `rtsp` is a format, not a protocol: as one it would be a redirection.

Without `tls` and `https` nothing reaches the OpenSSL inside OpenCV's wheel; `http_stream` does without it.
"""

OPTIONS: Final = {
    "format_whitelist": ",".join(FORMATS),
    "max_redirects": "0",
    "protocol_whitelist": ",".join(PROTOCOLS),
    # OpenCV's own default, which it drops as soon as there is any option.
    "rtsp_flags": "prefer_tcp",
}


def is_widened(environment: Mapping[str, str]) -> bool:
    """Whether the house has set an option of its own."""
    own = {f"{name};{value}" for name, value in OPTIONS.items()}
    return any(pair not in own for pair in environment.get(VARIABLE, "").split("|") if pair)


def limit_ffmpeg(environment: MutableMapping[str, str]) -> None:
    """Add the options to the environment, before the first source is opened.

    An option that is set already stays: the house may name a format or a protocol that it needs.
    """
    given = [pair for pair in environment.get(VARIABLE, "").split("|") if pair]
    named = {pair.partition(";")[0] for pair in given}
    own = [f"{name};{value}" for name, value in OPTIONS.items() if name not in named]
    environment[VARIABLE] = "|".join((*given, *own))

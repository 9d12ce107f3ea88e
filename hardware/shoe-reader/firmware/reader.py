"""The shoe reader: what the mouth and the index camera say becomes events of the protocol. No hardware.

Runs unchanged in MicroPython and CPython. The reader does not recognise cards: it sends the picture of the
index, and the table's own network names the card (raw mode).
"""

import struct

import frames
import mouth

# Pixels of a picture in one CROP.
PIECE = frames.PAYLOAD_MAX - 6

# Numbers of ERROR and CLEARED.
ERROR_TIME_OUT = 7
ERROR_CAMERA = 10

# What HELLO says of this reader: it sends pictures.
ABILITIES = 0x01

# Reasons of NO_READ.
NO_PICTURE = 1
NO_INDEX = 4

INK_MIN = 40
"""An index is darker than its background by at least this much (grey, 0 to 255)."""

PAPER_MIN = 120
"""The paper of a card is at least this bright under the strobe; a plain darker one is the cut card."""


class Reader:
    """One shoe. `capture()` strobes the lamp and returns (width, height, pixels) or None."""

    def __init__(self, link, capture, serial, firmware):
        """`serial` is 12 bytes of ASCII, `firmware` the first 8 bytes of the firmware's digest."""
        self.link = link
        self.capture = capture
        self.mouth = mouth.Mouth()
        self.passage = 0
        self.crop = 0
        self.lid_open = False
        self.camera_failed = False
        link.event(frames.HELLO, struct.pack(">12s8sHH", serial, firmware, ABILITIES, 512), 0)

    def sensor(self, is_outer, covered, now_us):
        """Take a change of an edge sensor."""
        self._happened(self.mouth.sensor(is_outer, covered, now_us), now_us)

    def tick(self, now_us):
        """Let time pass; call it at least ten times a second."""
        self._happened(self.mouth.tick(now_us), now_us)

    def lid(self, is_open, now_us):
        """Take a change of the lid switch."""
        if is_open != self.lid_open:
            self.lid_open = is_open
            self.link.event(frames.LID, struct.pack(">B", is_open), now_us // 1000)

    def status(self):
        """Give the status bits of the heartbeat."""
        return (self.mouth.inner or self.mouth.outer) | self.lid_open << 1 | self.camera_failed << 6

    def _happened(self, happened, now_us):
        for kind, number in happened:
            self._one(kind, number, now_us // 1000)

    def _one(self, kind, number, now_ms):
        """Turn one thing that the mouth saw into events."""
        leaving = (self.passage + 1) % 0x10000
        if kind == mouth.ENTERED:
            self.link.event(frames.EDGE, struct.pack(">HBH", leaving, 1, 0), now_ms)
            self._read(leaving, now_ms)
        elif kind == mouth.LEFT:
            self.passage = leaving
            self.link.event(frames.EDGE, struct.pack(">HBH", leaving, 2, number), now_ms)
        elif kind == mouth.PULLED_BACK:
            self.link.event(frames.REVERSE, struct.pack(">HB", leaving, number), now_ms)
        elif kind == mouth.DOUBLE:
            self.link.event(frames.DOUBLE_FEED, struct.pack(">H", leaving), now_ms)
        elif kind == mouth.STUCK:
            self.link.event(frames.ERROR, struct.pack(">BB", ERROR_TIME_OUT, 0), now_ms)
        elif kind == mouth.FREE:
            self.link.event(frames.CLEARED, struct.pack(">B", ERROR_TIME_OUT), now_ms)

    def _read(self, passage, now_ms):
        """Take the picture of the index and send it, or say why there is none."""
        picture = self.capture()
        self._camera(picture is None, now_ms)
        if picture is None:
            self.link.event(frames.NO_READ, struct.pack(">HBH", passage, NO_PICTURE, 0), now_ms)
            return
        width, height, pixels = picture
        plain = max(pixels) - min(pixels) < INK_MIN
        if plain and max(pixels) < PAPER_MIN:
            self.link.event(frames.CUT_CARD, struct.pack(">H", passage), now_ms)
            return
        self._send_crop(width, height, pixels, now_ms)
        if plain:
            self.link.event(frames.NO_READ, struct.pack(">HBH", passage, NO_INDEX, self.crop), now_ms)
        else:
            card = struct.pack(">HBBBBBBH", passage, 0, 0, 0xFF, 0, 0, 0, self.crop)
            self.link.event(frames.CARD, card, now_ms)

    def _send_crop(self, width, height, pixels, now_ms):
        """Send a picture in pieces of 42 pixels."""
        self.crop = self.crop % 0xFFFF + 1
        pieces = (len(pixels) + PIECE - 1) // PIECE
        for piece in range(pieces):
            head = struct.pack(">HBBBB", self.crop, piece, pieces, width, height)
            self.link.event(frames.CROP, head + pixels[piece * PIECE : (piece + 1) * PIECE], now_ms)

    def _camera(self, failed, now_ms):
        """Report the camera once when it fails and once when it is back."""
        if failed != self.camera_failed:
            self.camera_failed = failed
            payload = struct.pack(">BB", ERROR_CAMERA, 0) if failed else struct.pack(">B", ERROR_CAMERA)
            self.link.event(frames.ERROR if failed else frames.CLEARED, payload, now_ms)

"""Binds the reader to the board: pins, camera, USB. The only module that needs MicroPython's `machine`.

Nothing is decided here; a board with other pins changes only this file.
"""

import hashlib
import os
import select
import struct
import sys
import time

import machine
import micropython
from link import Link
from reader import Reader

# Pins as the README wires them; the strobe in microseconds; the picture of the index in pixels.
INNER_PIN = 2
OUTER_PIN = 3
LID_PIN = 4
LAMP_PIN = 5
STROBE_US = 100
CROP_WIDTH = 32
CROP_HEIGHT = 48

# A code of COMMAND, a result of DONE, and the modules that HELLO's digest covers.
CODE_SELF_TEST = 4
NOT_POSSIBLE = 1
MODULES = ("frames.py", "link.py", "mouth.py", "reader.py", "main.py")


def firmware_digest():
    """Give the first eight bytes of the SHA-256 over the modules, in this order."""
    digest = hashlib.sha256()
    for name in MODULES:
        with open(name, "rb") as module:  # noqa: PTH123 - MicroPython has no pathlib
            digest.update(module.read())
    return digest.digest()[:8]


class Board:
    """Sensors, lamp and camera of the reference board. Sensor outputs are high while covered."""

    def __init__(self, camera):
        """`camera.crop(width, height)` returns the index as 8-bit grey bytes, None on a fault."""
        self.inner = machine.Pin(INNER_PIN, machine.Pin.IN)
        self.outer = machine.Pin(OUTER_PIN, machine.Pin.IN)
        self.lid = machine.Pin(LID_PIN, machine.Pin.IN, machine.Pin.PULL_UP)
        self.lamp = machine.Pin(LAMP_PIN, machine.Pin.OUT, value=0)
        self.camera = camera

    def capture(self):
        """Freeze the card with a short flash and read the index."""
        self.lamp.on()
        time.sleep_us(STROBE_US)
        self.lamp.off()
        pixels = self.camera.crop(CROP_WIDTH, CROP_HEIGHT)
        return None if pixels is None else (CROP_WIDTH, CROP_HEIGHT, pixels)


def run(board):
    """Read sensors, serve the line, for ever; the watchdog restarts a board that hangs."""
    serial = machine.unique_id().hex().upper()[:12].encode()
    boot = struct.unpack(">H", os.urandom(2))[0]
    link = Link(boot)
    reader = Reader(link, board.capture, serial, firmware_digest())
    link.status = lambda: (reader.status(), -128)
    watchdog = machine.WDT(timeout=2000)
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    # The line carries every byte value: 3 must not stop the program.
    micropython.kbd_intr(-1)
    last_us = time.ticks_us()
    passed_us = 0
    while True:
        watchdog.feed()
        now_us = time.ticks_us()
        passed_us += time.ticks_diff(now_us, last_us)
        last_us = now_us
        reader.sensor(False, bool(board.inner.value()), passed_us)
        reader.sensor(True, bool(board.outer.value()), passed_us)
        reader.lid(bool(board.lid.value()), passed_us)
        reader.tick(passed_us)
        heard = sys.stdin.buffer.read(1) if poll.poll(0) else b""
        for command, code, _ in link.hear(heard, passed_us // 1000):
            link.done(command, 0 if code == CODE_SELF_TEST else NOT_POSSIBLE, passed_us // 1000)
        sys.stdout.buffer.write(link.outgoing(passed_us // 1000))


if __name__ == "__main__":
    from camera import IndexCamera

    run(Board(IndexCamera()))

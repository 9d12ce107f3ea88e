"""Binds the reader to the board: pins, counters, flash, USB. With `programs` all that needs a board.

Nothing is decided here; a board with other pins changes only this file.
"""

import hashlib
import json
import os
import select
import struct
import sys
import time

import machine
import micropython
import programs
import rp2
from link import Link
from mouth import Settings
from reader import Reader
from stamps import Stamps

# Pins as the README wires them.
INNER_PIN = 2
OUTER_PIN = 3
LID_PIN = 4
FLASH_PIN = 5
LOCK_PIN = 6
PAPER_PIN = 7
SDA_PIN, SCL_PIN = 8, 9
LIGHT_PINS = (10, 11, 12, 13, 14, 15)

# A flash a little later than every frame of a camera with 120 pictures a second.
FLASH_PERIOD_US = 8500

# The FDC1004: address, the registers of measurement 1, and 400 samples a second of one channel.
CAPACITANCE = 0x50
CONFIGURE, START, RESULT = 0x08, 0x0C, 0x00
CHANNEL_1 = struct.pack(">H", 0x1C00)
REPEAT_400 = struct.pack(">H", 0x0D80)
SAMPLE_US = 2500

# The modules that HELLO's digest covers.
MODULES = ("frames.py", "link.py", "mouth.py", "programs.py", "reader.py", "stamps.py", "main.py")
SETTINGS = "settings.json"


def firmware_digest():
    """Give the first eight bytes of the SHA-256 over the modules, in this order."""
    digest = hashlib.sha256()
    for name in MODULES:
        with open(name, "rb") as module:  # noqa: PTH123 - MicroPython has no pathlib
            digest.update(module.read())
    return digest.digest()[:8]


def settings():
    """Read what `stand17 calibrate shoe` has found, and what one card measures; else the defaults."""
    try:
        with open(SETTINGS) as file:  # noqa: PTH123
            found = json.load(file)
    except OSError:
        found = {}
    card = found.pop("card_counts", 44000)
    return Settings(**found), card


class Thickness:
    """Two plates around the card, measured as a capacitor: in percent of what one card adds."""

    def __init__(self, card_counts):
        """`card_counts`: by how much one card raises the upper 24 bits of the result."""
        self.bus = machine.I2C(0, sda=machine.Pin(SDA_PIN), scl=machine.Pin(SCL_PIN), freq=400000)
        self.bus.writeto_mem(CAPACITANCE, CONFIGURE, CHANNEL_1)
        self.bus.writeto_mem(CAPACITANCE, START, REPEAT_400)
        self.card = card_counts
        self.empty = None

    def percent(self, mouth_empty):
        """Measure; while the mouth is empty the value without a card follows warmth and damp."""
        high = self.bus.readfrom_mem(CAPACITANCE, RESULT, 2)
        low = self.bus.readfrom_mem(CAPACITANCE, RESULT + 1, 2)
        value = struct.unpack(">i", high + low[:1] + b"\0")[0] >> 8
        if self.empty is None:
            self.empty = value
        if mouth_empty:
            self.empty += (value - self.empty) // 16
        return (value - self.empty) * 100 // self.card


class Board:
    """Everything that has a pin. Sensor outputs are high while covered."""

    def __init__(self, card_counts):
        self.inner = machine.Pin(INNER_PIN, machine.Pin.IN)
        self.outer = machine.Pin(OUTER_PIN, machine.Pin.IN)
        self.lid = machine.Pin(LID_PIN, machine.Pin.IN, machine.Pin.PULL_UP)
        self.lock = machine.Pin(LOCK_PIN, machine.Pin.OUT, value=0)
        self.paper = machine.Pin(PAPER_PIN, machine.Pin.IN)
        self.lights = [machine.Pin(pin, machine.Pin.OUT, value=0) for pin in LIGHT_PINS]
        self.thickness = Thickness(card_counts)
        flash_pin = machine.Pin(FLASH_PIN)
        self.flash = rp2.StateMachine(0, programs.flash, freq=programs.CYCLES_HZ, set_base=flash_pin)
        self.counters = [
            rp2.StateMachine(4 + place, programs.stamp, freq=programs.CYCLES_HZ, jmp_pin=pin)
            for place, pin in enumerate((self.inner, self.outer))
        ]
        self.stamps = Stamps()

    def start(self):
        """Begin to flash and to count; returns the time at which the counters began."""
        self.flash.active(1)
        self.flash.put(FLASH_PERIOD_US - programs.FLASH_US - 3)
        began = time.ticks_us()
        for counter in self.counters:
            counter.active(1)
        return began

    def light(self, bits):
        """Light the code."""
        for place, pin in enumerate(self.lights):
            pin.value(bits >> place & 1)

    def drain(self):
        """Take what the counters have told; returns whether all of it fits the pins."""
        fits = True
        for is_outer, counter in enumerate(self.counters):
            # Eight words fit; a full FIFO may have dropped one.
            fits = fits and counter.rx_fifo() < 8
            while counter.rx_fifo():
                self.stamps.put(bool(is_outer), counter.get())
        inner, outer = bool(self.inner.value()), bool(self.outer.value())
        # Only a pin that has not changed since its counter was read can contradict it.
        read = not any(counter.rx_fifo() for counter in self.counters)
        return fits and (not read or self.stamps.fits(inner, outer))


def run(board, link, reader):
    """Read sensors, serve the line, for ever; the watchdog restarts a board that hangs."""
    watchdog = machine.WDT(timeout=2000)
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    # The line carries every byte value: 3 must not stop the program.
    micropython.kbd_intr(-1)
    last_us, now_us, sampled_us = board.start(), 0, 0
    while True:
        watchdog.feed()
        ticks = time.ticks_us()
        now_us += time.ticks_diff(ticks, last_us)
        last_us = ticks
        fits = board.drain()
        for is_outer, covered, at_us in board.stamps.take(now_us):
            reader.edge(is_outer, covered, at_us, now_us)
        if not fits:
            reader.sensor(True, now_us)
        board.light(reader.lights)
        if now_us - sampled_us >= SAMPLE_US:
            sampled_us = now_us
            empty = not (reader.mouth.inner or reader.mouth.outer)
            reader.sample(board.thickness.percent(empty), bool(board.paper.value()), now_us)
        reader.lid(bool(board.lid.value()), now_us)
        reader.tick(now_us)
        received = sys.stdin.buffer.read(1) if poll.poll(0) else b""
        for command, code, _ in link.receive(received, now_us // 1000):
            link.done(command, reader.command(code, now_us), now_us // 1000)
        board.lock.value(reader.locked)
        sys.stdout.buffer.write(link.outgoing(now_us // 1000))


def main():
    """Put everything together and run."""
    found, card_counts = settings()
    serial = machine.unique_id().hex().upper()[:12].encode()
    link = Link(struct.unpack(">H", os.urandom(2))[0])
    reader = Reader(link, serial, firmware_digest(), found)
    link.status = lambda: (reader.status(), -128)
    run(Board(card_counts), link, reader)


if __name__ == "__main__":
    main()

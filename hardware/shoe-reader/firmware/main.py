"""Binds the reader to the board: pins, counters, flash, USB. With `programs` all that needs a board.

Nothing is decided here; a board with other pins changes only this file. What fails at the start or on the bus
is replaced by a default and reported: the edges are counted all the same.
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
from reader import DEFAULTS, NO_THICKNESS, Reader
from stamps import Stamps

# Pins as the README wires them.
_INNER_PIN = 2
_OUTER_PIN = 3
_FLASH_PIN = 5
_SDA_PIN, _SCL_PIN = 8, 9
_LIGHT_PINS = (10, 11, 12, 13, 14, 15)
_PAPER_PIN = 26
_LED_PIN = 25

# The FDC1004: address, the registers of measurement 1, and 400 samples a second of one channel.
_CAPACITANCE = 0x50
_CONFIGURE, START, _RESULT = 0x08, 0x0C, 0x00
_CHANNEL_1 = struct.pack(">H", 0x1C00)
_REPEAT_400 = struct.pack(">H", 0x0D80)
SAMPLE_US = 2500

# The reflective sensor is read so often: a cut card at 3 m/s covers both beams for 5 ms.
PAPER_US = 1000

# The bus is tried again so often after a fault: each try may take 50 ms.
_AGAIN_US = 1000000

# Milliseconds after power-up in which the button BOOTSEL ends the program, and the prompt is there.
_BUTTON_MS = 3000
_WATCHDOG_MS = 2000

# The modules that HELLO's digest covers.
MODULES = ("frames.py", "link.py", "mouth.py", "programs.py", "reader.py", "stamps.py", "main.py")
SETTINGS = "settings.json"
_STAY = "stay"


def _firmware_digest():
    """Give the first eight bytes of the SHA-256 over the modules, in this order; zeros if one is missing."""
    digest = hashlib.sha256()
    try:
        for name in MODULES:
            with open(name, "rb") as module:  # noqa: PTH123 - MicroPython has no pathlib
                digest.update(module.read())
    except OSError:
        return bytes(8)
    return digest.digest()[:8]


def settings():
    """Read what `stand17 calibrate shoe` has found; the default for what is missing or cannot be."""
    try:
        with open(SETTINGS) as file:  # noqa: PTH123
            found = json.load(file)
        return Settings(**found)
    except (OSError, ValueError, TypeError):
        return Settings()


def store(changed):
    """Keep the settings for the next start; whether they are kept."""
    try:
        with open(SETTINGS + ".new", "w") as file:  # noqa: PTH123
            json.dump(changed.all(), file)
        os.rename(SETTINGS + ".new", SETTINGS)  # noqa: PTH104
    except OSError:
        return False
    return True


def _wants_prompt(led):
    """Whether somebody asks for the prompt: by the command before this start, or by the button."""
    try:
        os.remove(_STAY)  # noqa: PTH107
    except OSError:
        pass
    else:
        return True
    led.value(1)
    until = time.ticks_add(time.ticks_ms(), _BUTTON_MS)
    while time.ticks_diff(until, time.ticks_ms()) > 0:
        if rp2.bootsel_button():
            return True
        time.sleep_ms(20)
    led.value(0)
    return False


class Thickness:
    """The foil under the cards, measured as a capacitor by the FDC1004."""

    def __init__(self):
        self.bus = None
        self.again_us = 0
        self._begin()

    def _begin(self):
        """Set the chip up; whether it answers."""
        try:
            self.bus = machine.I2C(0, sda=machine.Pin(_SDA_PIN), scl=machine.Pin(_SCL_PIN), freq=400000)
            self.bus.writeto_mem(_CAPACITANCE, _CONFIGURE, _CHANNEL_1)
            self.bus.writeto_mem(_CAPACITANCE, START, _REPEAT_400)
        except (OSError, ValueError):
            self.bus = None
        return self.bus is not None

    def counts(self, now_us):
        """Give the upper 24 bits of the result; None while the chip does not answer."""
        if self.bus is None:
            if now_us < self.again_us:
                return None
            self.again_us = now_us + _AGAIN_US
            if not self._begin():
                return None
        try:
            high = self.bus.readfrom_mem(_CAPACITANCE, _RESULT, 2)
            low = self.bus.readfrom_mem(_CAPACITANCE, _RESULT + 1, 2)
        except OSError:
            self.bus = None
            return None
        return struct.unpack(">i", high + low[:1] + b"\0")[0] >> 8


class Board:
    """Everything that has a pin. Beams are high while covered; code lights are on while low."""

    def __init__(self, flash_us):
        self.inner = machine.Pin(_INNER_PIN, machine.Pin.IN)
        self.outer = machine.Pin(_OUTER_PIN, machine.Pin.IN)
        self.lights = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in _LIGHT_PINS]
        self.paper = machine.ADC(_PAPER_PIN)
        self.thickness = Thickness()
        self.flash_us = flash_us
        # A start without a power-up finds the old programs still there.
        for block in (0, 1):
            rp2.PIO(block).remove_program()
        flash_pin = machine.Pin(_FLASH_PIN)
        self.flash = rp2.StateMachine(0, programs.flash, freq=programs.CYCLES_HZ, set_base=flash_pin)
        self.counters = [
            rp2.StateMachine(4 + place, programs.stamp, freq=programs.CYCLES_HZ, jmp_pin=pin)
            for place, pin in enumerate((self.inner, self.outer))
        ]
        self.stamps = Stamps()

    def start(self):
        """Begin to flash and to count; returns the time at which the counters began."""
        self.flash.active(1)
        self.flash.put(self.flash_us - programs.FLASH_US - 3)
        began = time.ticks_us()
        for counter in self.counters:
            counter.active(1)
        return began

    def light(self, bits):
        """Light the code."""
        for place, pin in enumerate(self.lights):
            pin.value(not bits >> place & 1)

    def paper_mv(self):
        """The reflective sensor's pin."""
        return self.paper.read_u16() * 3300 // 65535

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


def run(board, link, reader, watchdog):
    """Read sensors and serve the line until the host ends it; the watchdog restarts a board that hangs."""
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    # The line carries every byte value: 3 must not stop the program.
    micropython.kbd_intr(-1)
    last_us, now_us, sampled_us, paper_us, ended_us = board.start(), 0, 0, 0, None
    while ended_us is None or (link.waiting() and now_us - ended_us < _AGAIN_US):
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
        if now_us - paper_us >= PAPER_US:
            paper_us = now_us
            reader.paper(board.paper_mv())
        if now_us - sampled_us >= SAMPLE_US:
            sampled_us = now_us
            reader.sample(board.thickness.counts(now_us), now_us)
        reader.tick(now_us)
        received = sys.stdin.buffer.read(1) if poll.poll(0) else b""
        for order in link.receive(received, now_us // 1000):
            reader.order(order, now_us)
        if reader.ended and ended_us is None:
            ended_us = now_us
        sys.stdout.buffer.write(link.outgoing(now_us // 1000))


def main():
    """Put everything together and run; a fault that has no default restarts the board."""
    if _wants_prompt(machine.Pin(_LED_PIN, machine.Pin.OUT)):
        return
    watchdog = machine.WDT(timeout=_WATCHDOG_MS)
    try:
        found = settings()
        board = Board(found.flash_us)
        watchdog.feed()
        doubts = (0 if found.complete else DEFAULTS) | (NO_THICKNESS if board.thickness.bus is None else 0)
        serial = machine.unique_id().hex().upper()[:12].encode()
        link = Link(struct.unpack(">H", os.urandom(2))[0])
        reader = Reader(link, serial, _firmware_digest(), found, store=store, doubts=doubts)
        link.status = lambda: (reader.status(), -128)
        run(board, link, reader, watchdog)
        # The watchdog goes on: only a start can give the prompt to somebody who writes firmware.
        with open(_STAY, "w"):  # noqa: PTH123
            pass
    finally:
        machine.reset()


if __name__ == "__main__":
    main()

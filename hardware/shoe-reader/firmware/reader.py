"""The shoe reader: what the mouth says becomes events of the protocol and lights for the camera. No hardware.

Runs unchanged in MicroPython and CPython. The reader counts and does not recognise: a camera on the table's
computer names the cards. So that each picture says by itself which passage it belongs to, six lights in the
camera's sight carry a number that is new for each sheet that enters.
"""

import struct

import frames
import mouth

# Numbers of ERROR and CLEARED.
ERROR_TIME_OUT = 7
ERROR_SENSOR = 11

# What HELLO says of this reader: it can be locked, has a lid switch and counts only.
ABILITIES = 0x02 | 0x08 | 0x40

# Commands, and results of DONE.
LOCK, UNLOCK, CLEAR_ERROR, SELF_TEST = 1, 2, 3, 4
DONE, NOT_POSSIBLE = 0, 1

ENTRIES = 16


def words():
    """Every way to light three of six, the lowest first: one light that fails makes none of them another."""
    return [word for word in range(64) if sum(word >> place & 1 for place in range(6)) == 3]


# Of the twenty ways the first says that the mouth is empty, sixteen number the entries.
CODES = words()


class Reader:
    """One shoe. The board hands in edges and samples, and lights `lights` (six bits)."""

    def __init__(self, link, serial, firmware, settings=None):
        """`serial` is 12 bytes of ASCII, `firmware` the first 8 bytes of the firmware's digest."""
        self.link = link
        self.mouth = mouth.Mouth(settings)
        self.passage = 0
        self.entry = -1
        self.lid_open = False
        self.locked = False
        self.sensor_failed = False
        link.event(frames.HELLO, struct.pack(">12s8sHH", serial, firmware, ABILITIES, 512), 0)

    @property
    def lights(self):
        """The lights now: the number of the sheet that entered last, or that the mouth is empty."""
        return CODES[0] if self.mouth.sheet is None else CODES[1 + self.entry]

    def edge(self, is_outer, covered, at_us, now_us):
        """Take a change of an edge sensor that happened at `at_us`."""
        self._happened(self.mouth.edge(is_outer, covered, at_us), now_us)

    def sample(self, thick, dark, now_us):
        """Take the thickness (percent of a card) and whether the paper sensor sees none."""
        self._happened(self.mouth.sample(thick, dark), now_us)

    def tick(self, now_us):
        """Let time pass; call it at least ten times a second."""
        self._happened(self.mouth.tick(now_us), now_us)

    def lid(self, is_open, now_us):
        """Take a change of the lid switch."""
        if is_open != self.lid_open:
            self.lid_open = is_open
            self.link.event(frames.LID, struct.pack(">B", is_open), now_us // 1000)

    def sensor(self, failed, now_us):
        """Report once that edges were lost or a sensor is stuck, and once that it is well again."""
        if failed != self.sensor_failed:
            self.sensor_failed = failed
            payload = struct.pack(">BB", ERROR_SENSOR, 1) if failed else struct.pack(">B", ERROR_SENSOR)
            self.link.event(frames.ERROR if failed else frames.CLEARED, payload, now_us // 1000)

    def command(self, code, now_us):
        """Carry a command out; returns the result for DONE."""
        if code in (LOCK, UNLOCK):
            self.locked = code == LOCK
            return DONE
        if code == CLEAR_ERROR:
            self.sensor(False, now_us)
            return DONE
        return DONE if code == SELF_TEST else NOT_POSSIBLE

    def status(self):
        """Give the status bits of the heartbeat."""
        covered = self.mouth.inner or self.mouth.outer
        return covered | self.lid_open << 1 | self.locked << 5 | self.sensor_failed << 6

    def _happened(self, happened, now_us):
        for kind, value in happened:
            self._one(kind, value, now_us // 1000)

    def _one(self, kind, value, now_ms):
        """Turn one thing that the mouth saw into an event."""
        leaving = (self.passage + 1) % 0x10000
        if kind == mouth.ENTERED:
            self.entry = (self.entry + 1) % ENTRIES
            # Behind a sheet that has not left yet comes the next passage but one.
            entering = (leaving + (self.mouth.follower is not None)) % 0x10000
            self.link.event(frames.EDGE, struct.pack(">HBH", entering, 1, self.entry), now_ms)
        elif kind == mouth.LEFT:
            self.passage = leaving
            self.link.event(frames.EDGE, struct.pack(">HBH", leaving, 2, value), now_ms)
        elif kind == mouth.PULLED_BACK:
            back = (leaving + (self.mouth.sheet is not None)) % 0x10000
            self.link.event(frames.REVERSE, struct.pack(">HB", back, value), now_ms)
        elif kind == mouth.DOUBLE:
            self.link.event(frames.DOUBLE_FEED, struct.pack(">H", leaving), now_ms)
        elif kind == mouth.CUT:
            self.link.event(frames.CUT_CARD, struct.pack(">H", leaving), now_ms)
        elif kind == mouth.BLIND:
            # Each time: a card has gone past that has no passage.
            self.sensor_failed = False
            self.sensor(True, now_ms * 1000)
        elif kind == mouth.MEASURED:
            self._measured(leaving, value, now_ms)
        else:
            stuck = kind == mouth.STUCK
            payload = struct.pack(">BB", ERROR_TIME_OUT, 0) if stuck else struct.pack(">B", ERROR_TIME_OUT)
            self.link.event(frames.ERROR if stuck else frames.CLEARED, payload, now_ms)

    def _measured(self, passage, measures, now_ms):
        """Report how long front, middle and rear took (0.1 ms) and the thickness (percent)."""
        tenths = [min(us // 100, 0xFFFF) for us in measures[:3]]
        thick = min(max(int(measures[3]), 0), 0xFFFF)
        self.link.event(frames.MEASURED, struct.pack(">HHHHH", passage, *tenths, thick), now_ms)

"""The shoe reader: what the mouth says becomes events of the protocol and lights for the camera. No hardware.

Runs unchanged in MicroPython and CPython. The reader counts and does not recognise: a camera on the table's
computer names the cards. So that each picture says by itself which passage it belongs to, six lights in the
camera's sight carry a number that is new for each sheet that enters.
"""

import struct

import frames
import mouth

# Numbers of ERROR and CLEARED.
_ERROR_TIME_OUT = 7
_ERROR_SENSOR = 11
_ERROR_THICKNESS = 12

# What HELLO says of this reader: it counts only and takes settings. What is wrong with it from the start: it
# works with defaults, it measures no thickness.
ABILITIES = 0x40 | 0x200
DEFAULTS, NO_THICKNESS = 0x80, 0x100

# Commands, and results of DONE.
LOCK, _UNLOCK, _CLEAR_ERROR, _SELF_TEST, END = 1, 2, 3, 4, 5
DONE, NOT_POSSIBLE = 0, 1

# A setting with this value is asked for; these numbers are what the last passage measured.
ASKED = 0xFFFFFFFF
LAST_COUNTS, LAST_MV = 64, 65

# The chip's result without a card, in counts: less is a foil's wire that is off, more one on ground.
_COUNTS_MIN, COUNTS_MAX = 100000, 7800000

# So many samples that cannot be are a lost sensor: 50 ms.
_LOST_SAMPLES = 20

# So many samples without a covered beam are an empty mouth whatever they measure: two to five seconds.
_EMPTY_SAMPLES = 2000

ENTRIES = 16


def words():
    """Every way to light three of six, the lowest first: one light that fails makes none of them another."""
    return [word for word in range(64) if sum(word >> place & 1 for place in range(6)) == 3]


# Of the twenty ways the first says that the mouth is empty, sixteen number the entries.
CODES = words()


class Level:
    """A measure of the empty mouth, which follows warmth and damp, and what differs from it.

    What jumps by `far` is a sheet that no beam has seen, and is not followed, unless it stays for `patience`
    samples: then the mouth was not empty when the board began.
    """

    def __init__(self, patience):
        self.empty = None
        self.patience = patience
        self.jumped = 0

    def above(self, value, mouth_empty, far):
        """How far a value is above the empty mouth's."""
        if self.empty is None:
            self.empty = value
        step = value - self.empty
        self.jumped = self.jumped + 1 if mouth_empty and abs(step) >= far else 0
        if self.jumped > self.patience:
            self.empty = value
        elif mouth_empty and not self.jumped:
            # Sixteenths, but never none: a slow drift is followed down to a single count.
            self.empty += step // 16 or (step > 0) - (step < 0)
        return value - self.empty


class Reader:
    """One shoe. The board hands in edges and samples, and lights `lights` (six bits)."""

    def __init__(self, link, serial, firmware, settings=None, *, store=None, doubts=0):
        """`serial` is 12 bytes of ASCII, `firmware` the first 8 bytes of the firmware's digest.

        `store(settings)` keeps them for the next start; `doubts` are DEFAULTS and NO_THICKNESS.
        """
        self.link = link
        self.mouth = mouth.Mouth(settings)
        self.store = store
        self.passage = 0
        self.entry = -1
        self.sensor_failed = False
        self.thickness_lost = False
        self.impossible = 0
        self.ended = False
        self.counts = Level(_EMPTY_SAMPLES)
        self.volt = Level(_EMPTY_SAMPLES)
        self.paper_mv = self.greatest = self.brightest = 0
        self.last = {LAST_COUNTS: 0, LAST_MV: 0}
        abilities = ABILITIES | doubts
        link.event(frames.HELLO, struct.pack(">12s8sHH", serial, firmware, abilities, 512), 0)

    @property
    def lights(self):
        """The lights now: the number of the sheet that entered last, or that the mouth is empty."""
        return CODES[0] if self.mouth.sheet is None else CODES[1 + self.entry]

    def edge(self, is_outer, covered, at_us, now_us):
        """Take a change of an edge sensor that happened at `at_us`."""
        self._happened(self.mouth.edge(is_outer, covered, at_us), now_us)

    def paper(self, mv):
        """Take the reflective sensor's pin in millivolts, every millisecond: paper lowers it."""
        empty = not (self.mouth.inner or self.mouth.outer)
        self.paper_mv = -self.volt.above(mv, empty, self.mouth.settings.dark_mv // 2)
        if self.mouth.inner and self.mouth.outer:
            self.brightest = max(self.brightest, self.paper_mv)
        self.mouth.paper(self._is_dark())

    def _is_dark(self):
        return self.paper_mv < self.mouth.settings.dark_mv

    def sample(self, counts, now_us):
        """Take the thickness chip's result, 400 times a second; None: it does not answer."""
        empty = not (self.mouth.inner or self.mouth.outer)
        if counts is None or not _COUNTS_MIN <= counts <= COUNTS_MAX:
            self.impossible = min(self.impossible + 1, _LOST_SAMPLES)
        else:
            self.impossible = max(self.impossible - 1, 0) if self.thickness_lost else 0
        lost = self.impossible >= _LOST_SAMPLES or (self.thickness_lost and self.impossible > 0)
        self._thickness(lost, now_us)
        above = None
        if not lost and not self.impossible:
            above = self.counts.above(counts, empty, self.mouth.settings.card_counts // 4)
            self.greatest = max(self.greatest, above)
        thick = None if above is None else above * 100 // self.mouth.settings.card_counts
        self._happened(self.mouth.sample(thick, self._is_dark()), now_us)

    def tick(self, now_us):
        """Let time pass; call it at least ten times a second."""
        self._happened(self.mouth.tick(now_us), now_us)

    def sensor(self, failed, now_us):
        """Report once that edges were lost or a sensor is stuck, and once that it is well again."""
        if failed != self.sensor_failed:
            self.sensor_failed = failed
            payload = struct.pack(">BB", _ERROR_SENSOR, 1) if failed else struct.pack(">B", _ERROR_SENSOR)
            self.link.event(frames.ERROR if failed else frames.CLEARED, payload, now_us // 1000)

    def order(self, order, now_us):
        """Carry out what the host orders: an id, a type, a number, an argument."""
        number, kind, code, argument = order
        if kind == frames.SETTING:
            result = self._setting(number, code, argument, now_us)
        else:
            result = self._command(code, now_us)
        if result is not None:
            self.link.done(number, result, now_us // 1000)

    def _command(self, code, now_us):
        """Carry a command out; returns the result for DONE."""
        if code == _CLEAR_ERROR:
            self.sensor(False, now_us)
        elif code == END:
            self.ended = True
        elif code != _SELF_TEST:
            return NOT_POSSIBLE
        return DONE

    def _setting(self, order, number, value, now_us):
        """Change a setting and keep it, or only say it; a result where that is not possible."""
        settings = self.mouth.settings
        if value != ASKED:
            before = settings.all()
            if not settings.change(number, value):
                return NOT_POSSIBLE
            if self.store is not None and not self.store(settings):
                # What is in force is what the next start finds.
                settings.change(number, before[mouth.SETTINGS[number][0]])
                return NOT_POSSIBLE
        if number in mouth.SETTINGS:
            value = getattr(settings, mouth.SETTINGS[number][0])
        elif number in self.last:
            value = self.last[number]
        else:
            return NOT_POSSIBLE
        self.link.event(frames.VALUE, struct.pack(">HBI", order, number, value), now_us // 1000)
        return None

    def status(self):
        """Give the status bits of the heartbeat."""
        covered = self.mouth.inner or self.mouth.outer
        return covered | (self.sensor_failed or self.thickness_lost) << 6

    def _thickness(self, lost, now_us):
        """Report once that the thickness is lost, and once that it is there again."""
        if lost == self.thickness_lost:
            return
        self.thickness_lost = lost
        payload = struct.pack(">BB", _ERROR_THICKNESS, 0) if lost else struct.pack(">B", _ERROR_THICKNESS)
        self.link.event(frames.ERROR if lost else frames.CLEARED, payload, now_us // 1000)

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
            self.greatest = self.brightest = 0
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
            payload = struct.pack(">BB", _ERROR_TIME_OUT, 0) if stuck else struct.pack(">B", _ERROR_TIME_OUT)
            self.link.event(frames.ERROR if stuck else frames.CLEARED, payload, now_ms)

    def _measured(self, passage, measures, now_ms):
        """Report how long front, middle and rear took (0.1 ms) and the thickness (percent)."""
        tenths = [min(us // 100, 0xFFFF) for us in measures[:3]]
        thick = min(max(int(measures[3]), 0), 0xFFFF)
        self.last = {LAST_COUNTS: self.greatest, LAST_MV: self.brightest}
        self.greatest = self.brightest = 0
        self.link.event(frames.MEASURED, struct.pack(">HHHHH", passage, *tenths, thick), now_ms)

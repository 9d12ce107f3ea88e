"""Two edge sensors in the mouth of the shoe tell what passes. No hardware.

Runs unchanged in MicroPython and CPython. The inner sensor is covered first by a card that leaves. Times are
microseconds of any clock that goes forward.
"""

# What happened, as `Mouth` says it.
ENTERED = 1
LEFT = 2
PULLED_BACK = 3
DOUBLE = 4
STUCK = 5
FREE = 6

# A card that stays in the mouth for five seconds is stuck.
STUCK_US = 5000000

# An edge as long as this many cards is two of them; two edges closer than this cannot be told apart.
DOUBLE_CARDS = 1.35
APART_MM = 3


class Mouth:
    """Follows one card after the other through the mouth.

    `gap_mm` is the distance of the sensors, `card_mm` the length of a card in the direction of drawing.
    """

    def __init__(self, gap_mm=25, card_mm=63):
        self.gap_mm = gap_mm
        self.card_mm = card_mm
        self.inner = False
        self.outer = False
        self.entered_us = None
        self.outer_us = None
        self.cleared_us = None
        self.next_us = None
        self.stuck = False

    def sensor(self, is_outer, covered, now_us):
        """Take a change of one sensor; returns what happened as a list of (kind, number).

        The number is the milliseconds in the mouth for LEFT, millimetres for PULLED_BACK, else 0.
        """
        if is_outer:
            return self._outer(covered, now_us)
        return self._inner(covered, now_us)

    def tick(self, now_us):
        """Let time pass: a card that stays in the mouth for five seconds is stuck."""
        if self.entered_us is None or self.stuck or now_us - self.entered_us < STUCK_US:
            return []
        self.stuck = True
        return [(STUCK, 0)]

    def _inner(self, covered, now_us):
        """The inner sensor: a card enters, or its rear edge is past."""
        if covered == self.inner:
            return []
        self.inner = covered
        if not covered:
            self.cleared_us = now_us
            return self._back(0) if self.outer_us is None else []
        if self.outer:
            # The next card follows before this one has left.
            self.next_us = now_us
            return [(DOUBLE, 0)] if self._mm(self.cleared_us, now_us) < APART_MM else []
        self.entered_us = now_us
        return [(ENTERED, 0)]

    def _outer(self, covered, now_us):
        """The outer sensor: a card shows itself, or is out."""
        if covered == self.outer:
            return []
        self.outer = covered
        if self.entered_us is None:
            return []
        if covered:
            self.outer_us = now_us
            return []
        if self.inner and self.next_us is None:
            self.outer_us = None
            return [(PULLED_BACK, self.gap_mm)]
        return self._out(now_us)

    def _out(self, now_us):
        """A card has left: measure it, and begin with the one behind it."""
        happened = []
        if self._mm(self.outer_us, now_us) > self.card_mm * DOUBLE_CARDS:
            happened.append((DOUBLE, 0))
        happened.append((LEFT, min((now_us - self.entered_us) // 1000, 0xFFFF)))
        happened += self._free()
        self.entered_us, self.next_us, self.outer_us = self.next_us, None, None
        if self.entered_us is not None:
            happened.append((ENTERED, 0))
        return happened

    def _back(self, depth_mm):
        """A card went back without having reached the outer sensor."""
        self.entered_us = None
        happened = [(PULLED_BACK, depth_mm)]
        happened += self._free()
        return happened

    def _free(self):
        if not self.stuck:
            return []
        self.stuck = False
        return [(FREE, 0)]

    def _mm(self, from_us, to_us):
        """How far a card moves between two times at the speed of the card in the mouth; 0 if not known."""
        crossing_us = (self.outer_us or 0) - (self.entered_us or 0)
        if from_us is None or crossing_us <= 0:
            return 0
        return self.gap_mm * (to_us - from_us) / crossing_us

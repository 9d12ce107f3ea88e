"""Time stamps of the edge sensors, from the two PIO counters to edges in their order. No hardware.

Each counter counts down once in two microseconds and tells its count at every change of its pin. Runs
unchanged in MicroPython and CPython.
"""

# A PIO cycle is a microsecond, and a count two of them.
_COUNT_US = 2
COUNTS = 0x100000000

# What is younger than this may have an older one of the other sensor behind it that is not read yet.
_SETTLED_US = 100


class Stamps:
    """Joins what two counters tell. `take` hands out (is_outer, covered, us since the counters began)."""

    def __init__(self):
        self.covered = [False, False]
        self.last = [0, 0]
        self.waiting = []

    def put(self, is_outer, count):
        """Take one word of a counter: how far it has counted down from its highest value."""
        place = 1 if is_outer else 0
        self.covered[place] = not self.covered[place]
        # A word is 32 bits, two hours and more: what seems to go back has gone round.
        counted = (COUNTS - 1 - count) % COUNTS
        ahead = (counted - self.last[place] // _COUNT_US) % COUNTS
        self.last[place] += ahead * _COUNT_US
        self.waiting.append((self.last[place], is_outer, self.covered[place]))

    def take(self, now_us):
        """Give the edges that are old enough that none can come before them, the oldest first."""
        ready = sorted(
            [one for one in self.waiting if one[0] <= now_us - _SETTLED_US], key=lambda one: one[0]
        )
        self.waiting = [one for one in self.waiting if one[0] > now_us - _SETTLED_US]
        return [(is_outer, covered, at_us) for at_us, is_outer, covered in ready]

    def fits(self, inner, outer):
        """Whether the pins are as the counters have told; only to be asked while no word waits."""
        return self.covered == [inner, outer]

"""Two edge sensors, a thickness and a paper sensor tell what passes the mouth of the shoe. No hardware.

Runs unchanged in MicroPython and CPython. The inner sensor is covered first by a card that leaves. Times
are microseconds of any clock that goes forward; they are those of the edges themselves, however late they
are read.
"""

# What happened, as `Mouth` says it.
ENTERED = 1
LEFT = 2
PULLED_BACK = 3
DOUBLE = 4
STUCK = 5
FREE = 6
CUT = 7
MEASURED = 8
BLIND = 9

# A card that stays in the mouth for five seconds is stuck.
_STUCK_US = 5000000

# Two edges closer than this cannot be told apart.
APART_MM = 3

# What is longer than this many cards is two, where it passed in one go; a card that rests has no length.
_LONG_CARDS = 1.15
_BRISK_US = 300000

# So many samples in a row above the threshold are two sheets; so many say whether a sheet is paper.
_PAIR_SAMPLES = 2
_PAPER_SAMPLES = 3
DARK_SHARE = 0.8

# Less than this percent of a card between the plates is none.
NO_CARD = 50


# Settings by their number in the protocol: name, default, least, greatest.
SETTINGS = {
    1: ("gap_mm", 48, 20, 80),
    2: ("card_mm", 63, 40, 80),
    3: ("pair", 130, 105, 195),
    4: ("cut", 220, 101, 1000),
    5: ("card_counts", 30000, 2000, 500000),
    6: ("dark_mv", 400, 20, 3000),
    7: ("flash_us", 5200, 1000, 50000),
}


class Settings:
    """What `stand17 calibrate shoe` found out about one built reader.

    Sensors `gap_mm` apart, a card `card_mm` long in the way it is drawn. One card raises the thickness
    sensor's result by `card_counts`; in percent of that `pair` and more is two, `cut` is the cut card's. A
    sheet that lowers the reflective sensor's pin by less than `dark_mv` is no paper. A flash comes every
    `flash_us`.
    """

    def __init__(self, **found):
        """What is not found, or cannot be, is the default; `complete` says whether all was found."""
        self.complete = True
        for name, default, least, greatest in SETTINGS.values():
            value = found.get(name)
            if not isinstance(value, int) or not least <= value <= greatest:
                value, self.complete = default, False
            setattr(self, name, value)

    def change(self, number, value):
        """Take a new value; whether there is such a setting and it can have this value."""
        if number not in SETTINGS:
            return False
        name, _, least, greatest = SETTINGS[number]
        if not least <= value <= greatest:
            return False
        setattr(self, name, value)
        return True

    def all(self):
        """Every setting by name."""
        return {name: getattr(self, name) for name, _, _, _ in SETTINGS.values()}


class Sheet:
    """One sheet on its way through the mouth."""

    def __init__(self, entered_us):
        self.entered_us = entered_us
        self.reached_us = None
        self.cleared_us = None
        self.wavered = False
        self.went_back = False
        self.doubled = False
        self.above = 0
        self.thick = 0
        self.samples = 0
        self.dark = 0


class Mouth:
    """Follows one sheet after the other; a second one may enter before the first has left."""

    def __init__(self, settings=None):
        self.settings = settings or Settings()
        self.inner = False
        self.outer = False
        self.sheet = None
        self.follower = None
        self.stuck = False
        self.unseen = False

    def edge(self, is_outer, covered, now_us):
        """Take a change of one edge sensor; returns what happened as a list of (kind, value).

        The value is milliseconds in the mouth for LEFT, millimetres for PULLED_BACK, the four measures for
        MEASURED, else 0.
        """
        if covered == (self.outer if is_outer else self.inner):
            return []
        if is_outer:
            self.outer = covered
            return self._outer(covered, now_us)
        self.inner = covered
        return self._inner(covered, now_us)

    def sample(self, thick, dark):
        """Take thickness (percent of a card) and whether the paper sensor sees no paper.

        Without a thickness (None) only a length tells two cards from one.
        """
        sheet = self.sheet
        there = not dark if thick is None else thick >= NO_CARD
        if sheet is None:
            return self._sheetless(there)
        if sheet.went_back and not there:
            sheet.went_back = False
            return [(BLIND, 0)]
        sheet.went_back = False
        if thick is None:
            return []
        sheet.thick = max(sheet.thick, thick)
        limit = self.settings.pair
        if self._is_cut(sheet) or (dark and sheet.samples < _PAPER_SAMPLES):
            limit = self.settings.cut + self.settings.pair - 100
        sheet.above = sheet.above + 1 if thick >= limit else 0
        return self._doubled(sheet) if sheet.above >= _PAIR_SAMPLES else []

    def paper(self, dark):
        """Take whether the reflective sensor sees no paper; several times while both beams are covered."""
        sheet = self.sheet
        if sheet is not None and self.inner and self.outer and self.follower is None:
            sheet.samples += 1
            sheet.dark += dark

    def _sheetless(self, there):
        """Paper under plates and outer sensor that the inner one has not seen enter: said once of each."""
        if not self.outer:
            self.unseen = False
        elif there and not self.unseen:
            self.unseen = True
            return [(BLIND, 0)]
        return []

    def tick(self, now_us):
        """Let time pass: a card that stays in the mouth for five seconds is stuck."""
        if self.sheet is None or self.stuck or now_us - self.sheet.entered_us < _STUCK_US:
            return []
        self.stuck = True
        return [(STUCK, 0)]

    def _inner(self, covered, now_us):
        """The inner sensor: a sheet enters, goes back, or its rear edge is past."""
        sheet = self.sheet
        if covered:
            return self._enters(now_us)
        if self.follower is not None:
            self.follower = None
            return [(PULLED_BACK, 0)]
        if sheet.reached_us is None:
            self.sheet = None
            # MicroPython has no star in a list.
            back = [(PULLED_BACK, self.settings.gap_mm if sheet.wavered else 0)]
            return back + self._free()
        sheet.cleared_us = now_us
        return []

    def _enters(self, now_us):
        sheet = self.sheet
        if sheet is None:
            self.sheet = Sheet(now_us)
            return [(ENTERED, 0)]
        self.follower = Sheet(now_us)
        crossing_us = sheet.reached_us - sheet.entered_us
        apart_mm = self.settings.gap_mm * (now_us - sheet.cleared_us) / max(crossing_us, 1)
        return (self._doubled(sheet) if apart_mm < APART_MM else []) + [(ENTERED, 0)]

    def _outer(self, covered, now_us):
        """The outer sensor: a sheet reaches it, goes back from it, or is out."""
        sheet = self.sheet
        if sheet is None:
            return []
        if covered:
            if sheet.reached_us is None:
                sheet.reached_us = now_us
            return []
        if sheet.cleared_us is None:
            sheet.reached_us = None
            sheet.wavered = True
            # One that goes back from there covers the plates. None between them: a card is out, and the
            # inner sensor, which has dust in its bore, has seen neither of its edges.
            sheet.went_back = True
            return []
        return self._out(sheet, now_us)

    def _out(self, sheet, now_us):
        """A sheet has left: measure it, and go on with the one behind it."""
        first, middle, last = (
            sheet.reached_us - sheet.entered_us,
            sheet.cleared_us - sheet.reached_us,
            now_us - sheet.cleared_us,
        )
        happened = []
        if not sheet.wavered and first + middle + last < _BRISK_US and self._is_long(first, middle, last):
            happened += self._doubled(sheet)
        happened.append((MEASURED, (first, middle, last, sheet.thick)))
        if self._is_cut(sheet):
            happened.append((CUT, 0))
        happened.append((LEFT, min((now_us - sheet.entered_us) // 1000, 0xFFFF)))
        happened += self._free()
        self.sheet, self.follower = self.follower, None
        return happened

    def _is_long(self, first, middle, last):
        """Length from the speeds of front and rear edge: exact for a steady or steadily changing speed."""
        gap = self.settings.gap_mm
        speed = (gap / max(first, 1) + gap / max(last, 1)) / 2
        return speed * (first / 2 + middle + last / 2) > self.settings.card_mm * _LONG_CARDS

    def _is_cut(self, sheet):
        return sheet.samples >= _PAPER_SAMPLES and sheet.dark > sheet.samples * DARK_SHARE

    def _doubled(self, sheet):
        """Say once of a sheet that it may be two."""
        if sheet.doubled:
            return []
        sheet.doubled = True
        return [(DOUBLE, 0)]

    def _free(self):
        if not self.stuck:
            return []
        self.stuck = False
        return [(FREE, 0)]
